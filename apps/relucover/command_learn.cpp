#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/option_text.hpp"
#include "relucover/commands.hpp"
#include "relucover/learn_request.hpp"
#include "relucover/ranks.hpp"
#include "report/answer_file.hpp"

namespace relucover::cli {

void add_from_network(Command& command, const std::shared_ptr<LearnRequest>& request);

namespace {

// Flags that live in files of their own.
using AddFlag = void (*)(Command& command, const std::shared_ptr<LearnRequest>& request);
const std::vector<AddFlag> more_flags = {add_from_network, add_first_layer_task};

void parse_layers(const std::string& text, LearnOptions& options) {
  options.layers.clear();
  options.any_depth = text == "auto";
  if (options.any_depth) return;
  std::istringstream parts(text);
  const auto expect = [&](bool holds) {
    if (!holds) throw std::invalid_argument(fmt::format("--layers is \"{}\", expected auto or widths such as 8,5", text));
  };
  expect(!text.empty() && text.back() != ',');
  for (std::string part; std::getline(parts, part, ',');) {
    Index width = 0;
    expect(part == "auto" || (is_number(part, width) && width >= 1));
    options.layers.push_back(width);
  }
}

/// `learn all.moments`, or `learn DATA --moments all.moments`.
Result answer_from_moments(const LearnRequest& request, const LearnOptions& options, Session& session) {
  const bool alone = request.moments.empty() || !request.data.given();
  const PowerSums sums = read_power_sums(request.moments.empty() ? request.data.files.front() : request.moments);
  session.say(fmt::format("moments of {} samples to order {}, {} inputs", sums.samples, sums.order, sums.inputs));
  if (alone) return learn_from_power_sums(sums, options);
  const auto source = request.data.open(session.control(request.run));
  return learn_from_power_sums(sums, options, source.get());
}

bool names_moments(const DataArguments& data) {
  const auto is_one = [](const std::string& file) { return std::filesystem::path(file).extension() == ".moments"; };
  if (data.files.size() > 1 && std::any_of(data.files.begin(), data.files.end(), is_one))
    throw std::invalid_argument("moments and samples are given apart: learn DATA --moments FILE; several moments: `relucover merge` first");
  return data.files.size() == 1 && is_one(data.files.front());
}

Result answer_of(const LearnRequest& request, Session& session) {
  if (request.answer && !request.moments.empty()) throw std::invalid_argument("--from-network has moments of its own: leave out --moments");
  if (request.answer) return request.answer(request, session);
  LearnOptions options = request.options;
  options.threads = request.run.threads;
  options.time_limit = request.run.time_limit;
  options.observer = &session.terminal();
  if (!request.moments.empty() || names_moments(request.data)) return answer_from_moments(request, options, session);
  options.ranks = join_ranks(request.rank_timeout);
  end_when_stuck(options.checkpoint.empty() ? options.resume : options.checkpoint);
  options.throw_on_bad_data = true;  // `learn` looks at all values anyway
  const auto source = request.data.open_unchecked(session.control(request.run));
  session.say(fmt::format("{}: {} samples, {} inputs, {} outputs", source->name(), source->samples(), source->inputs(), source->outputs()));
  check_same_data(*source, session.control(request.run));
  return learn(*source, options);
}

void run_learn(const LearnRequest& request, Session& session) {
  if (request.run_instead) return request.run_instead(request, session);
  session.speaks = launched_rank().rank == 0;
  auto read = request.data.paths();
  read.insert(read.end(), {request.moments, request.network});
  // The checkpoint that work goes on from may be the one that it keeps its state in.
  const std::string& kept = request.options.checkpoint.empty() ? request.options.resume : request.options.checkpoint;
  check_outputs({{request.output, {".json", ".npz", ".onnx"}}, {kept}}, read);
  const Result result = answer_of(request, session);
  const std::string how_far = session.terminal().how_far();
  if (result.status == Status::budget_exhausted && !how_far.empty()) session.say("stopped during " + how_far);
  if (!request.output.empty() && session.speaks) {
    if (result.network.inputs() > 0) {
      write_answer(result, request.output);
      session.say("wrote " + request.output);
    } else {
      session.say(request.output + " is not written: there is no network to write");
    }
  }
  session.print(request.json ? result.json() + "\n" : request.brief ? result.brief() + "\n" : result.full());
  session.exit_code = exit_code_of(result.status);
}

}  // namespace

void add_layer_options(Command& command, LearnOptions& options) {
  const Argument layers = command
                              .add_text(
                                  "--layers", [&options](const std::string& text) { parse_layers(text, options); },
                                  "Units of each hidden layer from below, for a deep network; auto: find out how many layers and units")
                              .type_name("auto|K1,K2,...");
  command
      .add_number(
          "--depth", [&options](Index depth) { options.layers.assign(static_cast<std::size_t>(depth), 0); },
          "Hidden layers; their units are found out")
      .within(Index{1}, Index{16})
      .excludes(layers)
      .type_name("L");
}

void add_link_option(Command& command, LearnOptions& options) {
  command
      .add_text(
          "--link", [&options](const std::string& text) { options.link = text == "auto" ? std::nullopt : std::optional(link_named(text)); },
          "What the outputs went through: identity, sigmoid, softmax, log-softmax; auto: found out")
      .type_name("auto|NAME")
      .shows_default("auto");
}

void add_learn(Program& program, Session& session) {
  Command command = program.add_command("learn", "Learn the network that made the data");
  auto request = std::make_shared<LearnRequest>();
  request->data.add_to(command);
  command
      .add_text(
          "--units", [request](const std::string& text) { request->options.units = units_from_text(text); }, "Hidden units; auto: find out")
      .type_name("auto|K")
      .shows_default("auto");
  add_layer_options(command, request->options);
  add_link_option(command, request->options);
  command.add_option("--method", request->options.method, "auto, or one that `relucover methods` lists").type_name("NAME").shows_default();
  command
      .add_texts(
          "--set",
          [request](const std::vector<std::string>& texts) {
            for (const auto& text : texts) {
              const auto [name, value] = setting_from_text(text);
              request->options.settings[name] = value;
            }
          },
          "A setting of the method, as `relucover methods` lists them; may be repeated")
      .type_name("NAME=VALUE");
  command.add_option("--starts", request->options.starts, "Starts of the search before giving up")
      .within(Index{1}, Index{1} << 30)
      .type_name("N")
      .shows_default();
  command.add_option("--seed", request->options.seed, "Seed of everything random").type_name("I").shows_default();
  command.add_option("-o,--output", request->output, "Where the network goes: .json, .npz or .onnx").type_name("FILE");
  command.add_option("--moments", request->moments, "Start from moments that `relucover moments` made, and `merge` added up")
      .type_name("FILE");
  command.add_option("--checkpoint", request->options.checkpoint, "Keep the state here every so often, and when stopped").type_name("FILE");
  command.add_option("--checkpoint-every", request->options.seconds_between_checkpoints, "Seconds between two writes of the state")
      .not_negative()
      .type_name("SECONDS")
      .shows_default();
  command.add_option("--resume", request->options.resume, "Go on from a checkpoint of the same data and options (and keep it there)")
      .type_name("FILE");
  command.add_option("--rank-timeout", request->rank_timeout, "Under mpirun: end when another rank is silent for so long")
      .positive()
      .type_name("SECONDS")
      .shows_default();
  command.add_flag("--json", request->json, "Print one object for machines");
  command.add_flag("--brief", request->brief, "Print one line");
  add_run_options(command, request->run);
  for (const auto add : more_flags) add(command, request);
  command.footer(std::string(data_formats) + R"(

The status says what is certain (docs/certificates.md): exact, recovered (exit 0), approximate (1), assumption_failed,
budget_exhausted (3), numerical_failure (4). The network is written whole, or not at all; stopped work writes the best there was.

Example:
  relucover learn data.npz --units auto -o net.json
  relucover learn deep.npz --layers 8,5 -o net.json
  relucover learn deep.npz --depth 2 -o net.json
  relucover learn probabilities.npz --link softmax -o net.json
  relucover learn part1.npz part2.npz --units 10 --time-limit 60 --json
  relucover learn --from-network truth.json --method hermite-printed
  relucover learn --x inputs.npy --y labels.npy --method hermite -o net.onnx
  relucover learn some.npz --moments all.moments --units 10 -o net.json
  relucover learn large.npz --units 32 --checkpoint large.state -o net.json
  relucover learn large.npz --units 32 --resume large.state -o net.json
  mpirun -n 4 relucover learn shard*.npz --units 32 --threads 1 -o net.json)");
  command.runs([&session, request] { run_learn(*request, session); });
}

}  // namespace relucover::cli
