#pragma once
// Short segments of queries, and how the answers' second differences shrink with their length.
#include <functional>
#include <vector>

#include "samples/asking.hpp"
#include "samples/query_law.hpp"
#include "verify/unlinked.hpp"

namespace relucover {

/// Answers along segments x - h v, x, x + h v with h = 1/4, 1/16, ...; x and h v are such that the three are on one line to the last bit,
/// as float32 numbers too.
struct Segments {
  static constexpr Index count = 48, lengths = 6;
  RowMatrix middle;                   // answers
  std::vector<RowMatrix> one, other;  // by length, the longest first
  Index distinct_values = 0;          // of all answers, up to a hundred
  Index distinct_queries = 0;         // up to a hundred: few where inputs take few values
  bool moved = false;                 // some input can be moved a little
  bool float32 = true;
  double largest = 0;  // |answer|
};
Segments ask_along_segments(Asking& asking, const QueryLaw& law, std::uint64_t seed, const Control& control);

/// The same after the labels were taken back through a link; rows that don't carry enough are dropped.
Segments before_link(const Segments& segments, const Unlink& unlink);

/// Second differences by segment (rows) and length (columns), the largest over the outputs.
Matrix second_differences(const Segments& segments);
/// Where they are this small they may be rounding.
double rounding_of(const Segments& segments);

/// The part of segments and lengths (all but the longest) without a bend.
double straight_share(const Segments& segments);

/// The part of the segments on which the second difference shrinks with the square of the length, as smooth functions have it, at the
/// smallest length that shows it; -1: too few segments bend to tell.
/// `visible`: how many times the rounding a second difference must be; rounding that is known as a bound needs few.
double smooth_share(const Matrix& differences, double rounding, double visible = 30);

}  // namespace relucover
