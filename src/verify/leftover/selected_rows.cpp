#include "verify/leftover/selected_rows.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

/// How many labels would be expected below the least one. With independent labels that is an exponential variable of mean one.
double expected_below(const Vector& fit, const Vector& labels, const Vector& noise, double blur) {
  const double least = labels.minCoeff();
  Vector deviations = (labels - fit).cwiseQuotient(noise);
  std::sort(deviations.begin(), deviations.end());
  double below = 0;
  for (Index i = 0; i < fit.size(); ++i)
    below += static_cast<double>(std::lower_bound(deviations.begin(), deviations.end(), (least - fit[i]) / noise[i] - blur) -
                                 deviations.begin());
  return below / static_cast<double>(fit.size());
}

}  // namespace

double no_labels_beyond(const Matrix& fit, const Matrix& labels, const Matrix& noise, Index parameters) {
  // Where noise ends at an edge, the fit's own errors carry some residuals beyond it.
  constexpr double deviations = 3;
  const double blur = deviations * std::sqrt(static_cast<double>(parameters) / static_cast<double>(fit.rows()));
  double most = 0;
  for (Index output = 0; output < labels.cols(); ++output) {
    most = std::max(most, expected_below(fit.col(output), labels.col(output), noise.col(output), blur));
    most = std::max(most, expected_below(-fit.col(output), -labels.col(output), noise.col(output), blur));
  }
  return std::min(1.0, 2 * static_cast<double>(labels.cols()) * std::exp(-most));
}

}  // namespace relucover
