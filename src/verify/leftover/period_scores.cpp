#include "verify/leftover/period_scores.hpp"

#include <cmath>
#include <numbers>

namespace relucover {

PeriodScores::PeriodScores(Index cells)
    : points_(2 * cells), real_(points_), imaginary_(points_), cosines_(points_), sines_(points_), difference_real_(cells),
      difference_imaginary_(cells), place_(static_cast<std::size_t>(points_ / 4)) {
  Index turn = 0;
  for (Index length = points_; length >= 8; length /= 2)
    for (Index k = 0; k < length / 2; ++k, ++turn) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
      cosines_[turn] = static_cast<float>(std::cos(angle));
      sines_[turn] = static_cast<float>(std::sin(angle));
    }
  const Index quarter = points_ / 4;
  for (Index j = 0; j < quarter; ++j)
    for (Index bit = 1, reversed = points_ / 2; bit < quarter; bit *= 2, reversed /= 2)
      if ((j & bit) != 0) place_[static_cast<std::size_t>(j)] += reversed;
}

void PeriodScores::transform() {
  Index turns = 0;
  for (Index length = points_; length >= 8; turns += length / 2, length /= 2) {
    const Index half = length / 2;
    const auto cosines = cosines_.segment(turns, half), sines = sines_.segment(turns, half);
    for (Index first = 0; first < points_; first += length) {
      auto r = real_.segment(first, half), i = imaginary_.segment(first, half), r2 = real_.segment(first + half, half),
           i2 = imaginary_.segment(first + half, half), dr = difference_real_.head(half), di = difference_imaginary_.head(half);
      dr = r - r2;
      di = i - i2;
      r += r2;
      i += i2;
      r2 = dr * cosines - di * sines;
      i2 = dr * sines + di * cosines;
    }
  }
}

std::complex<float> PeriodScores::at(Index j) const {
  const Index first = place_[static_cast<std::size_t>(j)];
  return {real_.segment<4>(first).sum(), imaginary_.segment<4>(first).sum()};
}

std::complex<float> PeriodScores::before(Index j) const {
  const Index first = place_[static_cast<std::size_t>(points_ / 4 - j)];
  const auto r = real_.segment<4>(first), i = imaginary_.segment<4>(first);
  return {r[0] - i[1] - r[2] + i[3], i[0] + r[1] - i[2] - r[3]};
}

double PeriodScores::put(Sequence& to, const std::vector<std::int16_t>& cell, const Eigen::Ref<const Vector>& values) {
  to.setZero();
  for (Index i = 0; i < values.size(); ++i)
    if (const Index at = cell[static_cast<std::size_t>(i)]; at >= 0) to[at] += static_cast<float>(values[i]);
  return static_cast<double>(to.sum());
}

// With flipped signs, Σ_i ±r_i e^{iθ_i} is a normal variable in the plane; its largest variance is (Σ r² + |Σ r² e^{2iθ}|) / 2.
Vector PeriodScores::of(const std::vector<std::int16_t>& cell, const Matrix& residual) {
  Vector sum = Vector::Zero(count());
  for (const auto& output : residual.colwise()) {
    put(real_, cell, output);
    const double squares = put(imaginary_, cell, output.cwiseAbs2());
    if (!(squares > 0)) continue;
    transform();
    for (Index j = slowest; j < count(); ++j) sum[j] += real_part(j) / (squares + std::sqrt(imaginary_part(2 * j)));
  }
  return sum;
}

Vector PeriodScores::roughly_of(const std::vector<std::int16_t>& cell, const Matrix& residual) {
  Vector sum = Vector::Zero(count()), variance = Vector::Ones(count());
  put(real_, cell, residual.col(0));
  const double squares = put(imaginary_, cell, residual.rowwise().squaredNorm() / static_cast<double>(residual.cols()));
  if (!(squares > 0)) return sum;
  transform();
  for (Index j = slowest; j < count(); ++j) {
    variance[j] = squares + std::sqrt(imaginary_part(2 * j));
    sum[j] = real_part(j);
  }
  for (Index output = 1; output < residual.cols(); output += 2) {
    put(real_, cell, residual.col(output));
    if (output + 1 < residual.cols())
      put(imaginary_, cell, residual.col(output + 1));
    else
      imaginary_.setZero();
    transform();
    for (Index j = slowest; j < count(); ++j) sum[j] += real_part(j) + imaginary_part(j);
  }
  return sum.cwiseQuotient(variance);
}

}  // namespace relucover
