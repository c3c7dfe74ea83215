#include "learners/deep/widths.hpp"

#include <algorithm>

namespace relucover {

namespace {

/// What may be tried: widths from below, each about 1.4 times the one before, while samples outnumber the unknowns.
std::vector<std::vector<Index>> widths_to_try(const DeepData& data, const LearnOptions& options) {
  const Index inputs = data.x.cols(), outputs = data.y.cols();
  std::vector<std::size_t> depths;
  if (options.any_depth)
    depths = {1, 2, 3};
  else
    depths = {options.layers.size()};
  std::vector<std::vector<Index>> all;
  for (Index width = 4; width <= 64; width += std::max<Index>(2, width * 2 / 5))
    for (const std::size_t depth : depths) {
      std::vector<Index> widths = options.layers;
      widths.resize(depth, 0);
      for (Index& one : widths)
        if (one == 0) one = width;
      const Index unknowns = LayeredModel::parameters(inputs, widths, outputs, LayeredModel::Form::plain);
      if (2 * unknowns < data.samples() * outputs) all.push_back(std::move(widths));
    }
  return all;
}

}  // namespace

DeepSearchOutcome search_for_widths(const DeepData& data, const LearnOptions& options, const Control& control) {
  DeepSearchOptions search;
  search.seed = options.seed;
  search.starts = options.starts;
  const bool known = !options.any_depth && std::find(options.layers.begin(), options.layers.end(), 0) == options.layers.end();
  if (known) {
    search.widths = options.layers;
    return deep_search(data, search, control);
  }
  DeepSearchOutcome best;
  for (const auto& widths : widths_to_try(data, options)) {
    search.widths = widths;
    search.starts = 1;
    search.rounds = 3;
    DeepSearchOutcome found = deep_search(data, search, control);
    if (found.found) return found;
    if (best.asked.empty() || found.cost < best.cost) best = std::move(found);
  }
  return best;
}

}  // namespace relucover
