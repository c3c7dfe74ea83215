#pragma once
// Every format of ours has a version number; older ones are read for ever, newer ones are refused in these words.
#include <fmt/format.h>

#include <string>

namespace relucover {

struct VersionProblem {
  std::string problem, remedy;
};

inline VersionProblem version_problem(double found, int newest) {
  if (found > newest) return {fmt::format("is {}, newer than this program, which reads up to {}", found, newest), "update relucover"};
  return {fmt::format("should be {}", newest), "read it with the program that wrote it"};
}

}  // namespace relucover
