#include "verify/leftover/judged.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/distinct_rows.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

Index Judged::left_out() const { return std::count(kept.begin(), kept.end(), false); }

std::vector<Index> Judged::kept_rows() const {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) rows.push_back(static_cast<Index>(i));
  return rows;
}

Vector nearness_of(const Matrix& t) {
  if (t.cols() == 0) return {};
  Vector nearest = Vector::Ones(t.rows());
  for (const auto& unit : t.colwise()) nearest = nearest.cwiseMin(relative_ranks(unit.cwiseAbs()));
  return relative_ranks(nearest);
}

Matrix tangent_of(const Matrix& z, const Matrix& t) {
  const Index width = z.cols() + 1;
  Matrix tangent(z.rows(), width * (1 + t.cols()));
  tangent.leftCols(width) << z, Vector::Ones(z.rows());
  for (Index i = 0; i < t.cols(); ++i)
    tangent.middleCols((i + 1) * width, width) = (t.col(i).array() > 0).cast<double>().matrix().asDiagonal() * tangent.leftCols(width);
  return tangent;
}

Matrix tangent_of(const Matrix& x, const Matrix& t, const Rectifier& unit) {
  const Index d = x.cols(), k = t.cols();
  Matrix tangent(x.rows(), k * (d + 1));
  const Matrix slopes = unit.slopes(t);
  tangent.leftCols(k) = unit.values(t);
  for (Index i = 0; i < k; ++i) tangent.middleCols(k + i * d, d) = slopes.col(i).asDiagonal() * x;
  return tangent;
}

namespace {

/// Half of the labels' grid, and the rounding of every term that is added up to a prediction.
Matrix rounding_of_rows(const Judged& answer, const Network& network, const Matrix& hidden, const LabelGrid& grid) {
  const double unit = grid.float32 ? std::numeric_limits<float>::epsilon() : 4 * std::numeric_limits<double>::epsilon();
  Matrix terms =
      hidden * network.A.cwiseAbs().transpose() + answer.x.cwiseAbs() * network.skip.cwiseAbs().transpose() + answer.y.cwiseAbs();
  terms.rowwise() += network.offset.cwiseAbs().transpose();
  return unit * terms + grid.half_step(answer.y);
}

}  // namespace

Judged judged(const MemorySource<double>& samples, const Network& network, const LabelGrid& grid, const std::vector<bool>& kept,
              const Rectifier& unit) {
  Judged answer;
  answer.unit = unit;
  const std::vector<Index> rows = distinct_samples(samples);
  answer.repeated = samples.samples() - static_cast<Index>(rows.size());
  answer.x = samples.x()(rows, Eigen::all);
  answer.y = samples.y()(rows, Eigen::all);
  Matrix arguments = answer.x * network.W.transpose();
  arguments.rowwise() += network.b.transpose();
  const Matrix hidden = unit.values(arguments);
  answer.fit = hidden * network.A.transpose() + answer.x * network.skip.transpose();
  answer.fit.rowwise() += network.offset.transpose();
  answer.residual = answer.y - answer.fit;
  answer.rounding = rounding_of_rows(answer, network, hidden, grid);
  answer.z = whitened(answer.x);
  if (!unit.is_relu()) answer.tangent = tangent_of(answer.x, arguments, unit);
  const double n = static_cast<double>(std::max<Index>(1, answer.rows()));
  for (auto argument : arguments.colwise()) {
    const double spread = std::sqrt((argument.array() - argument.mean()).square().sum() / n);
    argument /= std::max(spread, 1e-300);
  }
  answer.t = std::move(arguments);
  if (unit.is_relu()) answer.tangent = tangent_of(answer.z, answer.t);
  answer.nearness = nearness_of(answer.t);
  // A row that the answer explains to a few roundings counts as kept, whatever the solver thought of it.
  constexpr double roundings = 4;
  answer.kept.resize(rows.size(), true);
  for (std::size_t i = 0; i < rows.size() && !kept.empty(); ++i) {
    const auto row = static_cast<Index>(i);
    answer.kept[i] = kept[static_cast<std::size_t>(rows[i])] ||
                     (answer.residual.row(row).array().abs() <= roundings * answer.rounding.row(row).array()).all();
  }
  return answer;
}

}  // namespace relucover
