// What a FirstLayerResult says: one line, a page, or an object for machines.
#include "relucover/first_layer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/json_text.hpp"

namespace relucover {

std::string threshold_model_json(const ThresholdModel& model);

std::string FirstLayerResult::brief() const {
  std::string line = fmt::format("{}: ", name_of(status));
  if (usable()) {
    line += fmt::format("{} units in {} inputs ({})", model.units(), model.inputs(), method);
    if (std::isfinite(direction_error))
      line += fmt::format(", directions {} {:.1e} rad", status.certified() ? "to about" : "uncertain by", direction_error);
    if (std::isfinite(holdout_error)) line += fmt::format(", held-out error {:.3g}", holdout_error);
    line += fmt::format(", {:.2f} s. ", seconds);
  }
  return line + message;
}

std::string FirstLayerResult::full() const {
  std::string page = fmt::format("{:<18}{}\n{:<18}{}\n{:<18}{}\n{:<18}{}\n", "task", task, "status", name_of(status), "message", message,
                                 "samples", samples);
  if (model.units() > 0) {
    page += fmt::format("{:<18}{} units in {} inputs, {}\n", "first layer", model.units(), model.inputs(), model.unit.name());
    page += fmt::format("{:<18}", "thresholds");
    for (const double t : model.t) page += fmt::format("{:.6g} ", t);
    page += "\n";
  }
  if (std::isfinite(direction_error)) page += fmt::format("{:<18}about {:.1e} rad\n", "directions", direction_error);
  if (std::isfinite(holdout_error)) page += fmt::format("{:<18}{:.4g} on {} samples\n", "held-out error", holdout_error, holdout_samples);
  for (const auto& [name, value] : figures) page += fmt::format("  {:<30} {:.4g}\n", name, value);
  for (const std::string& note : notes) page += fmt::format("  note: {}\n", note);
  for (const StageRecord& stage : stages) page += fmt::format("  {:<20} {:>8.2f} s\n", stage.stage, stage.seconds);
  return page;
}

std::string FirstLayerResult::json() const {
  JsonText written = JsonText::list();
  for (const StageRecord& stage : stages)
    written.push(JsonText::object(
        {{"stage", stage.stage}, {"seconds", stage.seconds}, {"iterations", stage.iterations}, {"residual", stage.residual}}));
  return JsonText::object({{"task", task},
                           {"status", name_of(status)},
                           {"message", message},
                           {"method", method},
                           {"units", model.units()},
                           {"samples", samples},
                           {"seconds", seconds},
                           {"notes", notes},
                           {"holdout_samples", holdout_samples},
                           {"holdout_error", holdout_error},
                           {"direction_error", direction_error},
                           {"figures", figures},
                           {"stages", written},
                           {"model", model.units() > 0 ? JsonText::as_it_is(threshold_model_json(model)) : JsonText(nullptr)}})
      .text();
}

}  // namespace relucover
