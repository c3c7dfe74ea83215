#include "relucover/errors.hpp"

namespace relucover {

DataError::DataError(const std::string& file, const std::string& place, const std::string& problem, const std::string& remedy)
    : std::runtime_error(file + (place.empty() ? "" : ": " + place) + ": " + problem + (remedy.empty() ? "" : " (" + remedy + ")")) {}

}  // namespace relucover
