// relucover: recover a neural network from its inputs and outputs. Parses, runs one command, reports.
#include <cxxabi.h>
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

#include "core/blas.hpp"
#include "core/version.hpp"
#include "distributed/mpi_module.hpp"
#include "relucover/commands.hpp"
#include "relucover/ranks.hpp"

namespace {

using namespace relucover::cli;

constexpr auto commands = {add_demo,      add_sample,   add_sample_threshold, add_learn,   add_signs,
                           add_compare,   add_evaluate, add_diagnose,         add_moments, add_merge,
                           add_reproduce, add_methods,  add_extract,          add_report,  add_completion};

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

/// What to say and exit with when a command failed; the other ranks, if any, go down too.
int failed(Session& session, int code, const std::string& words) {
  const int rank = launched_rank().rank;
  if (rank > 0) session.speaks = false;
  session.say("relucover: " + words);
  abort_ranks(code);
  return code;
}

int parse_and_run(Program& program, Session& session, int argc, char** argv) {
  try {
    if (int code = 0; !program.parse_and_run(argc, argv, code)) return code == 0 ? exit_code::certain : exit_code::usage_or_data;
    session.flush();
    leave_ranks();
    return session.exit_code;
  } catch (const relucover::Interrupted& stopped) {
    const std::string how_far = session.terminal().how_far();
    return failed(session, exit_code::not_enough,
                  fmt::format("{}{}; nothing was written", stopped.what(), how_far.empty() ? "" : " during " + how_far));
  } catch (const relucover::RankLost& lost) {
    session.speaks = true;  // nobody else may be there to say it
    session.say(fmt::format("relucover: {}; what a checkpoint holds is good, go on with --resume", lost.what()));
    abort_ranks(exit_code::not_enough);
    return exit_code::not_enough;
  } catch (const std::bad_alloc&) {
    throw;  // words that are put together need memory too
  } catch (const relucover::DataError& error) {
    return failed(session, exit_code::usage_or_data, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(session, exit_code::usage_or_data, error.what());
  } catch (const std::exception& error) {
    return failed(session, exit_code::numerical, fmt::format("unexpected failure: {}", error.what()));
  }
}

int without_memory() {
  std::fputs("relucover: not enough memory (use fewer samples, or fewer units)\n", stderr);
  abort_ranks(exit_code::numerical);
  return exit_code::numerical;
}

const std::terminate_handler ends_otherwise = std::get_terminate();

/// CLI11 copies names of commands where nothing may be thrown.
[[noreturn]] void end_where_nothing_may_be_thrown() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown && *thrown == typeid(std::bad_alloc)) std::_Exit(without_memory());
  ends_otherwise();
  std::abort();
}

/// Blocks of samples come and go by the thousand. What was freed is kept for the next: to give it back each time and to have it cleared
/// again costs a third of the time of small problems.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int most = 1 << 29;  // the system's own way for what is larger
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread runs yet
  mallopt(M_MMAP_THRESHOLD, most);
  mallopt(M_TRIM_THRESHOLD, most);
  mallopt(M_TOP_PAD, 1 << 24);
  // NOLINTEND(concurrency-mt-unsafe)
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  relucover::end_blas_threads();
  std::set_terminate(end_where_nothing_may_be_thrown);
  try {
    Program program("relucover", opening, closing, "relucover " + relucover::version());
    Session session;
    for (const auto add : commands) add(program, session);
    return parse_and_run(program, session, argc, argv);
  } catch (const std::bad_alloc&) {
    return without_memory();
  }
}
