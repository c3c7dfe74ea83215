#include "learners/deep/shrink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/blas.hpp"
#include "core/linear_algebra.hpp"
#include "learners/deep/deep_data.hpp"
#include "reduce/reduce.hpp"
#include "solve/layered_descent.hpp"
#include "solve/layered_linearisation.hpp"
#include "solve/layered_sums.hpp"

namespace relucover {

namespace {

MemorySource<double> first_rows(const MemorySource<double>& samples, Index most) {
  const Index rows = std::min(samples.samples(), most);
  return {samples.x().topRows(rows), samples.y().topRows(rows), "batch"};
}

/// A smaller model needs fewer samples, and steps cost as many. An exact fit keeps them all: a few may be all that holds a rare unit.
MemorySource<double> rows_to_shrink_with(const MemorySource<double>& samples, const LayeredModel& model, bool exact) {
  constexpr double per_parameter = 12;
  if (exact) return samples;
  return first_rows(samples, rows_for_parameters(per_parameter, model.parameters()) / model.outputs());
}

void tell(const Shrunk& at, const Control& control) {
  control.progress("deep search", -1, fmt::format("{:.1e}: shrink, layers of {}", at.cost, fmt::join(at.model.widths(), ", ")));
}

struct Removal {
  double cost = 0;
  Index layer = 0, unit = 0;
  LayeredModel model;
};

/// Everything about the model that candidates for all units share.
class Surgery {
 public:
  Surgery(const LayeredModel& model, const MemorySource<double>& samples, bool linear_model, const Control& control)
      : model_(model), parameters_(model.flat()),  // candidates are judged by few rows: the one that is taken is judged by all
        samples_(first_rows(samples, std::max<Index>(1000, 10 * model.features()))) {
    if (linear_model) inverse_ = inverse_of_gram(first_rows(samples, std::max<Index>(1000, 4 * model.parameters())), control);
    features_ = features_of(model, samples_.x());
    level_inverse_.resize(model.theta.size());
    for (Index l = model.plain_layers; l < model.depth(); ++l) level_inverse_[static_cast<std::size_t>(l)] = inverse_of_level(l);
  }

  Removal without(Index layer, Index unit, const Control& control) const {
    const Control alone(1);
    Removal best{std::numeric_limits<double>::infinity(), layer, unit, {}};
    std::vector<LayeredModel> starts{by_regression(layer, unit)};
    if (inverse_.size() > 0) starts.push_back(by_linear_model(layer, unit));
    starts.push_back(model_);
    for (const LayeredModel& start : starts) {
      control.check();  // of many inputs each takes a second
      LayeredModel dropped = without_unit(start, layer, unit);
      keep_better(dropped, alone, best);
      constexpr double ridge = 1e-13;
      refit_output(dropped, samples_, ridge, alone);
      keep_better(dropped, alone, best);
    }
    return best;
  }

 private:
  Matrix inverse_of_gram(const MemorySource<double>& samples, const Control& control) const {
    const auto sums = reduce(samples, LayeredGram<double>(model_), control);
    Matrix gram = sums.gram / static_cast<double>(sums.samples);
    const Vector diagonal = gram.diagonal();
    constexpr double damping = 1e-6, least = 1e-3;
    gram.diagonal() += damping * diagonal.cwiseMax(least * diagonal.mean());
    return Cholesky(std::move(gram)).inverse();
  }

  Matrix inverse_of_level(Index layer) const {
    const Index begin = model_.seen_begin(layer);
    const auto level = features_.middleCols(begin, model_.values_at(layer) + model_.width(layer) - begin);
    Matrix gram = level.transpose() * level;
    gram.diagonal() *= 1 + 1e-12;
    return Cholesky(std::move(gram)).inverse();
  }

  void keep_better(const LayeredModel& model, const Control& control, Removal& best) const {
    const double cost = mean_cost(model, samples_, control);
    if (!(cost < best.cost)) return;
    best.cost = cost;
    best.model = model;
  }

  /// |u| of the unit replaced by its regression on the other features of its level: a row of their inverse Gram matrix.
  LayeredModel by_regression(Index layer, Index unit) const {
    const Matrix& inverse = level_inverse_[static_cast<std::size_t>(layer)];
    const Index column = model_.values_at(layer) + unit - model_.seen_begin(layer), size = inverse.rows();
    LayeredModel changed = model_;
    if (!inverse.allFinite()) return changed;
    Eigen::RowVectorXd weights = -inverse.col(column).transpose() / inverse(column, column);
    weights[column] = 0;
    for (Index above = layer + 1; above <= model_.depth(); ++above) {
      RowMatrix& rows = changed.rows_of(above);
      rows.leftCols(size) += Vector(rows.col(column)) * weights;
    }
    return changed;
  }

  /// The least step of the linear model that takes every weight on |u| of the unit to zero.
  LayeredModel by_linear_model(Index layer, Index unit) const {
    const std::vector<Index> seen = places_that_see(model_.values_at(layer) + unit - model_.seen_begin(layer), layer);
    LayeredModel changed = model_;
    if (!inverse_.allFinite()) return changed;
    const Matrix columns = inverse_(Eigen::all, seen);
    const Vector values = parameters_(seen);
    const Vector factors = solve_semidefinite(Matrix(columns(seen, Eigen::all)), values);
    if (factors.allFinite()) changed.set_flat(parameters_ - columns * factors);
    return changed;
  }

  std::vector<Index> places_that_see(Index column, Index layer) const {
    std::vector<Index> places;
    Index begin = 0;
    for (Index l = 0; l <= model_.depth(); ++l) {
      const RowMatrix& rows = model_.rows_of(l);
      if (l > layer)
        for (Index i = 0; i < rows.rows(); ++i) places.push_back(begin + i * rows.cols() + column);
      begin += rows.size();
    }
    return places;
  }

  const LayeredModel& model_;
  Vector parameters_;
  MemorySource<double> samples_;
  Matrix inverse_;  // of the Gram matrix of all parameters; empty: they are too many
  RowMatrix features_;
  std::vector<Matrix> level_inverse_;
};

/// Cheapest first. The linear model takes the inverse of a matrix of all parameters.
std::vector<Removal> candidates(const LayeredModel& model, const MemorySource<double>& samples, const std::vector<Index>& least,
                                bool linear_model, const Control& control) {
  const SingleThreadedBlas single_threaded;
  const Surgery surgery(model, samples, linear_model, control);
  std::vector<std::pair<Index, Index>> units;
  for (Index l = model.plain_layers; l < model.depth(); ++l)
    if (model.width(l) > least[static_cast<std::size_t>(l)])
      for (Index j = 0; j < model.width(l); ++j) units.emplace_back(l, j);
  std::vector<Removal> all(units.size());
  in_parallel(std::ssize(units), control.threads(), [&](Index i) {
    const auto& [layer, unit] = units[static_cast<std::size_t>(i)];
    all[static_cast<std::size_t>(i)] = surgery.without(layer, unit, control);
  });
  control.check();
  std::stable_sort(all.begin(), all.end(), [](const Removal& a, const Removal& b) { return a.cost < b.cost; });
  return all;
}

/// Drops the cheapest unit, and again, while the cost on few samples stays below the limit.
LayeredModel without_units_below(double limit, LayeredModel model, const MemorySource<double>& samples, const std::vector<Index>& least,
                                 const Control& control) {
  for (Index round = model.units(); round > 0; --round) {
    auto all = candidates(model, samples, least, false, control);
    if (all.empty() || !(all.front().cost < limit)) break;
    model = std::move(all.front().model);
  }
  return model;
}

/// Units to spare make the Jacobian singular, and the ends of descents slow. Here those that hardly matter go first, all that a limit on
/// the cost allows, and one descent follows, no further than it takes to see the next ones. At the right widths it converges quadratically.
Shrunk without_cheap_units(Shrunk at, const MemorySource<double>& samples, const ShrinkOptions& options, const Control& control) {
  constexpr double cheap = 1e-3, good = 1e-9;
  const bool exact = at.cost < options.exact;
  const double accepted = exact ? options.exact : std::max(options.allowed * at.cost, good), goal = 1e-4 * options.exact;
  const Index least = std::accumulate(options.least.begin(), options.least.end(), Index{0});
  for (double limit = cheap; limit > std::max(10 * at.cost, options.exact);) {
    LayeredModel fewer = without_units_below(limit, at.model, samples, options.least, control);
    if (fewer.units() == at.model.units()) break;
    const bool on_the_way = !exact && fewer.units() > least;
    const MemorySource<double> rows = rows_to_shrink_with(samples, fewer, exact);
    Descent down =
        descend(std::move(fewer), rows,
                {.most_steps = options.most_steps, .damping = 1e-3, .slow = 1e-2, .goal = on_the_way ? 0.1 * accepted : goal}, control);
    if (down.cost <= accepted) {
      at = {std::move(down.model), down.cost};
      tell(at, control);
      limit = cheap;
    } else {
      limit *= 1e-2;
    }
  }
  if (at.cost < goal) return at;
  const MemorySource<double> rows = rows_to_shrink_with(samples, at.model, exact);
  Descent down = descend(std::move(at.model), rows, {.most_steps = options.most_steps, .goal = goal}, control);
  return {std::move(down.model), down.cost};
}

}  // namespace

Shrunk shrink(LayeredModel model, const MemorySource<double>& samples, const ShrinkOptions& options, const Control& control) {
  Shrunk best{std::move(model), 0};
  best.cost = mean_cost(best.model, samples, control);
  if (too_large_for_dense(best.model.parameters())) best = without_cheap_units(std::move(best), samples, options, control);
  for (Index round = best.model.units(); round > 0; --round) {
    tell(best, control);
    const bool exact = best.cost < options.exact;
    const MemorySource<double> rows = rows_to_shrink_with(samples, best.model, exact);
    const double limit = exact ? options.exact : options.allowed * best.cost;
    // Units to spare make descents crawl: one that has caught up goes on with fewer of them.
    const double goal = exact ? 1e-4 * options.exact : std::max(best.cost, 1e-4 * options.exact);
    const auto drop_one = [&](bool linear_model) {
      Index tried = 0;
      for (Removal& candidate : candidates(best.model, rows, options.least, linear_model, control)) {
        if (tried++ == options.tries) break;
        double cost = mean_cost(candidate.model, rows, control);
        if (cost > (exact ? options.exact : 1.2 * best.cost)) {
          Descent down = descend(std::move(candidate.model), rows,
                                 {.most_steps = options.most_steps, .damping = 1e-3, .slow = 3e-2, .goal = goal}, control);
          candidate.model = std::move(down.model);
          cost = down.cost;
        }
        if (!(cost <= limit)) continue;
        best = {std::move(candidate.model), cost};
        return true;
      }
      return false;
    };
    constexpr Index most_parameters = 6000;  // of a large model: their matrix costs minutes, so it comes last
    const Index parameters = best.model.parameters();
    const bool large = too_large_for_dense(parameters);
    const bool dropped = drop_one(!large) || (large && parameters <= most_parameters && drop_one(true));
    if (!dropped || (!exact && best.cost < options.exact)) break;
  }
  return best;
}

}  // namespace relucover
