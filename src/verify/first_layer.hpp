#pragma once
// What all samples say about a first layer with thresholds, beyond the checks of its own fit on held-out ones: tests of what is
// left, as for networks. Labels are those of the samples; `rest` is their value where no unit is active.
#include <cstdint>
#include <string>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// Units w·x - t > 0, a row of W each.
struct Thresholds {
  const Matrix& W;
  const Vector& t;
};

/// Noisy labels under ReLUs: where one unit alone is active labels are a line along it and noise, where none is they are noise.
/// Empty: so it is; else what does not hold.
std::string cells_are_lines(const SampleSource& source, const Thresholds& units, std::uint64_t seed, const Control& control);

/// Labels that are at rest or not, without noise: none is active further than `distance` from where some unit is.
std::string rest_is_at_rest(const SampleSource& source, const Thresholds& units, double rest, double distance, const Control& control);

/// Labels without noise: where one unit alone is active they are a function of its value, whatever lies above, up to what an error of its
/// direction does. A unit that is active only where another one is shows here and nowhere else.
std::string cells_follow_their_unit(const SampleSource& source, const Thresholds& units, double rest, double distance,
                                    const Control& control);

/// 0/1 labels of which some are flipped: those that are wrong further than `distance` from every boundary must look like accidents.
/// `active`: the label where some unit is.
std::string flips_are_accidents(const SampleSource& source, const Thresholds& units, double active, double distance, std::uint64_t seed,
                                const Control& control);

/// The same labels near the boundaries, where no other unit is: no more of them are wrong than far away, by the plane that leaves fewest
/// wrong. Where more are (the sides are uncertain near a boundary), there must be many, and what side they are on must not go with the
/// place along the boundary, as it does where it bends or is made of two.
std::string boundaries_are_planes(const SampleSource& source, const Thresholds& units, double active, double distance, std::uint64_t seed,
                                  const Control& control);

}  // namespace relucover
