#pragma once
// Experiments of the papers that `relucover reproduce` runs. A new one is a function here and a row in command_reproduce.cpp.
#include <string>
#include <vector>

#include "relucover/session.hpp"

namespace relucover::cli {

/// A header and rows, all as text.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// How much of an experiment to run.
struct StudySize {
  int trials = 5;  // for each point of the figure
  int points = 0;  // only the first so many; 0: all
};

Table atv_smoothed(const StudySize& size, const Control& control);

// GKLW section 4
Table gklw_sample_efficiency(const StudySize& size, const Control& control);
Table gklw_noise(const StudySize& size, const Control& control);
Table gklw_condition(const StudySize& size, const Control& control);

}  // namespace relucover::cli
