#include "learners/deep/grow.hpp"

#include <algorithm>
#include <cmath>

#include "solve/layered_descent.hpp"

namespace relucover {

namespace {

/// Rows for new units of a layer that sees `seen` (samples by features, the constant at `constant`).
RowMatrix some_rows(Index count, const RowMatrix& seen, Index constant, RandomStream& random) {
  RowMatrix rows = random.normal_matrix(count, seen.cols());
  const Eigen::RowVectorXd mean = seen.colwise().mean();
  const Eigen::RowVectorXd spread =
      (seen.rowwise() - mean).colwise().squaredNorm().cwiseSqrt() / std::sqrt(static_cast<double>(seen.rows()));
  for (Index c = 0; c < seen.cols(); ++c) rows.col(c) /= spread[c] > 1e-6 ? spread[c] : 1.0;
  rows.col(constant).setZero();
  const RowMatrix t = seen * rows.transpose();
  constexpr double bias = 0.6;  // in standard deviations of what the unit sees
  for (Index j = 0; j < count; ++j) {
    const double at = t.col(j).mean();
    const double wide = std::sqrt((t.col(j).array() - at).square().mean());
    rows(j, constant) = -at + bias * wide * random.normal();
    rows.row(j).normalize();
  }
  return rows;
}

void insert_zero_columns(RowMatrix& matrix, Index at, Index count) {
  RowMatrix wide = RowMatrix::Zero(matrix.rows(), matrix.cols() + count);
  wide.leftCols(at) = matrix.leftCols(at);
  wide.rightCols(matrix.cols() - at) = matrix.rightCols(matrix.cols() - at);
  matrix = std::move(wide);
}

}  // namespace

void add_units(LayeredModel& model, Index layer, const RowMatrix& rows) {
  const Index at = model.values_at(layer) + model.width(layer) - model.seen_begin(layer), count = rows.rows();
  RowMatrix& own = model.theta[static_cast<std::size_t>(layer)];
  own.conservativeResize(own.rows() + count, Eigen::NoChange);
  own.bottomRows(count) = rows;
  for (Index above = layer + 1; above <= model.depth(); ++above) insert_zero_columns(model.rows_of(above), at, count);
}

LayeredModel grown(const LayeredModel& model, const std::vector<Index>& added, const MemorySource<double>& samples, RandomStream& random,
                   const Control& control) {
  LayeredModel wider = model;
  const RowMatrix some = samples.x().topRows(std::min<Index>(samples.samples(), 4000));
  for (Index l = 0; l < model.depth(); ++l) {
    const Index count = added[static_cast<std::size_t>(l)];
    if (count == 0) continue;
    const Index begin = wider.seen_begin(l);
    const RowMatrix seen = features_of(wider, some).middleCols(begin, wider.seen_count(l));
    add_units(wider, l, some_rows(count, seen, wider.constant_at(l) - begin, random));
  }
  constexpr double ridge = 1e-2;
  refit_output(wider, samples, ridge, control);
  return wider;
}

}  // namespace relucover
