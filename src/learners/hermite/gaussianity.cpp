#include "learners/hermite/gaussianity.hpp"

#include <fmt/format.h>

#include "samples/subsample.hpp"
#include "verify/input_diagnostics.hpp"
#include "verify/normal_statistics.hpp"

namespace relucover {

void report_gaussianity(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  constexpr Index most_samples = 20000, most_values = Index{1} << 24;
  const Index rows = std::min({source.samples(), most_samples, most_values / std::max<Index>(source.inputs(), 1)});
  if (rows < fewest_for_normality) return;
  const auto part = gather(source, spread_rows(source.samples(), rows, options.seed), control);
  const DiagnosticsOptions tests{.level = 1e-4, .seed = options.seed};
  const Test gaussian = gaussian_inputs(part, tests, control);
  result.figures["gaussian_worst_z"] = gaussian.worst_z;
  result.figures["gaussian_threshold"] = gaussian.threshold;
  if (!gaussian.passed)
    result.notes.push_back(
        fmt::format("the inputs are not Gaussian ({}: {:.1f} standard deviations, {:.1f} would pass): Hermite moments "
                    "carry no guarantee here, only what the data confirm counts",
                    gaussian.worst, gaussian.worst_z, gaussian.threshold));
}

}  // namespace relucover
