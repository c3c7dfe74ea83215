#include "solve/preconditioner.hpp"

#include <algorithm>
#include <numeric>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

/// Units may be alike, or forms: enough to factorise, too little to matter.
Cholesky factor_of(Matrix matrix) {
  constexpr double little = 1e-8;
  const double scale = std::max(matrix.diagonal().maxCoeff(), 1e-300);
  matrix.diagonal() += little * matrix.diagonal().cwiseMax(little * scale);
  return Cholesky(std::move(matrix));
}

}  // namespace

Matrix stacked_rows(const SignFreeModel& step) {
  Matrix rows(step.units() + step.outputs(), step.inputs() + 1);
  rows.topRows(step.units()) = step.theta;
  rows.bottomRows(step.outputs()) = step.affine;
  return rows;
}

Matrix coupling_of_rows(const SignFreeModel& model, const Matrix& signs) {
  const Index units = model.units(), outputs = model.outputs(), size = units + outputs;
  Matrix weights(outputs, size);
  weights.leftCols(units) = model.output;
  weights.rightCols(outputs).setIdentity();
  std::vector<Index> sign_of_row(static_cast<std::size_t>(size), units);
  std::iota(sign_of_row.begin(), sign_of_row.begin() + units, Index{0});
  return (weights.transpose() * weights).cwiseProduct(signs(sign_of_row, sign_of_row));
}

RowDirections::RowDirections(const SignFreeModel& model) : forms(Matrix::Zero(3 * model.units() + 1, model.inputs() + 1)) {
  const Index units = model.units();
  for (Index i = 0; i < units; ++i) rows.push_back(i);
  for (Index i = 0; i < units; ++i) rows.push_back(i);
  rows.resize(static_cast<std::size_t>(3 * units + 1), units);
  forms.topRows(units) = model.theta;
  forms.middleRows(units, units).rightCols(1).setOnes();
  forms.middleRows(2 * units, units) = model.theta;
  forms(3 * units, model.inputs()) = 1;
}

Vector RowDirections::along(const Matrix& step) const { return Matrix(step(rows, Eigen::all)).cwiseProduct(forms).rowwise().sum(); }

void RowDirections::add(const Vector& lengths, Matrix& step) const {
  for (std::size_t k = 0; k < rows.size(); ++k) step.row(rows[k]) += lengths[static_cast<Index>(k)] * forms.row(static_cast<Index>(k));
}

Preconditioner::Preconditioner(Matrix coupling, const Matrix& second_moment, const Matrix& moment_inverse)
    : coupling_(std::move(coupling)), second_moment_(second_moment), moment_inverse_(moment_inverse) {}

void Preconditioner::correct_along(RowDirections directions, Matrix gram) {
  gram_ = std::move(gram);
  form_products_ = directions.forms * second_moment_ * directions.forms.transpose();
  directions_ = std::move(directions);
}

void Preconditioner::damp(double lambda) {
  Matrix damping = Matrix(coupling_.diagonal().asDiagonal()) * lambda;
  coupling_factor_ = factor_of(coupling_ + damping);
  if (!corrected()) return;
  const auto& rows = directions_->rows;
  gram_factor_ = factor_of(gram_ + damping(rows, rows).cwiseProduct(form_products_));
  damping += coupling_;
  kronecker_factor_ = factor_of(damping(rows, rows).cwiseProduct(form_products_));
}

Matrix Preconditioner::inverse_times(const Matrix& step) const {
  Matrix result = coupling_factor_.solve(step * moment_inverse_);
  if (!corrected()) return result;
  // P^{-1} - Z (Z^T P Z)^{-1} Z^T + Z (Z^T H Z)^{-1} Z^T
  const Vector along = directions_->along(step);
  directions_->add((gram_factor_.solve(along) - kronecker_factor_.solve(along)).col(0), result);
  return result;
}

}  // namespace relucover
