#include "solve/residual_source.hpp"

namespace relucover {

template <class Real>
Block<Real> ResidualSource::Model<Real>::residuals(const Block<Real>& block, BlockBuffer<Real>& buffer) const {
  const auto values_at = [&](const RowMajor<Real>& forms) {
    RowMajor<Real> values(block.rows(), forms.rows());
    values.noalias() = block.x * forms.leftCols(block.x.cols()).transpose();
    values.rowwise() += forms.col(block.x.cols()).transpose();
    return values;
  };
  RowMajor<Real> residual = block.y - values_at(affine);
  if (theta.rows() > 0) residual.noalias() -= values_at(theta).cwiseAbs() * output.transpose();
  buffer.y = std::move(residual);
  using View = typename Block<Real>::View;
  return {block.first, block.x, View(buffer.y.data(), buffer.y.rows(), buffer.y.cols(), Eigen::OuterStride<>(buffer.y.cols()))};
}

Block<double> ResidualSource::read(Index first, Index rows, BlockBuffer<double>& buffer) const {
  return precise_.residuals(RowRange::read(first, rows, buffer), buffer);
}

Block<float> ResidualSource::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  return single_.residuals(RowRange::read(first, rows, buffer), buffer);
}

}  // namespace relucover
