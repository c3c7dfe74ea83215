#include "verify/label_outliers.hpp"

#include <algorithm>
#include <vector>

#include "core/median.hpp"

namespace relucover {

namespace {

struct Spread {
  double centre = 0, deviation = 0;
};

Spread spread_of(const RowMatrix& labels, Index output) {
  std::vector<double> values(static_cast<std::size_t>(labels.rows()));
  for (Index i = 0; i < labels.rows(); ++i) values[static_cast<std::size_t>(i)] = labels(i, output);
  const double centre = median_of(values);
  for (double& value : values) value = std::abs(value - centre);
  return {centre, 1.4826 * median_of(values)};
}

}  // namespace

LabelOutliers label_outliers(const RowMatrix& labels, double deviations) {
  LabelOutliers found;
  Index entries = 0, looked_at = 0;
  for (Index o = 0; o < labels.cols() && labels.rows() > 0; ++o) {
    const auto [centre, deviation] = spread_of(labels, o);
    if (!(deviation > 0)) continue;
    looked_at += labels.rows();
    entries += ((labels.col(o).array() - centre).abs() > deviations * deviation).count();
  }
  if (looked_at == 0) return found;
  found.entries = static_cast<double>(entries) / static_cast<double>(looked_at);
  found.samples = static_cast<double>((label_distances(labels).array() > deviations).count()) / static_cast<double>(labels.rows());
  return found;
}

Vector label_distances(const RowMatrix& labels) {
  Vector distances = Vector::Zero(labels.rows());
  for (Index o = 0; o < labels.cols() && labels.rows() > 0; ++o) {
    const auto [centre, deviation] = spread_of(labels, o);
    if (deviation > 0) distances = distances.cwiseMax((labels.col(o).array() - centre).abs().matrix() / deviation);
  }
  return distances;
}

}  // namespace relucover
