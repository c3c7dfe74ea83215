#pragma once
// How well waves along a variable explain a residual, at every number of half periods over its range at once.
#include <complex>
#include <cstdint>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

class PeriodScores {
 public:
  static constexpr Index slowest = 4;  // half periods over the range
  /// `cells`: the range of a variable is cut into so many, a power of two.
  explicit PeriodScores(Index cells);
  /// Numbers of half periods that are looked at: up to one period in eight cells.
  Index count() const { return points_ / 8; }
  /// Of rows that lie in these cells of a variable (-1: in none): the score of each number of half periods, which in noise with random
  /// signs is a sum of unit exponentials at most, one for each output.
  Vector of(const std::vector<std::int16_t>& cell, const Matrix& residual);
  /// The same as if the squares of all outputs went alike: half as many transforms.
  Vector roughly_of(const std::vector<std::int16_t>& cell, const Matrix& residual);

 private:
  using Sequence = Eigen::ArrayXf;
  /// Σ_k (real_k + i imaginary_k) e^{-2πi jk / points}. Sums and differences of halves, as long as they are, leave the answers in the order
  /// of reversed bits; only few are wanted, and the last four terms of these are added where somebody asks.
  void transform();
  /// Answer j of the first quarter.
  std::complex<float> at(Index j) const;
  /// Answer -j, j > 0: of the last quarter.
  std::complex<float> before(Index j) const;
  /// Squared sizes of Σ real_k e^.. and Σ imaginary_k e^..: one transform of two real sequences, the second as the imaginary part.
  double real_part(Index j) const { return static_cast<double>(std::norm(at(j) + std::conj(before(j)))) / 4; }
  double imaginary_part(Index j) const { return static_cast<double>(std::norm(at(j) - std::conj(before(j)))) / 4; }
  /// Sums of values in cells; what they add up to.
  static double put(Sequence& to, const std::vector<std::int16_t>& cell, const Eigen::Ref<const Vector>& values);

  Index points_;
  Sequence real_, imaginary_;
  Sequence cosines_, sines_;  // e^{-2πi k / length} of every length, behind each other
  Sequence difference_real_, difference_imaginary_;
  std::vector<Index> place_;
};

}  // namespace relucover
