#include "core/check.hpp"
#include "relucover/samples.hpp"

namespace relucover {

namespace {

template <class Scalar>
constexpr Precision precision_of = sizeof(Scalar) == sizeof(float) ? Precision::float32 : Precision::float64;

/// Rows of strided memory as a block of the wanted scalar: a view where the type is the same, else a copy.
template <class Wanted, class Stored>
Block<Wanted> rows_as(const Stored* x, Index x_stride, const Stored* y, Index y_stride, Index inputs, Index outputs, Index first,
                      Index rows, BlockBuffer<Wanted>& buffer) {
  using Stride = Eigen::OuterStride<>;
  if constexpr (std::is_same_v<Wanted, Stored>) {
    using View = typename Block<Wanted>::View;
    return {first, View(x + first * x_stride, rows, inputs, Stride(x_stride)), View(y + first * y_stride, rows, outputs, Stride(y_stride))};
  } else {
    using Given = typename Block<Stored>::View;
    buffer.x = Given(x + first * x_stride, rows, inputs, Stride(x_stride)).template cast<Wanted>();
    buffer.y = Given(y + first * y_stride, rows, outputs, Stride(y_stride)).template cast<Wanted>();
    return view_of(first, buffer);
  }
}

}  // namespace

template <class Scalar>
Block<Scalar> view_of(Index first, const BlockBuffer<Scalar>& buffer) {
  using View = typename Block<Scalar>::View;
  return {first, View(buffer.x.data(), buffer.x.rows(), buffer.x.cols(), Eigen::OuterStride<>(buffer.x.cols())),
          View(buffer.y.data(), buffer.y.rows(), buffer.y.cols(), Eigen::OuterStride<>(buffer.y.cols()))};
}
template Block<float> view_of(Index, const BlockBuffer<float>&);
template Block<double> view_of(Index, const BlockBuffer<double>&);

Block<float> SampleSource::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  BlockBuffer<double> wide;
  const Block<double> block = read(first, rows, wide);
  buffer.x = block.x.cast<float>();
  buffer.y = block.y.cast<float>();
  return view_of(first, buffer);
}

template <class Scalar>
MemorySource<Scalar>::MemorySource(RowMajor<Scalar> x, RowMajor<Scalar> y, std::string name)
    : x_(std::move(x)), y_(std::move(y)), name_(std::move(name)) {
  check_equal("rows of y", y_.rows(), x_.rows());
}

template <class Scalar>
Precision MemorySource<Scalar>::precision() const {
  return precision_of<Scalar>;
}

template <class Scalar>
Block<double> MemorySource<Scalar>::read(Index first, Index rows, BlockBuffer<double>& buffer) const {
  check_range(name_, first, rows, samples());
  return rows_as<double>(x_.data(), x_.cols(), y_.data(), y_.cols(), inputs(), outputs(), first, rows, buffer);
}

template <class Scalar>
Block<float> MemorySource<Scalar>::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  check_range(name_, first, rows, samples());
  return rows_as<float>(x_.data(), x_.cols(), y_.data(), y_.cols(), inputs(), outputs(), first, rows, buffer);
}

template <class Scalar>
BorrowedSource<Scalar>::BorrowedSource(const Scalar* x, Index x_stride, const Scalar* y, Index y_stride, Index samples, Index inputs,
                                       Index outputs, std::string name)
    : x_(x), y_(y), x_stride_(x_stride), y_stride_(y_stride), samples_(samples), inputs_(inputs), outputs_(outputs),
      name_(std::move(name)) {}

template <class Scalar>
Precision BorrowedSource<Scalar>::precision() const {
  return precision_of<Scalar>;
}

template <class Scalar>
Block<double> BorrowedSource<Scalar>::read(Index first, Index rows, BlockBuffer<double>& buffer) const {
  check_range(name_, first, rows, samples_);
  return rows_as<double>(x_, x_stride_, y_, y_stride_, inputs_, outputs_, first, rows, buffer);
}

template <class Scalar>
Block<float> BorrowedSource<Scalar>::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  check_range(name_, first, rows, samples_);
  return rows_as<float>(x_, x_stride_, y_, y_stride_, inputs_, outputs_, first, rows, buffer);
}

template class MemorySource<float>;
template class MemorySource<double>;
template class BorrowedSource<float>;
template class BorrowedSource<double>;

}  // namespace relucover
