#pragma once
// What the data determine: the inverse of the Gauss-Newton matrix, and from it standard errors per unit.
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "solve/normal_equations.hpp"

namespace relucover {

struct Uncertainty {
  /// (J^T J)^{-1}, parameters in the order of full_gram; times the noise variance it is their covariance.
  Matrix inverse;
  Vector gradient;  // J^T r / N
  /// Standard error of each unit, relative to its size, for noise of standard deviation 1 in the labels.
  Vector unit_error;
  bool determined = false;  // false: J^T J is singular
  /// Directions (columns) in which the parameters can move without changing anything on the data; where not determined.
  Matrix freedom;
  Index samples = 0;
};

/// Dense: for models up to a few thousand unknowns.
Uncertainty uncertainty(const SampleSource& source, const SignFreeModel& model, const Loss& loss, const Control& control);

/// The same when the affine part is tied to the units by known signs: a network without skip and offset. The inverse has
/// no rows for the affine part.
Uncertainty tied_uncertainty(const SampleSource& source, const SignFreeModel& model, const std::vector<int>& signs, const Control& control);

inline constexpr Index most_unknowns_for_uncertainty = 4000;

/// Units that have fewer than `least` samples on one side of their kink: nothing else can tell about that side.
std::vector<Index> barely_split_units(const SampleSource& source, const SignFreeModel& model, Index least, const Control& control);

}  // namespace relucover
