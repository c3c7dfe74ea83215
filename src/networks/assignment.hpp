#pragma once
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

/// Column paired with each row so that the summed cost is least (Hungarian method), -1 for rows left over.
std::vector<Index> cheapest_assignment(const Matrix& cost);

}  // namespace relucover
