#pragma once
// Small .npz archives of named arrays, written whole and read strictly: networks, sums of moments.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/npy.hpp"
#include "core/zip.hpp"
#include "relucover/types.hpp"

namespace relucover {

// Arrays as .npy files.
std::string matrix_array(const Eigen::Ref<const RowMatrix>& matrix);
std::string vector_array(const Vector& vector);
std::string text_array(const std::string& text);  // numpy's text: four bytes per character
std::string integer_array(std::int64_t value);

/// Names without ".npy", and arrays.
using NamedArrays = std::vector<std::pair<std::string, std::string>>;
void write_npz(const std::filesystem::path& path, const NamedArrays& arrays);

/// Reads arrays by name; throws DataError with the file and the array in it. `layout` says what the file should hold.
class NpzReader {
 public:
  NpzReader(const SharedBytes& content, std::string name, std::string layout);
  [[noreturn]] void fail(const std::string& key, const std::string& problem, const std::string& remedy = "") const;
  bool has(const std::string& key) const { return archive_.contains(key + ".npy"); }
  /// Throws unless arrays "format" and "version" say this.
  void expect_format(const std::string& format, Index version) const;
  std::string text(const std::string& key) const;
  double number(const std::string& key) const;
  Vector vector(const std::string& key, Index size) const;
  /// Either size may be -1: any.
  Matrix matrix(const std::string& key, Index rows, Index cols) const;

 private:
  NpyArray array(const std::string& key, std::size_t dimensions) const;
  Matrix rows_of(const std::string& key, const NpyArray& stored) const;
  ZipReader archive_;
  std::string name_, layout_;
};

}  // namespace relucover
