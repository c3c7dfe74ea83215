#include "learners/vector/direction_net.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/linear_algebra.hpp"
#include "core/median.hpp"
#include "samples/subsample.hpp"

namespace relucover {

namespace {

Matrix net_of(Index dimension, Index directions) {
  if (dimension == 1) return Matrix::Ones(2, 1).cwiseProduct((Matrix(2, 1) << 1, -1).finished());
  Matrix net(directions, 2);
  for (Index i = 0; i < directions; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(directions);
    net.row(i) << std::cos(angle), std::sin(angle);
  }
  return net;
}

/// Labels clipped to four median deviations about their medians, so that no single outlier decides.
RowMatrix clipped_rows(const RowMatrix& y) {
  RowMatrix result = y;
  for (Index j = 0; j < y.cols(); ++j) {
    std::vector<double> values(y.col(j).begin(), y.col(j).end());
    const double centre = median_of(values);
    for (double& v : values) v = std::abs(v - centre);
    const double width = 4 * median_of(values);
    if (width > 0) result.col(j) = y.col(j).cwiseMax(centre - width).cwiseMin(centre + width);
  }
  return result;
}

/// The one or two columns of H whose span explains most of y.
std::vector<Index> best_subset(const Matrix& gram, const Matrix& cross, Index units, double& most) {
  std::vector<Index> best;
  most = -1;
  for (Index i = 0; i < gram.rows(); ++i)
    for (Index j = units == 2 ? i + 1 : i; j < (units == 2 ? gram.rows() : i + 1); ++j) {
      const std::vector<Index> chosen = units == 2 ? std::vector<Index>{i, j} : std::vector<Index>{i};
      Matrix g = gram(chosen, chosen);
      g.diagonal().array() += 1e-9 * g.trace();
      const Matrix c = cross(chosen, Eigen::all);
      const double explained = solve_semidefinite(std::move(g), c).cwiseProduct(c).sum();
      if (explained > most) {
        most = explained;
        best = chosen;
      }
    }
  return best;
}

}  // namespace

DirectionNet direction_net_start(const SampleSource& source, Index units, const Control& control, const DirectionNetOptions& options) {
  DirectionNet start;
  if (units < 1 || units > 2) {
    start.problem = fmt::format("a net of directions is feasible for one or two units, not {}", units);
    return start;
  }
  const auto samples = gather(source, 0, std::min(options.samples, source.samples()), control);
  const RowMatrix calm = clipped_rows(samples.y());
  const Matrix linear = calm.transpose() * samples.x();
  const Matrix compress = thin_svd(linear, SingularVectors::left).left.leftCols(std::min({units, source.outputs(), source.inputs()}));
  const Matrix net = net_of(compress.cols(), options.directions);
  Matrix candidates(net.rows(), source.inputs());
  for (Index i = 0; i < net.rows(); ++i) {
    control.check();
    const Vector values = samples.y() * (compress * net.row(i).transpose());
    const double centre = median_of(values);
    const Vector signs = (values.array() - centre).sign();  // steps (b) and (c)
    candidates.row(i) = (samples.x().transpose() * signs).normalized().transpose();
  }
  const RowMatrix hidden = (samples.x() * candidates.transpose()).cwiseMax(0);
  const auto chosen = best_subset(hidden.transpose() * hidden, hidden.transpose() * calm, units, start.explained);
  start.network = Network(source.inputs(), units, source.outputs());
  start.network.W = candidates(chosen, Eigen::all);
  const Matrix kept = hidden(Eigen::all, chosen);
  // step 4; labels of heavy tails would move it by any amount
  start.network.A = solve_semidefinite(kept.transpose() * kept, kept.transpose() * calm).transpose();
  return start;
}

}  // namespace relucover
