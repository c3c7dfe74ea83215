#include "learners/vector/sign_recovery.hpp"

#include <cmath>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "samples/subsample.hpp"

namespace relucover {

namespace {

/// Gram matrix of relu(v_j x), relu(-v_j x) and products with the labels.
struct BothSidesGram {
  using Scalar = double;
  const Matrix* directions;
  Matrix gram, cross;
  double labels = 0;
  BothSidesGram(const Matrix& given, Index outputs)
      : directions(&given), gram(Matrix::Zero(2 * given.rows(), 2 * given.rows())), cross(Matrix::Zero(2 * given.rows(), outputs)) {}
  void add(const Block<double>& block) {
    const Index k = directions->rows();
    const RowMatrix drive = block.x * directions->transpose();
    RowMatrix both(block.rows(), 2 * k);
    both.leftCols(k) = drive.cwiseMax(0);
    both.rightCols(k) = (-drive).cwiseMax(0);
    gram.noalias() += both.transpose() * both;
    cross.noalias() += both.transpose() * block.y;
    labels += block.y.squaredNorm();
  }
  void fields(auto& visit) { visit(gram, cross, labels); }
};

/// ‖projection of the labels on the span of the chosen columns‖².
double explained(const BothSidesGram& sums, const std::vector<Index>& columns) {
  const Matrix gram = sums.gram(columns, columns), cross = sums.cross(columns, Eigen::all);
  return minimum_norm_solution(gram, cross).cwiseProduct(cross).sum();
}

/// Unit w with w·x = values on the rows chosen, in least squares, turned so that the values are positive in sum.
Vector direction_on(const RowMatrix& x, const Vector& values, const std::vector<Index>& rows) {
  if (static_cast<Index>(rows.size()) < x.cols()) return Vector::Zero(x.cols());
  const Matrix chosen = x(rows, Eigen::all);
  const Vector right = values(rows);
  const Vector w = least_squares(chosen, right) * (right.sum() < 0 ? -1.0 : 1.0);
  return w.norm() > 0 ? Vector(w.normalized()) : w;
}

std::vector<Index> rows_above(const Vector& values, double above) {
  std::vector<Index> rows;
  for (Index i = 0; i < values.size(); ++i)
    if (values[i] > above) rows.push_back(i);
  return rows;
}

}  // namespace

ProjectedSigns signs_by_projection(const SampleSource& source, const Matrix& directions, const Control& control) {
  const BothSidesGram sums = reduce(source, BothSidesGram(directions, source.outputs()), control);
  const Index k = directions.rows();
  ProjectedSigns result{Vector::Ones(k), Vector::Zero(k)};
  for (Index i = 0; i < k; ++i) {
    std::vector<Index> columns;
    for (Index j = 0; j < k; ++j)
      if (j != i) columns.insert(columns.end(), {j, k + j});
    columns.push_back(i);
    const double kept = explained(sums, columns);
    columns.back() = k + i;
    const double turned = explained(sums, columns);
    result.signs[i] = kept >= turned ? 1 : -1;  // BJW Algorithm 6, step 4
    result.margins[i] = std::abs(kept - turned) / std::max(sums.labels, 1e-300);
  }
  return result;
}

DeadBandRecovery recover_with_dead_band(const SampleSource& source, const Matrix& compress, const Matrix& directions,
                                        const Control& control, const DeadBandOptions& options) {
  const auto samples = gather(source, 0, std::min(options.samples, source.samples()), control);
  const RowMatrix y = samples.y() * compress;
  const double scale = std::sqrt(samples.x().squaredNorm() / static_cast<double>(samples.x().size()));
  const double band = options.band_factor * options.error * scale;
  DeadBandRecovery result{Matrix::Zero(directions.rows(), directions.cols()), Vector::Ones(directions.rows())};
  for (Index i = 0; i < directions.rows(); ++i) {
    control.check();
    const Vector drive = samples.x() * directions.row(i).normalized().transpose();
    for (const double side : {1.0, -1.0}) {
      const std::vector<Index> off = rows_above(-side * drive, band);
      const auto [q, ratio] = least_right_singular(Matrix(y(off, Eigen::all)));
      if (ratio >= result.ratios[i]) continue;
      result.ratios[i] = ratio;
      result.W.row(i) = direction_on(samples.x(), y * q, rows_above(side * drive, band)).transpose();
    }
  }
  return result;
}

Matrix recover_one_sided(const SampleSource& source, const Matrix& compress, const Matrix& directions, double tau, double tolerance,
                         const Control& control) {
  const auto samples = gather(source, 0, source.samples(), control);
  const RowMatrix y = samples.y() * compress;
  const double scale = std::sqrt(y.squaredNorm() / static_cast<double>(y.size()));
  Matrix W = Matrix::Zero(directions.rows(), directions.cols());
  for (Index i = 0; i < directions.rows(); ++i) {
    control.check();
    const Vector drive = samples.x() * directions.row(i).transpose();
    int feasible = 0;
    for (const double side : {1.0, -1.0}) {
      std::vector<Index> zero;
      for (Index s = 0; s < drive.size(); ++s)
        if (side * drive[s] <= tau) zero.push_back(s);
      const Matrix rows = y(zero, Eigen::all);
      for (Index r = 0; r < rows.cols(); ++r) {  // step 3: w_r = 1
        Matrix others(rows.rows(), rows.cols() - 1);
        others << rows.leftCols(r), rows.rightCols(rows.cols() - 1 - r);
        const Vector c = least_squares(others, -rows.col(r));
        Vector q(rows.cols());
        q << c.head(r), 1, c.tail(c.size() - r);
        if ((rows * q).norm() > tolerance * q.norm() * scale * std::sqrt(static_cast<double>(zero.size()))) continue;
        ++feasible;
        W.row(i) = direction_on(samples.x(), y * q, rows_above(side * drive, tau)).transpose();
        break;
      }
    }
    if (feasible != 1) W.row(i).setZero();  // step 4: FAIL
  }
  return W;
}

}  // namespace relucover
