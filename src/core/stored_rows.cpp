// Conversion of stored elements: any numeric type, byte order and memory order to rows of float or double.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "core/check.hpp"
#include "core/npy.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

template <class Stored>
Stored load(const std::byte* at, bool swapped) {
  std::byte bytes[sizeof(Stored)];
  std::memcpy(bytes, at, sizeof(Stored));
  if (swapped) std::reverse(bytes, bytes + sizeof(Stored));
  Stored value;
  std::memcpy(&value, bytes, sizeof(Stored));
  return value;
}

struct Layout {
  const std::byte* start;
  Index row_step, col_step;  // bytes
  Index rows, cols;
};

template <class Stored, bool swapped, class Scalar>
void convert_rows(const Layout& from, Scalar* out) {
  for (Index i = 0; i < from.rows; ++i) {
    const std::byte* at = from.start + i * from.row_step;
    for (Index j = 0; j < from.cols; ++j, at += from.col_step) out[i * from.cols + j] = static_cast<Scalar>(load<Stored>(at, swapped));
  }
}

template <class Stored, class Scalar>
void convert(const Layout& from, bool swapped, Scalar* out) {
  swapped ? convert_rows<Stored, true>(from, out) : convert_rows<Stored, false>(from, out);
}

/// numpy's bool: a byte that should be 0 or 1, and is true if it is anything else.
struct Truth {
  std::uint8_t byte;
  explicit operator float() const { return byte != 0 ? 1.0f : 0.0f; }
  explicit operator double() const { return byte != 0 ? 1.0 : 0.0; }
};

template <class Scalar>
void convert(ElementType type, const Layout& from, Scalar* out) {
  const bool swapped = type.big_endian && type.size > 1;
  const auto is = [&](char kind, Index size) { return type.kind == kind && type.size == size; };
  if (is('f', 8)) return convert<double>(from, swapped, out);
  if (is('f', 4)) return convert<float>(from, swapped, out);
  if (is('f', 2)) return convert<Eigen::half>(from, swapped, out);
  if (is('b', 1)) return convert<Truth>(from, swapped, out);
  if (is('i', 1)) return convert<std::int8_t>(from, swapped, out);
  if (is('i', 2)) return convert<std::int16_t>(from, swapped, out);
  if (is('i', 4)) return convert<std::int32_t>(from, swapped, out);
  if (is('i', 8)) return convert<std::int64_t>(from, swapped, out);
  if (is('u', 1)) return convert<std::uint8_t>(from, swapped, out);
  if (is('u', 2)) return convert<std::uint16_t>(from, swapped, out);
  if (is('u', 4)) return convert<std::uint32_t>(from, swapped, out);
  if (is('u', 8)) return convert<std::uint64_t>(from, swapped, out);
  throw std::invalid_argument("elements are not numbers");
}

void check_numeric(const NpyArray& array, const Place& place) {
  if (!array.type.numeric()) throw DataError(place.file, place.within, "holds text, not numbers", "convert it: array.astype(np.float64)");
}

}  // namespace

StoredRows::StoredRows(SharedBytes data, ElementType type, Index rows, Index cols, bool fortran)
    : data_(std::move(data)), type_(type), rows_(rows), cols_(cols), fortran_(fortran) {
  if (!type.numeric()) throw std::invalid_argument("elements are not numbers");
  check_equal("bytes of the array", static_cast<Index>(data_.bytes.size()), rows * cols * type.size);
}

StoredRows::StoredRows(const NpyArray& array, const Place& place)
    : StoredRows((check_numeric(array, place), array.data), array.type, array.shape.at(0), array.shape.size() == 2 ? array.shape[1] : 1,
                 array.fortran) {}

template <class Scalar>
const Scalar* StoredRows::direct() const {
  const bool row_after_row = !fortran_ || cols_ == 1;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data_.bytes.data()) % alignof(Scalar) == 0;
  if (type_.kind != 'f' || type_.size != static_cast<Index>(sizeof(Scalar)) || type_.big_endian || !row_after_row || !aligned)
    return nullptr;
  return reinterpret_cast<const Scalar*>(data_.bytes.data());
}

template <class Scalar>
void StoredRows::copy(Index first, Index count, Scalar* out) const {
  check_range("stored array", first, count, rows_);
  const Index row_step = fortran_ ? type_.size : cols_ * type_.size;
  const Index col_step = fortran_ ? rows_ * type_.size : type_.size;
  convert(type_, {data_.bytes.data() + first * row_step, row_step, col_step, count, cols_}, out);
}

template const float* StoredRows::direct<float>() const;
template const double* StoredRows::direct<double>() const;
template void StoredRows::copy(Index, Index, float*) const;
template void StoredRows::copy(Index, Index, double*) const;

}  // namespace relucover
