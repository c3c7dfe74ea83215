#include "report/result_json.hpp"

namespace relucover {

namespace {

JsonText plan_of(const Result& result) {
  JsonText plan = JsonText::list();
  for (const TriedMethod& tried : result.plan)
    plan.push(JsonText::object(
        {{"method", tried.method}, {"reason", tried.reason}, {"seconds", tried.seconds}, {"status", tried.status}, {"said", tried.said}}));
  return plan;
}

}  // namespace

JsonText json_of(const Result& result) {
  JsonText written = JsonText::list();
  for (const auto& record : result.stages)
    written.push(JsonText::object(
        {{"stage", record.stage}, {"seconds", record.seconds}, {"iterations", record.iterations}, {"residual", record.residual}}));
  return JsonText::object({
      {"status", name_of(result.status)},
      {"message", result.message},
      {"method", result.method},
      {"method_asked", result.method_asked},
      {"method_reason", result.method_reason},
      {"domain", result.domain},
      {"link", name_of(result.network.link)},
      {"units", result.network.all_units()},
      {"layers", result.network.widths()},
      {"units_asked", result.units_asked},
      {"inputs", result.network.inputs()},
      {"outputs", result.network.outputs()},
      {"residual_rms", result.residual_rms},
      {"residual_relative", result.residual_relative},
      {"holdout_rms", result.holdout_rms},
      {"noise_estimate", result.noise_estimate},
      {"sign_ambiguous", result.sign_ambiguous},
      {"left_out", result.left_out},
      {"detection_limit", result.detection_limit},
      {"samples", result.samples},
      {"seconds", result.seconds},
      {"stages", written},
      {"plan", plan_of(result)},
      {"notes", result.notes},
      {"figures", result.figures},
      {"series", result.series},
  });
}

std::string Result::json() const { return json_of(*this).text(); }

}  // namespace relucover
