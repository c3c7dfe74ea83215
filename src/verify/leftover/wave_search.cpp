#include "verify/leftover/wave_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// In single precision: many at once, and fine enough.
struct WaveHalf {
  RoughMatrix z, rest;  // the residual beyond the basis
  const RoughBasis& basis;
};

/// cos and sin of frequency·z, what they are along the basis, and what they explain beyond it.
struct SeenWave {
  RoughMatrix waves;    // two columns
  RoughMatrix along;    // basisᵀ waves; empty where nobody asked
  Matrix coefficients;  // two by outputs
  double gain = 0;
  /// What the waves foresee, with these coefficients.
  RoughMatrix beyond_basis(const RoughBasis& basis, const Matrix& with) const {
    RoughMatrix foreseen = waves * with.cast<float>();
    if (along.size() > 0) foreseen -= basis.columns() * (along * with.cast<float>());
    return foreseen;
  }
};
/// `rest` is orthogonal to the basis, so only the waves' sizes need to know of it, and the waves' way uphill not even of these: the
/// basis takes little of a wave, and hardly less of its neighbours.
SeenWave seen_wave(const WaveHalf& half, const Vector& frequency, bool beside_basis) {
  const RoughVector angle = half.z * frequency.cast<float>();
  SeenWave seen;
  seen.waves.resize(angle.size(), 2);
  seen.waves << angle.array().cos().matrix(), angle.array().sin().matrix();
  const Matrix explained = (seen.waves.transpose() * half.rest).cast<double>();
  Matrix gram = (seen.waves.transpose() * seen.waves).cast<double>();
  if (beside_basis) {
    seen.along = half.basis.columns().transpose() * seen.waves;
    gram -= (seen.along.transpose() * seen.along).cast<double>();
  }
  seen.coefficients = solve_semidefinite(gram + 1e-9 * static_cast<double>(angle.size()) * Matrix::Identity(2, 2), explained);
  seen.gain = explained.cwiseProduct(seen.coefficients).sum();
  return seen;
}

struct WaveCandidate {
  double gain;
  Vector frequency;
};

/// Many directions, and along each of them all lengths: powers of one complex wave.
std::vector<WaveCandidate> best_of_many_waves(const WaveHalf& half, Index keep, double work, RandomStream& random, const Control& control) {
  constexpr double step = 0.5;
  constexpr Index lengths = 14, at_once = 32, first = 2;  // 1 to 7.5
  const Index n = half.z.rows(), d = half.z.cols();
  const auto affordable = static_cast<Index>(work / static_cast<double>(n * lengths * (10 + 4 * half.rest.cols())));
  const Index rounds = std::clamp<Index>(affordable / at_once, 2, 400);
  std::vector<WaveCandidate> best;
  RoughMatrix real, imaginary, next;
  for (Index round = 0; round < rounds; ++round) {
    control.check();
    Matrix directions = random.normal_matrix(d, at_once);
    directions.colwise().normalize();
    const RoughMatrix angle = half.z * (step * directions).cast<float>();
    const RoughMatrix c = angle.array().cos(), s = angle.array().sin();
    real = c;
    imaginary = s;
    for (Index k = 2; k < first + lengths; ++k) {
      next = real.cwiseProduct(c) - imaginary.cwiseProduct(s);
      imaginary = real.cwiseProduct(s) + imaginary.cwiseProduct(c);
      real.swap(next);
      const RoughVector gain =
          ((real.transpose() * half.rest).rowwise().squaredNorm() + (imaginary.transpose() * half.rest).rowwise().squaredNorm()) * 2 /
          static_cast<float>(n);
      Index largest = 0;
      const double value = gain.maxCoeff(&largest);
      if (static_cast<Index>(best.size()) == keep && value <= best.back().gain) continue;
      best.push_back({value, static_cast<double>(k) * step * directions.col(largest)});
      std::stable_sort(best.begin(), best.end(), [](const WaveCandidate& a, const WaveCandidate& b) { return a.gain > b.gain; });
      if (static_cast<Index>(best.size()) > keep) best.pop_back();
    }
  }
  return best;
}

/// Gauss-Newton steps on the frequency, each taken only if it gains.
Vector climbed_wave(const WaveHalf& half, Vector frequency, int steps, bool beside_basis) {
  constexpr double worth_a_step = 0.01;
  const Index d = half.z.cols();
  SeenWave now = seen_wave(half, frequency, beside_basis);
  for (int step = 0; step < steps; ++step) {
    const RoughMatrix left = half.rest - now.beyond_basis(half.basis, now.coefficients), coefficients = now.coefficients.cast<float>();
    // All outputs have the same slopes but for a factor of each row.
    RoughVector square = RoughVector::Zero(half.z.rows()), along = square;
    for (Index o = 0; o < half.rest.cols(); ++o) {
      const RoughVector slope = coefficients(1, o) * now.waves.col(0) - coefficients(0, o) * now.waves.col(1);
      square += slope.cwiseAbs2();
      along += slope.cwiseProduct(left.col(o));
    }
    Matrix gram = (half.z.transpose() * (square.asDiagonal() * half.z)).cast<double>();
    const Vector gradient = (half.z.transpose() * along).cast<double>();
    gram.diagonal().array() += 1e-3 * gram.trace() / static_cast<double>(d) + 1e-300;
    const Vector change = solve_semidefinite(gram, gradient);
    const double before = now.gain;
    for (const double share : {1.0, 0.3, 0.1}) {
      SeenWave next = seen_wave(half, frequency + share * change, beside_basis);
      if (!(next.gain > now.gain)) continue;
      frequency += share * change;
      now = std::move(next);
      break;
    }
    if (now.gain < (1 + worth_a_step) * before) break;
  }
  return frequency;
}

Vector found_wave(const WaveHalf& half, double work, RandomStream& random, const Control& control) {
  constexpr Index starts = 6;
  constexpr int steps = 8, last_steps = 3;
  double most = -1;
  Vector best;
  for (const WaveCandidate& candidate : best_of_many_waves(half, starts, work, random, control)) {
    const Vector frequency = climbed_wave(half, candidate.frequency, steps, false);
    const double gain = seen_wave(half, frequency, true).gain;
    if (gain <= most) continue;
    most = gain;
    best = frequency;
  }
  return climbed_wave(half, best, last_steps, true);
}

}  // namespace

double one_more_wave(const Matrix& z, const Matrix& residual, const Halves& halves, double work, RandomStream& random,
                     const Control& control) {
  // Along one column `waves_along` has looked already; the few waves that there are would often be the same on both halves, and tested
  // twice.
  if (z.cols() < 2 || z.rows() < 40) return 1;
  const auto half_of = [&](int which) {
    const std::vector<Index>& rows = halves.rows[which];
    return WaveHalf{z(rows, Eigen::all).cast<float>(), halves.basis[which].without(RoughMatrix(residual(rows, Eigen::all).cast<float>())),
                    halves.basis[which]};
  };
  const WaveHalf first = half_of(0), second = half_of(1);
  const auto score = [&](const WaveHalf& searched, const WaveHalf& tested) {
    const Vector frequency = found_wave(searched, work, random, control);
    const RoughMatrix foreseen =
        seen_wave(tested, frequency, true).beyond_basis(tested.basis, seen_wave(searched, frequency, true).coefficients);
    const Vector along = foreseen.cwiseProduct(tested.rest).rowwise().sum().cast<double>();
    const double spread = along.norm();
    return spread > 0 ? along.sum() / spread : 0.0;
  };
  return normal_tail((score(first, second) + score(second, first)) / std::sqrt(2.0));
}

}  // namespace relucover
