#include "verify/leftover/periods_in_units.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/linear_algebra.hpp"
#include "verify/leftover/period_scores.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

constexpr Index cells_of_heights = 1024, harmonics = 3;

/// Where a unit is active, and directions that it may have.
struct ActiveSide {
  std::vector<Index> rows;
  RoughMatrix z, directions;                    // one of them in each column
  std::vector<std::vector<std::int16_t>> cell;  // of each direction, rows over the range of heights
  std::vector<double> range;
};

/// Cells of heights between the least and the largest.
std::vector<std::int16_t> height_cells(const Eigen::Ref<const RoughVector>& heights, double& range) {
  const float low = heights.minCoeff(), times = static_cast<float>(cells_of_heights) / std::max(heights.maxCoeff() - low, 1e-30F);
  range = static_cast<double>(cells_of_heights) / times;
  std::vector<std::int16_t> cell(static_cast<std::size_t>(heights.size()));
  for (Index i = 0; i < heights.size(); ++i)
    cell[static_cast<std::size_t>(i)] =
        static_cast<std::int16_t>(std::min(static_cast<float>(cells_of_heights - 1), (heights[i] - low) * times));
  return cell;
}

ActiveSide active_side(const Matrix& z, std::vector<Index> rows, const Vector& slope, double error_of_slope, Index directions,
                       RandomStream& random) {
  constexpr double wider = 1.2;  // errors go beyond their standard
  ActiveSide side;
  side.z = z(rows, Eigen::all).cast<float>();
  side.rows = std::move(rows);
  const Matrix gram = (side.z.transpose() * side.z).cast<double>();
  Matrix errors = random.normal_matrix(slope.size(), directions);
  errors.col(0).setZero();
  const Cholesky factor(gram);
  if (factor.definite())
    errors = wider * error_of_slope * solve_lower_transposed(factor.lower(), std::move(errors));
  else
    errors.setZero();
  side.directions = (errors.colwise() + slope).cast<float>();
  const RoughMatrix heights = side.z * side.directions;
  side.range.resize(static_cast<std::size_t>(directions));
  for (Index m = 0; m < directions; ++m) side.cell.push_back(height_cells(heights.col(m), side.range[static_cast<std::size_t>(m)]));
  return side;
}

/// cos and sin of multiples of frequency·z fitted to the residual.
struct SeenPeriod {
  RoughMatrix waves;    // two columns for each harmonic
  Matrix coefficients;  // by outputs
  double gain = 0;
};
SeenPeriod seen_period(const RoughMatrix& z, const RoughMatrix& residual, const Vector& frequency) {
  const RoughVector angle = z * frequency.cast<float>();
  SeenPeriod seen;
  seen.waves.resize(angle.size(), 2 * harmonics);
  const RoughVector c = angle.array().cos(), s = angle.array().sin();
  seen.waves.col(0) = c;
  seen.waves.col(1) = s;
  for (Index h = 1; h < harmonics; ++h) {  // of one angle more
    const auto before = seen.waves.middleCols(2 * h - 2, 2);
    seen.waves.col(2 * h) = before.col(0).cwiseProduct(c) - before.col(1).cwiseProduct(s);
    seen.waves.col(2 * h + 1) = before.col(1).cwiseProduct(c) + before.col(0).cwiseProduct(s);
  }
  const Matrix explained = (seen.waves.transpose() * residual).cast<double>();
  Matrix gram = (seen.waves.transpose() * seen.waves).cast<double>();
  gram.diagonal().array() += 1e-6 * static_cast<double>(angle.size());
  seen.coefficients = solve_semidefinite(gram, explained);
  seen.gain = explained.cwiseProduct(seen.coefficients).sum();
  return seen;
}

/// Gauss-Newton steps on the frequency, each taken only if it gains: what is explained in the end.
double climbed_period(const RoughMatrix& z, const RoughMatrix& residual, Vector frequency) {
  constexpr int steps = 6;
  constexpr double worth_a_step = 0.01;
  const Index d = z.cols();
  SeenPeriod now = seen_period(z, residual, frequency);
  for (int step = 0; step < steps; ++step) {
    const RoughMatrix coefficients = now.coefficients.cast<float>(), left = residual - now.waves * coefficients;
    Matrix gram = Matrix::Zero(d, d);
    Vector gradient = Vector::Zero(d);
    for (Index o = 0; o < residual.cols(); ++o) {
      RoughVector slope = RoughVector::Zero(z.rows());
      for (Index h = 0; h < harmonics; ++h)
        slope += static_cast<float>(h + 1) *
                 (coefficients(2 * h + 1, o) * now.waves.col(2 * h) - coefficients(2 * h, o) * now.waves.col(2 * h + 1));
      const RoughMatrix by_frequency = slope.asDiagonal() * z;
      gram += (by_frequency.transpose() * by_frequency).cast<double>();
      gradient += (by_frequency.transpose() * left.col(o)).cast<double>();
    }
    gram.diagonal().array() += 1e-3 * gram.trace() / static_cast<double>(d) + 1e-300;
    const Vector change = solve_semidefinite(gram, gradient);
    const double before = now.gain;
    for (const double share : {1.0, 0.3, 0.1}) {
      SeenPeriod next = seen_period(z, residual, frequency + share * change);
      if (!(next.gain > now.gain)) continue;
      frequency += share * change;
      now = std::move(next);
      break;
    }
    if (now.gain < (1 + worth_a_step) * before) break;
  }
  return now.gain;
}

/// The most that a period in any of these units explains, in unit exponentials.
double best_period(const std::vector<ActiveSide>& sides, const Matrix& residual, PeriodScores& scores) {
  struct Start {
    double chance;
    const ActiveSide* side;
    Vector frequency;
  };
  constexpr std::size_t most_starts = 4;
  const Index outputs = residual.cols();
  std::vector<Start> starts;
  for (const ActiveSide& side : sides) {
    const Matrix here = residual(side.rows, Eigen::all);
    for (Index m = 0; m < side.directions.cols(); ++m) {
      const Vector sum = scores.roughly_of(side.cell[static_cast<std::size_t>(m)], here);
      Index as_sine = 0, as_tooth = PeriodScores::slowest;
      const double sine = sum.maxCoeff(&as_sine);
      double tooth = 0;
      for (Index j = PeriodScores::slowest; harmonics * j < sum.size(); ++j)
        if (const double all = sum[j] + sum[2 * j] + sum[3 * j]; all > tooth) {
          tooth = all;
          as_tooth = j;
        }
      const double of_sine = erlang_tail(outputs, sine), of_tooth = erlang_tail(harmonics * outputs, tooth);
      const auto half_periods = static_cast<double>(of_sine < of_tooth ? as_sine : as_tooth);
      starts.push_back({std::min(of_sine, of_tooth), &side,
                        std::numbers::pi * half_periods / side.range[static_cast<std::size_t>(m)] * side.directions.col(m).cast<double>()});
    }
  }
  std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.chance < b.chance; });
  starts.resize(std::min(starts.size(), most_starts));
  double most = 0;
  for (const Start& start : starts)
    most = std::max(most, climbed_period(start.side->z, residual(start.side->rows, Eigen::all).cast<float>(), start.frequency));
  return most / 2;
}

}  // namespace

double periods_in_units(const Matrix& z, const Matrix& t, const Matrix& slopes, const Vector& sizes, const Matrix& of, RandomStream& random,
                        const Control& control) {
  constexpr Index most_units = 12, fewest = 100, flips = 25, most_directions = 32, all_directions = 160;
  constexpr double could_matter = 0.02;
  const Matrix residual = of_unit_size(of);
  const Index directions = std::clamp(all_directions / std::max<Index>(1, t.cols()), most_directions / 2, most_directions);
  std::vector<ActiveSide> sides;
  for (Index k = 0; k < std::min(t.cols(), most_units); ++k) {
    control.check();
    std::vector<Index> rows;
    for (Index i = 0; i < t.rows(); ++i)
      if (t(i, k) > 0) rows.push_back(i);
    if (static_cast<Index>(rows.size()) < fewest || !(sizes[k] > 0) || z.cols() == 0) continue;
    const double noise = std::sqrt(of.squaredNorm() / static_cast<double>(of.rows()) / static_cast<double>(of.cols()));
    sides.push_back(active_side(z, std::move(rows), slopes.row(k).transpose(), noise / sizes[k], directions, random));
  }
  if (sides.empty()) return 1;
  PeriodScores scores(cells_of_heights);
  const double most = best_period(sides, residual, scores);
  // As if all directions told something else, and the frequency were chosen freely.
  const double places =
      static_cast<double>(scores.count()) * static_cast<double>(sides.size()) * static_cast<double>(sides.front().range.size());
  const double bound = places * erlang_tail(harmonics * residual.cols() + z.cols() / 2, most);
  if (bound > could_matter) return std::min(1.0, bound);
  const auto in_noise = [&] {
    control.check();
    return best_period(sides, random_signs(z.rows(), 1, random).col(0).asDiagonal() * residual, scores);
  };
  return tail_of_dear_maxima(flips, in_noise, most);
}

}  // namespace relucover
