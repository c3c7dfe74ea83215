#pragma once
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

/// The upper of the two middle values where their number is even; 0 of nothing.
double median_of(std::vector<double> values);
double median_of(const Vector& values);

}  // namespace relucover
