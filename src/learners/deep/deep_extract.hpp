#pragma once
#include "samples/asking.hpp"
#include "samples/query_law.hpp"

namespace relucover {

/// extract() for several hidden layers: learns from queries of the law, then asks where units that few of them see would show.
void extract_deep(Asking& asking, const QueryLaw& law, const ExtractOptions& options, const Control& control, Extraction& extraction);

}  // namespace relucover
