#pragma once
// Whether kinks of a model that can be asked lie on whole planes, with the same bend all over: one hidden layer, or more.
#include <functional>

#include "samples/query_law.hpp"

namespace relucover {

struct KinkPlanes {
  Index kinks = 0;          // planes found
  Index places = 0;         // on these planes, away from where they were found
  double longest_step = 0;  // across a plane
  Index elsewhere = 0;      // of these, where the model does not bend as it did
  Index bends = 0;          // that were looked at closely: kinks shrink with the distance,
  Index jumps = 0;          // these do not shrink,
  Index round = 0;          // and these shrink with its square
  double share() const { return places > 0 ? static_cast<double>(elsewhere) / static_cast<double>(places) : 0; }
};

/// `answers`: the model's outputs before its link, NaN where they can't be told. `rounding`: of an answer. `closer`: how often the distance
/// is halved where a bend is looked at closely.
KinkPlanes follow_kinks(const std::function<RowMatrix(const RowMatrix&)>& answers, const QueryLaw& law, double rounding, std::uint64_t seed,
                        int closer = 6);

}  // namespace relucover
