#pragma once
// Statistics that are standard normal if a sample of `n` is Gaussian.
#include "relucover/types.hpp"

namespace relucover {

/// The smallest sample that the approximations below are good for.
inline constexpr Index fewest_for_normality = 20;

/// Of the sample skewness sum(t^3)/n of standardised values (D'Agostino 1970).
double skewness_z(double skewness, double n);
/// Of the sample kurtosis sum(t^4)/n of standardised values (Anscombe and Glynn 1983).
double kurtosis_z(double kurtosis, double n);
/// z with P(|N(0,1)| > z) = probability.
double two_sided_threshold(double probability);

}  // namespace relucover
