// The module with HDF5 in it: reads and writes .h5 samples (samples/hdf5_module.hpp).
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <new>

#include "core/check.hpp"
#include "relucover/errors.hpp"
#include "samples/blockwise.hpp"
#include "samples/files.hpp"
#include "samples/hdf5_handle.hpp"
#include "samples/hdf5_module.hpp"

namespace relucover {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

Hdf5Session::Hdf5Session() : lock_(hdf5_mutex()) {
  // At the end of the program the library would write again what a full disk refused, and crash: every handle is closed
  // here.
  [[maybe_unused]] static const herr_t no_second_try = H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, report_, report_data_); }

Hdf5Handle::~Hdf5Handle() {
  if (id_ < 0) return;
  const Hdf5Session session;
  close_(id_);
}

namespace {

constexpr const char* lost_bytes = "the file is damaged or was cut off: write or copy it again";

template <class Scalar>
hid_t memory_type() {
  return sizeof(Scalar) == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

/// One dataset of numbers, with one or two dimensions.
struct Dataset {
  Hdf5Handle id;
  Place place;
  std::vector<Index> shape;
  ElementType type;

  template <class Scalar>
  void read(Index first, Index rows, RowMajor<Scalar>& out) const {
    const Index cols = shape.size() == 2 ? shape[1] : 1;
    out.resize(rows, cols);
    const std::array start{static_cast<hsize_t>(first), hsize_t{0}};
    const std::array count{static_cast<hsize_t>(rows), static_cast<hsize_t>(cols)};
    const int rank = static_cast<int>(shape.size());
    const Hdf5Session session;
    const Hdf5Handle file_space(H5Dget_space(id.get()), H5Sclose);
    const Hdf5Handle memory_space(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(id.get(), memory_type<Scalar>(), memory_space.get(), file_space.get(), H5P_DEFAULT, out.data()) < 0)
      throw DataError(place.file, place.within, fmt::format("rows {} to {} can't be read", first, first + rows - 1), lost_bytes);
  }
};

/// Names of the datasets at the top of the file, for the message that x or y is missing.
std::vector<std::string> dataset_names(hid_t file) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names);
  return names;
}

ElementType element_type_of(hid_t dataset, const Place& place) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    throw DataError(place.file, place.within, "holds something other than numbers", "save it as float64: array.astype(np.float64)");
  ElementType result;
  result.kind = kind == H5T_FLOAT ? 'f' : H5Tget_sign(type.get()) == H5T_SGN_NONE ? 'u' : 'i';
  result.size = static_cast<Index>(H5Tget_size(type.get()));
  result.big_endian = H5Tget_order(type.get()) == H5T_ORDER_BE;
  return result;
}

/// Room for a few of the dataset's own chunks, so that neighbouring blocks do not unpack the same chunk again.
Hdf5Handle chunk_cache(hid_t dataset) {
  Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  const Hdf5Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  std::array<hsize_t, 2> chunk{1, 1};
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED || H5Pget_chunk(creation.get(), 2, chunk.data()) < 0) return access;
  constexpr hsize_t element = 8, least = 16 << 20, most = 512 << 20;
  const hsize_t chunk_bytes = std::min(most, chunk[0]) * std::min(most, chunk[1]) * element;
  H5Pset_chunk_cache(access.get(), 521, std::clamp<hsize_t>(8 * std::min(chunk_bytes, most), least, most), 0.75);
  return access;
}

Dataset open_dataset(hid_t file, const std::string& file_name, const std::string& name) {
  const Place place{file_name, "dataset " + name};
  Hdf5Handle id(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!id.valid())
    throw DataError(file_name, "", fmt::format("has no dataset {}; it has {}", name, fmt::join(dataset_names(file), ", ")),
                    "name the inputs x and the labels y");
  const Hdf5Handle space(H5Dget_space(id.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) throw DataError(file_name, place.within, "has no shape", lost_bytes);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
  const ElementType type = element_type_of(id.get(), place);
  if (rank >= 1 && rank <= 2) {
    const Hdf5Handle access = chunk_cache(id.get());
    id = Hdf5Handle(H5Dopen2(file, name.c_str(), access.get()), H5Dclose);
  }
  return {std::move(id), place, std::vector<Index>(sizes.begin(), sizes.end()), type};
}

/// The dataset as an array in the mapped file, if it lies there in one piece without filters.
bool map_dataset(const Dataset& dataset, const SharedBytes& content, NpyArray& array) {
  const Hdf5Handle creation(H5Dget_create_plist(dataset.id.get()), H5Pclose);
  if (H5Pget_layout(creation.get()) != H5D_CONTIGUOUS || H5Pget_external_count(creation.get()) != 0) return false;
  const Hdf5Handle stored(H5Dget_type(dataset.id.get()), H5Tclose);
  const ElementType type = dataset.type;
  const auto is_standard = [&](hid_t standard) { return H5Tequal(stored.get(), standard) > 0; };
  if (!is_standard(H5T_IEEE_F32LE) && !is_standard(H5T_IEEE_F64LE)) return false;
  const haddr_t offset = H5Dget_offset(dataset.id.get());
  Index size = type.size;
  for (const Index extent : dataset.shape)
    if (__builtin_mul_overflow(size, extent, &size)) return false;
  const std::size_t bytes = content.bytes.size();
  if (offset == HADDR_UNDEF || offset > bytes || bytes - offset < static_cast<std::size_t>(size)) return false;
  array = {type, false, dataset.shape, content.part(offset, static_cast<std::size_t>(size))};
  return true;
}

/// Sizes are believed as far as the file bears them out; with filters, as far as a row fits in memory.
void check_claims(const Dataset& dataset, const SharedBytes& content) {
  constexpr Index most_columns = Index{1} << 24;
  Index size = dataset.type.size;
  bool possible = dataset.shape.size() < 2 || dataset.shape[1] <= most_columns;
  for (const Index extent : dataset.shape) possible = possible && extent >= 0 && !__builtin_mul_overflow(size, extent, &size);
  const Hdf5Handle creation(H5Dget_create_plist(dataset.id.get()), H5Pclose);
  if (possible && H5Pget_layout(creation.get()) == H5D_CONTIGUOUS && H5Pget_external_count(creation.get()) == 0)
    possible = static_cast<std::size_t>(size) <= content.bytes.size();
  if (!possible)
    throw DataError(dataset.place.file, dataset.place.within,
                    fmt::format("claims shape {}, more than the file holds", shape_text(dataset.shape)), lost_bytes);
}

bool has_user_block(hid_t file) {
  const Hdf5Handle creation(H5Fget_create_plist(file), H5Pclose);
  hsize_t size = 0;
  return H5Pget_userblock(creation.get(), &size) < 0 || size != 0;
}

class Hdf5Source : public BlockwiseSource<Hdf5Source> {
 public:
  Hdf5Source(Hdf5Handle file, Dataset x, Dataset y, std::string name)
      : file_(std::move(file)), x_(std::move(x)), y_(std::move(y)), name_(std::move(name)) {}
  Index samples() const override { return x_.shape[0]; }
  Index inputs() const override { return x_.shape[1]; }
  Index outputs() const override { return y_.shape.size() == 2 ? y_.shape[1] : 1; }
  Precision precision() const override { return y_.type.kind == 'f' && y_.type.size <= 4 ? Precision::float32 : Precision::float64; }
  std::string name() const override { return name_; }
  template <class Scalar>
  Block<Scalar> block(Index first, Index rows, BlockBuffer<Scalar>& buffer) const {
    x_.read(first, rows, buffer.x);
    y_.read(first, rows, buffer.y);
    return view_of(first, buffer);
  }

 private:
  Hdf5Handle file_;
  Dataset x_, y_;
  std::string name_;
};

std::unique_ptr<SampleSource> open_believed(const std::filesystem::path& path, const SharedBytes& content) {
  const std::string name = path.string();
  const Hdf5Session session;
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) throw DataError(name, "", "is not an HDF5 file that can be read", lost_bytes);
  Dataset x = open_dataset(file.get(), name, "x"), y = open_dataset(file.get(), name, "y");
  check_sample_shapes(x.shape, x.place, y.shape, y.place);
  for (const Dataset* dataset : {&x, &y}) check_claims(*dataset, content);
  NpyArray mapped_x, mapped_y;
  if (!has_user_block(file.get()) && map_dataset(x, content, mapped_x) && map_dataset(y, content, mapped_y))
    return stored_samples(mapped_x, x.place, mapped_y, y.place, name);
  return std::make_unique<Hdf5Source>(std::move(file), std::move(x), std::move(y), name);
}

/// What a reader does first: the start and the end, or all where that is little.
void read_some(const SampleSource& source) {
  constexpr Index little = Index{1} << 22, few = 64;
  const Index columns = source.inputs() + source.outputs();
  const Index rows = std::min(source.samples(), source.samples() <= little / columns ? source.samples() : few);
  BlockBuffer<double> buffer;
  source.read(0, rows, buffer);
  source.read(source.samples() - rows, rows, buffer);
}

/// Whether the HDF5 library bears this file: it breaks on some that are damaged (1.10.8 reads null pointers), and so has to do it in
/// a process of its own first.
bool is_borne(const std::filesystem::path& path, const SharedBytes& content) {
  constexpr unsigned patience = 60;  // seconds
  const pid_t child = ::fork();
  if (child == 0) {
    new (&hdf5_mutex()) std::recursive_mutex;  // its owner stayed behind
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    const rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::alarm(patience);
    try {
      read_some(*open_believed(path, content));
    } catch (...) {  // in words, which come again
    }
    ::_exit(0);
  }
  int status = 0;
  pid_t ended = 0;
  while (child > 0 && (ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  return child < 0 || ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

std::unique_ptr<SampleSource> open(const std::filesystem::path& path) {
  const SharedBytes content = map_file(path);
  const Hdf5Session session;
  if (!is_borne(path, content)) throw DataError(path.string(), "", "breaks the HDF5 library", lost_bytes);
  return open_believed(path, content);
}

// ---- writing

class Writer : public Hdf5Writer {
 public:
  Writer(const std::filesystem::path& path, std::filesystem::path shown, Index samples, std::array<Index, 2> columns, Precision precision)
      : shown_(std::move(shown)), columns_(columns), precision_(precision) {
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    if (!file_.valid()) fail();
    constexpr std::array names{"x", "y"};
    for (const std::size_t d : {0u, 1u}) {
      const std::array size{static_cast<hsize_t>(samples), static_cast<hsize_t>(columns_[d])};
      const Hdf5Handle space(H5Screate_simple(2, size.data(), nullptr), H5Sclose);
      const hid_t type = precision_ == Precision::float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
      const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_obj_track_times(creation.get(), false);  // the same data gives the same bytes
      datasets_[d] = Hdf5Handle(H5Dcreate2(file_.get(), names[d], type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose);
      if (!datasets_[d].valid()) fail();
    }
  }
  void append(std::size_t dataset, const void* values, Index rows) override {
    const std::array start{static_cast<hsize_t>(written_[dataset]), hsize_t{0}};
    const std::array count{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns_[dataset])};
    const Hdf5Handle file_space(H5Dget_space(datasets_[dataset].get()), H5Sclose);
    const Hdf5Handle memory_space(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    const hid_t type = precision_ == Precision::float32 ? memory_type<float>() : memory_type<double>();
    if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dwrite(datasets_[dataset].get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, values) < 0)
      fail();
    written_[dataset] += rows;
  }
  void close() override {
    if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) fail();  // closing a dataset would lose what the disk refuses
    for (Hdf5Handle& dataset : datasets_) dataset = Hdf5Handle();
    if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0 || !file_.close()) fail();
  }

 private:
  [[noreturn]] void fail() const { throw DataError(shown_.string(), "", "HDF5 can't write the file", "check that the disk has room"); }
  Hdf5Session session_;  // the last to go
  std::filesystem::path shown_;
  std::array<Index, 2> columns_, written_{0, 0};
  Precision precision_;
  Hdf5Handle file_;
  std::array<Hdf5Handle, 2> datasets_;
};

std::unique_ptr<Hdf5Writer> create(const std::filesystem::path& path, const std::filesystem::path& shown, Index samples, Index inputs,
                                   Index outputs, Precision precision) {
  return std::make_unique<Writer>(path, shown, samples, std::array{inputs, outputs}, precision);
}

}  // namespace

}  // namespace relucover

extern "C" const relucover::Hdf5Module* relucover_hdf5_module() {
  static const relucover::Hdf5Module module{relucover::open, relucover::create};
  return &module;
}
