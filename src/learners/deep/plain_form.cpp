#include "learners/deep/plain_form.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

RowMatrix without_column(const RowMatrix& matrix, Index column) {
  RowMatrix kept(matrix.rows(), matrix.cols() - 1);
  kept << matrix.leftCols(column), matrix.rightCols(matrix.cols() - column - 1);
  return kept;
}

RowMatrix without_row(const RowMatrix& matrix, Index row) {
  RowMatrix kept(matrix.rows() - 1, matrix.cols());
  kept << matrix.topRows(row), matrix.bottomRows(matrix.rows() - row - 1);
  return kept;
}

/// Standard deviation of every column.
Eigen::RowVectorXd spread_of(const Matrix& values) {
  return (values.rowwise() - values.colwise().mean()).colwise().norm() / std::sqrt(static_cast<double>(std::max<Index>(values.rows(), 1)));
}

/// Unknown on the common side: refitted on the samples of its rare side.
bool refit_on_rare_side(const Matrix& below, const Vector& u, Eigen::Ref<Vector> column, double& sign) {
  const Index on = (u.array() > 0).count();
  sign = 2 * on < u.size() ? 1 : -1;
  std::vector<Index> rows;
  for (Index i = 0; i < u.size(); ++i)
    if (sign * u[i] > 0) rows.push_back(i);
  if (rows.size() < 3) return false;
  column = minimum_norm_solution(Matrix(below(rows, Eigen::all)), Vector(u(rows)));
  return true;
}

/// Linear units that explain what is left of `target` after the values of a layer: directions of the leftover map of what the layer sees.
Matrix linear_rows(const Matrix& values, const Matrix& below, const Matrix& target) {
  constexpr Index most = 3;
  const Index inputs = below.cols() - 1;
  Matrix both(values.rows(), values.cols() + below.cols());
  both << values, below;
  const Matrix fit = least_squares(both, target).middleRows(values.cols(), inputs);
  const Eigen::RowVectorXd spread = spread_of(below.leftCols(inputs)).cwiseMax(1e-300);
  const Svd svd = thin_svd(spread.transpose().asDiagonal() * fit, SingularVectors::left);
  Index rank = 0;
  while (rank < std::min<Index>(most, svd.values.size()) && svd.values[rank] > 1e-7 * spread_of(target).maxCoeff()) ++rank;
  Matrix rows(rank, below.cols());
  for (Index r = 0; r < rank; ++r) {
    rows.row(r).head(inputs) = svd.left.col(r).transpose().cwiseQuotient(spread);
    const Vector t = below.leftCols(inputs) * rows.row(r).head(inputs).transpose();
    rows(r, inputs) = 4 * t.cwiseAbs().maxCoeff();  // on at every sample
  }
  return rows;
}

}  // namespace

Vector signs_of_layer(const LayeredModel& model, Index layer) {
  const RowMatrix& above = model.rows_of(layer + 1);
  const Index constant = model.constant_at(layer) - model.seen_begin(layer);
  const RowMatrix own = without_column(model.rows_of(layer), constant);
  const Index units = own.rows(), seen = own.cols() + 1;
  const RowMatrix linear = without_column(above.leftCols(seen), constant);
  const RowMatrix bent = above.middleCols(seen, units);
  const Vector scale = (linear.cwiseAbs().rowwise().maxCoeff() + bent.cwiseAbs().rowwise().maxCoeff()).array() + 1e-300;
  Vector weight = scale.cwiseInverse(), signs;
  for (int round = 0; round < 30; ++round) {  // iteratively reweighted least squares
    Matrix equations(above.rows() * own.cols(), units);
    Vector right(equations.rows());
    for (Index i = 0; i < above.rows(); ++i) {
      equations.middleRows(i * own.cols(), own.cols()) = weight[i] * own.transpose() * bent.row(i).asDiagonal();
      right.segment(i * own.cols(), own.cols()) = weight[i] * linear.row(i).transpose();
    }
    signs = minimum_norm_solution(equations, right);
    for (Index i = 0; i < above.rows(); ++i) {
      const Vector off = own.transpose() * (bent.row(i).transpose().cwiseProduct(signs)) - linear.row(i).transpose();
      weight[i] = 1 / scale[i] / (off.cwiseAbs().maxCoeff() / scale[i] + 1e-12);
    }
  }
  return signs;
}

PlainForm plain_form(const LayeredModel& model, const RowMatrix& x, const RowMatrix& y, double tolerance) {
  const RowMatrix features = features_of(model, x);
  const auto before_activation = [&](Index layer) {
    return Matrix(features.middleCols(model.seen_begin(layer), model.seen_count(layer)) * model.rows_of(layer).transpose());
  };
  PlainForm plain;
  plain.model.inputs = model.inputs;
  plain.model.plain_layers = model.depth();
  plain.model.theta.assign(model.theta.begin(), model.theta.begin() + model.plain_layers);
  plain.linear.assign(static_cast<std::size_t>(model.plain_layers), 0);
  RowMatrix values = x;
  if (model.plain_layers > 0) values = features.middleCols(model.values_at(model.plain_layers - 1), model.width(model.plain_layers - 1));
  for (Index l = model.plain_layers; l < model.depth(); ++l) {
    const Matrix below = with_ones(values), u = before_activation(l);
    Matrix fit = least_squares(below, u);
    const Eigen::RowVectorXd off = spread_of(below * fit - u), size = spread_of(u);
    const Vector found = signs_of_layer(model, l);
    Vector signs = found.unaryExpr([](double s) { return s < 0 ? -1.0 : 1.0; });
    for (Index j = 0; j < u.cols(); ++j)
      if (off[j] > tolerance * size[j]) refit_on_rare_side(below, u.col(j), fit.col(j), signs[j]);
    RowMatrix rows = (fit * signs.asDiagonal()).transpose();
    values = (below * rows.transpose()).cwiseMax(0);
    const bool last = l + 1 == model.depth();
    const Matrix next = last ? Matrix(y) : before_activation(l + 1);
    const Matrix seen = with_ones(values);
    const Eigen::RowVectorXd left = spread_of(next - seen * least_squares(seen, next));
    const double unexplained = (left.array() > tolerance * spread_of(next).array()).cast<double>().mean();
    plain.linear.push_back(0);
    if (unexplained > (last ? 0.0 : 0.5)) {
      const Matrix extra = linear_rows(values, below, next);
      plain.linear.back() = extra.rows();
      rows.conservativeResize(rows.rows() + extra.rows(), Eigen::NoChange);
      rows.bottomRows(extra.rows()) = extra;
      values = (below * rows.transpose()).cwiseMax(0);
    }
    plain.model.theta.push_back(std::move(rows));
  }
  plain.model.output = least_squares(with_ones(values), Matrix(y)).transpose();
  return plain;
}

std::optional<PlainForm> without_idle_units(const PlainForm& plain, const RowMatrix& x, double missed) {
  PlainForm fewer = plain;
  const RowMatrix values = predict(plain.model, x);
  for (Index l = plain.model.depth() - 1; l >= 0; --l)
    for (Index j = plain.model.width(l) - 1; j >= 0 && fewer.model.width(l) > 1; --j) {
      LayeredModel without = fewer.model;
      auto& own = without.theta[static_cast<std::size_t>(l)];
      auto& above = l + 1 < without.depth() ? without.theta[static_cast<std::size_t>(l + 1)] : without.output;
      own = without_row(own, j);
      above = without_column(above, j);
      if (!((predict(without, x) - values).cwiseAbs().maxCoeff() <= missed)) continue;
      Index& linear = fewer.linear[static_cast<std::size_t>(l)];
      if (j >= fewer.model.width(l) - linear) --linear;
      fewer.model = std::move(without);
    }
  if (fewer.model.units() == plain.model.units()) return std::nullopt;
  return fewer;
}

}  // namespace relucover
