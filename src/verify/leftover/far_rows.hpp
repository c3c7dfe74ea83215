#pragma once
// Rows that are far off, or were left out: accidents, or a function that few rows see?
#include "verify/leftover/judged.hpp"
#include "verify/leftover/verdict.hpp"

namespace relucover {

/// Rows that were left out must look like accidents.
void test_left_out(const Judged& answer, double level, Verdict& verdict);
/// Rows that were left out and are off by one and the same function are no accidents where they share a place, or are few.
void test_rows_alike(const Judged& answer, double level, Verdict& verdict);
/// A few large residuals that share a place are a unit that few samples see, a step or a bend: no noise.
void test_large_rows(const Judged& answer, const Matrix& studentised, double level, Verdict& verdict);
/// Labels are wrong by accident where they stand apart. What is cut off a tail that goes on and on is neither left out nor noise.
void test_cut(const Judged& answer, const Matrix& studentised, Verdict& verdict);

}  // namespace relucover
