#pragma once
// Is there anything left to explain? Every test gives the chance of what was seen if the residual were nothing but noise, of any
// size, spread and shape; together they refuse a right answer once in a thousand.
#include <algorithm>
#include <map>
#include <string>

#include "relucover/progress.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// The budget of false alarms, in one place. Some ten tests at `each` make 0.1%.
namespace false_alarms {
inline constexpr double each = 1e-4;
/// With few samples every test sees little: there a claim must wait sooner.
inline double each_of(Index samples) {
  constexpr double enough = 400, most = 0.02;
  const double scarcity = std::max(1.0, enough / static_cast<double>(std::max<Index>(1, samples)));
  return std::min(most, each * scarcity * scarcity * scarcity * scarcity);
}
/// Rows left out: an answer that needs them away has failed once already, and nothing excuses a choice that depends on the inputs.
inline constexpr double left_out = 5e-3;
/// The commonest ways for labels to be no network's, terms of few columns, ridges, and few rows that share a place, may cost more alarms.
inline constexpr double common = 3e-4;
/// What a stated activation is not: another growth, biases. Few numbers, and nothing is wrong more often.
inline constexpr double stated = 1e-3;
/// Nominal: the search over starts makes it some forty times larger.
inline constexpr double refit = 1e-5;
/// Where a unit of the size of the others would be seen at once, what a search makes of noise is the larger danger.
inline constexpr double refit_of_clear_units = 1e-6;
/// Nominal, of tests that look at different things and are careful each: some ten times smaller.
inline constexpr double unlike = 1e-3;
/// Nominal, of tests that are no more than nearly independent: some five times larger.
inline constexpr double alike = 1e-5;
}  // namespace false_alarms

struct LeftoverVerdict {
  std::string refusal;                    // in words; empty: nothing is left
  std::map<std::string, double> chances;  // p-values by name of the test
  double tail = 1;                        // weight of the noise's tails, 1 for normal noise
  /// The smallest further unit that would have shown (χ² of 150: 99% power), over the smallest unit found. NaN: no units.
  double detection_limit = std::numeric_limits<double>::quiet_NaN();
  /// Activations other than ReLU: five standard errors of a bias (in spreads of w·x) and of the exponent p of f^(1 + p), the largest over
  /// units.
  double bias_limit = std::numeric_limits<double>::quiet_NaN(), growth_limit = std::numeric_limits<double>::quiet_NaN();
};

/// Noisy labels: the residual of `answer` on the rows that were kept, and the rows that were not. Where nothing will be claimed whatever
/// comes out, the dearest tests are left out: what the others say decides about what is tried next.
LeftoverVerdict nothing_left(const Judged& answer, const Network& network, const LabelGrid& grid, std::uint64_t seed,
                             const Control& control, bool claimable = true);

/// Labels without noise, but for rows that were left out: these must be accidents.
LeftoverVerdict left_out_by_accident(const Judged& answer, std::uint64_t seed);

}  // namespace relucover
