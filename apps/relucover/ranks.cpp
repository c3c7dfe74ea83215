#include "relucover/ranks.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/archive.hpp"
#include "core/module.hpp"
#include "distributed/mpi_module.hpp"
#include "relucover/session.hpp"
#include "samples/subsample.hpp"

namespace relucover::cli {

namespace {

EndableCommunicator* joined = nullptr;
char last_words[512] = "";

int number_in_environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return otherwise;
}

EndableCommunicator* load_module() {
  // MPI's own plugins look for its symbols among those of the program.
  return reinterpret_cast<MpiModuleEntry>(module_entry(mpi_module_file, mpi_module_entry,
                                                       {mpi_module_file, "several processes were started, which are joined by this module",
                                                        "install MPI (libopenmpi-dev), build again, or start one process"},
                                                       true))();
}

extern "C" void say_and_end(int) {
  const ssize_t ignored = write(STDERR_FILENO, last_words, std::strlen(last_words));
  static_cast<void>(ignored);
  _exit(exit_code::not_enough);
}

extern "C" void wait_a_moment(int signal) {
  ask_to_stop(signal);
  struct itimerval soon = {};
  soon.it_value.tv_usec = 500000;  // mpirun gives a second
  setitimer(ITIMER_REAL, &soon, nullptr);
}

}  // namespace

LaunchedRank launched_rank() {
  return {number_in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0),
          number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1)};
}

const Communicator* join_ranks(double patience) {
  if (launched_rank().size <= 1) return nullptr;
  if (joined == nullptr) joined = load_module();
  joined->set_patience(patience);
  return joined;
}

void check_same_data(const SampleSource& source, const Control& control) {
  if (joined == nullptr) return;
  constexpr Index looked_at = 4096;
  const auto some = gather(source, spread_rows(source.samples(), std::min(source.samples(), looked_at), 0), control);
  const auto fingerprint = fmt::format("{} samples, {} inputs, {} outputs, check sum {:016x}", source.samples(), source.inputs(),
                                       source.outputs(), std::hash<std::string>{}(pack(some.x(), some.y())));
  const auto all = joined->all_gather(fingerprint);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw DataError(source.name(), "", fmt::format("rank {} sees other data ({}) than rank 0 ({})", rank, all[rank], all[0]),
                      "give all ranks the same files");
}

void leave_ranks() {
  if (joined != nullptr) joined->end();
  joined = nullptr;
}

void abort_ranks(int code) {
  if (joined == nullptr) return;
  if (joined->rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  joined->take_all_down(code);
}

void end_when_stuck(const std::string& checkpoint) {
  if (joined == nullptr) return;
  const std::string words =
      fmt::format("relucover: rank {} was told to stop and gets no answer from the others (did one die?); {}\n", joined->rank(),
                  checkpoint.empty() ? "nothing was kept, see --checkpoint" : "go on with --resume " + checkpoint);
  std::strncpy(last_words, words.c_str(), sizeof last_words - 1);
  struct sigaction action = {};
  action.sa_handler = say_and_end;
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = wait_a_moment;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

}  // namespace relucover::cli
