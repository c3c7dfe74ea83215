#pragma once
// Experiments of the papers, as tables. A new one is a function and a row in studies.cpp.
#include <functional>
#include <string>
#include <vector>

#include "relucover/progress.hpp"

namespace relucover {

using TableRow = std::vector<std::string>;

/// Who may stop a row, and who watches it.
struct Watched {
  const Control& control;
  Observer* observer;
};

/// A header and rows to be computed, each by itself, so that what is finished is kept.
struct Study {
  TableRow header;
  std::vector<std::function<TableRow(const Watched&)>> rows;
};

/// How much of an experiment to run.
struct StudySize {
  int trials = 5;  // for each point of the figure
  int points = 0;  // only the first so many; 0: all
};

Study atv_smoothed(const StudySize& size);

// GKLW section 4
Study gklw_sample_efficiency(const StudySize& size);
Study gklw_noise(const StudySize& size);
Study gklw_condition(const StudySize& size);

struct Figure {
  std::string name, shows;
  Study (*plan)(const StudySize& size);
};
const std::vector<Figure>& figures();
/// Throws std::invalid_argument naming those that there are.
const Figure& figure_named(const std::string& name);

}  // namespace relucover
