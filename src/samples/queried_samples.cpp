#include "samples/queried_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "relucover/errors.hpp"

namespace relucover {

QueriedSamples::QueriedSamples(Asking& asking, QueryLaw law, const ExtractOptions& options)
    : asking_(asking), law_(std::move(law)), inputs_(options.inputs), seed_(options.learn.seed),
      spool_(options.spool, law_, options.learn.seed) {
  const RowMatrix earlier = spool_.read();
  if (earlier.rows() == 0) return;
  asking_.check(earlier, earlier.rows(), 0);
  keep(drawn(0, earlier.rows()), earlier);
  reused_ = earlier.rows();
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
    control.progress("asking", static_cast<double>(samples_) / static_cast<double>(samples),
                     fmt::format("{} of {} answers", samples_, samples));
    const RowMatrix x = drawn(samples_, std::min(asking_.batch(), samples - samples_));
    const RowMatrix answers = asking_.some(x, control);
    if (y_.cols() > 0 && answers.cols() != y_.cols())
      throw DataError(asking_.oracle().name(), fmt::format("query {} (from 0)", samples_),
                      fmt::format("the answer has {} numbers, earlier ones have {}", answers.cols(), y_.cols()), "");
    spool_.append(answers);
    keep(x, answers);
  }
}

Block<double> QueriedSamples::read(Index first, Index rows, BlockBuffer<double>&) const {
  check_range(name(), first, rows, samples_);
  using View = Block<double>::View;
  return {first, View(x_.data() + first * x_.cols(), rows, x_.cols(), Eigen::OuterStride<>(x_.cols())),
          View(y_.data() + first * y_.cols(), rows, y_.cols(), Eigen::OuterStride<>(y_.cols()))};
}

}  // namespace relucover
