#pragma once
// Asking an oracle: in batches, every answer looked at, every query counted once.
#include <vector>

#include "relucover/oracle.hpp"

namespace relucover {

class Asking {
 public:
  Asking(BlackBox& oracle, Index batch) : oracle_(oracle), batch_(batch) {}
  /// Answers to the first one or more of the queries, at most a batch.
  RowMatrix some(const Eigen::Ref<const RowMatrix>& queries, const Control& control);
  RowMatrix all(const Eigen::Ref<const RowMatrix>& queries, const Control& control);
  /// Throws DataError if these can't be answers to so many queries.
  void check(const Eigen::Ref<const RowMatrix>& answers, Index asked, Index number_of_first) const;

  /// From now on queries and answers are kept (or no longer): what a model said while it was looked at, no answer may contradict.
  void keep(bool on) { keeps_ = on; }
  struct Answered {
    RowMatrix queries, answers;
  };
  const std::vector<Answered>& kept() const { return kept_; }

  BlackBox& oracle() const { return oracle_; }
  Index batch() const { return batch_; }
  Index queries() const { return queries_; }
  Index repeated() const { return repeated_; }
  /// Numbers in an answer; 0: none has come yet.
  Index outputs() const { return outputs_; }

 private:
  BlackBox& oracle_;
  Index batch_, queries_ = 0, repeated_ = 0, outputs_ = 0;
  bool keeps_ = false;
  std::vector<Answered> kept_;
};

}  // namespace relucover
