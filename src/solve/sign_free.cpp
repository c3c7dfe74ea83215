#include "solve/sign_free.hpp"

#include <stdexcept>

namespace relucover {

Index SignFreeModel::unknowns() const {
  const Index scales = output_is_free() ? units() * (outputs() - 1) : 0;  // theta's scale is shared with the output weights
  return theta.size() + affine.size() + scales;
}

double SignFreeModel::dot(const SignFreeModel& other) const {
  return theta.cwiseProduct(other.theta).sum() + output.cwiseProduct(other.output).sum() + affine.cwiseProduct(other.affine).sum();
}

SignFreeModel& SignFreeModel::add(double factor, const SignFreeModel& other) {
  theta += factor * other.theta;
  output += factor * other.output;
  affine += factor * other.affine;
  return *this;
}

SignFreeModel& SignFreeModel::scale(double factor) {
  theta *= factor;
  output *= factor;
  affine *= factor;
  return *this;
}

void balance(SignFreeModel& model) {
  for (Index i = 0; i < model.units(); ++i) {
    const double in = model.theta.row(i).norm(), out = model.output.col(i).norm();
    if (in == 0 || out == 0) continue;
    const double factor = model.output_is_free() ? std::sqrt(out / in) : out;
    model.theta.row(i) *= factor;
    model.output.col(i) /= factor;
  }
}

SignFreeModel sign_free(const Network& network) {
  if (network.activation != Activation::relu && network.activation != Activation::abs)
    throw std::invalid_argument("only relu and abs networks have a sign-free form");
  require_one_hidden_layer(network, "the sign-free form");
  const double half = network.activation == Activation::relu ? 0.5 : 1;
  SignFreeModel model(network.inputs(), network.units(), network.outputs());
  model.theta << network.W, network.b;
  model.output = half * network.A;
  model.affine << network.skip, network.offset;
  if (network.activation == Activation::relu) model.affine += model.output * model.theta;  // relu(t) = |t|/2 + t/2
  balance(model);
  return model;
}

namespace {

/// Rows (w, b) with w·(x) + b rewritten for x = center + map z.
Matrix substitute(const Matrix& rows, const Matrix& map, const Vector& center) {
  const Index inputs = rows.cols() - 1;
  Matrix result(rows.rows(), map.cols() + 1);
  result.leftCols(map.cols()) = rows.leftCols(inputs) * map;
  result.col(map.cols()) = rows.col(inputs) + rows.leftCols(inputs) * center;
  return result;
}

}  // namespace

SignFreeModel in_original_coordinates(const SignFreeModel& model, const Matrix& transform, const Vector& center) {
  // z = transform x - transform center
  SignFreeModel result = model;
  const Vector shift = -(transform * center);
  result.theta = substitute(model.theta, transform, shift);
  result.affine = substitute(model.affine, transform, shift);
  return result;
}

SignFreeModel in_new_coordinates(const SignFreeModel& model, const Matrix& inverse_transform, const Vector& center) {
  SignFreeModel result = model;
  result.theta = substitute(model.theta, inverse_transform, center);
  result.affine = substitute(model.affine, inverse_transform, center);
  return result;
}

SignFreeModel with_units(const SignFreeModel& model, const std::vector<Index>& kept) {
  SignFreeModel result = model;
  result.theta = Matrix(model.theta(kept, Eigen::all));
  result.output = Matrix(model.output(Eigen::all, kept));
  return result;
}

}  // namespace relucover
