#include "learners/asked_before.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "samples/subsample.hpp"
#include "verify/gate.hpp"
#include "verify/gate_parts.hpp"
#include "verify/label_grid.hpp"
#include "verify/network_error.hpp"

namespace relucover {

bool predicts(const SampleSource& fresh, const Control& control, Result& result, const std::string& what, double allowed) {
  const NetworkError error = network_error(result.network, fresh, control);
  const double spread = error.relative > 0 ? error.rms / error.relative : 0;
  const double level =
      std::max({result.residual_rms, result.holdout_rms, result.noise_estimate, 16 * std::numeric_limits<double>::epsilon() * spread});
  // Rounding and noise stay below these; a unit that the sample did not see reaches far above.
  constexpr double typical = 2, worst = 30;
  result.figures[what] = static_cast<double>(error.samples);
  result.figures[what + "_worst"] = error.max_abs;
  return error.rms <= allowed * typical * level && error.max_abs <= allowed * worst * level;
}

MemorySource<double> asked_within(const Asking& asking, const QueryLaw& law) {
  constexpr double bulk = 1.5;  // root mean square of the columns, over their spreads
  std::vector<std::pair<Eigen::RowVectorXd, Eigen::RowVectorXd>> inside;
  for (const auto& [queries, answers] : asking.kept())
    for (Index i = 0; i < queries.rows(); ++i) {
      const Eigen::ArrayXd off = queries.row(i).transpose() - law.center();
      const bool constants_stay = (law.spread().array() > 0 || off == 0).all();
      const double size =
          (law.spread().array() > 0).select(off / law.spread().array(), 0.0).matrix().norm() / std::sqrt(static_cast<double>(law.inputs()));
      if (constants_stay && size <= bulk) inside.emplace_back(queries.row(i), answers.row(i));
    }
  RowMatrix x(static_cast<Index>(inside.size()), law.inputs()), y(x.rows(), std::max<Index>(1, asking.outputs()));
  for (Index i = 0; i < x.rows(); ++i) {
    x.row(i) = inside[static_cast<std::size_t>(i)].first;
    y.row(i) = inside[static_cast<std::size_t>(i)].second;
  }
  return {std::move(x), std::move(y)};
}

bool explains_look(const SampleSource& asked, const Control& control, Result& result) {
  constexpr double allowed = 5;  // float32 models see these queries rounded
  if (asked.samples() == 0 || predicts(asked, control, result, "queries_of_the_look", allowed)) return true;
  result.status = Status::approximate;
  result.message = fmt::format(
      "not certified: queries that were asked to look at the model are not answered as it does (worst difference {:.1e}): it bends "
      "otherwise between the samples",
      result.figures["queries_of_the_look_worst"]);
  return false;
}

namespace {

double root_mean_square(const Matrix& values) {
  return std::sqrt(values.squaredNorm() / static_cast<double>(std::max<Index>(1, values.size())));
}

/// Half the distance of neighbouring answers, as far as they show it.
Matrix half_steps(const LabelGrid& grid, const Matrix& labels) {
  if (!grid.rounded()) return Matrix::Zero(labels.rows(), labels.cols());
  if (grid.significant_bits > LabelGrid::half_precision_bits || grid.binary == LabelGrid::no_grid) return grid.half_step(labels);
  return std::exp2(-grid.significant_bits) * labels.cwiseAbs();  // the last bit of the least number is no step of the others
}

/// Relative: of the numbers that the answers were computed with, which are no finer than their steps allow.
double computed_with(const LabelGrid& grid) {
  const double single = std::numeric_limits<float>::epsilon();
  if (grid.binary != LabelGrid::no_grid && grid.significant_bits <= LabelGrid::half_precision_bits)
    return std::exp2(1 - grid.significant_bits);
  const bool hidden_by_steps = grid.rounded() && grid.step() > single * grid.largest;
  return grid.float32 || hidden_by_steps ? single : std::numeric_limits<double>::epsilon();
}

constexpr Index asked_again = 32, short_step_rows = 8, short_step_columns = 16;

}  // namespace

LeftOfAnswers left_of_answers(const Network& network, const SampleSource& answers, const Unlink* unlink, const Control& control) {
  constexpr double times = 1.5, roundings = 4, steepest_link = 0.25;
  const MemorySource<double> all = gather(answers, 0, answers.samples(), control);
  std::vector<Index> carrying;
  for (Index i = 0; i < all.samples(); ++i)
    if (unlink == nullptr || unlink->carries(all.y().row(i).transpose())) carrying.push_back(i);
  const RowMatrix x = all.x()(carrying, Eigen::all), y = all.y()(carrying, Eigen::all);
  if (y.size() == 0) return {};
  const LabelGrid grid = label_grid(answers, control);
  const double slope = network.link == Link::sigmoid || network.link == Link::softmax ? steepest_link : 1;
  const double single = float32_rounding(network, MemorySource<double>(x, y)) / std::numeric_limits<float>::epsilon();
  const double computed = roundings * computed_with(grid) * (slope * single + root_mean_square(y));
  // Of noise, the fit takes over so much as it has unknowns for.
  const double taken_over = static_cast<double>(unknowns_of(network)) / static_cast<double>(y.size());
  const double stored = root_mean_square(half_steps(grid, y)) / std::sqrt(3.0) * std::sqrt(1 + taken_over);
  const double fitted = unlink == nullptr ? 0 : unlink->noise() * slope * std::sqrt(taken_over);
  return {root_mean_square(y - network.serve(x)), times * std::hypot(stored, fitted) + computed};
}

Index kept_for_asking_again(Index budget) {
  constexpr Index share = 10;  // of fewer queries nothing is recovered through noise
  return budget >= share * asked_again ? asked_again : 0;
}

bool left_is_noise(const SampleSource& answers, const Unlink* unlink, Index again, Asking& asking, const Control& control, Result& result) {
  if (result.status != Status::recovered) return true;
  const Network served = unlink == nullptr ? result.network : unlink->served(result.network);
  const LeftOfAnswers left = left_of_answers(served, answers, unlink, control);
  result.figures["left_of_answers"] = left.rms;
  result.figures["rounding_of_answers"] = left.rounding;
  if (left.rounding_alone()) return true;
  const MemorySource<double> some = gather(answers, 0, std::min({asked_again, again, answers.samples()}), control);
  if (some.samples() > 0 && asking.all(some.x(), control) != some.y()) return true;
  result.status = Status::approximate;
  if (some.samples() == 0) {
    result.message =
        fmt::format("not certified: {:.1e} is left, and no query to ask again whether it is noise: give a larger budget", left.rms);
    return false;
  }
  result.message = fmt::format(
      "not certified: the model answers the same queries with the same numbers, so that what is left ({:.1e}, where rounding leaves {:.1e} "
      "at most) is no noise: it is no network of this kind, or has more to it than {} samples show",
      left.rms, left.rounding, answers.samples());
  return false;
}

Index short_step_queries(Index inputs) { return short_step_rows * (1 + std::min(inputs, short_step_columns)); }

std::string moved_by_short_steps(const Network& network, const SampleSource& answers, double left, Asking& asking, const QueryLaw& law,
                                 const Control& control) {
  constexpr double a_little = 1e-4, share_of_left = 1e-2, rounding = 64 * std::numeric_limits<double>::epsilon(), mostly = 0.75, half = 0.5;
  const RowMatrix x = gather(answers, 0, std::min(short_step_rows, answers.samples()), control).x();
  const RowMatrix served = network.serve(x), asked = asking.all(x, control);
  const double nothing = rounding * (1 + asked.cwiseAbs().maxCoeff());
  std::vector<Index> still;
  Index columns = 0;
  double places = 0, otherwise = 0, shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (Index column = 0; column < law.inputs() && columns < short_step_columns; ++column) {
    if (!law.moves(column)) continue;
    RowMatrix moved = x;
    moved.col(column).array() += a_little * law.spread()[column];
    const double change = root_mean_square(network.serve(moved) - served);
    const double step = a_little * law.spread()[column] * share_of_left * left / std::max(change, 1e-300);
    moved.col(column) = x.col(column).array() + step;
    const RowMatrix told = network.serve(moved) - served, answered = asking.all(moved, control) - asked;
    double seen = 0, unmoved = 0;
    for (Index i = 0; i < told.size(); ++i) {
      const double expected = told.data()[i], came = answered.data()[i];
      if (!(std::abs(expected) > nothing)) continue;
      ++seen;
      unmoved += std::abs(came) <= std::min(nothing, half * std::abs(expected));
      otherwise += std::abs(came - expected) > half * std::abs(expected);
    }
    if (seen == 0) continue;
    ++columns;
    places += seen;
    if (unmoved < mostly * seen) continue;
    still.push_back(column + 1);
    shortest = std::min(shortest, step);
    longest = std::max(longest, step);
  }
  if (columns == 0) return {};
  if (!still.empty())
    return fmt::format(
        "answers move in steps: where {} moved by {:.1e}{} they stay what they are, so that inputs are rounded inside, or looked up in a "
        "table; {} units explain all but {:.1e} of the answers",
        std::ssize(still) == columns ? "an input is" : fmt::format("column {} is", fmt::join(still, ", ")), shortest,
        longest > 2 * shortest ? fmt::format(" to {:.1e}", longest) : "", network.units(), left);
  if (!(otherwise > half * places)) return {};
  return fmt::format(
      "over short steps of the inputs the answers move otherwise than over long ones: values inside are rounded, or repeat in fine teeth; "
      "{} "
      "units explain all but {:.1e} of the answers",
      network.units(), left);
}

}  // namespace relucover
