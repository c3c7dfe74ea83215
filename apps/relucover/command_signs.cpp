#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "relucover/commands.hpp"
#include "verify/identifiability.hpp"

namespace relucover::cli {

namespace {

struct SignsRequest {
  std::string network, output;
  Index limit = 4096;
  bool json = false;
};

std::string as_text(const std::vector<int>& signs) {
  std::string text;
  for (const int sign : signs) text += sign > 0 ? '+' : '-';
  return text;
}

void run_signs(const SignsRequest& request, Session& session) {
  check_outputs({{request.output, {".json", ".npz", ".onnx"}}}, {request.network});
  const Network network = read_network(request.network);
  const SignIdentifiability found = sign_identifiability(network, request.limit);
  if (!request.output.empty()) {
    if (found.signs.size() < 2) {
      session.say(request.output + " is not written: no other network has this function");
    } else {
      write_network(turned_around(network, found.signs[1]), request.output);
      session.say("wrote " + request.output + ": another network with the same function");
    }
  }
  if (request.json)
    return session.print_json(JsonText::object(
        {{"unique", found.unique}, {"complete", found.complete}, {"equivalent", found.signs.size()}, {"signs", found.signs}}));
  session.print(found.unique ? "unique: no unit can be turned around without changing the function\n"
                             : fmt::format("{}{} ways to turn units around have the same function{}\n", found.complete ? "" : "at least ",
                                           found.signs.size(), found.complete ? "" : " (the search was cut short)"));
  constexpr std::size_t listed = 100;
  if (found.signs.size() > 1)
    for (std::size_t i = 0; i < std::min(listed, found.signs.size()); ++i) session.print(as_text(found.signs[i]) + "\n");
  if (found.signs.size() > listed) session.print(fmt::format("... and {} more (--json lists all)\n", found.signs.size() - listed));
}

}  // namespace

void add_signs(Program& program, Session& session) {
  Command command = program.add_command("signs", "Whether data can tell which way round the units of a network stand");
  auto request = std::make_shared<SignsRequest>();
  command.add_option("NET", request->network, "The network (.json, .npz, .onnx)").required();
  command.add_option("--limit", request->limit, "List at most this many").within(Index{1}, Index{1} << 24).type_name("N").shows_default();
  command.add_option("-o,--output", request->output, "Write another network with the same function here, if there is one")
      .type_name("FILE");
  command.add_flag("--json", request->json, "Print one object for machines");
  command.footer(
      R"(relu(t) = relu(-t) + t: units whose linear parts cancel can be turned around, (w, b) to (-w, -b), all at once, and nobody
can tell from inputs and outputs. One line for each way: + as it stands, - turned around, in the order of the units.

Example:
  relucover signs net.json
  relucover sample --inputs 3 --units 5 --weights dependent --samples 1000 -o data.npz --truth one.json
  relucover signs one.json -o other.json)");
  command.runs([&session, request] { run_signs(*request, session); });
}

}  // namespace relucover::cli
