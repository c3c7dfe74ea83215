#include "learners/threshold/pick.hpp"

#include <algorithm>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct Pick {
  using Scalar = double;
  const Matrix* W;
  const Vector* t;
  const LabelView* view;
  const PickRule* rule;
  std::size_t most;
  struct Group {
    std::vector<double> x, y;
  };
  std::vector<Group> groups;

  void add(const Block<double>& block) {
    RowMatrix arguments = block.x * W->transpose();
    arguments.rowwise() -= t->transpose();
    Vector labels(block.rows());
    for (Index i = 0; i < block.rows(); ++i) labels[i] = (*view)(block.y(i, 0));
    std::vector<std::pair<Index, Index>> picked;
    (*rule)(arguments, labels, picked);
    for (const auto& [row, index] : picked) {
      Group& group = groups[static_cast<std::size_t>(index)];
      if (group.y.size() >= most) continue;
      group.y.push_back(labels[row]);
      for (const double value : block.x.row(row)) group.x.push_back(value);
    }
  }

  void merge(const Pick& other) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      Group& group = groups[g];
      const Group& more = other.groups[g];
      const std::size_t room = std::min(more.y.size(), most - std::min(most, group.y.size()));
      const std::size_t inputs = more.y.empty() ? 0 : more.x.size() / more.y.size();
      group.y.insert(group.y.end(), more.y.begin(), more.y.begin() + static_cast<std::ptrdiff_t>(room));
      group.x.insert(group.x.end(), more.x.begin(), more.x.begin() + static_cast<std::ptrdiff_t>(room * inputs));
    }
  }

  bool full() const {
    return std::all_of(groups.begin(), groups.end(), [&](const Group& group) { return group.y.size() >= most; });
  }
};

}  // namespace

std::vector<PickedSamples> pick_samples(const SampleSource& source, const Matrix& W, const Vector& t, const LabelView& view,
                                        const PickRule& rule, const PickOptions& options, const Control& control) {
  Pick all{&W, &t, &view, &rule, static_cast<std::size_t>(options.most_per_group), {}};
  all.groups.resize(static_cast<std::size_t>(options.groups));
  const Pick empty = all;
  const Index end = options.end < 0 ? source.samples() : std::min(options.end, source.samples());
  Index window = 1 << 17;
  for (Index first = options.begin; first < end && !all.full(); window *= 2) {
    const Index last = std::min(end, first + window);
    all.merge(reduce(source, empty, control, first, last));
    first = last;
  }
  std::vector<PickedSamples> result(all.groups.size());
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    Pick::Group& group = all.groups[g];
    const auto rows = static_cast<Index>(group.y.size());
    result[g].x = Eigen::Map<const RowMatrix>(group.x.data(), rows, source.inputs());
    result[g].y = Eigen::Map<const Vector>(group.y.data(), rows);
  }
  return result;
}

}  // namespace relucover
