#include "verify/leftover/periods_left.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index cells = 8192, points = 2 * cells, most_periods = cells / 8, quarter = points / 4;

using Sequence = Eigen::ArrayXf;

/// Σ_k (real_k + i imaginary_k) e^{-2πi jk / points}. Sums and differences of halves, as long as they are, leave the answers in the order
/// of reversed bits; only few are wanted, and the last four terms of these are added where somebody asks.
class Transform {
 public:
  Transform() : place_(quarter) {
    Index place = 0;
    for (Index length = points; length >= 8; length /= 2)
      for (Index k = 0; k < length / 2; ++k, ++place) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
        cosines_[place] = static_cast<float>(std::cos(angle));
        sines_[place] = static_cast<float>(std::sin(angle));
      }
    for (Index j = 0; j < quarter; ++j)
      for (Index bit = 1, reversed = points / 2; bit < quarter; bit *= 2, reversed /= 2)
        if ((j & bit) != 0) place_[static_cast<std::size_t>(j)] += reversed;
  }
  void run() {
    Index turns = 0;
    for (Index length = points; length >= 8; turns += length / 2, length /= 2) {
      const Index half = length / 2;
      const auto cosines = cosines_.segment(turns, half), sines = sines_.segment(turns, half);
      for (Index first = 0; first < points; first += length) {
        auto r = real.segment(first, half), i = imaginary.segment(first, half), r2 = real.segment(first + half, half),
             i2 = imaginary.segment(first + half, half), dr = difference_real_.head(half), di = difference_imaginary_.head(half);
        dr = r - r2;
        di = i - i2;
        r += r2;
        i += i2;
        r2 = dr * cosines - di * sines;
        i2 = dr * sines + di * cosines;
      }
    }
  }
  /// Answer j of the first quarter.
  std::complex<float> at(Index j) const {
    const Index first = place_[static_cast<std::size_t>(j)];
    return {real.segment<4>(first).sum(), imaginary.segment<4>(first).sum()};
  }
  /// Answer -j, j > 0: of the last quarter.
  std::complex<float> before(Index j) const {
    const Index first = place_[static_cast<std::size_t>(quarter - j)];
    const auto r = real.segment<4>(first), i = imaginary.segment<4>(first);
    return {r[0] - i[1] - r[2] + i[3], i[0] + r[1] - i[2] - r[3]};
  }
  Sequence real{points}, imaginary{points};

 private:
  Sequence cosines_{points}, sines_{points};  // e^{-2πi k / length} of every length, behind each other
  std::vector<Index> place_;
  Sequence difference_real_{points / 2}, difference_imaginary_{points / 2};
};

/// Rows of a variable on a grid over the middle of its values; -1 beyond. Empty: too few values to have periods.
std::vector<Index> cells_along(const Eigen::Ref<const Vector>& variable, const Eigen::Ref<const Vector>& sorted) {
  constexpr double left_out = 0.005;
  constexpr double fewest = 50;
  const auto numbers = std::lower_bound(sorted.begin(), sorted.end(), true, [](double value, bool) { return std::isfinite(value); });
  const auto n = static_cast<double>(numbers - sorted.begin());
  if (n < fewest) return {};
  const double low = sorted[static_cast<Index>(left_out * n)], high = sorted[static_cast<Index>((1 - left_out) * (n - 1))];
  if (!(high > low)) return {};
  double distinct = 1;
  for (Index i = 1; i < static_cast<Index>(n) && distinct < fewest; ++i) distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
  if (distinct < fewest) return {};
  std::vector<Index> cell(static_cast<std::size_t>(variable.size()), -1);
  for (Index i = 0; i < variable.size(); ++i)
    if (variable[i] >= low && variable[i] <= high)
      cell[static_cast<std::size_t>(i)] =
          std::min(cells - 1, static_cast<Index>((variable[i] - low) / (high - low) * static_cast<double>(cells)));
  return cell;
}

}  // namespace

// With flipped signs, Σ_i ±r_i e^{iθ_i} is a normal variable in the plane; its largest variance is (Σ r² + |Σ r² e^{2iθ}|) / 2.
double periods_left(const Matrix& variables, const Matrix& sorted, const Matrix& of) {
  constexpr Index slowest = 4;  // half periods over the range
  constexpr double could_matter = 1e-2;
  const Matrix residual = of_unit_size(of);
  const Vector pooled = residual.rowwise().squaredNorm() / static_cast<double>(residual.cols());
  Transform transform;
  double least = 1;
  Index looked_at = 0;
  std::vector<Index> cell;
  const auto put = [&](Sequence& to, const auto& values) {
    to.setZero();
    for (Index i = 0; i < values.size(); ++i)
      if (const Index at = cell[static_cast<std::size_t>(i)]; at >= 0) to[at] += static_cast<float>(values[i]);
    return static_cast<double>(to.sum());
  };
  // One transform of two real sequences, the second one as the imaginary part.
  const auto first_of_two = [&](Index j) { return std::norm(transform.at(j) + std::conj(transform.before(j))) / 4; };
  const auto second_of_two = [&](Index j) { return std::norm(transform.at(j) - std::conj(transform.before(j))) / 4; };
  /// Scores of all numbers of periods, added up over outputs.
  const auto scores_of_each = [&] {
    Vector sum = Vector::Zero(2 * most_periods);
    for (const auto& output : residual.colwise()) {
      put(transform.real, output);
      const double squares = put(transform.imaginary, output.cwiseAbs2());
      if (!(squares > 0)) continue;
      transform.run();
      for (Index j = slowest; j < 2 * most_periods; ++j) sum[j] += first_of_two(j) / (squares + std::sqrt(second_of_two(2 * j)));
    }
    return sum;
  };
  /// The same as if the squares of all outputs went alike: half as many transforms.
  const auto rough_scores = [&] {
    Vector sum = Vector::Zero(2 * most_periods), variance(2 * most_periods);
    put(transform.real, residual.col(0));
    const double squares = put(transform.imaginary, pooled);
    if (!(squares > 0)) return sum;
    transform.run();
    for (Index j = slowest; j < 2 * most_periods; ++j) {
      variance[j] = squares + std::sqrt(second_of_two(2 * j));
      sum[j] = first_of_two(j);
    }
    for (Index output = 1; output < residual.cols(); output += 2) {
      put(transform.real, residual.col(output));
      if (output + 1 < residual.cols())
        put(transform.imaginary, residual.col(output + 1));
      else
        transform.imaginary.setZero();
      transform.run();
      for (Index j = slowest; j < 2 * most_periods; ++j) sum[j] += first_of_two(j) + second_of_two(j);
    }
    for (Index j = slowest; j < 2 * most_periods; ++j) sum[j] /= variance[j];
    return sum;
  };
  const auto chance_of = [&](const Vector& sum) {
    const double as_sine = sum.maxCoeff();
    // A saw tooth has as much again at twice and three times as many periods.
    double as_tooth = 0;
    for (Index j = slowest; 3 * j < 2 * most_periods; ++j) as_tooth = std::max(as_tooth, sum[j] + sum[2 * j] + sum[3 * j]);
    return std::min(erlang_tail(residual.cols(), as_sine), erlang_tail(3 * residual.cols(), as_tooth));
  };
  const double looks = static_cast<double>(2 * 2 * most_periods * variables.cols());
  for (Index variable = 0; variable < variables.cols(); ++variable) {
    cell = cells_along(variables.col(variable), sorted.col(variable));
    if (cell.empty()) continue;
    ++looked_at;
    double chance = residual.cols() > 1 ? chance_of(rough_scores()) : 0;
    if (chance * looks < could_matter) chance = chance_of(scores_of_each());
    least = std::min(least, chance);
  }
  if (looked_at == 0) return 1;
  return std::min(1.0, least * static_cast<double>(2 * 2 * most_periods * looked_at));
}

}  // namespace relucover
