#pragma once
#include <stdexcept>
#include <string>

namespace relucover {

/// Data or a file that can't be read or written. The message names the file, the place and the remedy.
/// Misuse of the interface (wrong shapes, options out of range) is std::invalid_argument instead.
class DataError : public std::runtime_error {
 public:
  DataError(const std::string& file, const std::string& place, const std::string& problem, const std::string& remedy);
};

}  // namespace relucover
