#pragma once
// Preconditions, one check per property: each throws std::invalid_argument naming the thing and what was wrong.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

inline void check_equal(std::string_view what, Index actual, Index expected) {
  if (actual != expected) throw std::invalid_argument(fmt::format("{} is {}, expected {}", what, actual, expected));
}

inline void check_positive(std::string_view what, Index value) {
  if (value <= 0) throw std::invalid_argument(fmt::format("{} is {}, expected a positive number", what, value));
}

inline void check_range(std::string_view what, Index first, Index count, Index size) {
  if (first < 0 || count < 0 || first > size - count)
    throw std::invalid_argument(fmt::format("{}: rows {} to {} of {}", what, first, first + count, size));
}

template <class Derived>
void check_all_finite(std::string_view what, const Eigen::DenseBase<Derived>& values) {
  if (!values.derived().array().isFinite().all()) throw std::invalid_argument(fmt::format("{} has a value that is NaN or infinite", what));
}

/// Throws one std::invalid_argument with every problem, if there are any.
inline void check_no_problems(std::string_view what, const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  throw std::invalid_argument(fmt::format("{}: {}", what, fmt::join(problems, "; ")));
}

}  // namespace relucover
