#pragma once
// First step: the directions of a first layer with thresholds from moments of orders 1 to 4, to a few hundredths.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "learners/threshold/labels.hpp"
#include "relucover/learn.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

struct FirstStepOptions {
  Index units = 0;
  UnitFunction unit = {};
  /// NaN: not known; estimated per unit.
  double threshold = std::numeric_limits<double>::quiet_NaN();
  enum class Method { joint, landscape, simultaneous } method = Method::joint;
  /// automatic: distance from rest where labels have a value at rest, from the mean for units that never rest;
  /// whether at rest, where T_2 turns out indefinite.
  enum class Label { automatic, value, activity, centred } label = Label::automatic;
  /// 0/1 labels of an intersection.
  bool complement = false;
  /// Inputs drawn in proportion to f, every label 1 (GP B.6): E[He_k] over them is T_k / E[f] for k >= 1.
  bool biased = false;
  /// Rounds in which the label's expansion to degree 4, as measured so far, is subtracted before measuring again.
  int refinements = 1;
  /// Only the spectrum of T_2: to count units.
  bool spectrum_only = false;
  std::uint64_t seed = 0;
  Index begin = 0, end = -1;
};

struct FirstStep {
  Matrix W;  // units by inputs, unit rows; fewer rows where the landscape did not show all
  Vector t;  // estimated, or as given
  LabelView view;
  RestValue rest;
  /// Rounding error of the labels.
  double rounding = 0;
  /// Weights that the components have in T_1, T_2, T_3: û_k √k! times the upper weight.
  Vector weight1, weight2, weight3;
  /// Eigenvalues of T_2 by size, largest first, all of them.
  Vector spectrum;
  /// What sampling noise does to an eigenvalue of T_2.
  double noise_level = 0;
  /// û_2, û_3, û_4 at the threshold (mean of the estimates where it is not given).
  double u2 = 0, u3 = 0, u4 = 0;
  /// Off-diagonal part that the joint diagonalisation left.
  double off_diagonal = 0;
  bool indefinite = false;
  bool complete = false;
  std::vector<std::string> notes;
};

FirstStep first_step(const SampleSource& source, const FirstStepOptions& options, const Control& control);

/// The unit that an order gives nothing for: |û_4| (or |û_3|) below this share of |û_2|.
inline constexpr double vanishing_share = 0.1;

}  // namespace relucover
