#pragma once
// The sign-free form of a one-hidden-layer ReLU network: y = output |theta x~| + affine x~ with x~ = (x, 1).
// relu(t) = (|t| + t)/2, so every such network has this form, and theta_i and -theta_i are the same point of it:
// the local minima that wrong signs make do not exist here.
#include "relucover/network.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct SignFreeModel {
  Matrix theta;   // units by (inputs + 1)
  Matrix output;  // outputs by units; ±1 for one output, where the scale is in theta
  Matrix affine;  // outputs by (inputs + 1)

  SignFreeModel() = default;
  SignFreeModel(Index inputs, Index units, Index outputs)
      : theta(Matrix::Zero(units, inputs + 1)), output(Matrix::Zero(outputs, units)), affine(Matrix::Zero(outputs, inputs + 1)) {}

  Index inputs() const { return theta.cols() - 1; }
  Index units() const { return theta.rows(); }
  Index outputs() const { return output.rows(); }
  /// With one output the scale of a unit is in theta and the output weight is its sign.
  bool output_is_free() const { return outputs() > 1; }
  /// How many numbers the data must determine.
  Index unknowns() const;

  // As a vector of parameters (for steps and directions).
  double dot(const SignFreeModel& other) const;
  SignFreeModel& add(double factor, const SignFreeModel& other);
  SignFreeModel& scale(double factor);

  void fields(auto& visit) { visit(theta, output, affine); }
};

/// Moves scale between theta_i and output column i: into theta for one output, evenly otherwise. The function stays.
void balance(SignFreeModel& model);

/// The model of a network with activation relu or abs.
SignFreeModel sign_free(const Network& network);

/// Model of z = transform (x - center) as a model of x.
SignFreeModel in_original_coordinates(const SignFreeModel& model, const Matrix& transform, const Vector& center);
/// Model of x as a model of z, where x = center + inverse_transform z.
SignFreeModel in_new_coordinates(const SignFreeModel& model, const Matrix& inverse_transform, const Vector& center);

/// Keeps the listed units.
SignFreeModel with_units(const SignFreeModel& model, const std::vector<Index>& kept);

}  // namespace relucover
