#pragma once
// numpy's .npy format (versions 1, 2 and 3), read strictly: a header is believed only as far as the bytes bear it out.
#include <optional>
#include <string>
#include <vector>

#include "core/mapped_file.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// One element: numpy's kind letter (f, i, u, b; U for text) and its size in bytes.
struct ElementType {
  char kind = 'f';
  Index size = 8;
  bool big_endian = false;

  bool numeric() const { return kind != 'U'; }
};

/// An array as it lies in a file: any number of dimensions, last index fastest unless `fortran`.
struct NpyArray {
  ElementType type;
  bool fortran = false;
  std::vector<Index> shape;
  SharedBytes data;  // exactly the elements
};

/// What to call a piece of a file in messages.
struct Place {
  std::string file;
  std::string within;  // "array x", or empty
};

/// Throws DataError unless header and size agree and the elements are numbers (or fixed-width text).
NpyArray parse_npy(const SharedBytes& content, const Place& place);

/// How long an array is altogether, as soon as its header has come; nothing before. Throws DataError for what can't be one.
std::optional<std::size_t> npy_bytes(Bytes start, const Place& place);

/// The header of a C-order array, padded so that the data starts at a multiple of 64 bytes. `descr` as in numpy: "<f8".
std::string npy_header(const std::string& descr, const std::vector<Index>& shape);

/// "(3, 4)", as numpy prints it.
std::string shape_text(const std::vector<Index>& shape);

/// Rows of a two-dimensional array of numbers, converted where they must be.
class StoredRows {
 public:
  StoredRows() = default;
  /// `array` has one dimension (one column) or two. Throws DataError if it holds text.
  StoredRows(const NpyArray& array, const Place& place);
  StoredRows(SharedBytes data, ElementType type, Index rows, Index cols, bool fortran);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  ElementType type() const { return type_; }
  /// The elements themselves where they lie in memory as wanted (row after row, this type, aligned), else null.
  template <class Scalar>
  const Scalar* direct() const;
  /// Rows [first, first + count), row after row.
  template <class Scalar>
  void copy(Index first, Index count, Scalar* out) const;

 private:
  SharedBytes data_;
  ElementType type_;
  Index rows_ = 0, cols_ = 0;
  bool fortran_ = false;
};

}  // namespace relucover
