#pragma once
// Labels that were left out as wrong: accidents do not know the inputs.
#include "core/random.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// A wrong label is chance, or what it should be plus chance, or a multiple of that: what it is beyond what goes with the answer does not
/// go with the inputs.
double left_out_labels_depend_on_inputs(const Judged& answer, RandomStream& random);

/// Which of them is further off than which goes with the answer at most. A deviation that is any growing function of one direction of the
/// inputs has the order of this.
double left_out_order_depends_on_inputs(const Judged& answer);

}  // namespace relucover
