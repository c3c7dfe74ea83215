#include "learners/deep/rare.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "solve/layered_descent.hpp"

namespace relucover {

namespace {

Vector largest_residuals(const LayeredModel& model, const MemorySource<double>& samples) {
  return (samples.y() - predict(model, samples.x())).cwiseAbs().rowwise().maxCoeff();
}

MemorySource<double> batch_of(const MemorySource<double>& samples, const std::vector<Index>& rows) {
  return {RowMatrix(samples.x()(rows, Eigen::all)), RowMatrix(samples.y()(rows, Eigen::all)), "batch"};
}

std::vector<Index> without_worst(const Vector& residuals, double share) {
  std::vector<Index> rows(static_cast<std::size_t>(residuals.size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](Index i, Index j) { return residuals[i] < residuals[j]; });
  rows.resize(static_cast<std::size_t>(std::floor((1 - share) * static_cast<double>(rows.size()))));
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

std::optional<LayeredModel> fitted_without_worst(const LayeredModel& model, const MemorySource<double>& samples, double exact,
                                                 const Control& control) {
  constexpr double hopeless = 1e-8;
  for (const double share : {0.004, 0.02}) {
    LayeredModel fitted = model;
    for (int again = 0; again < 2; ++again) {
      const auto rows = without_worst(largest_residuals(fitted, samples), share);
      Descent down = descend(std::move(fitted), batch_of(samples, rows), {.most_steps = 20, .slow = 5e-2, .goal = 1e-4 * exact}, control);
      fitted = std::move(down.model);
      if (down.cost < exact) return fitted;
      if (down.cost > hopeless) break;
    }
  }
  return std::nullopt;
}

std::vector<Vector> smaller_sides(const LayeredModel& model, const RowMatrix& x) {
  std::vector<Vector> sides;
  for (Index l = 0; l < model.depth(); ++l) sides.push_back(Vector::Zero(model.width(l)));
  constexpr Index block_rows = 1024;
  LayeredValues values;
  for (Index first = 0; first < x.rows(); first += block_rows) {
    evaluate(model, x.middleRows(first, std::min(block_rows, x.rows() - first)), values);
    for (std::size_t l = 0; l < sides.size(); ++l)
      if (sides[l].size() > 0) sides[l] += (values.slope[l].array() > 0).cast<double>().matrix().colwise().sum().transpose();
  }
  for (Vector& side : sides) {
    side /= static_cast<double>(std::max<Index>(x.rows(), 1));
    side = side.cwiseMin(Vector::Ones(side.size()) - side);
  }
  return sides;
}

LayeredModel with_linear_unit(const LayeredModel& model, const RowMatrix& x, Index unit) {
  const Index last = model.depth() - 1, seen = model.seen_count(last);
  const auto row = model.theta.back().row(unit);
  const Vector u = features_of(model, x).middleCols(model.seen_begin(last), seen) * row.transpose();
  const double sign = 2 * (u.array() > 0).count() > u.size() ? 1 : -1;
  LayeredModel changed = model;
  changed.output.leftCols(seen) += sign * Vector(model.output.col(seen + unit)) * row;
  return without_unit(changed, last, unit);
}

namespace {

/// The few samples that see a rare unit leave its row free in the null space of their features: used to keep the unit off (below
/// -margin) on the others, by Newton steps on the squared hinge.
Vector kept_off_elsewhere(const Vector& row, const RowMatrix& on, const RowMatrix& off, double margin) {
  const Index size = row.size();
  const SymmetricEigen eigen = symmetric_eigen(on.transpose() * on);
  const double largest = eigen.values[size - 1];
  Index free = 0;
  while (free < size && eigen.values[free] < 1e-18 * largest) ++free;
  if (free == 0) return row;
  const Matrix basis = eigen.vectors.leftCols(free);
  const RowMatrix moves = off * basis;
  const Vector at = off * row;
  Vector along = Vector::Zero(free);
  const double ridge = 1e-8 * moves.squaredNorm() / static_cast<double>(free);
  for (int step = 0; step < 15; ++step) {
    const Vector now = at + moves * along;
    std::vector<Index> active;
    for (Index i = 0; i < now.size(); ++i)
      if (now[i] > -margin) active.push_back(i);
    if (active.empty()) break;
    const RowMatrix some = moves(active, Eigen::all);
    Matrix gram = some.transpose() * some;
    gram.diagonal().array() += ridge;
    along = solve_semidefinite(std::move(gram), -some.transpose() * (at(active).array() + 1.5 * margin).matrix());
  }
  return row + basis * along;
}

struct Reseated {
  LayeredModel model;
  Index wrong = 0;
};

/// A model exact on most samples lacks a rare unit of the last layer: where it is on, the residual is affine in what that layer sees.
class RareUnit {
 public:
  RareUnit(const LayeredModel& model, const MemorySource<double>& samples, double tolerance)
      : model_(model), samples_(samples), tolerance_(tolerance) {
    const Index last = model.depth() - 1;
    seen_ = features_of(model, samples.x()).middleCols(model.seen_begin(last), model.seen_count(last));
    const RowMatrix residual = samples.y() - predict(model, samples.x());
    for (Index i = 0; i < residual.rows(); ++i) (residual.row(i).cwiseAbs().maxCoeff() > tolerance ? wrong_ : right_).push_back(i);
    if (wrong_.empty()) return;
    const Svd svd = thin_svd(Matrix(residual(wrong_, Eigen::all)), SingularVectors::right);
    direction_ = svd.right.col(0);
    along_ = residual * direction_;
  }

  Reseated best(RandomStream& random, int neighbourhoods) const {
    Reseated best{model_, std::ssize(wrong_)};
    if (wrong_.size() < 3) return best;
    for (int trial = 0; trial < neighbourhoods + 2 && best.wrong > 0; ++trial) {
      double sign = trial == 0 ? 1 : -1;
      std::vector<Index> rows;
      if (trial < 2) {
        rows = of_sign(sign);
      } else {
        const Index centre = wrong_[static_cast<std::size_t>(random.below(std::ssize(wrong_)))];
        sign = along_[centre] > 0 ? 1 : -1;
        rows = nearest(of_sign(sign), centre, 2 * seen_.cols());
      }
      if (rows.size() >= 3) try_rows(rows, sign, best);
    }
    return best;
  }

 private:
  std::vector<Index> of_sign(double sign) const {
    std::vector<Index> rows;
    for (const Index i : wrong_)
      if (sign * along_[i] > 0) rows.push_back(i);
    return rows;
  }
  std::vector<Index> nearest(std::vector<Index> rows, Index centre, Index count) const {
    const Vector distance = (samples_.x().rowwise() - samples_.x().row(centre)).rowwise().squaredNorm();
    std::stable_sort(rows.begin(), rows.end(), [&](Index i, Index j) { return distance[i] < distance[j]; });
    if (std::ssize(rows) > count) rows.resize(static_cast<std::size_t>(count));
    return rows;
  }
  void try_rows(const std::vector<Index>& rows, double sign, Reseated& best) const {
    const RowMatrix on = seen_(rows, Eigen::all);
    const Vector values = sign * along_(rows);
    Vector row = minimum_norm_solution(on, values);
    if (!row.allFinite()) return;
    row = kept_off_elsewhere(row, on, seen_(right_, Eigen::all), 0.2 * values.cwiseAbs().mean());
    LayeredModel more = model_;
    RowMatrix& layer = more.theta.back();
    layer.conservativeResize(layer.rows() + 1, Eigen::NoChange);
    layer.bottomRows(1) = row.transpose();
    more.output.conservativeResize(Eigen::NoChange, more.output.cols() + 1);
    more.output.rightCols(1) = sign / 2 * direction_;  // relu(u) = |u|/2 + u/2
    more.output.leftCols(row.size()) += sign / 2 * direction_ * row.transpose();
    const auto wrong = wrong_rows(more, samples_.x(), samples_.y(), tolerance_);
    const Index count = std::ssize(rows_where(wrong, true));
    if (count < best.wrong) best = {std::move(more), count};
  }

  const LayeredModel& model_;
  const MemorySource<double>& samples_;
  double tolerance_;
  RowMatrix seen_;
  std::vector<Index> wrong_, right_;
  Vector direction_, along_;
};

/// The model as it is, or with one of its rarest units of the last layer made linear: whichever a new rare unit serves best.
Reseated with_rare_unit_seated(const LayeredModel& model, const MemorySource<double>& samples, double tolerance, RandomStream& random) {
  constexpr double rare = 0.03;
  constexpr int neighbourhoods = 20;
  Reseated best = RareUnit(model, samples, tolerance).best(random, neighbourhoods);
  const Vector sides = smaller_sides(model, samples.x()).back();
  std::vector<Index> order(static_cast<std::size_t>(sides.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return sides[i] < sides[j]; });
  for (std::size_t k = 0; k < order.size() && k < 4 && sides[order[k]] < rare; ++k) {
    const LayeredModel fewer = with_linear_unit(model, samples.x(), order[k]);
    Reseated tried = RareUnit(fewer, samples, tolerance).best(random, neighbourhoods);
    if (tried.wrong < best.wrong) best = std::move(tried);
  }
  return best;
}

}  // namespace

Settled settle(LayeredModel model, const DeepData& data, const std::vector<Index>& some, int rounds, RandomStream& random,
               const Control& control) {
  Settled settled{std::move(model), {}, some};
  for (int round = 0;; ++round) {
    settled.wrong = wrong_rows(settled.model, data.x, data.y, data.wrong);
    const auto wrong = rows_where(settled.wrong, true);
    settled.used = some;
    settled.used.insert(settled.used.end(), wrong.begin(), wrong.begin() + std::min(std::ssize(wrong), std::ssize(some) / 2));
    std::sort(settled.used.begin(), settled.used.end());
    settled.used.erase(std::unique(settled.used.begin(), settled.used.end()), settled.used.end());
    constexpr double hopeless = 0.3;
    if (wrong.empty() || round + 1 == rounds || static_cast<double>(wrong.size()) > hopeless * static_cast<double>(data.samples())) break;
    control.check();
    const MemorySource<double> samples = data.at(settled.used);
    Descent down = descend(settled.model, samples, {.most_steps = 30, .goal = 1e-4 * data.exact}, control);
    if (down.cost > data.exact && round < 2) {
      const Index before = std::ssize(rows_where(wrong_rows(settled.model, samples.x(), samples.y(), data.wrong), true));
      Reseated seated = with_rare_unit_seated(settled.model, samples, data.wrong, random);
      if (seated.wrong < before) {
        Descent again = descend(std::move(seated.model), samples, {.most_steps = 30, .goal = 1e-4 * data.exact}, control);
        if (again.cost < down.cost) down = std::move(again);
      }
    }
    if (down.cost > data.exact) {
      auto fitted = fitted_without_worst(down.model, samples, data.exact, control);
      if (!fitted) break;
      down.model = std::move(*fitted);
    }
    settled.model = std::move(down.model);
  }
  return settled;
}

}  // namespace relucover
