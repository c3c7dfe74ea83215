#include "arrays.hpp"

#include <fmt/format.h>

namespace relucover::python {

namespace {

template <class Scalar>
bool rows_usable(const py::array& a) {
  return a.strides(a.ndim() - 1) == static_cast<py::ssize_t>(sizeof(Scalar)) &&
         (a.ndim() == 1 || (a.strides(0) >= 0 && a.strides(0) % static_cast<py::ssize_t>(sizeof(Scalar)) == 0)) &&
         reinterpret_cast<std::uintptr_t>(a.data()) % alignof(Scalar) == 0;
}

template <class Scalar>
py::array ready(const py::array& a) {
  if (py::isinstance<py::array_t<Scalar>>(a) && (a.size() == 0 || rows_usable<Scalar>(a))) return a;
  return py::array_t<Scalar, py::array::c_style | py::array::forcecast>(a);
}

template <class Scalar>
BorrowedArrays borrow_as(const py::array& x, const py::array& y) {
  BorrowedArrays borrowed{ready<Scalar>(x), ready<Scalar>(y), nullptr};
  const auto stride = [](const py::array& a) {
    return a.ndim() == 1 ? Index(1) : static_cast<Index>(a.strides(0)) / static_cast<Index>(sizeof(Scalar));
  };
  borrowed.source = std::make_unique<BorrowedSource<Scalar>>(
      static_cast<const Scalar*>(borrowed.x.data()), stride(borrowed.x), static_cast<const Scalar*>(borrowed.y.data()), stride(borrowed.y),
      borrowed.x.shape(0), borrowed.x.shape(1), borrowed.y.ndim() == 1 ? 1 : borrowed.y.shape(1), "arrays");
  return borrowed;
}

}  // namespace

BorrowedArrays borrow(const py::array& x, const py::array& y) {
  if (x.ndim() != 2) throw std::invalid_argument(fmt::format("x has {} dimensions, expected 2 (samples by inputs)", x.ndim()));
  if (y.ndim() != 1 && y.ndim() != 2)
    throw std::invalid_argument(fmt::format("y has {} dimensions, expected 1 or 2 (samples by outputs)", y.ndim()));
  if (x.shape(0) != y.shape(0)) throw std::invalid_argument(fmt::format("x has {} rows, y has {}", x.shape(0), y.shape(0)));
  const bool narrow = py::isinstance<py::array_t<float>>(x) && py::isinstance<py::array_t<float>>(y);
  return narrow ? borrow_as<float>(x, y) : borrow_as<double>(x, y);
}

py::array_t<double> to_numpy(RowMatrix matrix) {
  auto* owned = new RowMatrix(std::move(matrix));
  py::capsule owner(owned, [](void* pointer) { delete static_cast<RowMatrix*>(pointer); });
  return py::array_t<double>({owned->rows(), owned->cols()}, owned->data(), owner);
}

py::array_t<double> to_numpy(const Vector& vector) { return py::array_t<double>(vector.size(), vector.data()); }

py::array_t<double> rows_of(const py::array& x, Index columns) {
  if (x.ndim() != 2 || x.shape(1) != columns) throw std::invalid_argument(fmt::format("x must have {} columns", columns));
  return py::array_t<double, py::array::c_style | py::array::forcecast>(x);
}

Precision precision_named(const std::string& dtype) {
  if (dtype == "float64") return Precision::float64;
  if (dtype == "float32") return Precision::float32;
  throw std::invalid_argument("dtype is \"" + dtype + "\", expected \"float64\" or \"float32\"");
}

}  // namespace relucover::python
