#include "learners/studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "learners/hermite/smoothed_study.hpp"

namespace relucover {

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = {
      {"gklw-fig2", "errors by number of samples (10x10, 32x32 weights) and by dimension (GKLW, figure 2)", gklw_sample_efficiency},
      {"gklw-fig3", "errors by label noise, Gaussian and mixture inputs (GKLW, figure 3)", gklw_noise},
      {"gklw-fig4", "errors by condition number of W and of A, mixture inputs (GKLW, figure 4)", gklw_condition},
      {"atv-smoothed", "success of the moment method against smoothing tau, units per input and samples (ATV, appendix E)", atv_smoothed},
  };
  return all;
}

const Figure& figure_named(const std::string& name) {
  const auto at = std::find_if(figures().begin(), figures().end(), [&](const Figure& figure) { return figure.name == name; });
  if (at != figures().end()) return *at;
  std::vector<std::string> names;
  for (const Figure& figure : figures()) names.push_back(figure.name);
  throw std::invalid_argument(fmt::format("there is no figure \"{}\"; there are {}", name, fmt::join(names, ", ")));
}

Study atv_smoothed(const StudySize& size) {
  Study study{{"tau", "inputs", "units", "samples", "success", "median_error", "least_singular_value"}, {}};
  SmoothedStudyOptions all{.seeds = size.trials};
  if (size.points > 0) all.taus.resize(std::min(all.taus.size(), static_cast<std::size_t>(size.points)));
  for (const Index samples : all.samples)
    for (const double ratio : all.units_per_input)
      for (const double tau : all.taus) {
        SmoothedStudyOptions one{.taus = {tau}, .units_per_input = {ratio}, .samples = {samples}, .seeds = size.trials};
        study.rows.push_back([one](const Watched& watched) -> TableRow {
          const SmoothedStudyRow row = smoothed_study(one, watched.control).front();
          return {fmt::format("{:g}", row.tau),
                  fmt::format("{}", row.inputs),
                  fmt::format("{}", row.units),
                  row.samples == 0 ? "exact" : fmt::format("{}", row.samples),
                  fmt::format("{:.2f}", row.success),
                  fmt::format("{:.1e}", row.median_error),
                  fmt::format("{:.1e}", row.least_singular_value)};
        });
      }
  return study;
}

}  // namespace relucover
