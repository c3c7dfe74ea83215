#include "learners/finish/polish_data.hpp"

#include <algorithm>

#include "samples/subsample.hpp"
#include "samples/views.hpp"

namespace relucover {

PolishData polish_data(const SampleSource& source, const SignFreeModel& model, const Control& control) {
  const Index samples = source.samples();
  constexpr Index values_in_memory = Index{1} << 25;
  const Index judged = std::clamp<Index>(samples / 10, std::min<Index>(samples, 2), 5000);
  const Index wanted = std::max<Index>(2000, 10 * model.unknowns() / source.outputs());
  const Index fitted = std::min(samples - judged, wanted);
  if ((fitted + judged) * (source.inputs() + source.outputs()) > values_in_memory) {
    const Index cut = samples - judged;
    return {std::make_unique<RowRange>(source, 0, cut), std::make_unique<RowRange>(source, cut, samples)};
  }
  const auto rows = spread_rows(samples, fitted + judged, 1);
  const auto middle = rows.begin() + fitted;
  return {std::make_unique<MemorySource<double>>(gather(source, {rows.begin(), middle}, control)),
          std::make_unique<MemorySource<double>>(gather(source, {middle, rows.end()}, control))};
}

}  // namespace relucover
