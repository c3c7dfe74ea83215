// What a FirstLayerResult says: one line, a page, or an object for machines.
#include "relucover/first_layer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

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
  using nlohmann::json;
  const auto number = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  json object = {{"task", task},
                 {"status", name_of(status)},
                 {"message", message},
                 {"method", method},
                 {"units", model.units()},
                 {"samples", samples},
                 {"seconds", seconds},
                 {"notes", notes},
                 {"holdout_samples", holdout_samples},
                 {"holdout_error", number(holdout_error)},
                 {"direction_error", number(direction_error)}};
  object["figures"] = json::object();
  for (const auto& [name, value] : figures) object["figures"][name] = number(value);
  object["stages"] = json::array();
  for (const StageRecord& stage : stages)
    object["stages"].push_back(
        {{"stage", stage.stage}, {"seconds", stage.seconds}, {"iterations", stage.iterations}, {"residual", number(stage.residual)}});
  object["model"] = model.units() > 0 ? json::parse(threshold_model_json(model)) : json(nullptr);
  return object.dump();
}

}  // namespace relucover
