#pragma once
#include "core/json_text.hpp"
#include "relucover/learn.hpp"

namespace relucover {

/// What Result::json() says, for those who have more to say.
JsonText json_of(const Result& result);

}  // namespace relucover
