#include "solve/uncertainty.hpp"

#include "core/least_eigen.hpp"
#include "reduce/reduce.hpp"
#include "solve/relu_form.hpp"

namespace relucover {

namespace {

struct SideCount {
  using Scalar = double;
  const SignFreeModel* model;
  Eigen::RowVectorXd above;
  Index samples = 0;
  void add(const Block<double>& block) {
    RowMatrix t = block.x * model->theta.leftCols(model->inputs()).transpose();
    t.rowwise() += model->theta.col(model->inputs()).transpose();
    above += (t.array() > 0).cast<double>().matrix().colwise().sum();
    samples += block.rows();
  }
  void fields(auto& visit) { visit(above, samples); }
};

/// Inverts a Gram matrix whose first rows are theta's.
Uncertainty inverted(Matrix gram, const SignFreeModel& model, const NormalSum& sums, const Control& control) {
  const double samples = static_cast<double>(sums.first_order.samples);
  Uncertainty result;
  result.samples = sums.first_order.samples;
  control.check();
  hold_scales(model, gram);
  for (Index i = 0; i < gram.rows(); ++i)
    if (gram(i, i) == 0) gram(i, i) = 1;  // the place of a bias that the model does not have
  const Vector scale = gram.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * gram * scale.asDiagonal();
  const Cholesky factor(scaled);
  result.unit_error = Vector::Constant(model.units(), std::numeric_limits<double>::infinity());
  // Rounding of the Gram matrix and of its factorisation makes pivots this large out of nothing.
  const double singular = 16 * std::numeric_limits<double>::epsilon() * static_cast<double>(gram.rows());
  result.determined = factor.least_pivot() > singular;
  if (!result.determined) {
    result.freedom = scale.asDiagonal() * least_eigen(scaled, singular, control).vectors;
    return result;
  }
  control.check();
  result.inverse = scale.asDiagonal() * factor.inverse() * scale.asDiagonal();
  result.inverse /= samples;
  const Index width = model.inputs() + 1;
  const Matrix moment = sums.block(model.units(), model.units());
  for (Index i = 0; i < model.units(); ++i) {
    // Sizes are measured through the data: |theta|^2 stands for theta^T E[x~ x~^T] theta.
    const double size = model.theta.row(i).dot(moment * model.theta.row(i).transpose());
    const double error = result.inverse.block(i * width, i * width, width, width).cwiseProduct(moment).sum();
    result.unit_error[i] = std::sqrt(error / std::max(size, 1e-300));
  }
  return result;
}

NormalSum sums_off_kinks(const SampleSource& source, const SignFreeModel& model, const Loss& loss, const Control& control) {
  NormalSum empty(model, loss);
  empty.without_kinks = true;
  return reduce(source, empty, control);
}

}  // namespace

Uncertainty uncertainty(const SampleSource& source, const SignFreeModel& model, const Loss& loss, const Control& control) {
  const NormalSum sums = sums_off_kinks(source, model, loss, control);
  Uncertainty result = inverted(full_gram(sums), model, sums, control);
  result.gradient = flatten(sums.first_order.gradient) / static_cast<double>(sums.first_order.samples);
  return result;
}

Uncertainty tied_uncertainty(const SampleSource& source, const SignFreeModel& model, const std::vector<int>& signs,
                             const Control& control) {
  const NormalSum sums = sums_off_kinks(source, model, Loss{}, control);
  const Tie tie(model, signs);
  Uncertainty result = inverted(tie.gram(full_gram(sums)), model, sums, control);
  result.gradient = tie.gradient(flatten(sums.first_order.gradient)) / static_cast<double>(sums.first_order.samples);
  return result;
}

std::vector<Index> barely_split_units(const SampleSource& source, const SignFreeModel& model, Index least, const Control& control) {
  if (model.units() == 0) return {};
  const auto among_first = [&](Index samples) {
    const auto counts = reduce(source, SideCount{&model, Eigen::RowVectorXd::Zero(model.units())}, control, 0, samples);
    std::vector<Index> units;
    for (Index i = 0; i < model.units(); ++i)
      if (std::min(counts.above[i], static_cast<double>(counts.samples) - counts.above[i]) < static_cast<double>(least)) units.push_back(i);
    return units;
  };
  // Nearly always a few samples show it.
  const Index few = 50 * least;
  if (few < source.samples() && among_first(few).empty()) return {};
  return among_first(source.samples());
}

}  // namespace relucover
