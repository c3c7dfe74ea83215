#include "learners/threshold/labels.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "reduce/reduce.hpp"
#include "verify/label_grid.hpp"

namespace relucover {

namespace {

struct CollectLabels {
  using Scalar = double;
  std::vector<double> labels;
  void add(const Block<double>& block) {
    for (Index i = 0; i < block.rows(); ++i) labels.push_back(block.y(i, 0));
  }
  void merge(const CollectLabels& other) { labels.insert(labels.end(), other.labels.begin(), other.labels.end()); }
};

struct SumLabels {
  using Scalar = double;
  double total = 0, square = 0;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  void add(const Block<double>& block) {
    total += block.y.col(0).sum();
    square += block.y.col(0).squaredNorm();
    lowest = std::min(lowest, block.y.col(0).minCoeff());
    highest = std::max(highest, block.y.col(0).maxCoeff());
  }
  void merge(const SumLabels& other) {
    total += other.total;
    square += other.square;
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
  }
};

/// Mode of a density: the half of the points that is narrowest, again and again.
double half_sample_mode(const std::vector<double>& sorted) {
  std::size_t begin = 0, size = sorted.size();
  while (size > 2) {
    const std::size_t half = (size + 1) / 2;
    std::size_t best = begin;
    for (std::size_t i = begin; i + half <= begin + size; ++i)
      if (sorted[i + half - 1] - sorted[i] < sorted[best + half - 1] - sorted[best]) best = i;
    begin = best;
    size = half;
  }
  return 0.5 * (sorted[begin] + sorted[begin + size - 1]);
}

}  // namespace

RestValue rest_value(const SampleSource& source, double window, const Control& control) {
  constexpr Index looked_at = 100'000;
  std::vector<double> labels = reduce(source, CollectLabels{}, control, 0, std::min(looked_at, source.samples())).labels;
  if (labels.empty()) return {};
  std::sort(labels.begin(), labels.end());
  std::size_t longest = 0, longest_begin = 0;
  for (std::size_t begin = 0, end = 0; begin < labels.size(); ++begin) {
    while (end < labels.size() && labels[end] - labels[begin] <= window) ++end;
    if (end - begin > longest) {
      longest = end - begin;
      longest_begin = begin;
    }
  }
  RestValue rest{labels[longest_begin + longest / 2], static_cast<double>(longest) / static_cast<double>(labels.size())};
  if (rest.noisy()) {
    // The narrowest halves end at a few points; a mean around them has less variance.
    const double mode = half_sample_mode(labels);
    const double reach = 0.5 * std::abs(labels[labels.size() * 3 / 8] - labels[labels.size() / 8]);
    double total = 0;
    Index count = 0;
    for (const double label : labels)
      if (std::abs(label - mode) <= reach) {
        total += label;
        ++count;
      }
    rest.value = count > 0 ? total / static_cast<double>(count) : mode;
  }
  return rest;
}

double label_rounding(const SampleSource& source, const Control& control) {
  constexpr double coarse = 1e-3;  // of the labels' spread: beyond, values on a grid are no rounding of something finer
  const LabelGrid grid = label_grid(source, control);
  const SumLabels sums = reduce(source, SumLabels{}, control);
  const double n = static_cast<double>(std::max<Index>(source.samples(), 1));
  const double spread = std::sqrt(std::max(0.0, sums.square / n - std::pow(sums.total / n, 2)));
  const double smallest = 0.5 * std::numeric_limits<double>::epsilon() * grid.largest;
  return grid.values.empty() && grid.rounding() <= coarse * spread ? std::max(grid.rounding(), smallest) : smallest;
}

std::optional<double> constant_label(const SampleSource& source, const Control& control) {
  const SumLabels sums = reduce(source, SumLabels{}, control);
  if (sums.lowest != sums.highest) return std::nullopt;
  return sums.lowest;
}

double mean_label(const SampleSource& source, const Control& control) {
  return reduce(source, SumLabels{}, control).total / static_cast<double>(std::max<Index>(source.samples(), 1));
}

}  // namespace relucover
