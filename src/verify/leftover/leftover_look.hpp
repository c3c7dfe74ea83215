#pragma once
// What is left of the labels, as tests look at it, and those of them that any answer's residual goes through, whatever the answer is made
// of: rows, kinks, functions of the inputs, waves, ridges, tails.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/judged.hpp"
#include "verify/leftover/one_more_unit.hpp"
#include "verify/leftover/verdict.hpp"

namespace relucover {

/// The noisy residual on the rows that were kept.
struct KeptRows {
  Matrix x, z, t, residual;         // decorrelated over outputs
  std::optional<RoughBasis> basis;  // of the answer's tangent functions
  Matrix decorrelation;
  std::vector<Index> rows;
};

KeptRows kept_of(const Judged& answer);

struct RowNoise {
  Matrix level;     // of the noise that was added
  Matrix expected;  // of each residual, with what the fit may be off by
};

/// Each test goes into the verdict; what returns bool says whether it still stands: one refusal is enough.
class LookAtLeftover {
 public:
  LookAtLeftover(const Judged& answer, const LabelGrid& grid, std::uint64_t seed, const Control& control);

  const Judged& answer;
  Verdict verdict;
  KeptRows kept;
  Matrix plain;           // residual of the rows kept
  Matrix studentised;     // all residuals over the noise of their rows
  double too_heavy;       // tails that least squares does not take
  bool claimable = true;  // or the dearest tests are left out
  bool rounded = false;   // labels are on a grid that is coarser than what is left

  bool goes_on() const;
  /// Leverage, large residuals, rows left out, equal inputs, and whether the answer is an optimum of its own form.
  bool test_rows();
  /// Two humps, skewness, and what bends at the answer's kinks.
  bool test_kinks();
  /// Many units at once, smooth functions, waves, terms of columns, functions of one or two variables.
  bool test_functions(const UnitKind& kind);
  /// Periods where a unit is active. `slopes`: units along z, as rows; `sizes`: what a slope of one adds to decorrelated labels.
  bool test_periods_in_units(const Matrix& slopes, const Vector& sizes);
  /// A wave looked for with so many operations.
  bool test_wave(double work);
  /// `units`: the answer's own directions along z, as columns.
  bool test_ridges(const Matrix& units);
  bool test_tails();
  void test_together();
  /// The same for all tests that look on one half and test on the other: made when the first asks.
  const Halves& halves();
  Matrix studentised_kept() const { return studentised(kept.rows, Eigen::all); }

 private:
  /// The answer's tangent functions over the noise of each row, or where this is nearly even the functions themselves.
  const RoughBasis& basis_over_noise(double nearly_even);
  const LabelGrid& grid_;
  const Control& control_;
  RowNoise noise_;
  std::optional<RoughBasis> basis_over_noise_;
  std::optional<Halves> halves_;
  double level_ = 0;
  bool rows_may_change_places_ = false;  // noise is normal and of one size
};

}  // namespace relucover
