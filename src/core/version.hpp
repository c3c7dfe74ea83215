#pragma once
#include <string>

namespace relucover {

/// Of this library, as three numbers: "1.2.3".
std::string version();

}  // namespace relucover
