#pragma once
// What A f(W x) could lack, for an activation f other than ReLU: biases, another growth, an affine or quadratic part, one more unit.
#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "verify/leftover/one_more_unit.hpp"

namespace relucover {

/// An answer and its residual in units of the noise: outputs are decorrelated.
struct RectifiedAnswer {
  const Matrix& x;
  const Matrix& residual;
  const Matrix& W;
  Matrix A;
  const Rectifier& f;
};

/// One number of every unit that the model does not have, and the chance of what the residual says about all of them together: along
/// the outputs of each unit, beyond all that the model itself can do.
struct OwnParameter {
  double chance = 1;
  Vector error;  // standard errors of the parameters, were they free
};
/// Biases, in units of the spread of w·x.
OwnParameter biases_left(const RectifiedAnswer& answer, RandomStream& random);
/// Another growth: f^(1 + p) instead of f.
OwnParameter growth_left(const RectifiedAnswer& answer, RandomStream& random);

/// A unit whose weights differ between outputs: in one of them, each tried. `decorrelation` maps outputs to those of the answer.
double weights_of_outputs_left(const RectifiedAnswer& answer, const Matrix& decorrelation, RandomStream& random);

/// Other shapes of the units (a leak, a step, powers, two units close together), and polynomials of degree 2: the best of them.
double shapes_of_units_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random);
/// A second layer: kinks of sums of the answer's outputs, and of its units.
double second_layer_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random);
/// An affine part, all of it.
double affine_left(const RectifiedAnswer& answer, const Matrix& basis, RandomStream& random);

/// Size of the further units that could stand beside unit i, as steep as it is, after taking out what the answer can do: the median of
/// root mean squares.
Vector visible_beside(const RectifiedAnswer& answer, const Matrix& z, const Vector& slopes, const RoughBasis& basis, RandomStream& random);

/// What one more unit gains of Σ r² where all may move, from each of `starts` (forms of z~): the largest.
double gain_of_rectified_refit(const RectifiedAnswer& answer, const Matrix& labels, const Matrix& z, const std::vector<FoundUnit>& starts,
                               const Control& control);

}  // namespace relucover
