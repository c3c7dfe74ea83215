#include "solve/pruning.hpp"

#include <limits>
#include <numeric>
#include <optional>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Least squares on a set of features that shrinks, kept as inverse Gram matrix and coefficients.
class Elimination {
 public:
  Elimination(const UnitSum& with_units, const AffineSum& affine) : kept_(static_cast<std::size_t>(with_units.gram.rows())) {
    std::iota(kept_.begin(), kept_.end(), Index{0});
    const Index units = with_units.gram.rows(), width = affine.gram.rows(), outputs = affine.labels.cols();
    Matrix gram(units + width, units + width), labels(units + width, outputs);
    gram.topLeftCorner(units, units) = with_units.gram;
    gram.bottomLeftCorner(width, units) = with_units.with_inputs;
    gram.bottomRightCorner(width, width) = affine.gram;
    gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
    labels.topRows(units) = with_units.labels;
    labels.bottomRows(width) = affine.labels;
    scale_ = gram.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
    const Matrix scaled = scale_.asDiagonal() * gram * scale_.asDiagonal();
    constexpr double ridge = 1e-13;  // equal features share their weight instead of cancelling
    const Matrix regular = scaled + ridge * static_cast<double>(scaled.rows()) * Matrix::Identity(scaled.rows(), scaled.rows());
    const SemidefiniteFactor factor(regular);
    inverse_ = factor.solve(Matrix::Identity(regular.rows(), regular.rows()));
    coefficients_ = factor.solve(scale_.asDiagonal() * labels);
    total_ = std::max(affine.label_squares, std::numeric_limits<double>::min());
    error_ = std::max(0.0, (affine.label_squares - (coefficients_.transpose() * scale_.asDiagonal() * labels).trace()) / total_);
  }

  Index left() const { return static_cast<Index>(kept_.size()); }
  double error() const { return error_; }

  struct Candidate {
    std::size_t place;
    double error;  // after removal
  };
  Candidate cheapest() const {
    Candidate best{0, std::numeric_limits<double>::infinity()};
    for (std::size_t place = 0; place < kept_.size(); ++place) {
      const Index j = kept_[place];
      const double error = error_ + coefficients_.row(j).squaredNorm() / std::max(inverse_(j, j), 1e-300) / total_;
      if (error < best.error) best = {place, error};
    }
    return best;
  }
  void remove(const Candidate& candidate) {
    const Index j = kept_[candidate.place];
    const Vector column = inverse_.col(j) / inverse_(j, j);
    const Eigen::RowVectorXd weights = coefficients_.row(j);
    coefficients_.noalias() -= column * weights;
    inverse_.noalias() -= column * inverse_.row(j).eval();
    error_ = candidate.error;
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(candidate.place));
  }
  SignFreeModel model(const SignFreeModel& full) const {
    SignFreeModel result = with_units(full, kept_);
    const Matrix weights = scale_.asDiagonal() * coefficients_;
    for (Index i = 0; i < left(); ++i) result.output.col(i) = weights.row(kept_[static_cast<std::size_t>(i)]).transpose();
    result.affine = weights.bottomRows(full.inputs() + 1).transpose();
    balance(result);
    return result;
  }

 private:
  std::vector<Index> kept_;
  Vector scale_;
  Matrix inverse_, coefficients_;
  double total_ = 1, error_ = 0;
};

template <class Stop>
Pruned eliminate(const SampleSource& source, const SignFreeModel& model, const Loss& loss, const Control& control, const AffineSum* known,
                 Stop stop) {
  std::optional<AffineSum> affine;
  if (known == nullptr) affine = reduce(source, AffineSum(model.inputs(), model.outputs(), loss), control);
  UnitSum with_units(model, loss);
  if (model.units() > 0) with_units = reduce(source, with_units, control);
  Elimination elimination(with_units, known != nullptr ? *known : *affine);
  Pruned result;
  result.residual_at.assign(static_cast<std::size_t>(model.units() + 1), std::numeric_limits<double>::quiet_NaN());
  result.residual_at[static_cast<std::size_t>(model.units())] = elimination.error();
  while (elimination.left() > 0) {
    const auto candidate = elimination.cheapest();
    if (stop(elimination, candidate)) break;
    elimination.remove(candidate);
    result.residual_at[static_cast<std::size_t>(elimination.left())] = elimination.error();
  }
  result.model = elimination.model(model);
  return result;
}

}  // namespace

Pruned prune(const SampleSource& source, const SignFreeModel& model, Index units, const Loss& loss, const Control& control,
             const AffineSum* affine) {
  return eliminate(source, model, loss, control, affine,
                   [&](const Elimination& e, const Elimination::Candidate&) { return e.left() <= units; });
}

Pruned prune_while(const SampleSource& source, const SignFreeModel& model, double allowed, const Loss& loss, const Control& control,
                   const AffineSum* affine) {
  return eliminate(source, model, loss, control, affine,
                   [&](const Elimination&, const Elimination::Candidate& c) { return c.error > allowed; });
}

}  // namespace relucover
