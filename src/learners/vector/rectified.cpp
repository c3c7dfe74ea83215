#include "learners/vector/rectified.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/linear_algebra.hpp"
#include "samples/subsample.hpp"

namespace relucover {

RectifiedActivation rectified(Activation activation) {
  switch (activation) {
    case Activation::relu: return {[](double t) { return t; }, [](double h) { return h; }, [](double) { return 1.0; }, true};
    case Activation::relu2:
      return {[](double t) { return t * t; }, [](double h) { return std::sqrt(h); }, [](double h) { return 0.5 / std::sqrt(h); }, true};
    case Activation::relu3:
      return {[](double t) { return t * t * t; }, [](double h) { return std::cbrt(h); },
              [](double h) { return 1 / (3 * std::cbrt(h) * std::cbrt(h)); }, true};
    case Activation::expm1:
      return {[](double t) { return std::expm1(t); }, [](double h) { return std::log1p(h); }, [](double h) { return 1 / (1 + h); }, false};
    default:
      throw std::invalid_argument(fmt::format("{} is not a rectified activation; relu, relu2, relu3 and expm1 are", name_of(activation)));
  }
}

namespace {

struct ZeroConditions {
  Vector combination;  // q with q·y = 0 on the zeros
  double ratio = 1;
};

/// Zeros: the share of samples with the most negative drive.
ZeroConditions zero_conditions(const RowMatrix& y, const Vector& drive, double share) {
  std::vector<Index> order(static_cast<std::size_t>(drive.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto count = static_cast<std::ptrdiff_t>(share * static_cast<double>(drive.size()));
  std::nth_element(order.begin(), order.begin() + count, order.end(), [&](Index i, Index j) { return drive[i] < drive[j]; });
  order.resize(static_cast<std::size_t>(count));
  const Index k = y.cols();
  if (count < k) return {Vector::Zero(k), 1};
  const LeastSingular least = least_right_singular(y(order, Eigen::all));
  return {least.vector, least.ratio};
}

/// Active samples and the values f(w·x) c there, for an unknown scale c.
struct ActiveValues {
  Matrix x;
  Vector h;
};

Vector apply_to(const std::function<double(double)>& function, const Vector& values) {
  return values.unaryExpr([&](double v) { return function(v); });
}

/// w with c f(w·x) = h for the best c: a grid over c, then Gauss-Newton on (w, log c).
Vector weights_of_unknown_scale(const ActiveValues& active, const RectifiedActivation& f) {
  const Matrix q = orthonormal_basis(active.x);
  std::vector<double> sorted(active.h.begin(), active.h.end());
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double middle = sorted[sorted.size() / 2];
  double best_scale = middle, least = std::numeric_limits<double>::infinity();
  constexpr int grid = 60;
  for (int i = 0; i < grid; ++i) {
    const double scale = middle * std::pow(10.0, -3 + 6.0 * i / (grid - 1));
    const Vector t = apply_to(f.inverse, active.h / scale);
    const double misfit = (t - q * (q.transpose() * t)).norm() / t.norm();
    if (misfit < least) {
      least = misfit;
      best_scale = scale;
    }
  }
  double log_scale = std::log(best_scale);
  Vector w = least_squares(active.x, apply_to(f.inverse, active.h / best_scale));
  Matrix jacobian(active.x.rows(), active.x.cols() + 1);
  jacobian.leftCols(active.x.cols()) = active.x;
  for (int step = 0; step < 30; ++step) {
    const Vector h = active.h / std::exp(log_scale);
    const Vector residual = active.x * w - apply_to(f.inverse, h);
    jacobian.rightCols(1) = h.cwiseProduct(apply_to(f.inverse_slope, h));  // -d inverse(h e^{-log c}) / d log c
    const Vector change = least_squares(jacobian, -residual);
    w += change.head(w.size());
    log_scale += change[w.size()];
    if (change.cwiseAbs().maxCoeff() < 1e-15) break;
  }
  return w;
}

}  // namespace

RectifiedRecovery recover_rectified(const SampleSource& source, const Matrix& compress, const Matrix& directions,
                                    const RectifiedActivation& f, const Control& control, const RectifiedOptions& options) {
  RectifiedRecovery result;
  const Index all = std::min(options.samples, source.samples()), used = all - all / 10;
  const auto samples = gather(source, 0, all, control);
  const RowMatrix x = samples.x().topRows(used);
  RowMatrix y = samples.y().topRows(used) * compress;
  y /= std::sqrt(y.squaredNorm() / static_cast<double>(y.size()));
  const Index k = directions.rows();
  result.W = Matrix::Zero(k, x.cols());
  result.zero_ratios = Vector::Ones(k);
  for (Index i = 0; i < k; ++i) {
    Vector v = directions.row(i).normalized().transpose();
    for (Index round = 0; round < options.max_rounds; ++round) {
      control.check();
      ZeroConditions zeros = zero_conditions(y, x * v, options.zero_share);
      if (round == 0) {  // the sign whose zeros are zeros
        const ZeroConditions turned = zero_conditions(y, -x * v, options.zero_share);
        if (turned.ratio < zeros.ratio) zeros = turned;
      }
      result.zero_ratios[i] = zeros.ratio;
      Vector h = y * zeros.combination;
      if (h.sum() < 0) h = -h;
      const double floor = (zeros.ratio < 1e-10 ? 1e-8 : 0.02) * h.maxCoeff();
      std::vector<Index> active;
      for (Index s = 0; s < h.size(); ++s)
        if (h[s] > floor) active.push_back(s);
      if (static_cast<Index>(active.size()) <= x.cols()) {
        result.problem = fmt::format("unit {} is active on {} samples, too few for {} inputs", i, active.size(), x.cols());
        return result;
      }
      const ActiveValues values{x(active, Eigen::all), h(active)};
      const bool last = zeros.ratio < 1e-12 || round + 1 == options.max_rounds;
      const Vector w =
          f.homogeneous || !last ? Vector(least_squares(values.x, apply_to(f.inverse, values.h))) : weights_of_unknown_scale(values, f);
      if (!w.allFinite() || !(w.norm() > 0)) {
        result.problem = fmt::format("unit {} has no direction", i);
        return result;
      }
      v = w.normalized();
      result.W.row(i) = (f.homogeneous ? v : w).transpose();
      if (last) break;
    }
  }
  const auto hidden = [&](const RowMatrix& rows) {
    return Matrix((rows * result.W.transpose()).unaryExpr([&](double t) { return t > 0 ? f.value(t) : 0.0; }));
  };
  const RowMatrix labels = samples.y().topRows(used);
  result.A = least_squares(hidden(x), labels).transpose();
  const RowMatrix apart = samples.y().bottomRows(all - used);
  result.misfit = (hidden(samples.x().bottomRows(all - used)) * result.A.transpose() - apart).norm() / std::max(apart.norm(), 1e-300);
  if (!std::isfinite(result.misfit)) result.problem = "the activation's values overflow on these weights";
  return result;
}

}  // namespace relucover
