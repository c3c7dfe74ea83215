#include "solve/merging.hpp"

#include <cmath>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// sign(theta_i x~) against each other and against x~.
struct SideSum {
  using Scalar = double;
  const SignFreeModel* model;
  Matrix together;  // units by units
  Matrix moments;   // units by (inputs + 1): Σ sigma_i x~
  Index samples = 0;
  explicit SideSum(const SignFreeModel& at)
      : model(&at), together(Matrix::Zero(at.units(), at.units())), moments(Matrix::Zero(at.units(), at.inputs() + 1)) {}
  void add(const Block<double>& block) {
    SeenBlock seen;
    seen.look(block, *model, Loss{});
    const RowMatrix signs = seen.signs();
    together.noalias() += signs.transpose() * signs;
    moments.noalias() += signs.transpose() * seen.x;
    samples += block.rows();
  }
  void fields(auto& visit) { visit(together, moments, samples); }
};

}  // namespace

Merged merge_closest_units(const SampleSource& source, const SignFreeModel& model, const Control& control) {
  if (model.units() < 2) return {model, 0};
  const SideSum sides = reduce(source, SideSum(model), control);
  const Matrix pairs = sides.together.cwiseAbs().triangularView<Eigen::StrictlyLower>();
  Index i = 0, j = 0;
  const double most = pairs.maxCoeff(&i, &j);
  const double turned = sides.together(i, j) < 0 ? -1 : 1;
  // output_i |t_i| + output_j |t_j| = sigma_i (output_i theta_i ± output_j theta_j) x~ where they agree.
  const Matrix sum = model.output.col(i) * model.theta.row(i) + turned * model.output.col(j) * model.theta.row(j);
  const Svd svd = thin_svd(sum);
  const Vector form = svd.right.col(0);
  const double side = sides.moments.row(i).dot(form) < 0 ? -1 : 1;

  std::vector<Index> kept;
  for (Index k = 0; k < model.units(); ++k)
    if (k != j) kept.push_back(k);
  Merged merged{with_units(model, kept), 0.5 * (1 + most / static_cast<double>(sides.samples))};
  const Index at = i > j ? i - 1 : i;
  merged.model.theta.row(at) = form.transpose();
  merged.model.output.col(at) = side * svd.values[0] * svd.left.col(0);
  balance(merged.model);
  return merged;
}

}  // namespace relucover
