#pragma once
// Levenberg-Marquardt steps: (H + lambda D) delta = g with H = J^T J / N, g = J^T r / N and D the block diagonal of H.
// Two forms behind one interface: dense (H is formed once per model and solved for any lambda) and matrix-free
// (conjugate gradients, two products with the data per iteration).
#include <memory>

#include "relucover/progress.hpp"
#include "solve/sums.hpp"

namespace relucover {

struct Step {
  SignFreeModel delta;
  /// Decrease of the cost that the linear model promises: delta·(g + lambda D delta).
  double predicted = 0;
  Index inner_iterations = 0;
  bool solved = false;
};

class Linearisation {
 public:
  virtual ~Linearisation() = default;
  /// Mean cost per sample at the model.
  double cost() const { return cost_; }
  virtual Step step(double lambda, double tolerance, const Control& control) const = 0;

 protected:
  double cost_ = 0;
};

struct LinearisationOptions {
  enum class Form { automatic, dense, matrix_free } form = Form::automatic;
  Loss loss;
  /// Of the Gram matrix of the dense form.
  GramPrecision precision = GramPrecision::float64;
  /// Of the products of the matrix-free form with data. The right-hand side is in double precision, so steps are as good
  /// as the tolerance of conjugate gradients allows down to about 1e-5.
  GramPrecision product_precision = GramPrecision::float32;
  Index max_inner_iterations = 60;
  /// Iterations that conjugate gradients will take, as far as anybody knows: which form is cheaper depends on it.
  Index expected_inner_iterations = usual_inner_iterations;
  static constexpr Index usual_inner_iterations = 40;
  /// Mean of x~ x~^T over the data: the Gram block of every single unit, which damps; its inverse preconditions.
  Matrix second_moment, moment_inverse;
};

/// `model` must outlive the linearisation.
std::unique_ptr<Linearisation> linearise(const SampleSource& source, const SignFreeModel& model, const LinearisationOptions& options,
                                         const Control& control);

/// Mean of x~ x~^T, with a positive place for the constant where there is no bias.
Matrix second_moment(const AffineSum& sums);
Matrix second_moment(const SampleSource& source, bool bias, const Control& control);
/// Its inverse, or nearly so where some inputs depend on others.
Matrix inverse_of_moment(const Matrix& second_moment);

/// J^T J / N with rows and columns in the order theta (row by row), output (column by column), affine (row by row);
/// output only where it is free.
Matrix full_gram(const NormalSum& sums);
/// With free output weights a unit's scale is shared by theta and output: holds it, or a Gram matrix whose rows begin with theta and
/// output is singular by design.
void hold_scales(const SignFreeModel& model, Matrix& gram);

/// Parameters in that order as one vector, and back (shape gives the sizes, and the output weights where not free).
Vector flatten(const SignFreeModel& model);
SignFreeModel unflatten(const Vector& flat, const SignFreeModel& shape);

}  // namespace relucover
