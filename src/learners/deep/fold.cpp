#include "learners/deep/fold.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "solve/layered_descent.hpp"

namespace relucover {

namespace {

class Folding {
 public:
  Folding(const PlainForm& plain, const MemorySource<double>& samples, double exact, const Control& control)
      : plain_(plain.model), samples_(samples), exact_(exact), control_(control), layer_(plain_.depth() - 1),
        units_(plain_.width(layer_) - 1) {
    const RowMatrix features = features_of(plain_, samples.x());
    below_ = features.middleCols(plain_.seen_begin(layer_), plain_.seen_count(layer_));
    rows_ = plain_.theta.back().topRows(units_);
    weights_ = plain_.output.leftCols(units_);
    linear_ = plain_.output.col(units_) * plain_.theta.back().row(units_);
    on_ = (below_ * rows_.transpose()).array() > 0;
  }

  std::optional<LayeredModel> run() const {
    std::vector<Index> order(static_cast<std::size_t>(units_));
    std::iota(order.begin(), order.end(), 0);
    const Vector share = on_.cast<double>().matrix().colwise().sum();
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return share[i] < share[j]; });
    for (const Index unit : order) {
      control_.check();
      if (auto folded = into(unit)) return folded;
    }
    return std::nullopt;
  }

 private:
  std::optional<LayeredModel> into(Index unit) const {
    constexpr Index most_rows = 2000;
    std::vector<Index> side;
    for (Index i = 0; i < on_.rows() && std::ssize(side) < most_rows; ++i)
      if (on_(i, unit)) side.push_back(i);
    const Vector weight = weights_.col(unit);
    if (side.size() < 3 || !(weight.squaredNorm() > 0)) return std::nullopt;
    const Eigen::RowVectorXd along = weight.transpose() / weight.squaredNorm();
    const Index seen = below_.cols() - 1;
    const RowMatrix there = below_(side, Eigen::seqN(0, seen));
    // On this side, up to a constant: E = D + sum t_i a_i u_i = 0.
    Vector known = there * (along * linear_).head(seen).transpose();
    Matrix turned = there * rows_.leftCols(seen).transpose() * Vector(along * weights_).asDiagonal();
    known.array() -= known.mean();
    turned.rowwise() -= Eigen::RowVectorXd(turned.colwise().mean());
    for (const Vector& signs : turns(turned, known)) {
      if (!((known + turned * signs).cwiseAbs().maxCoeff() <= 1e-6 * (turned.cwiseAbs().maxCoeff() + known.cwiseAbs().maxCoeff())))
        continue;
      if (auto folded = with(signs, unit, along, there)) return folded;
    }
    return std::nullopt;
  }

  /// Zeros and ones that may solve known + turned t = 0: the least-squares solution rounded, and for few units the best of all.
  static std::vector<Vector> turns(const Matrix& turned, const Vector& known) {
    constexpr Index most_enumerated = 14, rows_enumerated = 60, kept = 4;
    std::vector<Vector> all;
    const Vector solved = minimum_norm_solution(turned, -known);
    if (solved.allFinite()) all.push_back(solved.unaryExpr([](double t) { return t > 0.5 ? 1.0 : 0.0; }));
    const Index units = turned.cols();
    if (units > most_enumerated) return all;
    const Index rows = std::min(turned.rows(), rows_enumerated);
    std::vector<std::pair<double, Index>> errors;
    Vector at = known.head(rows), signs = Vector::Zero(units);
    for (Index code = 0;; ++code) {  // Gray code: one unit turns at a time
      Index pattern = 0;
      for (Index j = 0; j < units; ++j) pattern |= static_cast<Index>(signs[j]) << j;
      errors.emplace_back(at.cwiseAbs().maxCoeff(), pattern);
      if (code + 1 == Index{1} << units) break;
      Index bit = 0;
      while (((code + 1) >> bit & 1) == 0) ++bit;
      at += (signs[bit] > 0 ? -1.0 : 1.0) * turned.col(bit).head(rows);
      signs[bit] = 1 - signs[bit];
    }
    std::partial_sort(errors.begin(), errors.begin() + std::min(kept, std::ssize(errors)), errors.end());
    for (Index k = 0; k < std::min(kept, std::ssize(errors)); ++k) {
      Vector one(units);
      for (Index j = 0; j < units; ++j) one[j] = static_cast<double>(errors[static_cast<std::size_t>(k)].second >> j & 1);
      all.push_back(std::move(one));
    }
    return all;
  }

  std::optional<LayeredModel> with(const Vector& signs, Index unit, const Eigen::RowVectorXd& along, const RowMatrix& there) const {
    Eigen::RowVectorXd taken = along * (linear_ + RowMatrix(weights_ * signs.asDiagonal()) * rows_);
    taken[taken.size() - 1] = -(there * taken.head(there.cols()).transpose()).mean();
    RowMatrix layer = (Vector::Ones(units_) - 2 * signs).asDiagonal() * rows_;
    layer.row(unit) += taken;
    LayeredModel folded = plain_;
    folded.theta.back() = layer;
    Matrix values(below_.rows(), units_ + 1);
    values.leftCols(units_) = (below_ * layer.transpose()).cwiseMax(0);
    values.col(units_).setOnes();
    folded.output = least_squares(values, Matrix(samples_.y())).transpose();
    Descent down =
        descend(std::move(folded), samples_, {.most_steps = 12, .damping = 1e-6, .slow = 0.5, .patience = 2, .goal = 1e-31}, control_);
    if (!(down.cost < exact_)) return std::nullopt;
    return std::move(down.model);
  }

  const LayeredModel& plain_;
  const MemorySource<double>& samples_;
  double exact_;
  const Control& control_;
  Index layer_, units_;
  RowMatrix below_, rows_, weights_, linear_;
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> on_;
};

}  // namespace

std::optional<LayeredModel> with_linear_unit_folded(const PlainForm& plain, const MemorySource<double>& samples, double exact,
                                                    const Control& control) {
  if (plain.linear.empty() || plain.linear.back() != 1 || plain.model.width(plain.model.depth() - 1) < 2) return std::nullopt;
  return Folding(plain, samples, exact, control).run();
}

}  // namespace relucover
