#include <fmt/format.h>

#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "relucover/threshold.hpp"
#include "verify/moment_objective.hpp"
#include "verify/network_error.hpp"

namespace relucover::cli {

namespace {

struct EvaluateRequest {
  std::string network;
  DataArguments data;
  RunOptions run;
  bool json = false;
  Index moments = -1;
};

NetworkError threshold_error(const std::string& file, const SampleSource& source, const Control& control) {
  const ThresholdModel model = read_threshold_model(file);
  if (model.inputs() != source.inputs() || source.outputs() != 1)
    throw std::invalid_argument(
        fmt::format("{} has {} inputs and 1 output, the data {} and {}", file, model.inputs(), source.inputs(), source.outputs()));
  return prediction_error([&](const auto& x) { return RowMatrix(model.evaluate(x)); }, source, control);
}

void run_evaluate(const EvaluateRequest& request, Session& session) {
  const bool thresholds = holds_threshold_model(request.network);
  if (thresholds && request.moments >= 0) throw std::invalid_argument("--moments is for networks without thresholds");
  const Network network = thresholds ? Network() : read_network(request.network);
  const Control control = session.control(request.run);
  const auto source = request.data.open(control);
  const NetworkError error = thresholds ? threshold_error(request.network, *source, control) : network_error(network, *source, control);
  MomentObjective objective;
  if (request.moments >= 0) objective = moment_objective(network, *source, request.moments, control);
  if (request.json) {
    JsonText object = JsonText::object({{"samples", error.samples},
                                        {"rms", error.rms},
                                        {"relative", error.relative},
                                        {"max_abs", error.max_abs},
                                        {"worst_sample", error.worst_sample},
                                        {"output_rms", std::vector<double>(error.output_rms.begin(), error.output_rms.end())}});
    if (request.moments >= 0) object.add("moment_risk", objective.by_order).add("moment_risk_by_chance", objective.by_chance);
    return session.print_json(object);
  }
  session.print(fmt::format("samples         {}\n", error.samples));
  session.print(fmt::format("rms error       {:.3e}\n", error.rms));
  session.print(fmt::format("relative        {:.3e}  (1 is as good as a constant)\n", error.relative));
  session.print(fmt::format("worst label     {:.3e}  (sample {}, counted from 0)\n", error.max_abs, error.worst_sample));
  if (error.output_rms.size() > 1)
    for (Index j = 0; j < error.output_rms.size(); ++j) session.print(fmt::format("output {:<8} {:.3e}\n", j, error.output_rms[j]));
  for (std::size_t k = 0; k < objective.by_order.size(); ++k)
    session.print(fmt::format("order {:<9} {:.3e}  (of the squared error; chance alone makes {:.1e})\n", k, objective.by_order[k],
                              objective.by_chance[k]));
}

}  // namespace

void add_evaluate(Program& program, Session& session) {
  Command command = program.add_command("evaluate", "Error of a network on data");
  auto request = std::make_shared<EvaluateRequest>();
  command.add_option("NET", request->network, "The network (.json, .npz, .onnx)").required();
  request->data.add_to(command);
  command.add_flag("--json", request->json, "Print one object for machines");
  command.add_option("--moments", request->moments, "Also the squared error by order of Hermite moments, 0 to K (Gaussian inputs)")
      .within(Index{0}, Index{8})
      .type_name("K");
  add_run_options(command, request->run);
  command.footer(std::string(data_formats) + R"(

Example:
  relucover evaluate net.json fresh.npz
  relucover evaluate net.json fresh.npz --moments 4)");
  command.runs([&session, request] { run_evaluate(*request, session); });
}

}  // namespace relucover::cli
