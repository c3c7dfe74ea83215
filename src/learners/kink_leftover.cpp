#include "learners/kink_leftover.hpp"

#include <array>
#include <cmath>

#include "reduce/reduce.hpp"
#include "solve/sums.hpp"

namespace relucover {

namespace {

constexpr std::array<double, 3> distances = {0.01, 0.03, 0.1};

struct NearKinks {
  using Scalar = double;
  const SignFreeModel* model;
  const Vector* spread;  // standard deviation of θ_i·x̃
  Matrix squares, counts;  // distances by units
  double all_squares = 0, all_fourths = 0;
  Index samples = 0;
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const Vector squared = seen.residual.rowwise().squaredNorm();
    all_squares += squared.sum();
    all_fourths += squared.squaredNorm();
    samples += block.rows();
    for (Index i = 0; i < model->units(); ++i)
      for (Index n = 0; n < block.rows(); ++n) {
        const double t = std::abs(seen.t(n, i)) / (*spread)[i];
        for (std::size_t k = 0; k < distances.size(); ++k)
          if (t < distances[k]) {
            squares(static_cast<Index>(k), i) += squared[n];
            counts(static_cast<Index>(k), i) += 1;
          }
      }
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(squares, counts, all_squares, all_fourths, samples);
  }
  void merge(const NearKinks& other) {
    squares += other.squares;
    counts += other.counts;
    all_squares += other.all_squares;
    all_fourths += other.all_fourths;
    samples += other.samples;
  }
};

}  // namespace

KinkLeftover kink_leftover(const SampleSource& source, const SignFreeModel& model, const Whitening& whitening, const Control& control) {
  constexpr double fewest = 50;  // below that a mean of squares is far from normal
  const Index m = model.units();
  KinkLeftover worst;
  if (m == 0) return worst;
  const Matrix kept = model.theta(Eigen::all, whitening.kept);
  const Vector spread = (kept * whitening.factor).rowwise().norm().cwiseMax(1e-300);
  const auto count = static_cast<Index>(distances.size());
  const auto sums = reduce(source, NearKinks{&model, &spread, Matrix::Zero(count, m), Matrix::Zero(count, m)}, control);
  const double n = static_cast<double>(sums.samples), mean = sums.all_squares / n;
  const double variance = sums.all_fourths / n - mean * mean;
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < m; ++i) {
      const double near = sums.counts(k, i);
      if (near < fewest || !(variance > 0)) continue;
      const double score = (sums.squares(k, i) / near - mean) / std::sqrt(variance / near);
      if (score > worst.score) worst = {i, score, distances[static_cast<std::size_t>(k)]};
    }
  return worst;
}

}  // namespace relucover
