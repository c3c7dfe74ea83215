#include "learners/vector/proportional_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "samples/subsample.hpp"

namespace relucover {

namespace {

using Group = std::vector<Index>;

/// Groups of two or more rows that agree within the tolerance, largest first: sorted along one random direction,
/// confirmed in all.
std::vector<Group> equal_rows(const RowMatrix& rows, const Group& candidates, double tolerance, const Control& control) {
  RandomStream random(0, purpose::sketch, 7);
  const Vector place = rows * random.normal_vector(rows.cols()).normalized();
  Group order = candidates;
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return place[i] < place[j]; });
  std::vector<bool> taken(order.size(), false);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (taken[i]) continue;
    if (i % 1024 == 0) control.check();
    Group group{order[i]};
    for (std::size_t j = i + 1; j < order.size() && place[order[j]] - place[order[i]] < tolerance; ++j)
      if (!taken[j] && (rows.row(order[j]) - rows.row(order[i])).norm() < tolerance) {
        taken[j] = true;
        group.push_back(order[j]);
      }
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.size() > b.size(); });
  return groups;
}

}  // namespace

ProportionalLabels proportional_labels_start(const SampleSource& source, Index units, const Control& control,
                                             const ProportionalLabelsOptions& options) {
  ProportionalLabels start;
  const Index inputs = source.inputs(), outputs = source.outputs();
  if (outputs < 2) {
    start.problem = "one output: all labels are multiples of one another, so groups of proportional labels say nothing";
    return start;
  }
  const auto samples = gather(source, 0, std::min(options.samples, source.samples()), control);
  const Vector norms = samples.y().rowwise().norm();
  const double floor = 1e-9 * norms.maxCoeff();
  Group active;
  RowMatrix unit = samples.y();
  for (Index i = 0; i < unit.rows(); ++i)
    if (norms[i] > floor) {
      unit.row(i) /= norms[i];
      active.push_back(i);
    }
  std::vector<Group> groups = equal_rows(unit, active, options.tolerance, control);
  for (const Group& group : groups) start.group_sizes.push_back(static_cast<Index>(group.size()));
  std::erase_if(groups, [&](const Group& group) { return static_cast<Index>(group.size()) < inputs + 1; });
  if (units == 0) units = static_cast<Index>(groups.size());
  if (units == 0 || static_cast<Index>(groups.size()) < units) {
    start.problem = fmt::format(
        "{} groups of proportional labels have the {} samples that determine a unit, {} are needed: more samples, or "
        "fewer units",
        groups.size(), inputs + 1, std::max<Index>(units, 1));
    return start;
  }
  for (Index i = 0; i < units; ++i)
    for (Index j = 0; j < i; ++j) {
      const double cosine = unit.row(groups[static_cast<std::size_t>(i)][0]).dot(unit.row(groups[static_cast<std::size_t>(j)][0]));
      if (cosine < -1 + options.tolerance) {
        start.problem =
            "two columns of A are opposite, [u, -u]: where both units are active the label is again a multiple of u, "
            "so this method can't tell them apart";
        return start;
      }
    }
  start.network = Network(inputs, units, outputs);
  for (Index i = 0; i < units; ++i) {
    const Group& group = groups[static_cast<std::size_t>(i)];
    const Matrix x = samples.x()(group, Eigen::all);
    const Vector size = norms(group);
    const Vector w = least_squares(x, size);  // step 4
    const double misfit = (x * w - size).norm() / size.norm();
    if (!(misfit < 1e-6)) {
      start.problem = fmt::format(
          "on a group of proportional labels their size is not linear in the inputs (relative misfit {:.1e}): not the "
          "labels of single units",
          misfit);
      start.network = Network();
      return start;
    }
    start.network.W.row(i) = w.transpose();
    start.network.A.col(i) = unit.row(group[0]).transpose();
  }
  return start;
}

}  // namespace relucover
