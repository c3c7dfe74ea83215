#include <fmt/format.h>

#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "verify/network_error.hpp"

namespace relucover::cli {

namespace {

struct EvaluateRequest {
  std::string network;
  DataArguments data;
  RunOptions run;
  bool json = false;
};

void run_evaluate(const EvaluateRequest& request, Session& session) {
  const Network network = read_network(request.network);
  const Control control = session.control(request.run);
  const auto source = request.data.open(control);
  const NetworkError error = network_error(network, *source, control);
  if (request.json)
    return session.print_json(
        nlohmann::ordered_json{{"samples", error.samples},
                               {"rms", error.rms},
                               {"relative", error.relative},
                               {"max_abs", error.max_abs},
                               {"worst_sample", error.worst_sample},
                               {"output_rms", std::vector<double>(error.output_rms.begin(), error.output_rms.end())}});
  session.print(fmt::format("samples         {}\n", error.samples));
  session.print(fmt::format("rms error       {:.3e}\n", error.rms));
  session.print(fmt::format("relative        {:.3e}  (1 is as good as a constant)\n", error.relative));
  session.print(
      fmt::format("worst label     {:.3e}  (sample {}, counted from 0)\n", error.max_abs, error.worst_sample));
  if (error.output_rms.size() > 1)
    for (Index j = 0; j < error.output_rms.size(); ++j)
      session.print(fmt::format("output {:<8} {:.3e}\n", j, error.output_rms[j]));
}

}  // namespace

void add_evaluate(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("evaluate", "Error of a network on data");
  auto request = std::make_shared<EvaluateRequest>();
  command->add_option("NET", request->network, "The network (.json, .npz, .onnx)")->required();
  request->data.add_to(*command);
  command->add_flag("--json", request->json, "Print one object for machines");
  add_run_options(*command, request->run);
  command->footer(std::string(data_formats) + R"(

Example:
  relucover evaluate net.json fresh.npz)");
  command->callback([&session, request] { run_evaluate(*request, session); });
}

}  // namespace relucover::cli
