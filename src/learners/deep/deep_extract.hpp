#pragma once
#include "relucover/oracle.hpp"

namespace relucover {

/// extract() for several hidden layers: learns from Gaussian queries, then asks where units that few of them see would show.
Extraction extract_deep(BlackBox& oracle, const ExtractOptions& options);

}  // namespace relucover
