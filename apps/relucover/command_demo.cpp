#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "relucover/demo.hpp"

namespace relucover::cli {

void add_demo(Program& program, Session& session) {
  Command command = program.add_command("demo", "Plant a network, learn it from samples, print truth beside answer");
  auto request = std::make_shared<DemoRequest>();
  request->planted.add_to(command);
  command.add_flag("--json", request->json, "Print one object for machines");
  add_run_options(command, request->run);
  command.footer(R"(Nothing is read or written. The learner sees the samples and the number of units, not the network.

Example:
  relucover demo
  relucover demo --inputs 20 --units 10 --samples 100000
  relucover demo --distribution rademacher --seed 7
  relucover demo --noise 0.1 --samples 100000)");
  command.runs([&session, request] { run_demo(*request, session); });
}

}  // namespace relucover::cli
