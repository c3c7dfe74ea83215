#include "verify/leftover/noise_shape.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

Eigen::RowVectorXd deviations_of(const Matrix& values) {
  const Eigen::RowVectorXd mean = values.colwise().mean();
  return ((values.rowwise() - mean).colwise().squaredNorm() / static_cast<double>(values.rows())).cwiseSqrt();
}

double quantile(std::vector<double> values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

Matrix decorrelating(const Matrix& residual) {
  const Vector deviation = deviations_of(residual).transpose().cwiseMax(1e-300);
  const Matrix scaled = (residual.rowwise() - residual.colwise().mean()) * deviation.cwiseInverse().asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled.transpose() * scaled / static_cast<double>(std::max<Index>(1, residual.rows() - 1)));
  const Vector values = eigen.values.cwiseMax(1e-12 * eigen.values.maxCoeff()).cwiseMax(1e-300);
  return deviation.cwiseInverse().asDiagonal() * eigen.vectors * values.cwiseSqrt().cwiseInverse().asDiagonal();
}

Matrix clipped(Matrix residual) {
  for (auto output : residual.colwise()) {
    double bound = 2 * robust_deviation(output);
    if (!(bound > 0)) bound = output.cwiseAbs().maxCoeff();
    output = output.cwiseMin(bound).cwiseMax(-bound).eval();
  }
  residual.rowwise() -= residual.colwise().mean().eval();
  return residual * decorrelating(residual);
}

double tail_weight(const Matrix& residual) {
  Vector weights(residual.cols());
  const Eigen::RowVectorXd deviation = deviations_of(residual);
  for (Index o = 0; o < residual.cols(); ++o) weights[o] = deviation[o] / std::max(robust_deviation(residual.col(o)), 1e-300);
  return median_of(weights);
}

namespace {

/// What the noise's level may follow: x (no further out than so many deviations), log |x|, log |f|.
Matrix level_features(const Judged& answer, double far) {
  constexpr double small = 0.1;
  const Index n = answer.rows();
  const Eigen::RowVectorXd mean = answer.x.colwise().mean(), spread = deviations_of(answer.x);
  std::vector<Index> varying;
  for (Index j = 0; j < spread.size(); ++j)
    if (spread[j] > 0) varying.push_back(j);
  Matrix x = (answer.x.rowwise() - mean)(Eigen::all, varying);
  x.array().rowwise() /= spread(varying).array();
  const Vector size = (answer.fit.colwise().squaredNorm() / static_cast<double>(n)).cwiseSqrt().transpose().cwiseMax(1e-300);
  Matrix features(n, 1 + 2 * x.cols() + answer.outputs());
  features << Vector::Ones(n), x.cwiseMin(far).cwiseMax(-far), (x.array().abs() + small).log().matrix(),
      ((answer.fit.cwiseAbs() * size.cwiseInverse().asDiagonal()).array() + small).log().matrix();
  return features;
}

/// Least squares on these rows, by products: what features that are the same have in common goes to both.
Vector weights_of_fit(const Matrix& features, const Vector& values, const std::vector<Index>& rows) {
  constexpr double rounding = 1e-10;
  const Matrix some = features(rows, Eigen::all);
  Matrix gram = Matrix::Zero(some.cols(), some.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(some.transpose());
  const Vector scale = gram.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * gram * scale.asDiagonal());
  const double least = rounding * eigen.values[eigen.values.size() - 1];
  const Vector inverse = (eigen.values.array() > least).select(eigen.values.array().inverse(), 0.0);
  const Vector along = scale.cwiseProduct(some.transpose() * values(rows));
  return scale.cwiseProduct(eigen.vectors * inverse.cwiseProduct(eigen.vectors.transpose() * along));
}

/// Fitted logarithms, without the largest and smallest of what they leave; followed as far as chance alone would not fit as much.
/// `further`: the same features, further out than fitted.
Vector log_level_of(const Matrix& features, const Matrix& further, const Vector& logs, const std::vector<Index>& some) {
  constexpr int rounds = 3;
  std::vector<Index> used = some;
  Vector weights;
  for (int round = 0; round < rounds; ++round) {
    weights = weights_of_fit(features, logs, used);
    const Vector off = logs - features * weights;
    std::vector<double> values;
    for (const Index i : some) values.push_back(off[i]);
    const double high = quantile(values, 0.95), low = quantile(values, 0.03);
    used.clear();
    for (const Index i : some)
      if (off[i] < high && off[i] > low) used.push_back(i);
    if (static_cast<Index>(used.size()) < 2 * features.cols()) break;
  }
  // Where one column is far out, its noise may have stayed or have grown on.
  const Vector fitted = (features * weights).cwiseMax(further * weights);
  const Vector seen = fitted(some);
  const double explained = (seen.array() - seen.mean()).square().sum();
  const double left = (logs(some) - seen).squaredNorm() / static_cast<double>(some.size());
  constexpr double cautious = 2;
  const double by_chance = cautious * static_cast<double>(features.cols() - 1) * left;
  constexpr double clear = 3;  // so far beyond chance a level is followed wholly: what is shrunk then looks like rows that share a place
  const double share = std::clamp((explained / std::max(by_chance, 1e-300) - 1) / (clear - 1), 0.0, 1.0);
  return share * (fitted.array() - median_of(seen));
}

}  // namespace

Matrix local_noise(const Judged& answer, const Vector& leverage) {
  constexpr double highest = 1.5, lowest = -3;  // log of the level over its median
  constexpr double log_spread = 1.11;           // of |noise|, if normal
  constexpr double doubt = 2;                   // standard errors of the level
  constexpr double follows = 0.95;              // a fit that follows a row so far says nothing about its noise
  constexpr Index fewest = 10;
  const Index n = answer.rows();
  constexpr double most_rows = 3, far_ones = 6;  // deviations of a column
  const Matrix features = level_features(answer, most_rows), further = level_features(answer, far_ones);
  // Far out, where few rows tell the level, it may be larger than it looks.
  const Vector error = log_spread * leverage_of(spanning_basis(features)).cwiseSqrt();
  const Vector uncertain = (doubt * (error.array() - median_of(error))).cwiseMax(0);
  const Vector unfollowed = (1 - leverage.array().min(follows)).sqrt().inverse();
  Matrix level(n, answer.outputs());
  for (Index o = 0; o < answer.outputs(); ++o) {
    const Vector r = answer.residual.col(o).cwiseAbs().cwiseProduct(unfollowed);
    std::vector<Index> some;
    for (Index i = 0; i < n; ++i)
      if (r[i] > 4 * answer.rounding(i, o)) some.push_back(i);
    if (static_cast<Index>(some.size()) < fewest) {
      level.col(o).setConstant(median_of(r));
      continue;
    }
    Vector log_level = Vector::Zero(n);
    if (static_cast<Index>(some.size()) >= fewest * features.cols()) {
      log_level = log_level_of(features, further, r.cwiseMax(1e-300).array().log(), some);
      if (!log_level.isZero(0)) log_level = log_level.cwiseMin(highest).cwiseMax(lowest) + uncertain;
    }
    const Vector relative = r(some).array() / log_level(some).array().exp();
    level.col(o) = 1.4826 * median_of(relative) * log_level.array().exp();
  }
  return level;
}

namespace {

/// Least squares with a weight for each entry, output by output, on features of unit size.
Matrix weighted_fit(const Matrix& features, const Matrix& y, const Matrix& weights) {
  const Vector size = features.colwise().norm().transpose().cwiseMax(1e-300);
  const Matrix scaled = features * size.cwiseInverse().asDiagonal();
  Matrix coefficients(features.cols(), y.cols());
  for (Index o = 0; o < y.cols(); ++o) {
    const Matrix weighted = weights.col(o).asDiagonal() * scaled;
    Matrix gram = scaled.transpose() * weighted;
    gram.diagonal().array() += 1e-13;
    coefficients.col(o) = solve_semidefinite(gram, weighted.transpose() * y.col(o));
  }
  return size.cwiseInverse().asDiagonal() * coefficients;
}

Matrix cauchy_weights(const Matrix& residual) {
  Matrix weights(residual.rows(), residual.cols());
  for (Index o = 0; o < residual.cols(); ++o) {
    const double scale = std::max(2 * median_of(residual.col(o).cwiseAbs()), 1e-300);
    weights.col(o) = (1 + (residual.col(o) / scale).array().square()).inverse();
  }
  return weights;
}

double typical_size(const Matrix& residual) {
  double sum = 0;
  for (const auto& output : residual.colwise()) sum += median_of(output.cwiseAbs());
  return sum / static_cast<double>(std::max<Index>(1, residual.cols()));
}

}  // namespace

RobustRefit robust_refit(const Matrix& z, const Matrix& y, Matrix forms, const Rectifier& unit) {
  constexpr int steps = 15;
  const bool affine = unit.is_relu();
  const Index width = forms.cols(), units = forms.rows(), first_block = affine ? width : units;
  Matrix z1 = z;
  if (affine) {
    z1.conservativeResize(Eigen::NoChange, width);
    z1.col(width - 1).setOnes();
  }
  Matrix weights = Matrix::Ones(y.rows(), y.cols()), outputs, residual;
  const auto fit_outputs = [&] {
    Matrix features(z.rows(), units + (affine ? width : 0));
    features.leftCols(units) = unit.values(z1 * forms.transpose());
    if (affine) features.rightCols(width) = z1;
    outputs = weighted_fit(features, y, weights);
    residual = y - features * outputs;
  };
  fit_outputs();
  for (int round = 0; round < 3; ++round) {
    weights = cauchy_weights(residual);
    fit_outputs();
  }
  RobustRefit best{forms, residual};
  double least = typical_size(residual);
  for (int step = 0; step < steps; ++step) {
    const Matrix tangent = affine ? tangent_of(z, z1 * forms.transpose()) : tangent_of(z, z1 * forms.transpose(), unit);
    const Matrix change = weighted_fit(tangent, residual, weights);
    for (Index i = 0; i < units; ++i) {
      const Eigen::RowVectorXd output = outputs.row(i);
      forms.row(i) +=
          (change.middleRows(first_block + i * width, width) * output.transpose()).transpose() / std::max(output.squaredNorm(), 1e-300);
    }
    for (int round = 0; round < 2; ++round) {
      fit_outputs();
      weights = cauchy_weights(residual);
    }
    const double size = typical_size(residual);
    if (!(size < least)) break;
    const bool settled = size > 0.999 * least;
    best = {forms, residual};
    least = size;
    if (settled) break;
  }
  return best;
}

}  // namespace relucover
