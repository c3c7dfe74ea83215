#include "samples/queried_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "relucover/errors.hpp"

namespace relucover {

QueriedSamples::QueriedSamples(BlackBox& oracle, const ExtractOptions& options)
    : oracle_(oracle), inputs_(options.inputs), batch_(options.batch), seed_(options.learn.seed), scale_(options.scale),
      spool_(options.spool, options.inputs, options.learn.seed, options.scale) {
  const RowMatrix earlier = spool_.read();
  if (earlier.rows() == 0) return;
  check_answers(earlier, earlier.rows());
  keep(drawn(0, earlier.rows()), earlier);
  reused_ = earlier.rows();
}

RowMatrix QueriedSamples::drawn(Index first, Index rows) const {
  RowMatrix x(rows, inputs_);
  for (Index i = 0; i < rows; ++i) {
    RandomStream random(seed_, purpose::queries, static_cast<std::uint64_t>(first + i));
    for (Index j = 0; j < inputs_; ++j) x(i, j) = static_cast<float>(scale_ * random.normal());
  }
  return x;
}

void QueriedSamples::check_answers(const Eigen::Ref<const RowMatrix>& answers, Index asked) const {
  const auto fail = [&](const std::string& problem, Index row = 0) {
    throw DataError(oracle_.name(), fmt::format("query {} (from 0)", samples_ + row), problem, "");
  };
  if (answers.rows() < 1 || answers.rows() > asked)
    fail(fmt::format("{} answers to {} queries", answers.rows(), asked));
  if (answers.cols() < 1) fail("the answer has no numbers");
  if (y_.cols() > 0 && answers.cols() != y_.cols())
    fail(fmt::format("the answer has {} numbers, earlier ones have {}", answers.cols(), y_.cols()));
  for (Index row = 0; row < answers.rows(); ++row)
    if (!answers.row(row).allFinite()) fail("the answer has a value that is NaN or infinite", row);
}

void QueriedSamples::keep(const RowMatrix& x, const Eigen::Ref<const RowMatrix>& answers) {
  const Index needed = samples_ + answers.rows();
  if (x_.rows() < needed) {
    const Index room = std::max(needed, 2 * samples_);
    x_.conservativeResize(room, inputs_);
    y_.conservativeResize(room, answers.cols());
  }
  x_.middleRows(samples_, answers.rows()) = x.topRows(answers.rows());
  y_.middleRows(samples_, answers.rows()) = answers;
  all_float32_ = all_float32_ && answers.cast<float>().cast<double>() == answers;
  samples_ = needed;
}

void QueriedSamples::grow(Index samples, const Control& control) {
  while (samples_ < samples) {
    control.check();
    control.progress("asking", static_cast<double>(samples_) / static_cast<double>(samples),
                     fmt::format("{} of {} answers", samples_, samples));
    const RowMatrix x = drawn(samples_, std::min(batch_, samples - samples_));
    const RowMatrix answers = oracle_.ask(x, control);
    check_answers(answers, x.rows());
    spool_.append(answers);
    keep(x, answers);
    queries_ += answers.rows();
    repeated_ += x.rows() - answers.rows();
  }
}

Block<double> QueriedSamples::read(Index first, Index rows, BlockBuffer<double>&) const {
  check_range(name(), first, rows, samples_);
  using View = Block<double>::View;
  return {first, View(x_.data() + first * x_.cols(), rows, x_.cols(), Eigen::OuterStride<>(x_.cols())),
          View(y_.data() + first * y_.cols(), rows, y_.cols(), Eigen::OuterStride<>(y_.cols()))};
}

}  // namespace relucover
