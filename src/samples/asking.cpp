#include "samples/asking.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "relucover/errors.hpp"

namespace relucover {

void Asking::check(const Eigen::Ref<const RowMatrix>& answers, Index asked, Index number_of_first) const {
  const auto fail = [&](const std::string& problem, Index row = 0) {
    throw DataError(oracle_.name(), fmt::format("query {} (from 0)", number_of_first + row), problem, "");
  };
  if (answers.rows() < 1 || answers.rows() > asked) fail(fmt::format("{} answers to {} queries", answers.rows(), asked));
  if (answers.cols() < 1) fail("the answer has no numbers");
  if (outputs_ > 0 && answers.cols() != outputs_)
    fail(fmt::format("the answer has {} numbers, earlier ones have {}", answers.cols(), outputs_));
  for (Index row = 0; row < answers.rows(); ++row)
    if (!answers.row(row).allFinite()) fail("the answer has a value that is NaN or infinite", row);
}

RowMatrix Asking::some(const Eigen::Ref<const RowMatrix>& queries, const Control& control) {
  control.check();
  const auto now = queries.topRows(std::min(batch_, queries.rows()));
  RowMatrix answers = oracle_.ask(now, control);
  check(answers, now.rows(), queries_);
  outputs_ = answers.cols();
  queries_ += answers.rows();
  repeated_ += now.rows() - answers.rows();
  if (keeps_) kept_.push_back({now.topRows(answers.rows()), answers});
  return answers;
}

RowMatrix Asking::all(const Eigen::Ref<const RowMatrix>& queries, const Control& control) {
  RowMatrix answers;
  for (Index done = 0; done < queries.rows();) {
    const RowMatrix more = some(queries.bottomRows(queries.rows() - done), control);
    if (done == 0) answers.resize(queries.rows(), more.cols());
    answers.middleRows(done, more.rows()) = more;
    done += more.rows();
  }
  return answers;
}

}  // namespace relucover
