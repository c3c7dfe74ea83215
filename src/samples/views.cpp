#include "samples/views.hpp"

#include "core/check.hpp"

namespace relucover {

RowRange::RowRange(const SampleSource& source, Index begin, Index end) : source_(source), begin_(begin), end_(end) {
  check_range(source.name(), begin, end - begin, source.samples());
}

Block<double> RowRange::read(Index first, Index rows, BlockBuffer<double>& buffer) const {
  check_range(name(), first, rows, samples());
  const Block<double> block = source_.read(begin_ + first, rows, buffer);
  return {first, block.x, block.y};
}

Block<float> RowRange::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  check_range(name(), first, rows, samples());
  const Block<float> block = source_.read(begin_ + first, rows, buffer);
  return {first, block.x, block.y};
}

SelectedColumns::SelectedColumns(const SampleSource& source, std::vector<Index> columns)
    : RowRange(source, 0, source.samples()), columns_(std::move(columns)), neighbours_(true) {
  if (columns_.empty()) throw std::invalid_argument("no columns are selected");
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    check_range("selected column", columns_[j], 1, source.inputs());
    neighbours_ = neighbours_ && columns_[j] == columns_.front() + static_cast<Index>(j);
  }
}

template <class Scalar>
Block<Scalar> SelectedColumns::block(Index first, Index rows, BlockBuffer<Scalar>& buffer) const {
  using View = typename Block<Scalar>::View;
  if (neighbours_) {
    const Block<Scalar> whole = RowRange::read(first, rows, buffer);
    return {first, View(whole.x.data() + columns_.front(), rows, inputs(), Eigen::OuterStride<>(whole.x.outerStride())), whole.y};
  }
  BlockBuffer<Scalar> own;
  const Block<Scalar> whole = RowRange::read(first, rows, own);
  buffer.x.resize(rows, inputs());
  for (Index j = 0; j < inputs(); ++j) buffer.x.col(j) = whole.x.col(columns_[static_cast<std::size_t>(j)]);
  buffer.y = whole.y;
  return view_of(first, buffer);
}

Block<double> SelectedColumns::read(Index first, Index rows, BlockBuffer<double>& buffer) const { return block(first, rows, buffer); }

Block<float> SelectedColumns::read(Index first, Index rows, BlockBuffer<float>& buffer) const { return block(first, rows, buffer); }

ScaledOutputs::ScaledOutputs(const SampleSource& source, Vector scale) : RowRange(source, 0, source.samples()), scale_(std::move(scale)) {
  check_equal("scales of outputs", scale_.size(), source.outputs());
}

namespace {

template <class Scalar>
Block<Scalar> with_scaled_labels(const Block<Scalar>& block, const Vector& scale, BlockBuffer<Scalar>& buffer) {
  buffer.y = RowMajor<Scalar>(block.y * scale.cast<Scalar>().asDiagonal());
  using View = typename Block<Scalar>::View;
  return {block.first, block.x, View(buffer.y.data(), buffer.y.rows(), buffer.y.cols(), Eigen::OuterStride<>(buffer.y.cols()))};
}

}  // namespace

Block<double> ScaledOutputs::read(Index first, Index rows, BlockBuffer<double>& buffer) const {
  return with_scaled_labels(RowRange::read(first, rows, buffer), scale_, buffer);
}

Block<float> ScaledOutputs::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  return with_scaled_labels(RowRange::read(first, rows, buffer), scale_, buffer);
}

}  // namespace relucover
