#include "core/module.hpp"
#include "samples/files.hpp"
#include "samples/hdf5_module.hpp"

namespace relucover {

const Hdf5Module& hdf5_module(const std::filesystem::path& for_file) {
  static const Hdf5Module* const module = reinterpret_cast<Hdf5ModuleEntry>(module_entry(
      hdf5_module_file, hdf5_module_entry,
      {for_file.string(), "HDF5 files need the module relucover_hdf5.so", "install libhdf5-dev and build again (`make`), or use .npz"}))();
  return *module;
}

std::unique_ptr<SampleSource> open_hdf5(const std::filesystem::path& path) {
  map_file(path);  // says what is wrong with a path better than the library does
  return hdf5_module(path).open(path);
}

}  // namespace relucover
