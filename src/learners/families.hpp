#pragma once
// What families of methods add to the engine, which knows them by this alone, and is complete without them: the demo is built from it
// (cmake/Engine.cmake). A new family is a folder and a row in families.cpp.
#include "learners/choose.hpp"
#include "learners/registry.hpp"

namespace relucover {

struct Family {
  std::vector<Learner> learners;
  /// What to try where the search that takes any data has failed; null: nothing.
  std::vector<Choice> (*suggest)(const SampleSource& source, const LearnOptions& options, const Control& control) = nullptr;
};

/// Those of the program: defined once in each, by the library for whoever links it.
std::vector<Family> families();

}  // namespace relucover
