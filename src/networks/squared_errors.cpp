#include "networks/squared_errors.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "networks/assignment.hpp"

namespace relucover {

namespace {

Matrix unit_rows(const Matrix& rows) {
  Matrix unit = rows;
  for (Index i = 0; i < unit.rows(); ++i) {
    const double norm = unit.row(i).norm();
    if (norm > 0) unit.row(i) /= norm;
  }
  return unit;
}

}  // namespace

SquaredErrors squared_errors(const Network& truth, const Network& answer, bool up_to_sign) {
  check_equal("inputs of the answer", answer.inputs(), truth.inputs());
  require_one_hidden_layer(truth, "a sum of squared errors");
  require_one_hidden_layer(answer, "a sum of squared errors");
  if (answer.units() != truth.units()) return {4.0 * static_cast<double>(truth.units()), 4.0 * static_cast<double>(truth.units())};
  const Matrix w = unit_rows(truth.W), w_answer = unit_rows(answer.W);
  const Matrix a = unit_rows(truth.A.transpose()), a_answer = unit_rows(answer.A.transpose());
  const Index k = truth.units();
  Matrix weights(k, k), outputs = Matrix::Zero(k, k);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) {
      weights(i, j) = (w.row(i) - w_answer.row(j)).squaredNorm();
      if (up_to_sign)
        weights(i, j) = std::min(weights(i, j), (w.row(i) + w_answer.row(j)).squaredNorm());
      else
        outputs(i, j) = (a.row(i) - a_answer.row(j)).squaredNorm();
    }
  const auto partner = cheapest_assignment(weights + outputs);
  SquaredErrors errors;
  for (Index i = 0; i < k; ++i) {
    const Index j = partner[static_cast<std::size_t>(i)];
    errors.weights += weights(i, j);
    errors.outputs += outputs(i, j);
  }
  return errors;
}

}  // namespace relucover
