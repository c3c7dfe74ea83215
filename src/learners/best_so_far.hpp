#pragma once
#include "relucover/learn.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

/// The network of a model that is not finished, with its residual on some of the samples: what there is when the work is stopped.
/// Signs are a convention, the rest of the linear part is skip and offset.
void keep_as_best_so_far(const SampleSource& source, const SignFreeModel& model, Result& result);
/// The same of any network; not if a constant is as good.
void keep_as_best_so_far(const SampleSource& source, Network network, Result& result);

}  // namespace relucover
