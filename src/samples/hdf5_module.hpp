#pragma once
// What the module with HDF5 in it gives to the library that loads it.
#include <filesystem>
#include <memory>

#include "relucover/samples.hpp"

namespace relucover {

/// A file with datasets x and y of known sizes, written row by row.
class Hdf5Writer {
 public:
  virtual ~Hdf5Writer() = default;
  /// The next rows of x (0) or y (1), one after the other without gaps, in the file's precision.
  virtual void append(std::size_t dataset, const void* values, Index rows) = 0;
  virtual void close() = 0;
};

struct Hdf5Module {
  std::unique_ptr<SampleSource> (*open)(const std::filesystem::path& path);
  /// `shown`: the name in messages.
  std::unique_ptr<Hdf5Writer> (*create)(const std::filesystem::path& path, const std::filesystem::path& shown, Index samples, Index inputs,
                                        Index outputs, Precision precision);
};

inline constexpr const char* hdf5_module_file = "relucover_hdf5.so";
inline constexpr const char* hdf5_module_entry = "relucover_hdf5_module";
using Hdf5ModuleEntry = const Hdf5Module* (*)();

/// Loads the module for this file. Throws DataError if it is not there.
const Hdf5Module& hdf5_module(const std::filesystem::path& for_file);

}  // namespace relucover
