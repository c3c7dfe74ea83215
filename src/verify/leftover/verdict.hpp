#pragma once
// Tests of what an answer leaves over, collected: the first that fails refuses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "verify/leftover/leftover_tests.hpp"
#include "verify/leftover/row_tests.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

class Verdict {
 public:
  /// `watch` is looked at after every test: each takes long where there are many samples.
  Verdict(std::uint64_t seed, Index samples, const Control& watch = {})
      : random(seed, purpose::judge), each(false_alarms::each_of(samples)), watch_(watch) {}
  LeftoverVerdict result;
  RandomStream random;
  const double each;

  bool stands() const { return result.refusal.empty(); }
  void refuse(std::string why) {
    if (stands()) result.refusal = std::move(why);
  }
  void test(const std::string& name, double chance, const std::string& words, double level = 0) {
    watch_.check();
    result.chances[name] = chance;
    if (chance < std::max(each, level)) refuse(fmt::format("{} (chance {:.1e})", words, chance));
  }
  void test_places(const std::string& name, const RowPlaces& places, const std::string& which, double level = 0) {
    level = std::max(level, false_alarms::common);
    test(name + "_place", places.mean, which + " lie in one part of the inputs", level);
    test(name + "_kink", places.kink, which + " lie at the kink of a unit", level);
    test(name + "_neighbours", places.neighbours, which + " lie close to each other", level);
  }
  /// Fisher's combination of tests that look at different things; at another level where they look at the same thing in other ways.
  void test_together(const std::string& together, const std::vector<std::string>& names, const std::string& words, double at = 0) {
    Index count = 0;
    double sum = 0;
    for (const auto& name : names)
      if (const auto found = result.chances.find(name); found != result.chances.end()) {
        sum -= std::log(std::max(found->second, 1e-300));
        ++count;
      }
    if (count < 2) return;
    const double chance = erlang_tail(count, sum);
    result.chances[together] = chance;
    if (chance < (at > 0 ? at : each)) refuse(fmt::format("{} (chance {:.1e})", words, chance));
  }

 private:
  const Control watch_;
};

}  // namespace relucover
