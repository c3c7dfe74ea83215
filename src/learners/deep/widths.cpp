#include "learners/deep/widths.hpp"

#include <algorithm>
#include <limits>

#include "learners/deep/noisy.hpp"
#include "learners/plan.hpp"
#include "learners/registry.hpp"

namespace relucover {

namespace {

bool of_any_depth(const LearnOptions& options) { return options.any_depth || options.layers.empty(); }

/// Widths to begin with, from small ones, each about 1.4 times the one before, while samples outnumber the unknowns. Fewer layers come
/// first: a layer more is tried with the widths that were not enough before. `asked`: what queries have shown.
struct WidthRange {
  Index widest, widest_of_more_layers;
  double samples_per_unknown;
};
std::vector<std::vector<Index>> widths_to_try(const DeepData& data, const LearnOptions& options, const WidthRange& range,
                                              const AskedLayers& asked) {
  const auto [widest, widest_of_more_layers, samples_per_unknown] = range;
  const Index inputs = data.x.cols(), outputs = data.y.cols();
  const std::size_t fewest_layers = of_any_depth(options) ? std::max<std::size_t>(2, asked.plain.size() + 1) : options.layers.size(),
                    most_layers = of_any_depth(options) ? fewest_layers + 1 : fewest_layers;
  const std::vector<Index> shown = asked.widths();
  std::vector<std::vector<Index>> all;
  std::vector<Index> smaller;
  for (Index width = 4; width <= widest; width += width * 2 / 5 + 1) {
    for (std::size_t depth = fewest_layers; depth <= most_layers; ++depth) {
      const Index begin = depth == fewest_layers ? width : smaller.empty() ? 0 : smaller.back();
      if (begin == 0 || (depth > fewest_layers && begin > widest_of_more_layers)) continue;
      std::vector<Index> widths = options.layers;
      widths.resize(depth, 0);
      for (std::size_t l = 0; l < std::min(depth, shown.size()); ++l)
        if (widths[l] == 0) widths[l] = shown[l];
      for (Index& one : widths)
        if (one == 0) one = begin;
      const Index unknowns = LayeredModel::parameters(inputs, widths, outputs, std::ssize(widths));
      if (samples_per_unknown * static_cast<double>(unknowns) < static_cast<double>(data.samples() * outputs))
        all.push_back(std::move(widths));
    }
    smaller.push_back(width);
  }
  return all;
}

/// Wider layers that leave as much as narrower ones: what is left is no deeper network of such widths.
class Progress {
 public:
  bool goes_on(double cost) {
    constexpr double enough = 0.8;
    constexpr int patience = 3;
    without_ = cost < enough * best_ ? 0 : without_ + 1;
    best_ = std::min(best_, cost);
    return without_ < patience;
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  int without_ = 0;
};

}  // namespace

DeepSearchOutcome search_for_widths(const DeepData& data, const LearnOptions& options, const Control& control, const AskedLayers& asked,
                                    std::function<void(const LayeredModel&, double)> fits) {
  DeepSearchOptions search;
  search.asked = asked;
  search.fits = std::move(fits);
  search.seed = options.seed;
  search.starts = options.starts;
  search.wide = std::max(1.0, setting(options, "wide", search.wide));
  search.batch = std::max(1.0, setting(options, "batch", search.batch));
  const auto rounds = [&](Index otherwise) {
    return std::max<Index>(1, static_cast<Index>(setting(options, "rounds", static_cast<double>(otherwise))));
  };
  const bool known = !of_any_depth(options) && std::find(options.layers.begin(), options.layers.end(), 0) == options.layers.end();
  if (known) {
    search.widths = options.layers;
    search.rounds = rounds(search.rounds);
    return deep_search(data, search, control);
  }
  if (asked.complete && (of_any_depth(options) || asked.widths().size() == options.layers.size())) {
    search.widths = asked.widths();
    search.starts = 1;
    DeepSearchOutcome found = deep_search(data, search, control);
    if (found.found) return found;
  }
  search.fewest = true;
  search.starts = 2;
  search.rounds = rounds(3);
  search.through_noise = false;
  const double left = setting(options, unasked_setting, 0);
  DeepSearchOutcome best;
  const auto first_that_fits = [&](const WidthRange& range) {
    Progress progress;
    for (const auto& widths : widths_to_try(data, options, range, asked)) {
      search.widths = widths;
      // A layer too many explains everything with few units in each, and has no plain form.
      search.ends_when_explained = widths.size() > 2 && of_any_depth(options);
      DeepSearchOutcome found = deep_search(data, search, control);
      const double cost = found.cost;
      if (found.found || best.asked.empty() || cost < best.cost) best = std::move(found);
      if (best.found || !progress.goes_on(cost)) break;
    }
  };
  if (!(left > 0)) {
    first_that_fits({64, 64, 2});
    if (!best.found) look_through_noise(data, control, best);
    return best;
  }
  // Nobody asked: a short look, and a longer one where layers explain far more than one did.
  constexpr double far_more = 30;
  const DeepSearchOptions whole = search;
  search.starts = 1;
  search.batches = 60;
  search.hopeless = std::min(1e-4, 0.1 * left * left);
  first_that_fits({6, 4, 2});
  if (best.found || !(far_more * best.cost < left * left)) return best;
  search.batches = whole.batches;
  search.hopeless = whole.hopeless;
  first_that_fits({9, 0, 20});
  return best;
}

}  // namespace relucover
