#include "learners/threshold/certificate.hpp"

#include <algorithm>
#include <cmath>

#include "learners/threshold/product_fit.hpp"
#include "reduce/reduce.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

RowMatrix arguments_of(const Block<double>& block, const Matrix& W, const Vector& t) {
  RowMatrix arguments = block.x * W.transpose();
  arguments.rowwise() -= t.transpose();
  return arguments;
}

struct ActivityReduction {
  using Scalar = double;
  const LabelView* view;
  const Matrix* W;
  const Vector* t;
  double distance;
  ActivityCheck check;

  void add(const Block<double>& block) {
    const RowMatrix arguments = arguments_of(block, *W, *t);
    for (Index i = 0; i < block.rows(); ++i) {
      const double highest = arguments.row(i).maxCoeff();
      const bool active = (*view)(block.y(i, 0)) != 0, wrong = active != (highest > 0);
      ++check.samples;
      check.wrong += wrong;
      if (arguments.row(i).cwiseAbs().minCoeff() < distance) continue;
      if (highest > 0) {
        ++check.far_active;
        check.far_active_wrong += wrong;
      } else {
        ++check.far_rest;
        check.far_rest_wrong += wrong;
        if (wrong) check.wrong_rest_sum += block.x.row(i).transpose();
      }
    }
  }
  void fields(auto& visit) { visit(check); }
};

struct CellReduction {
  using Scalar = double;
  const LabelView* view;
  const Matrix* W;
  const Vector* t;
  const Matrix* curve;
  double rounding;   // of labels
  double uncertain;  // closer to a boundary the side is not certain
  CellCheck check;

  void add(const Block<double>& block) {
    const RowMatrix arguments = arguments_of(block, *W, *t);
    for (Index i = 0; i < block.rows(); ++i) {
      if (arguments.row(i).cwiseAbs().minCoeff() < uncertain) continue;
      const auto active = (arguments.row(i).array() > 0).count();
      const double value = (*view)(block.y(i, 0));
      if (active == 0) {
        ++check.rest_samples;
        check.rest_wrong += value != 0;
      } else if (active == 1) {
        Index unit = 0;
        const double s = arguments.row(i).maxCoeff(&unit);
        double predicted = 0;
        for (Index k = curve->cols() - 1; k >= 0; --k) predicted = predicted * s + (*curve)(unit, k);
        ++check.samples[static_cast<std::size_t>(unit)];
        const double off = std::max(0.0, std::abs(value - predicted) - 3 * rounding);  // of label, rest and curve
        check.largest[unit] = std::max(check.largest[unit], off / std::max(1.0, std::abs(value)));
      }
    }
  }
  void merge(const CellReduction& other) {
    for (std::size_t i = 0; i < check.samples.size(); ++i) check.samples[i] += other.check.samples[i];
    check.largest = check.largest.cwiseMax(other.check.largest);
    check.rest_samples += other.check.rest_samples;
    check.rest_wrong += other.check.rest_wrong;
  }
};

struct UpperReduction {
  using Scalar = double;
  const ThresholdModel* model;
  const Products* unseen;
  UpperCheck check;
  double total = 0, square = 0;

  bool covers(const RowMatrix& values, Index row) const {
    return std::none_of(unseen->begin(), unseen->end(), [&](const auto& product) {
      return std::all_of(product.begin(), product.end(), [&](const auto& factor) { return values(row, factor.first) != 0; });
    });
  }
  void add(const Block<double>& block) {
    const RowMatrix values = model->first_layer(block.x);
    const Vector predicted = model->evaluate(block.x);
    for (Index i = 0; i < block.rows(); ++i) {
      const double y = block.y(i, 0);
      ++check.samples;
      total += y;
      square += y * y;
      if (!covers(values, i)) continue;
      ++check.covered;
      check.error += (y - predicted[i]) * (y - predicted[i]);
    }
  }
  void fields(auto& visit) { visit(check.samples, check.covered, check.error, total, square); }
};

struct RestReduction {
  using Scalar = double;
  const LabelView* view;
  const Matrix* W;
  const Vector* t;
  double distance, cut;
  double square = 0, count = 0;
  void add(const Block<double>& block) {
    const RowMatrix arguments = arguments_of(block, *W, *t);
    for (Index i = 0; i < block.rows(); ++i) {
      const double value = (*view)(block.y(i, 0));
      if (arguments.row(i).maxCoeff() > -distance || std::abs(value) > cut) continue;
      square += value * value;
      count += 1;
    }
  }
  void fields(auto& visit) { visit(square, count); }
};

struct ErrorReduction {
  using Scalar = double;
  const ThresholdModel* model;
  double error = 0, total = 0, square = 0, count = 0;
  void add(const Block<double>& block) {
    error += (model->evaluate(block.x) - block.y.col(0)).squaredNorm();
    total += block.y.col(0).sum();
    square += block.y.col(0).squaredNorm();
    count += static_cast<double>(block.rows());
  }
  void fields(auto& visit) { visit(error, total, square, count); }
};

double share(Index part, Index whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

}  // namespace

double ActivityCheck::error() const { return share(wrong, samples); }
double ActivityCheck::flips() const { return share(far_rest_wrong + far_active_wrong, far_rest + far_active); }

bool ActivityCheck::nothing_missing() const {
  if (far_rest == 0 || far_active == 0) return false;
  const double pooled = flips();
  const double deviation = std::sqrt(pooled * (1 - pooled) * (1 / static_cast<double>(far_rest) + 1 / static_cast<double>(far_active)));
  const double difference = share(far_rest_wrong, far_rest) - share(far_active_wrong, far_active);
  if (std::abs(difference) > 4 * deviation) return false;
  // The mean of k flipped inputs is N(0, I/k); cutting the active region off shortens it a little more.
  const double k = static_cast<double>(far_rest_wrong), n = static_cast<double>(wrong_rest_sum.size());
  return k == 0 || wrong_rest_sum.squaredNorm() / k <= n + 5 * std::sqrt(2 * n) + 0.05 * k;
}

ActivityCheck check_activity(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, double distance,
                             Index begin, Index end, const Control& control) {
  ActivityReduction empty{&view, &W, &t, distance, {}};
  empty.check.wrong_rest_sum = Vector::Zero(W.cols());
  return reduce(source, empty, control, begin, end).check;
}

CellCheck check_cells(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, const Matrix& curve,
                      double rounding, Index begin, Index end, const Control& control) {
  // A boundary that labels of this rounding place wrongly by s moves f by about slope * s.
  const double slope = std::max(curve.col(1).cwiseAbs().minCoeff(), 1e-3);
  CellReduction empty{&view, &W, &t, &curve, rounding, std::max(1e-9, 4 * rounding / slope), {}};
  empty.check.samples.assign(static_cast<std::size_t>(W.rows()), 0);
  empty.check.largest = Vector::Zero(W.rows());
  return reduce(source, empty, control, begin, end).check;
}

UpperCheck check_upper(const SampleSource& source, const ThresholdModel& model, const Products& unseen, Index begin, Index end,
                       const Control& control) {
  const UpperReduction sums = reduce(source, UpperReduction{&model, &unseen, {}}, control, begin, end);
  UpperCheck check = sums.check;
  const double n = static_cast<double>(std::max<Index>(check.samples, 1));
  check.error = std::sqrt(check.error / static_cast<double>(std::max<Index>(check.covered, 1)));
  check.spread = std::sqrt(std::max(0.0, sums.square / n - std::pow(sums.total / n, 2)));
  return check;
}

double noise_at_rest(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, double distance, double cut,
                     Index begin, Index end, const Control& control) {
  const RestReduction sums = reduce(source, RestReduction{&view, &W, &t, distance, cut}, control, begin, end);
  return std::sqrt(sums.square / std::max(sums.count, 1.0));
}

double largest_angle(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i)
    largest = std::max(largest, 2 * std::asin(std::min(1.0, (a.row(i).normalized() - b.row(i).normalized()).norm() / 2)));
  return largest;
}

double relative_error(const SampleSource& source, const ThresholdModel& model, Index begin, Index end, const Control& control) {
  const auto sums = reduce(source, ErrorReduction{.model = &model}, control, begin, end);
  const double variance = sums.square / sums.count - std::pow(sums.total / sums.count, 2);
  return std::sqrt(sums.error / sums.count / std::max(variance, 1e-300));
}

}  // namespace relucover
