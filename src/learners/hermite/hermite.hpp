#pragma once
// Learners for Gaussian inputs: a start from Hermite moments, then the engine without over-parameterisation.
#include "decompose/scoring.hpp"
#include "learners/registry.hpp"
#include "moments/moment_source.hpp"

namespace relucover {

/// What the pencils alone give: candidates on the rows of `directions` of whitened inputs, best on data first.
struct MomentStart {
  Whitening whitening;
  Matrix directions;
  std::vector<Candidate> candidates;
};
/// Directions of the best candidate on the inputs themselves, unit rows; none if there is no candidate.
Matrix best_directions(const MomentStart& start);
MomentStart moment_start(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
/// Moments from elsewhere; the samples of `judge` tell which candidate is best.
MomentStart moment_start(const SampledMoments& moments, const SampleSource& judge, const LearnOptions& options, const Control& control,
                         Result& result);
/// The best few candidates solved on samples, the best of these finished and certified.
void learn_from_start(const SampleSource& source, const MomentStart& start, const LearnOptions& options, const Control& control,
                      Result& result);

/// Pencils of moments give directions of all units, candidates are judged on data, the best few are solved.
void learn_hermite(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
/// ATV Algorithms 4 and 6 as printed: moments alone.
void learn_hermite_printed(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);
/// ATV Algorithm 5 as printed: moments on half of the samples, linear regression on features of both signs on the other.
void learn_hermite_regression(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result);

/// Rows of the registry.
std::vector<Learner> hermite_learners();

}  // namespace relucover
