// Files exchanged with numpy and h5py themselves, both ways.
#include <gtest/gtest.h>

#include <cstdlib>

#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "support/files.hpp"

namespace relucover {
namespace {

using test::contains;
using test::data_error;
using test::TemporaryFolder;

/// Runs a Python script in the folder; it sees numpy as np and h5py.
void run_python(const TemporaryFolder& folder, const std::string& script) {
  folder.write("script.py", "import numpy as np, h5py\n" + script);
  const std::string command = "cd '" + folder.path().string() + "' && /usr/bin/python3 script.py";
  ASSERT_EQ(std::system(command.c_str()), 0) << script;
}

TEST(Numpy, WritesWhatWeRead) {
  const TemporaryFolder folder;
  run_python(folder, R"(
x = np.arange(600.0).reshape(200, 3) - 250
y = np.arange(200.0) / 4
np.savez('plain.npz', x=x, y=y)
np.savez_compressed('compressed.npz', x=x, y=y)
np.savez('fortran.npz', x=np.asfortranarray(x), y=y[:, None])
np.savez('mixed.npz', x=x.astype('>i2'), y=y.astype('>f8'), unused=np.array(['text']))
np.savez('narrow.npz', x=x.astype('f4'), y=y.astype('f4'))
np.savez('half.npz', x=x.astype('f2'), y=y)
np.save('x.npy', x); np.save('y.npy', y)
np.savetxt('table.csv', np.column_stack([x, y]), delimiter=',', header='a,b,c,y', comments='')
for name, options in {'contiguous': {}, 'chunked': dict(chunks=True, compression='gzip')}.items():
    with h5py.File(name + '.h5', 'w') as f:
        f.create_dataset('x', data=x, **options); f.create_dataset('y', data=y, **options)
with h5py.File('integer.h5', 'w') as f:
    f['x'] = x.astype('>i4'); f['y'] = y.astype('f4')
with h5py.File('userblock.h5', 'w', userblock_size=512) as f:
    f['x'] = x; f['y'] = y
)");
  RowMatrix x(200, 3), y(200, 1);
  for (Index i = 0; i < 200; ++i) {
    for (Index j = 0; j < 3; ++j) x(i, j) = static_cast<double>(3 * i + j) - 250;
    y(i, 0) = static_cast<double>(i) / 4;
  }
  for (const char* name : {"plain.npz", "compressed.npz", "fortran.npz", "mixed.npz", "narrow.npz", "half.npz", "x.npy", "table.csv",
                           "contiguous.h5", "chunked.h5", "integer.h5", "userblock.h5"}) {
    const auto source = open_samples(folder / name);
    BlockBuffer<double> buffer;
    const auto block = source->read(0, source->samples(), buffer);
    EXPECT_EQ(block.x, x) << name;
    EXPECT_EQ(block.y, y) << name;
  }
}

TEST(Numpy, WritesWhatWeRefuse) {
  const TemporaryFolder folder;
  run_python(folder, R"(
x = np.ones((4, 3)); y = np.ones(4)
np.savez('object.npz', x=x.astype(object), y=y)
np.savez('complex.npz', x=x.astype(complex), y=y)
np.savez('text.npz', x=x.astype(str), y=y)
np.savez('long.npz', x=x.astype(np.longdouble), y=y)
np.savez('records.npz', x=np.zeros(4, dtype=[('a', 'f8'), ('b', 'f8')]), y=y)
np.savez('flat.npz', x=x[:, 0], y=y)
np.savez('deep.npz', x=x[:, :, None], y=y)
np.savez('short.npz', x=x, y=y[:3])
np.savez('empty.npz', x=x[:0], y=y[:0])
np.savez('unnamed.npz', x, y)
with h5py.File('bool.h5', 'w') as f:
    f['x'] = x > 0; f['y'] = y
with h5py.File('group.h5', 'w') as f:
    f['train/x'] = x; f['train/y'] = y
)");
  for (const auto& [name, part] : {std::pair{"object.npz", "dtype object"},
                                   {"complex.npz", "'<c16'"},
                                   {"text.npz", "holds text"},
                                   {"long.npz", "'<f16'"},
                                   {"records.npz", "named fields"},
                                   {"flat.npz", "x.reshape(-1, 1)"},
                                   {"deep.npz", "x.reshape(len(x), -1)"},
                                   {"short.npz", "has 3 rows, but x has 4"},
                                   {"empty.npz", "no samples"},
                                   {"unnamed.npz", "it has arr_0, arr_1"},
                                   {"bool.h5", "other than numbers"},
                                   {"group.h5", "it has train"}})
    EXPECT_TRUE(contains(data_error([&, file = name] { open_samples(folder / file); }), part));
}

TEST(Numpy, ReadsWhatWeWrite) {
  const TemporaryFolder folder;
  const Network network = planted_network({.inputs = 3, .units = 4, .outputs = 2, .seed = 1});
  const auto source = synthetic_samples(network, {.samples = 1000});
  for (const char* name : {"a.npz", "x.npy", "a.h5", "a.csv"}) write_samples(*source, folder / name, Precision::float64, Control(1));
  write_samples(*source, folder / "narrow.npz", Precision::float32, Control(1));
  write_network(network, folder / "net.npz");
  write_network(network, folder / "net.json");
  run_python(folder, R"(
import json, zipfile
a = np.load('a.npz'); x, y = a['x'], a['y']
assert zipfile.ZipFile('a.npz').testzip() is None
assert x.shape == (1000, 3) and y.shape == (1000, 2) and x.dtype == np.float64
assert (np.load('x.npy') == x).all() and (np.load('y.npy', mmap_mode='r') == y).all()
with h5py.File('a.h5') as f: assert (f['x'][:] == x).all() and (f['y'][:] == y).all()
assert (np.loadtxt('a.csv', delimiter=',', skiprows=1) == np.hstack([x, y])).all()
assert (np.load('narrow.npz')['x'] == x.astype('f4')).all()
z, n = np.load('net.npz'), json.load(open('net.json'))
assert str(z['activation']) == n['activation'] == 'relu' and int(z['version']) == n['version'] == 1
for key in ['W', 'b', 'A', 'skip', 'offset']: assert (z[key] == np.array(n[key])).all() and z[key].shape == np.array(n[key]).shape
out = np.maximum(x @ z['W'].T + z['b'], 0) @ z['A'].T + x @ z['skip'].T + z['offset']
assert abs(out - y).max() < 1e-13
)");
}

}  // namespace
}  // namespace relucover
