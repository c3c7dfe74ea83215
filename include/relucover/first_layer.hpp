#pragma once
// Tasks about a first layer with thresholds: unions and intersections of halfspaces, the lowest layer of a deep network.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "relucover/learn.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

struct FirstLayerOptions {
  /// Units of the first layer; 0: count the eigenvalues of T_2 above its noise.
  Index units = 0;
  UnitFunction unit = {};
  /// NaN: estimated, unit by unit.
  double threshold = std::numeric_limits<double>::quiet_NaN();
  /// First step: "joint", "landscape" or "simultaneous" (these two need the threshold), or "directions", the test of GP section 3
  /// for two or three inputs (needs the threshold too). After "joint" that test is tried as well where it applies and nothing is
  /// certified, and the directions with the larger correlations are kept.
  std::string method = "joint";
  /// false: directions from moments alone.
  bool refine = true;
  /// Largest number of different units in a product of the upper polynomial; 0: not known.
  int degree = 3;
  /// Highest power of one unit in the upper polynomial, at least: higher ones that the data show are fitted too.
  int power = 1;
  /// Inputs were drawn in proportion to f, every label is 1 (GP B.6). Set by itself where labels and inputs are like that.
  bool biased = false;
  /// A function that can be asked: directions of relu and step units are refined by questions (GP Algorithms 1 and 2).
  const Oracle* oracle = nullptr;
  /// Steps of that refinement, and questions for each band that a step looks at.
  Index rounds = 300, questions_per_band = 8000;
  std::uint64_t seed = 0;
  /// 0: all cores.
  int threads = 0;
  double time_limit = std::numeric_limits<double>::infinity();
  Observer* observer = nullptr;

  std::vector<std::string> problems() const;
};

struct FirstLayerResult {
  AnswerStatus status;
  std::string message = "nothing was learned";
  std::string task;
  std::string method;
  ThresholdModel model;
  /// Directions after the first step.
  Matrix first_step_W;
  Index samples = 0, holdout_samples = 0;
  /// Halfspaces: share of held-out labels that the classifier gets wrong. Else: relative rms of the whole model there.
  double holdout_error = std::numeric_limits<double>::quiet_NaN();
  /// What the halves of the data, or the residual, say about the worst direction, in radians.
  double direction_error = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;
  std::vector<StageRecord> stages;
  std::vector<std::string> notes;
  std::map<std::string, double> figures;

  bool usable() const { return status.usable(); }
  std::string brief() const;
  std::string full() const;
  std::string json() const;
};

/// 0/1 labels: a union of halfspaces w_i.x > t_i (or, if 1 is the more frequent label, an intersection w_i.x <= t_i, for
/// which the model describes the complement). Throws std::invalid_argument for misuse.
FirstLayerResult learn_halfspaces(const SampleSource& source, const FirstLayerOptions& options);

/// The first layer under a polynomial or deep upper part, and the upper part as a polynomial where options.degree > 0.
FirstLayerResult learn_lowest_layer(const SampleSource& source, const FirstLayerOptions& options);

/// The first layer's values as inputs of a new problem with the same labels (GP Appendix E).
std::unique_ptr<SampleSource> handed_on_samples(const SampleSource& source, ThresholdModel first_layer);

}  // namespace relucover
