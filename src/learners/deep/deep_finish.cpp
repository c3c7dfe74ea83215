#include "learners/deep/deep_finish.hpp"

#include <algorithm>
#include <numeric>

#include "learners/deep/fold.hpp"
#include "learners/deep/rare.hpp"
#include "learners/deep/shrink.hpp"
#include "samples/subsample.hpp"
#include "solve/layered_descent.hpp"
#include "solve/layered_linearisation.hpp"

namespace relucover {

bool no_wider(const LayeredModel& model, const std::vector<Index>& widths) {
  if (widths.empty()) return true;
  for (Index l = 0; l < model.depth(); ++l)
    if (model.width(l) > widths[static_cast<std::size_t>(l)]) return false;
  return true;
}

bool dear_when_exact(Index inputs, const std::vector<Index>& widths, Index outputs) {
  constexpr Index many = 600;
  return !widths.empty() && LayeredModel::parameters(inputs, widths, outputs) > many;
}

namespace {

double share(const std::vector<char>& mask) {
  return static_cast<double>(std::count(mask.begin(), mask.end(), 1)) / static_cast<double>(std::max<std::size_t>(mask.size(), 1));
}

std::vector<Index> right_rows(const std::vector<Index>& rows, const std::vector<char>& wrong) {
  std::vector<Index> right;
  for (const Index row : rows)
    if (!wrong[static_cast<std::size_t>(row)]) right.push_back(row);
  return right;
}

class DeepFinish {
 public:
  DeepFinish(const DeepData& data, const std::vector<Index>& widths, Index rows, RandomStream& random, const Control& control)
      : data_(data), widths_(widths), random_(random), control_(control),
        some_(spread_rows(data.samples(), std::min(data.samples(), rows), 7)) {}

  Finished run(LayeredModel model) {
    constexpr double mostly = 0.1, nearly_all = 1e-3;
    Finished finished;
    Settled at = settle(std::move(model), data_, some_, 2, random_, control_);
    if (share(at.wrong) <= mostly) {
      at = to_widths(std::move(at));
      at = settle(std::move(at.model), data_, some_, 4, random_, control_);
    }
    finished.sign_free = at.model;
    if (share(at.wrong) > nearly_all || !no_wider(at.model, widths_)) return finished;
    write_plain(at, finished);
    return finished;
  }

 private:
  /// A rare unit that few samples see can hold spurious units below it: its kink is dropped before others are, `settle` puts it back.
  void set_rare_units_aside(Settled& at) const {
    constexpr double rare = 0.01;
    const Vector sides = smaller_sides(at.model, data_.x).back();
    for (Index j = sides.size() - 1; j >= 0; --j)
      if (sides[j] < rare) at.model = with_linear_unit(at.model, data_.x, j);
    at.wrong = wrong_rows(at.model, data_.x, data_.y, data_.wrong);
  }

  Settled to_widths(Settled at) const {
    const std::vector<Index> none(static_cast<std::size_t>(at.model.depth()), 0);
    // One that can go comes back to exact in some ten steps; the others end far above.
    const Index most_steps = dear_when_exact(at.model.inputs, widths_, at.model.outputs()) ? 25 : 60;
    ShrinkOptions options{.least = widths_.empty() ? none : widths_, .exact = data_.exact, .tries = 6, .most_steps = most_steps};
    for (int round = 0; round < 2; ++round) {
      if (round > 0 || share(at.wrong) > 0) set_rare_units_aside(at);
      at.model = shrink(std::move(at.model), data_.at(right_rows(at.used, at.wrong)), options, control_).model;
      if (no_wider(at.model, widths_)) break;
    }
    // A large model that can do with fewer units than asked for is left to the certificate, which says so.
    if (widths_.empty() || too_large_for_dense(at.model.parameters())) return at;
    options.least = none;
    options.tries = 2;
    options.most_steps = 20;
    at.model = shrink(std::move(at.model), data_.at(right_rows(at.used, at.wrong)), options, control_).model;
    return at;
  }

  void write_plain(const Settled& at, Finished& finished) const {
    // A layer without units has no form of its own: the data need fewer layers.
    if (std::any_of(at.model.theta.begin(), at.model.theta.end(), [](const RowMatrix& layer) { return layer.rows() == 0; })) return;
    std::vector<Index> rows(static_cast<std::size_t>(std::min<Index>(data_.samples(), 20000)));
    std::iota(rows.begin(), rows.end(), 0);
    rows.insert(rows.end(), at.used.begin(), at.used.end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    rows = right_rows(rows, at.wrong);
    const MemorySource<double> samples = data_.at(rows);
    PlainForm plain = plain_form(at.model, samples.x(), samples.y());
    Descent polished = polish(std::move(plain.model), samples);
    if (polished.cost > data_.exact) return;
    plain.model = std::move(polished.model);
    if (auto fewer = without_idle_units(plain, samples.x(), data_.wrong)) {
      if (Descent again = polish(fewer->model, samples); again.cost <= data_.exact) {
        plain = std::move(*fewer);
        plain.model = std::move(again.model);
      }
    }
    if (auto folded = with_linear_unit_folded(plain, samples, data_.exact, control_)) {
      plain.model = std::move(*folded);
      plain.linear.back() = 0;
    }
    if (std::ssize(rows) < data_.samples()) {
      Descent all = polish(plain.model, MemorySource<double>(data_.x, data_.y, "all"));
      if (count_wrong(all.model, data_.x, data_.y) <= count_wrong(plain.model, data_.x, data_.y)) plain.model = std::move(all.model);
    }
    finished.wrong = count_wrong(plain.model, data_.x, data_.y);
    finished.held_wrong = count_wrong(plain.model, data_.held_x, data_.held_y);
    finished.plain = std::move(plain);
  }

  Descent polish(LayeredModel plain, const MemorySource<double>& samples) const {
    return descend(std::move(plain), samples, {.most_steps = 30, .damping = 1e-6, .slow = 0.5, .patience = 2, .goal = 1e-31}, control_);
  }
  Index count_wrong(const LayeredModel& model, const RowMatrix& x, const RowMatrix& y) const {
    return std::ssize(rows_where(wrong_rows(model, x, y, data_.wrong), true));
  }

  const DeepData& data_;
  const std::vector<Index>& widths_;
  RandomStream& random_;
  const Control& control_;
  std::vector<Index> some_;
};

}  // namespace

Finished finish_deep(LayeredModel model, const DeepData& data, const std::vector<Index>& widths, double samples_per_parameter,
                     RandomStream& random, const Control& control) {
  const Index parameters = LayeredModel::parameters(model.inputs, widths.empty() ? model.widths() : widths, model.outputs());
  return DeepFinish(data, widths, rows_for_parameters(samples_per_parameter, parameters), random, control).run(std::move(model));
}

}  // namespace relucover
