#include "verify/leftover/shared_units.hpp"

#include <algorithm>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {

namespace {

/// What the answer's own parameters can do, in coordinates of the basis for one output after the other: orthonormal columns.
Matrix own_changes(const SharedUnits& answer, const RoughBasis& basis) {
  const Index width = answer.forms.cols(), units = answer.forms.rows(), outputs = answer.outputs.rows(), size = basis.size();
  const Matrix functions = basis.along(answer.tangent);
  Matrix changes = Matrix::Zero(size * outputs, width * outputs + units * (width + outputs));
  Index next = 0;
  for (Index o = 0; o < outputs; ++o, next += width) changes.block(o * size, next, size, width) = functions.leftCols(width);
  for (Index k = 0; k < units; ++k) {
    const auto of_unit = functions.middleCols((k + 1) * width, width);
    for (Index o = 0; o < outputs; ++o) changes.block(o * size, next, size, width) = answer.outputs(o, k) * of_unit;
    next += width;
    const Vector unit = of_unit * answer.forms.row(k).transpose();
    for (Index o = 0; o < outputs; ++o, ++next) changes.block(o * size, next, size, 1) = unit;
  }
  return spanning_basis(std::move(changes));
}

struct Unshared {
  Vector all, of_one_function;
};

/// Squares of what lies beyond the own changes, for each pattern of signs.
Unshared unshared(const Matrix& residual, const Matrix& signs, const Matrix& own, const RoughBasis& basis) {
  const Index size = basis.size(), outputs = residual.cols();
  Matrix along(size * outputs, signs.cols());
  for (Index o = 0; o < outputs; ++o) along.middleRows(o * size, size) = basis.along(residual.col(o).asDiagonal() * signs);
  along -= own * (own.transpose() * along).eval();
  Unshared found{along.colwise().squaredNorm().transpose(), Vector(signs.cols())};
  for (Index k = 0; k < signs.cols(); ++k) {
    const Matrix by_output = along.col(k).reshaped(size, outputs);
    const Matrix gram = by_output.transpose() * by_output;
    found.of_one_function[k] = symmetric_eigen(gram).values[outputs - 1];
  }
  return found;
}

}  // namespace

double units_not_shared(const SharedUnits& answer, const Matrix& of, const RoughBasis& basis, RandomStream& random) {
  constexpr Index first_flips = 20, flips = 200;
  constexpr double ordinary = 0.1, most_work = 3e9;
  const Index outputs = of.cols();
  const auto coordinates = static_cast<double>(basis.size() * outputs);
  const auto parameters = static_cast<double>(answer.forms.cols() * outputs + answer.forms.rows() * (answer.forms.cols() + outputs));
  if (outputs < 2 || answer.forms.rows() == 0 || coordinates * parameters * parameters > most_work) return 1;
  const Matrix own = own_changes(answer, basis);
  if (own.cols() >= own.rows()) return 1;
  const Matrix residual = of_unit_size(of);
  const Unshared seen = unshared(residual, Matrix::Ones(of.rows(), 1), own, basis);
  // Noise before the fit followed it: the more of a row the fit takes, the less is left of it to flip.
  const Vector followed = basis.leverage() * (static_cast<double>(own.cols()) / coordinates);
  const Matrix noise = (1 - followed.array()).max(0.1).rsqrt().matrix().asDiagonal() * residual;
  const auto chance = [&](Index count) {
    const Unshared drawn = unshared(noise, random_signs(of.rows(), count, random), own, basis);
    return std::min(1.0,
                    2 * std::min(tail_of_draws(drawn.all, seen.all[0]), tail_of_maxima(drawn.of_one_function, seen.of_one_function[0])));
  };
  if (const double few = chance(first_flips); few > ordinary) return few;
  return chance(flips);
}

}  // namespace relucover
