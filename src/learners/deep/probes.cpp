#include "learners/deep/probes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

constexpr std::array<double, 3> scales = {1, 2, 4};

void round_to_single(RowMatrix& x) { x = x.cast<float>().cast<double>(); }

std::vector<Index> some_units(Index units, Index count, RandomStream& random) {
  std::vector<Index> all(static_cast<std::size_t>(units));
  std::iota(all.begin(), all.end(), 0);
  for (Index i = 0; i < count; ++i) std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + random.below(units - i))]);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

/// Rows for which the chosen first-layer units are on or off as drawn.
RowMatrix with_patterns(const Network& network, Index rows, double scale, RandomStream& random) {
  const Index inputs = network.inputs(), chosen = std::min(network.units(), inputs);
  const auto units = some_units(network.units(), chosen, random);
  const Matrix W = network.W(units, Eigen::all), inverse = pseudo_inverse(W);
  const Vector b = network.b(units), size = W.rowwise().norm();
  const Matrix null = Matrix::Identity(inputs, inputs) - inverse * W;
  RowMatrix x(rows, inputs);
  for (Index i = 0; i < rows; ++i) {
    const double on = 0.1 + 0.5 * random.uniform(), wide = scale * scales[static_cast<std::size_t>(random.below(3))];
    Vector u(chosen);
    for (Index j = 0; j < chosen; ++j) u[j] = (random.uniform() < on ? 1 : -1) * std::abs(random.normal()) * wide * size[j];
    x.row(i) = (inverse * (u - b) + null * (scale * random.normal_vector(inputs))).transpose();
  }
  return x;
}

}  // namespace

RowMatrix probes_of(const Network& network, Index count, double scale, RandomStream& random) {
  const Index inputs = network.inputs();
  constexpr Index groups = 8;
  RowMatrix all(count, inputs);
  Index at = 0;
  for (const double times : scales) {
    const Index rows = count / 6;
    all.middleRows(at, rows) = times * scale * random.normal_matrix(rows, inputs);
    at += rows;
  }
  for (Index group = 0; group < groups; ++group) {
    const Index rows = (count - at) / (groups - group);
    all.middleRows(at, rows) = with_patterns(network, rows, scale, random);
    at += rows;
  }
  // Far away everything is nearly linear, and numbers lose their digits.
  const double farthest = 20 * scale * std::sqrt(static_cast<double>(inputs));
  for (Index i = 0; i < count; ++i)
    if (!(all.row(i).norm() < farthest)) all.row(i) = scale * random.normal_vector(inputs).transpose();
  round_to_single(all);
  return all;
}

RowMatrix probes_near(const RowMatrix& wrong, const RowMatrix& right, Index count, RandomStream& random) {
  constexpr std::array<double, 3> spreads = {0.05, 0.2, 0.6};
  const Index inputs = wrong.cols();
  RowMatrix all(count, inputs);
  for (Index i = 0; i < count; ++i) {
    const auto from = wrong.row(random.below(wrong.rows()));
    if (i < count / 3 && right.rows() > 0) {
      Index nearest = 0;
      (right.rowwise() - from).rowwise().squaredNorm().minCoeff(&nearest);
      all.row(i) = from + random.uniform() * (right.row(nearest) - from);
    } else {
      const double size = from.norm() / std::sqrt(static_cast<double>(inputs));
      all.row(i) = from + spreads[static_cast<std::size_t>(random.below(3))] * size * random.normal_vector(inputs).transpose();
    }
  }
  round_to_single(all);
  return all;
}

}  // namespace relucover
