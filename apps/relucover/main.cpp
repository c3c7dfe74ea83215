// relucover: recover a neural network from its inputs and outputs. Parses, runs one command, reports.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <new>

#include "relucover/commands.hpp"

namespace {

using namespace relucover::cli;

constexpr auto commands = {add_demo,     add_sample,   add_sample_threshold, add_learn,   add_compare,
                           add_evaluate, add_diagnose, add_reproduce, add_methods, add_extract, add_report, add_completion};

constexpr const char* opening =
    "relucover recovers a neural network from its inputs and outputs: not a network that fits, the network that made\n"
    "the data, with a statement of what is certain about it.";

constexpr const char* closing = R"(Start here:
  relucover demo
  relucover sample --inputs 20 --units 10 --samples 100000 -o data.npz --truth truth.json
  relucover learn data.npz --units auto -o net.json
  relucover compare truth.json net.json

Results go to standard output, text for people to standard error; --json is for machines.
Exit codes: 0 exact or recovered; 1 approximate; 2 usage or unreadable data; 3 not enough data, an assumption
failed, or stopped before an answer; 4 numerical failure.)";

int parse_and_run(CLI::App& app, Session& session, int argc, char** argv) {
  try {
    app.parse(argc, argv);  // runs the chosen command
    session.flush();
    return session.exit_code;
  } catch (const CLI::ParseError& error) {
    // Help goes to standard output, complaints to standard error.
    return app.exit(error) == 0 ? exit_code::certain : exit_code::usage_or_data;
  } catch (const relucover::Interrupted& stopped) {
    const std::string how_far = session.terminal().how_far();
    session.say(fmt::format("relucover: {}{}; nothing was written", stopped.what(), how_far.empty() ? "" : " during " + how_far));
    return exit_code::not_enough;
  } catch (const std::bad_alloc&) {
    session.say("relucover: not enough memory (use fewer samples, or fewer units)");
    return exit_code::numerical;
  } catch (const relucover::DataError& error) {
    session.say(fmt::format("relucover: {}", error.what()));
    return exit_code::usage_or_data;
  } catch (const std::invalid_argument& error) {
    session.say(fmt::format("relucover: {}", error.what()));
    return exit_code::usage_or_data;
  } catch (const std::exception& error) {
    session.say(fmt::format("relucover: unexpected failure: {}", error.what()));
    return exit_code::numerical;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(opening, "relucover");
  app.footer(closing);
  app.require_subcommand(1);
  app.set_version_flag("--version", "relucover " RELUCOVER_VERSION);
  Session session;
  for (const auto add : commands) add(app, session);
  return parse_and_run(app, session, argc, argv);
}
