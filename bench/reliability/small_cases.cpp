// Every small problem (tests/support/small_cases.hpp) in processes of their own: crashes, hangs, exceptions and false claims, counted.
// usage: bench_reliability_small_cases [EVERY] [METHOD]   EVERY: only each so many-th case (1: all); METHOD: only this one
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "support/small_cases.hpp"

using namespace relucover;
using namespace relucover::test;

namespace {

/// What a process that ends at any moment leaves behind.
struct Shared {
  Index at;
  Index troubles;
  Index certified, usable;
  double longest;
};

constexpr unsigned hang = 120;  // seconds for one case; its time limit is 20

void run_from(const std::vector<SmallCase>& cases, Shared& shared) {
  for (; shared.at < static_cast<Index>(cases.size()); ++shared.at) {
    alarm(hang);
    const SmallCase& small = cases[static_cast<std::size_t>(shared.at)];
    const SmallOutcome outcome = outcome_of(small);
    shared.certified += outcome.status == Status::exact || outcome.status == Status::recovered;
    shared.usable += outcome.status != Status::assumption_failed && outcome.status != Status::budget_exhausted &&
                     outcome.status != Status::numerical_failure;
    shared.longest = std::max(shared.longest, outcome.seconds);
    if (outcome.trouble.empty()) continue;
    ++shared.troubles;
    fmt::print("{}: {}\n", small.name(), outcome.trouble);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const Index every = count > 1 ? std::atoll(arguments[1]) : 1;
  const std::string only = count > 2 ? arguments[2] : "";
  std::vector<SmallCase> cases;
  Index number = 0;
  for_all_small_cases([&](const SmallCase& small) {
    if ((only.empty() || small.method == only) && number++ % every == 0) cases.push_back(small);
  });
  auto* shared = static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *shared = {};
  Index crashes = 0;
  while (shared->at < static_cast<Index>(cases.size())) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run_from(cases, *shared);
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (shared->at == static_cast<Index>(cases.size())) break;
    ++crashes;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    fmt::print("{}: {} {}\n", cases[static_cast<std::size_t>(shared->at)].name(), signal == SIGALRM ? "hangs" : "ends the process, signal",
               signal);
    ++shared->at;
  }
  fmt::print("{} cases: {} crashes or hangs, {} exceptions and false claims; {} usable answers, {} certified; longest {:.1f} s\n",
             cases.size(), crashes, shared->troubles, shared->usable, shared->certified, shared->longest);
  return crashes + shared->troubles == 0 ? 0 : 1;
}
