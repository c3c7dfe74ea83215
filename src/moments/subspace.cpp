#include "moments/subspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"

namespace relucover {

namespace {

struct Spectrum {
  Vector values;
  Matrix vectors;  // columns
};

Spectrum by_falling_size(const Matrix& symmetric) {
  const SymmetricEigen eigen = symmetric_eigen(symmetric);
  std::vector<Index> order(static_cast<std::size_t>(symmetric.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return std::abs(eigen.values[a]) > std::abs(eigen.values[b]); });
  return {eigen.values(order), eigen.vectors(Eigen::all, order)};
}

/// Randomised range finder with subspace iteration (Halko, Martinsson, Tropp 2011, algorithm 4.4) on T_2 as an operator.
Spectrum by_range_finder(const EstimatedMoments& source, Index wanted, std::uint64_t seed, const Control& control) {
  constexpr int iterations = 4;
  RandomStream random(seed, purpose::sketch);
  Matrix basis = random_orthonormal(source.inputs(), std::min(source.inputs(), wanted), random);
  for (int i = 0; i < iterations; ++i) basis = orthonormal_basis(source.second_moment_times(basis, control));
  const Matrix small = basis.transpose() * source.second_moment_times(basis, control);
  Spectrum inner = by_falling_size((small + small.transpose()) / 2);
  return {inner.values, basis * inner.vectors};
}

}  // namespace

Subspace subspace_of(const MomentSource& source, Index units, const SubspaceOptions& options, const Control& control) {
  const auto* estimated = dynamic_cast<const EstimatedMoments*>(&source);
  const Index most = std::min(source.inputs(), static_cast<Index>(std::ceil(options.excess * static_cast<double>(units))));
  const bool as_operator = estimated && source.inputs() > estimated->options().operator_above;
  const Spectrum spectrum =
      as_operator ? by_range_finder(*estimated, 2 * most + 10, options.seed, control) : by_falling_size(source.second_moment(control));
  Subspace answer;
  answer.spectrum = spectrum.values;
  const Index kept = std::min(units, source.inputs());
  const double last = kept > 0 ? std::abs(spectrum.values[kept - 1]) : 0;
  const double next = kept < spectrum.values.size() ? std::abs(spectrum.values[kept]) : 0;
  answer.gap = next > 0 ? last / next : std::numeric_limits<double>::infinity();
  const Index size = answer.gap >= options.clear_gap ? kept : most;
  answer.directions = spectrum.vectors.leftCols(size).transpose();
  return answer;
}

Index count_by_spectrum(const Vector& falling, bool exact) {
  const Index n = falling.size();
  if (n == 0 || falling[0] == 0) return 0;
  const Vector sizes = falling.cwiseAbs();
  if (exact) return (sizes.array() > 1e-10 * sizes[0]).count();
  // A semicircle of noise has its edge at about 2.5 times its median |λ|; the lower half of the spectrum measures it.
  const double edge = 2.5 * sizes[std::min(n - 1, 3 * n / 4)] * 1.6;
  Index best = n;
  double best_ratio = 0;
  for (Index i = 0; i + 1 < n; ++i) {
    if (sizes[i] < edge) break;
    const double ratio = sizes[i] / std::max(sizes[i + 1], edge / 4);
    if (ratio > best_ratio) {
      best_ratio = ratio;
      best = i + 1;
    }
  }
  return best_ratio >= 1.5 ? best : n;
}

}  // namespace relucover
