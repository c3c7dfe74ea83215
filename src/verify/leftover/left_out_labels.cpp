#include "verify/leftover/left_out_labels.hpp"

#include <algorithm>
#include <cmath>

#include "verify/leftover/features.hpp"
#include "verify/leftover/near_rows.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

std::vector<Index> rows_left_out(const Judged& answer) {
  std::vector<Index> out;
  for (Index i = 0; i < answer.rows(); ++i)
    if (!answer.kept[static_cast<std::size_t>(i)]) out.push_back(i);
  return out;
}

}  // namespace

double left_out_labels_depend_on_inputs(const Judged& answer, RandomStream& random) {
  constexpr Index most_outputs = 4, fewest = 20;
  const std::vector<Index> out = rows_left_out(answer);
  if (static_cast<Index>(out.size()) < fewest) return 1;
  const Index outputs = std::min(answer.outputs(), most_outputs);
  double least = 1;
  for (Index o = 0; o < outputs; ++o) {
    const Vector label = answer.y(out, o), fit = answer.fit(out, o), residual = answer.residual(out, o);
    const Vector centred_label = label.array() - label.mean(), centred_fit = fit.array() - fit.mean();
    const double along = centred_fit.squaredNorm();
    const Vector rest = along > 0 ? Vector(centred_label - centred_label.dot(centred_fit) / along * centred_fit) : centred_label;
    constexpr double nothing = 1e-6;  // of the residual: all are off by one and the same rule
    if (rest.norm() > nothing * residual.norm()) least = std::min(least, near_rows_alike(answer.x(out, Eigen::all), rest, random));
  }
  return std::min(1.0, least * static_cast<double>(outputs));
}

// A regression of ranks on the inputs, beyond powers of the answer and of its size: Bartlett's likelihood ratio.
double left_out_order_depends_on_inputs(const Judged& answer) {
  constexpr Index powers = 5, more_than_columns = 12;
  const std::vector<Index> out = rows_left_out(answer);
  const auto n = static_cast<Index>(out.size());
  if (n < answer.z.cols() + powers + more_than_columns) return 1;
  double least = 1;
  for (Index o = 0; o < answer.outputs(); ++o) {
    const Vector rank = relative_ranks(answer.residual(out, o));
    Vector fit = answer.fit(out, o);
    fit = (fit.array() - fit.mean()) / std::max((fit.array() - fit.mean()).abs().maxCoeff(), 1e-300);
    Matrix of_answer(n, powers);
    of_answer << Vector::Ones(n), fit, fit.cwiseAbs2(), fit.array().cube().matrix(), fit.cwiseAbs();
    const Matrix basis = spanning_basis(of_answer), inputs = spanning_basis(orthogonal_to(basis, answer.z(out, Eigen::all)));
    const double left = orthogonal_to(basis, rank).squaredNorm(), explained = (inputs.transpose() * rank).squaredNorm();
    if (inputs.cols() == 0 || !(left > 0)) continue;
    const double freedom = static_cast<double>(inputs.cols()), rows = static_cast<double>(n - powers) - 0.5 * (freedom + 3);
    least = std::min(least, gamma_tail(freedom, 2 * freedom, -rows * std::log1p(-std::min(explained / left, 1 - 1e-15))));
  }
  return std::min(1.0, least * static_cast<double>(answer.outputs()));
}

}  // namespace relucover
