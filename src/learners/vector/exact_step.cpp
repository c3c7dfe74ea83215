#include "learners/vector/exact_step.hpp"

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// For every unit: x xᵀ and y xᵀ summed where it is active; y yᵀ and x xᵀ over all samples.
struct ActiveSums {
  using Scalar = double;
  Matrix compress, W;
  Matrix output_second, input_second;
  std::vector<Matrix> input_active, cross_active;

  ActiveSums(const Matrix& compress_, const Matrix& W_)
      : compress(compress_), W(W_), output_second(Matrix::Zero(compress.cols(), compress.cols())),
        input_second(Matrix::Zero(W.cols(), W.cols())), input_active(static_cast<std::size_t>(W.rows()), Matrix::Zero(W.cols(), W.cols())),
        cross_active(static_cast<std::size_t>(W.rows()), Matrix::Zero(compress.cols(), W.cols())) {}

  void add(const Block<double>& block) {
    const RowMatrix y = block.y * compress;
    const RowMatrix drive = block.x * W.transpose();
    output_second.noalias() += y.transpose() * y;
    input_second.noalias() += block.x.transpose() * block.x;
    for (Index i = 0; i < W.rows(); ++i) {
      const Vector active = (drive.col(i).array() > 0).cast<double>();
      const RowMatrix x = active.asDiagonal() * block.x;
      input_active[static_cast<std::size_t>(i)].noalias() += x.transpose() * x;
      cross_active[static_cast<std::size_t>(i)].noalias() += y.transpose() * x;
    }
  }
  void fields(auto& visit) { visit(output_second, input_second, input_active, cross_active); }
};

struct NullVector {
  Vector weights;
  double value;
};

/// Least eigenvector of the Gram matrix of [y, -x 1_S] after whitening y and x, mapped back to a weight vector.
NullVector null_vector(const ActiveSums& sums, std::size_t unit, const Cholesky& y_root, const Cholesky& x_root) {
  const Index k = sums.output_second.rows(), d = sums.input_second.rows();
  Matrix gram(k + d, k + d);
  gram.topLeftCorner(k, k).setIdentity();
  const Matrix cross = solve_lower(y_root.lower(), sums.cross_active[unit]);
  gram.topRightCorner(k, d) = -solve_lower(x_root.lower(), cross.transpose()).transpose();
  gram.bottomLeftCorner(d, k) = gram.topRightCorner(k, d).transpose();
  const Matrix half = solve_lower(x_root.lower(), sums.input_active[unit]);
  gram.bottomRightCorner(d, d) = solve_lower(x_root.lower(), half.transpose());
  const SymmetricEigen eigen = symmetric_eigen(std::move(gram));
  const Vector weights = solve_lower_transposed(x_root.lower(), eigen.vectors.col(0).tail(d));
  return {weights, eigen.values[0]};
}

}  // namespace

ExactStep exact_step(const SampleSource& source, const Matrix& compress, Matrix W, const Control& control,
                     const ExactStepOptions& options) {
  ExactStep step{W.rowwise().normalized(), Vector::Ones(W.rows()), 0};
  std::vector<Index> moving(static_cast<std::size_t>(W.rows()));
  for (std::size_t i = 0; i < moving.size(); ++i) moving[i] = static_cast<Index>(i);
  for (; step.iterations < options.max_iterations && !moving.empty(); ++step.iterations) {
    control.check();
    const ActiveSums sums = reduce(source, ActiveSums(compress, step.W(moving, Eigen::all)), control);
    const Cholesky y_root(sums.output_second), x_root(sums.input_second);
    if (!y_root.definite() || !x_root.definite()) break;  // rank-deficient: nothing to solve
    std::vector<Index> still_moving;
    for (std::size_t at = 0; at < moving.size(); ++at) {
      const Index unit = moving[at];
      const auto [weights, value] = null_vector(sums, at, y_root, x_root);
      step.null_values[unit] = value;
      if (!weights.allFinite() || !(weights.norm() > 0)) continue;
      Vector next = weights.normalized();
      if (next.dot(step.W.row(unit)) < 0) next = -next;
      if ((next - step.W.row(unit).transpose()).norm() > options.tolerance) still_moving.push_back(unit);
      step.W.row(unit) = next.transpose();
    }
    moving = std::move(still_moving);
  }
  return step;
}

}  // namespace relucover
