#include <fmt/format.h>

#include <memory>

#include "core/option_text.hpp"
#include "relucover/commands.hpp"
#include "relucover/data_arguments.hpp"
#include "relucover/learn_request.hpp"
#include "report/answer_file.hpp"
#include "report/result_json.hpp"

namespace relucover::cli {

namespace {

struct ExtractRequest {
  std::string model, command, protocol = "lines";
  ExtractOptions options;
  CommandOptions child;
  RunOptions run;
  std::string spool, output, like;
  bool json = false;
};

std::unique_ptr<BlackBox> open_oracle(ExtractRequest& request) {
  if (request.model.empty() == request.command.empty())
    throw std::invalid_argument("extract needs --oracle FILE or --oracle-command COMMAND, one of them");
  if (!request.model.empty()) {
    const Index asked = request.options.inputs;
    auto oracle = onnx_oracle(request.model, request.options.inputs);
    if (asked > 0 && asked != request.options.inputs)
      throw std::invalid_argument(fmt::format("--inputs {}: {} has {} inputs; leave the option out, a model says it itself", asked,
                                              request.model, request.options.inputs));
    return oracle;
  }
  if (request.options.inputs < 1) throw std::invalid_argument("--oracle-command needs --inputs: a program doesn't say how many it has");
  request.child.protocol = request.protocol == "npy" ? CommandOptions::Protocol::npy : CommandOptions::Protocol::lines;
  return command_oracle(request.command, request.child);
}

void print(const Extraction& found, bool json, Session& session) {
  if (!json) {
    session.print(found.result.full());
    return session.print(fmt::format("\nqueries           {} answered, {} asked again, {} from the spool; {} restarts, {} attempts\n",
                                     found.queries, found.repeated, found.reused, found.restarts, found.attempts));
  }
  session.print_json(json_of(found.result)
                         .add("queries", found.queries)
                         .add("repeated", found.repeated)
                         .add("reused", found.reused)
                         .add("restarts", found.restarts)
                         .add("attempts", found.attempts)
                         .add("looks_like", found.looks_like));
}

void run_extract(ExtractRequest& request, Session& session) {
  check_outputs({{request.output, {".json", ".npz", ".onnx"}}}, {request.model, request.spool});
  const auto oracle = open_oracle(request);
  if (!request.like.empty()) {
    request.options.like = rows_of(request.like);
    request.options.like_name = request.like;
  }
  request.options.spool = request.spool;
  request.options.learn.threads = request.run.threads;
  request.options.learn.time_limit = request.run.time_limit;
  request.options.learn.observer = &session.terminal();
  const Extraction found = extract(*oracle, request.options);
  if (!request.output.empty() && found.result.network.inputs() > 0) {
    write_answer(found.result, request.output);
    session.say("wrote " + request.output);
  }
  print(found, request.json, session);
  session.exit_code = exit_code_of(found.result.status);
}

}  // namespace

void add_extract(Program& program, Session& session) {
  Command command = program.add_command("extract", "Recover a model that can be asked (one that you may query)");
  auto request = std::make_shared<ExtractRequest>();
  command.add_option("--oracle", request->model, "A feed-forward ONNX model").type_name("FILE");
  command.add_option("--oracle-command", request->command, "A program that reads queries and writes answers").type_name("COMMAND");
  command.add_option("--protocol", request->protocol, "lines: numbers, a line for each query; npy: an array for each batch")
      .one_of({"lines", "npy"})
      .shows_default();
  command.add_option("--inputs", request->options.inputs, "Inputs of the program (a model knows)").type_name("D");
  command.add_option("--budget", request->options.budget, "The most queries to ask").type_name("N").shows_default();
  command.add_option("--first", request->options.first, "Queries of the first attempt, then doubled; 0: chosen").type_name("N");
  command.add_option("--fresh", request->options.fresh, "Queries that a certified answer must predict before it counts")
      .type_name("N")
      .shows_default();
  command.add_option("--batch", request->options.batch, "Queries handed over at once").type_name("N").shows_default();
  command
      .add_text(
          "--scale", [request](const std::string& text) { request->options.scale = scale_from_text(text); },
          "Queries are drawn from N(0, S^2 I); auto: found by asking")
      .type_name("auto|S")
      .shows_default("auto");
  command
      .add_option("--like", request->like,
                  "Rows of yours (.npz, .h5, .csv, .npy): queries are drawn like them, and the answer must predict them")
      .type_name("FILE");
  add_link_option(command, request->options.learn);
  command.add_flag("!--no-look", request->options.look, "Don't look what the model is like before the budget is spent");
  command.add_option("--spool", request->spool, "Keep every answer here as it comes, and go on from it").type_name("FILE");
  command.add_option("--timeout", request->child.timeout, "Seconds of silence before the program is started again")
      .type_name("S")
      .shows_default();
  command.add_option("--max-restarts", request->child.max_restarts, "Failures in a row before giving up").shows_default();
  command
      .add_text(
          "--units", [request](const std::string& text) { request->options.learn.units = units_from_text(text); },
          "Hidden units; auto: find out")
      .type_name("auto|K")
      .shows_default("auto");
  add_layer_options(command, request->options.learn);
  command.add_option("--method", request->options.learn.method, "auto, or one that `relucover methods` lists")
      .type_name("NAME")
      .shows_default();
  command.add_option("--seed", request->options.learn.seed, "Seed of everything random").type_name("I").shows_default();
  command.add_option("-o,--output", request->output, "Where the network goes: .json, .npz or .onnx").type_name("FILE");
  command.add_flag("--json", request->json, "Print one object for machines");
  add_run_options(command, request->run);
  command.footer(
      R"(Queries are Gaussian, or like your rows (--like); the sample is doubled until the answer is certified and predicts --fresh other
answers, or the budget is used up. The first thousand queries show what the model is like: kinked or smooth, deeper than one hidden
layer, class labels, probabilities. The status holds for the domain that is named with it. A program that crashes or stalls is
started again; answers that came are kept, and every query is counted once.

Example:
  relucover extract --oracle model.onnx -o net.json
  relucover extract --oracle deep.onnx --layers 8,5 -o net.json
  relucover extract --oracle classifier.onnx --like patients.csv -o net.json
  relucover extract --oracle-command "python3 predict.py" --inputs 10 --budget 50000 --spool answers -o net.json)");
  command.runs([&session, request] { run_extract(*request, session); });
}

}  // namespace relucover::cli
