#pragma once
// Learners for Gaussian inputs: a start from Hermite moments, then the engine without over-parameterisation.
#include "learners/registry.hpp"

namespace relucover {

/// Pencils of moments give directions of all units, candidates are judged on data, the best few are solved.
void learn_hermite(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
/// ATV Algorithms 4 and 6 as printed: moments alone.
void learn_hermite_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
/// ATV Algorithm 5 as printed: moments on half of the samples, linear regression on features of both signs on the other.
void learn_hermite_regression(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

/// Rows of the registry.
std::vector<Learner> hermite_learners();

}  // namespace relucover
