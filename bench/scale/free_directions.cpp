// Claims about models too large to form their Gram matrix: CASES planted with one direction that the data leave free must not be called
// exact, CASES without must be. Starts at the truth, disturbed: this is about the certificate, not about the search.
//   kinds of freedom: an input that does not vary where a unit is active; samples where a unit is active that lie in a plane; two
//   inputs in a fixed proportion where a unit is active; a unit that is active on as many samples as it has inputs
// usage: bench_scale_free_directions [CASES = 20] [INPUTS = 140] [UNITS = 30]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/random.hpp"
#include "learners/finish/finish.hpp"
#include "support/free_directions.hpp"

int main(int count, char** arguments) {
  using namespace relucover;
  const int cases = count > 1 ? std::atoi(arguments[1]) : 20;
  const Index inputs = count > 2 ? std::atol(arguments[2]) : 140, units = count > 3 ? std::atol(arguments[3]) : 30;
  int claimed_free = 0, claimed_determined = 0;
  for (int number = 0; number < 2 * cases; ++number) {
    const bool free = number % 2 == 0;
    const auto kind = free ? static_cast<test::Freedom>(1 + (number / 2) % 4) : test::Freedom::none;
    const auto planted = test::planted_large(inputs, units, kind, static_cast<std::uint64_t>(number));
    const auto begin = std::chrono::steady_clock::now();
    const Result result = test::finished_near(planted);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const bool exact = result.status == Status::exact;
    (free ? claimed_free : claimed_determined) += exact;
    fmt::print("{:>3} {:<28} {:<12} {:>5.1f} s  {}\n", number, test::words_of(kind), exact ? "exact" : "refused", seconds, result.message);
    std::fflush(stdout);
  }
  fmt::print("with a free direction: {} of {} claimed (must be 0); without: {} of {} (must be all)\n", claimed_free, cases,
             claimed_determined, cases);
  return claimed_free == 0 && claimed_determined == cases ? 0 : 1;
}
