#pragma once
// numpy arrays as samples and back: without a copy where rows are contiguous float32 or float64.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>

#include "relucover/samples.hpp"

namespace relucover::python {

namespace py = pybind11;

/// Samples in arrays, and the arrays that keep them alive.
struct BorrowedArrays {
  py::array x, y;
  std::unique_ptr<SampleSource> source;
};

/// x: n by d; y: n or n by l. float32 stays float32 where both are; everything else becomes float64.
BorrowedArrays borrow(const py::array& x, const py::array& y);

/// Moves a matrix into an array without copying it.
py::array_t<double> to_numpy(RowMatrix matrix);
py::array_t<double> to_numpy(const Vector& vector);

/// n by d, as rows of float64 (a copy only if it must be).
py::array_t<double> rows_of(const py::array& x, Index columns);

/// "float64" or "float32".
Precision precision_named(const std::string& dtype);

}  // namespace relucover::python
