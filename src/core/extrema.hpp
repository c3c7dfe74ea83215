#pragma once
// Largest and least entries of what may be empty: Eigen's maxCoeff reads memory that is not there then. scripts/check-silence
// rejects the bare ones.
#include <limits>

#include "relucover/types.hpp"

namespace relucover {

/// `none` where there are no entries: 0 suits values that can't be negative.
template <class Derived>
typename Derived::Scalar largest_of(const Eigen::DenseBase<Derived>& values, typename Derived::Scalar none = 0) {
  return values.size() > 0 ? values.maxCoeff() : none;
}

/// Infinite where there are no entries.
template <class Derived>
typename Derived::Scalar smallest_of(const Eigen::DenseBase<Derived>& values,
                                     typename Derived::Scalar none = std::numeric_limits<typename Derived::Scalar>::infinity()) {
  return values.size() > 0 ? values.minCoeff() : none;
}

template <class Derived>
typename Derived::Scalar largest_size_of(const Eigen::DenseBase<Derived>& values) {
  return largest_of(values.derived().cwiseAbs());
}

}  // namespace relucover
