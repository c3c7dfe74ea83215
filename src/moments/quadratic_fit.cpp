#include "moments/quadratic_fit.hpp"

#include <cmath>

#include "core/linear_algebra.hpp"
#include "moments/symmetric_packing.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Gram matrix of [1, x, pack(x xᵀ)] and its products with y.
struct PolynomialGram {
  using Scalar = double;
  int degree;
  Matrix gram, cross, output_second;
  Index rows = 0;

  PolynomialGram(Index inputs, Index outputs, int degree_)
      : degree(degree_), gram(Matrix::Zero(width(inputs), width(inputs))), cross(Matrix::Zero(width(inputs), outputs)),
        output_second(Matrix::Zero(outputs, outputs)) {}

  Index width(Index inputs) const { return 1 + inputs + (degree == 2 ? packed_size(inputs) : 0); }

  void add(const Block<double>& block) {
    RowMatrix features(block.rows(), gram.rows());
    features.col(0).setOnes();
    features.middleCols(1, block.x.cols()) = block.x;
    if (degree == 2) features.rightCols(packed_size(block.x.cols())) = packed_squares(block.x);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(features.transpose());
    cross.noalias() += features.transpose() * block.y;
    output_second.noalias() += block.y.transpose() * block.y;
    rows += block.rows();
  }
  void fields(auto& visit) { visit(gram, cross, output_second, rows); }
};

/// G⁺ c for a positive semidefinite G, scaled to a unit diagonal first; directions below 1e-12 of the largest are left out.
Matrix solve_gram(const Matrix& gram, const Matrix& cross) {
  const Vector scale = gram.diagonal().unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0.0; });
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * gram * scale.asDiagonal());
  const double floor = 1e-12 * eigen.values.cwiseAbs().maxCoeff();
  const Vector inverse = eigen.values.unaryExpr([&](double v) { return v > floor ? 1 / v : 0.0; });
  const Matrix& basis = eigen.vectors;
  return scale.asDiagonal() * (basis * (inverse.asDiagonal() * (basis.transpose() * (scale.asDiagonal() * cross))));
}

}  // namespace

QuadraticFit fit_quadratic(const SampleSource& source, const Control& control, const QuadraticFitOptions& options) {
  const Index inputs = source.inputs(), outputs = source.outputs();
  const Index coefficients = 1 + inputs + packed_size(inputs);
  const bool enough = static_cast<double>(source.samples()) >= options.samples_per_coefficient * static_cast<double>(coefficients);
  const int degree = enough && coefficients <= options.max_coefficients ? 2 : 1;
  PolynomialGram sums = reduce(source, PolynomialGram(inputs, outputs, degree), control);
  const double n = static_cast<double>(std::max<Index>(sums.rows, 1));
  sums.gram = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / n;
  sums.cross /= n;

  const Matrix coefficient = solve_gram(sums.gram, sums.cross);
  QuadraticFit fit;
  fit.degree = degree;
  fit.samples = sums.rows;
  fit.offset = coefficient.row(0);
  fit.linear = coefficient.middleRows(1, inputs).transpose();
  if (degree == 2) fit.quadratic = coefficient.bottomRows(packed_size(inputs)).transpose();
  fit.input_mean = sums.gram.col(0).segment(1, inputs);
  fit.input_second = sums.gram.block(1, 1, inputs, inputs);
  fit.output_mean = sums.cross.row(0);
  fit.output_second = sums.output_second / n;
  fit.residual_variance =
      std::max(0.0, (fit.output_second.trace() - coefficient.cwiseProduct(sums.cross).sum()) / static_cast<double>(outputs));
  return fit;
}

}  // namespace relucover
