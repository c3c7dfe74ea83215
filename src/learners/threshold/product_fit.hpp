#pragma once
// Second step for units that never rest (sigmoid), and the upper part: f as a polynomial in the first layer's values.
// Variable projection: the coefficients of all products up to the degree of P are linear and eliminated, Levenberg-
// Marquardt moves directions and thresholds.
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

/// Products of the first layer's values: each a list of (unit, power), the first one empty (the constant).
using Products = std::vector<std::vector<std::pair<Index, int>>>;

/// All products of at most `degree` different units, each to the power 1.
Products products_of_units(Index units, int degree);
/// All monomials of total degree at most `degree`.
Products monomials_of_units(Index units, int degree);
/// One column per product.
Matrix product_columns(const Matrix& values, const Products& products);

struct ProductFitOptions {
  /// Largest number of different units in a product of P.
  int degree = 3;
  Index samples = 20'000;
  Index max_iterations = 60;
  /// Stops when the residual is this small relative to the labels' spread, or no longer falls.
  double residual_tolerance = 1e-14;
};

struct ProductFit {
  ThresholdModel model;          // the upper part is a polynomial
  double residual_relative = 1;  // rms over the labels' standard deviation, on the samples used
  Index samples = 0, unknowns = 0, iterations = 0;
  /// Of the Gram matrix of directions and thresholds, coefficients eliminated, unit diagonal.
  double condition = 0;
};

/// Moves W, t and the coefficients of P from a start, on the first samples of the source.
ProductFit product_fit(const SampleSource& source, const UnitFunction& unit, const Matrix& W, const Vector& t,
                       const ProductFitOptions& options, const Control& control);

/// P alone, with the first layer held fixed, from `samples` samples beginning at `begin`. Coefficients of products that
/// are never active in the samples are left out and counted.
struct UpperFit {
  UpperPart upper;
  Index undetermined = 0;
  /// Products that are active in too few samples for their coefficient to be relied on.
  Products unseen;
  double residual_relative = 1;
};
UpperFit fit_upper_polynomial(const SampleSource& source, const ThresholdModel& first_layer, const Products& products, Index begin,
                              Index samples, const Control& control);

}  // namespace relucover
