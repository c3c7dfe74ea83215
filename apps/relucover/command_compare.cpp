#include <fmt/format.h>

#include <memory>

#include "relucover/commands.hpp"
#include "relucover/threshold.hpp"
#include "verify/identifiability.hpp"
#include "verify/reduced.hpp"

namespace relucover::cli {

namespace {

struct CompareRequest {
  std::string truth, answer;
  bool json = false;
};

void compare_thresholds(const CompareRequest& request, Session& session) {
  const ThresholdModel truth = read_threshold_model(request.truth), answer = read_threshold_model(request.answer);
  const ThresholdComparison errors = compare(truth, answer);
  const bool same = errors.function_rms < 1e-9;
  if (request.json)
    return session.print_json(JsonText::object({{"units_matched", errors.units_matched},
                                                {"units_truth", errors.units_truth},
                                                {"units_answer", errors.units_answer},
                                                {"max_weight_error", errors.max_weight_error},
                                                {"max_bias_error", errors.max_threshold_error},
                                                {"max_output_error", nullptr},
                                                {"function_rms", errors.function_rms},
                                                {"up_to_sign", errors.up_to_sign},
                                                {"equivalent", same}}));
  session.print(
      fmt::format("units matched       {} of {} ({} in the answer)\n", errors.units_matched, errors.units_truth, errors.units_answer));
  session.print(fmt::format("max weight error    {:.2e}  (unit vectors)\n", errors.max_weight_error));
  session.print(fmt::format("max threshold error {:.2e}\n", errors.max_threshold_error));
  session.print(fmt::format("function            {:.2e}  (relative, on fresh Gaussian inputs)\n", errors.function_rms));
}

void run_compare(const CompareRequest& request, Session& session) {
  const bool thresholds = holds_threshold_model(request.truth), found = holds_threshold_model(request.answer);
  if (thresholds && found) return compare_thresholds(request, session);
  if (thresholds || found) {
    const std::string &file = thresholds ? request.truth : request.answer, &other = thresholds ? request.answer : request.truth;
    if (std::filesystem::path(file).extension() != ".onnx")  // a graph of ReLUs and layers may be read as a network too
      throw std::invalid_argument(fmt::format("{} is a model with thresholds, {} is not: compare two of a kind", file, other));
  }
  const Network truth = read_network(request.truth), answer = read_network(request.answer);
  Comparison errors = compare(truth, answer);
  const Equivalence same = equivalence(truth, answer);
  if (same.same && truth.units() != answer.units()) {  // units that make an affine part are not counted as wrong ones
    const Index units_truth = errors.units_truth, units_answer = errors.units_answer;
    errors = compare(reduced(truth), reduced(answer));
    errors.units_truth = units_truth;
    errors.units_answer = units_answer;
  }
  JsonText layers = JsonText::list();
  for (const LayerComparison& layer : errors.layers)
    layers.push(JsonText::object({{"units_truth", layer.units_truth},
                                  {"units_answer", layer.units_answer},
                                  {"units_matched", layer.units_matched},
                                  {"max_weight_error", layer.max_weight_error},
                                  {"max_bias_error", layer.max_bias_error}}));
  if (request.json)
    return session.print_json(JsonText::object({{"units_matched", errors.units_matched},
                                                {"units_truth", errors.units_truth},
                                                {"units_answer", errors.units_answer},
                                                {"max_weight_error", errors.max_weight_error},
                                                {"max_bias_error", errors.max_bias_error},
                                                {"max_output_error", errors.max_output_error},
                                                {"function_rms", errors.function_rms},
                                                {"up_to_sign", errors.up_to_sign},
                                                {"equivalent", same.same},
                                                {"layers", layers}}));
  session.print(
      fmt::format("units matched       {} of {} ({} in the answer)\n", errors.units_matched, errors.units_truth, errors.units_answer));
  if (errors.layers.size() > 1)
    for (std::size_t l = 0; l < errors.layers.size(); ++l)
      session.print(fmt::format("  layer {:<11} {} of {} ({} in the answer), weights {:.2e}, biases {:.2e}\n", l + 1,
                                errors.layers[l].units_matched, errors.layers[l].units_truth, errors.layers[l].units_answer,
                                errors.layers[l].max_weight_error, errors.layers[l].max_bias_error));
  session.print(fmt::format("max weight error    {:.2e}  (unit vectors)\n", errors.max_weight_error));
  session.print(fmt::format("max bias error      {:.2e}\n", errors.max_bias_error));
  session.print(fmt::format("max output error    {:.2e}\n", errors.max_output_error));
  session.print(fmt::format("function            {:.2e}  (relative, on fresh Gaussian inputs)\n", errors.function_rms));
  if (same.same && same.turned > 0)
    session.print(fmt::format("equivalent: the same function with {} unit{} turned around, which no data can tell\n", same.turned,
                              same.turned == 1 ? "" : "s"));
  else if (same.same)
    session.print("equivalent: the same function\n");
  else if (errors.up_to_sign)
    session.print("some unit of the answer is turned around: (w, b) and (-w, -b)\n");
}

}  // namespace

void add_compare(Program& program, Session& session) {
  Command command = program.add_command("compare", "Errors of a network against the truth, up to order, scaling and sign of units");
  auto request = std::make_shared<CompareRequest>();
  command.add_option("TRUTH", request->truth, "The network that made the data (.json, .npz, .onnx)").required();
  command.add_option("NET", request->answer, "The network to judge (.json, .npz, .onnx)").required();
  command.add_flag("--json", request->json, "Print one object for machines");
  command.footer(R"(Units are paired so that the summed distance is least; weight vectors are scaled to length 1 first.
Deep networks are paired layer by layer from below.

Example:
  relucover compare truth.json net.json)");
  command.runs([&session, request] { run_compare(*request, session); });
}

}  // namespace relucover::cli
