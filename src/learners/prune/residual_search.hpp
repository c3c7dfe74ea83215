#pragma once
// Units looked for in the subspace where what a model leaves of the labels is curved: first all of them in what the affine fit
// leaves (whose own part outside of the subspace would act as noise), later those that were missed, or taken for one, in what the
// units found leave, which shows them more clearly.
#include "learners/prune/subspace_search.hpp"

namespace relucover {

class ResidualSearch {
 public:
  ResidualSearch(const SampleSource& source, const InputMoments& moments, const Scaling& scaling, const Control& control, Result& result)
      : source_(source), moments_(moments), scaling_(scaling), control_(control), result_(result) {}

  /// The affine fit and, beside it, a quarter more units than asked for.
  SignFreeModel first_units(Index units, Effort effort, std::uint64_t seed) const;
  /// The model and, beside it, units in what it leaves: `left` of the labels' variance.
  SignFreeModel with_units_beside(const SignFreeModel& model, double left, Index units, Effort effort, std::uint64_t seed) const;

 private:
  const SampleSource& source_;
  const InputMoments& moments_;
  const Scaling& scaling_;
  const Control& control_;
  Result& result_;
};

}  // namespace relucover
