#pragma once
// What claims of every kind are measured by before the tests of what is left.
#include <optional>
#include <string>

#include "verify/gate.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

Certificate refuse(std::string reason);
double share_of(Index part, Index whole);
Index unknowns_of(const Network& network);

/// More equations than unknowns, counted over distinct inputs, and more in what they say than a search over the sides that samples
/// can stand on could make up.
std::optional<std::string> too_few_equations(const SampleSource& samples, const Network& network, const LabelGrid& grid,
                                             const Control& control);

/// The largest share of inputs like the samples on which an answer without error on all of them can be wrong, at 99%: rows beyond those
/// that determine it would have shown more. Nobody can know of a unit that bends beyond or between samples.
struct Unseen {
  Unseen() = default;
  Unseen(const SampleSource& samples, Index unknowns, Index units, Index asked_units, const Control& control);
  double share = 0;
  std::string refused;  // why nothing may be claimed; empty: it may
  std::string words;    // to be said with a claim
};

/// Rows that the tests of what is left can afford: all of them in small problems.
MemorySource<double> judged_rows(const SampleSource& source, const Network& network, std::uint64_t seed, const Control& control);

/// What every claim about noisy labels asks for.
namespace noisy_claims {
/// Equations for each unknown: to look at what is left at all (a search goes on where that is no noise; units of other activations are
/// claimed from here on), and to claim ReLUs.
inline constexpr Index fewest_equations = 30, equations_per_unknown = 60;
inline constexpr double largest_unit_error = 0.15, largest_limit = 0.5;
}  // namespace noisy_claims

/// Samples that stand elsewhere with the same inputs and labels: noise would differ.
std::optional<std::string> repeated_samples(const Judged& answer);

/// Deviation of the residual on the side of each kink that fewer samples lie on, over that of all: a unit that was made of noise stands
/// where that is large. 1 where it is smaller.
Vector noise_at_units(const Judged& answer);

}  // namespace relucover
