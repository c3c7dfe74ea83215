#pragma once
#include <string>
#include <system_error>

namespace relucover {

/// What errno says, in words; std::strerror may not be called from two threads.
inline std::string words_of_error(int error) { return std::generic_category().message(error); }

}  // namespace relucover
