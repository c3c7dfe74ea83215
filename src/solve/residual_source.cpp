#include "solve/residual_source.hpp"

namespace relucover {

namespace {

template <class Real>
Block<Real> with_residuals(const Block<Real>& block, const SignFreeModel& model, BlockBuffer<Real>& buffer) {
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const auto forms_at = [&](const Matrix& forms) -> RowMajor<Real> {
    const Dense cast = forms.cast<Real>();
    RowMajor<Real> values = block.x * cast.leftCols(model.inputs()).transpose();
    values.rowwise() += cast.col(model.inputs()).transpose();
    return values;
  };
  RowMajor<Real> residual = block.y - forms_at(model.affine);
  if (model.units() > 0) residual.noalias() -= forms_at(model.theta).cwiseAbs() * Dense(model.output.cast<Real>()).transpose();
  buffer.y = std::move(residual);
  using View = typename Block<Real>::View;
  return {block.first, block.x, View(buffer.y.data(), buffer.y.rows(), buffer.y.cols(), Eigen::OuterStride<>(buffer.y.cols()))};
}

}  // namespace

Block<double> ResidualSource::read(Index first, Index rows, BlockBuffer<double>& buffer) const {
  return with_residuals(RowRange::read(first, rows, buffer), model_, buffer);
}

Block<float> ResidualSource::read(Index first, Index rows, BlockBuffer<float>& buffer) const {
  return with_residuals(RowRange::read(first, rows, buffer), model_, buffer);
}

}  // namespace relucover
