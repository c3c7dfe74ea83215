#include "verify/normal_statistics.hpp"

#include <cmath>
#include <numbers>

namespace relucover {

double skewness_z(double skewness, double n) {
  const double y = skewness * std::sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
  const double beta2 = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9));
  const double w2 = -1 + std::sqrt(2 * (beta2 - 1));
  const double delta = 1 / std::sqrt(0.5 * std::log(w2));
  const double alpha = std::sqrt(2 / (w2 - 1));
  return delta * std::asinh(y / alpha);
}

double kurtosis_z(double kurtosis, double n) {
  const double mean = 3 * (n - 1) / (n + 1);
  const double variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
  const double x = (kurtosis - mean) / std::sqrt(variance);
  const double root_beta1 = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * std::sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
  const double a = 6 + 8 / root_beta1 * (2 / root_beta1 + std::sqrt(1 + 4 / (root_beta1 * root_beta1)));
  const double denominator = 1 + x * std::sqrt(2 / (a - 4));
  const double cube = std::cbrt((1 - 2 / a) / denominator);  // a denominator below 0 is far in the left tail
  return (1 - 2 / (9 * a) - cube) / std::sqrt(2 / (9 * a));
}

double two_sided_threshold(double probability) {
  double low = 0, high = 40;
  for (int step = 0; step < 80; ++step) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::numbers::sqrt2) > probability ? low : high) = middle;
  }
  return high;
}

}  // namespace relucover
