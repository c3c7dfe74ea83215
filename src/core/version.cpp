#include "core/version.hpp"

namespace relucover {

std::string version() { return RELUCOVER_VERSION; }

}  // namespace relucover
