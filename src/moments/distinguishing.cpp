#include "moments/distinguishing.hpp"

#include <fmt/format.h>

#include "core/linear_algebra.hpp"
#include "moments/symmetric_packing.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct PairSums {
  using Scalar = double;
  Matrix W;
  Matrix columns;   // packed pairs of inputs by (pairs of units, then 1)
  Matrix opposite;  // counts
  double input_square = 0;
  Index rows = 0;

  explicit PairSums(const Matrix& given)
      : W(given), columns(Matrix::Zero(packed_size(W.cols()), W.rows() * (W.rows() - 1) / 2 + 1)),
        opposite(Matrix::Zero(W.rows(), W.rows())) {}
  void add(const Block<double>& block) {
    const RowMatrix drive = block.x * W.transpose();
    RowMatrix weights(block.rows(), columns.cols());
    Index at = 0;
    for (Index i = 0; i < W.rows(); ++i)
      for (Index j = i + 1; j < W.rows(); ++j) {
        weights.col(at) = drive.col(i).cwiseProduct(drive.col(j)).cwiseMin(0);
        opposite(i, j) += static_cast<double>((weights.col(at).array() < 0).count());
        ++at;
      }
    weights.col(at).setOnes();
    columns.noalias() += packed_squares(block.x).transpose() * weights;
    input_square += block.x.squaredNorm();
    rows += block.rows();
  }
  void fields(auto& visit) { visit(columns, opposite, input_square, rows); }
};

}  // namespace

Distinguishing distinguishing(const SampleSource& source, const Matrix& W, const Control& control) {
  PairSums sums = reduce(source, PairSums(W.rowwise().normalized()), control);
  const double n = static_cast<double>(std::max<Index>(sums.rows, 1));
  const double square = std::max(sums.input_square / (n * static_cast<double>(source.inputs())), 1e-300);  // of one input
  const Index pairs = sums.columns.cols() - 1;
  Matrix augmented = sums.columns / n;
  augmented.leftCols(pairs) /= square * square;
  augmented.col(pairs) /= square;
  Distinguishing result;
  result.opposite = (sums.opposite + sums.opposite.transpose()) / n;
  result.augmented_singular = singular_values(augmented);
  if (pairs > 0) result.singular = singular_values(augmented.leftCols(pairs));
  for (Index i = 0; i < W.rows(); ++i)
    for (Index j = i + 1; j < W.rows(); ++j) {
      const double share = result.opposite(i, j);
      if (share == 0) result.findings.push_back(fmt::format("units {} and {} always share a sign on these inputs", i + 1, j + 1));
      if (share == 1) result.findings.push_back(fmt::format("units {} and {} never share a sign on these inputs", i + 1, j + 1));
    }
  if (augmented.rows() < augmented.cols())
    result.findings.push_back(fmt::format("{} pairs of units are more than the {} products of {} inputs can tell apart", pairs,
                                          augmented.rows(), source.inputs()));
  if (pairs > 0 && result.least() < 1e-10 * result.singular[0])
    result.findings.push_back("the distinguishing matrix is rank-deficient: pure neurons can't be told from mixtures");
  else if (result.least_augmented() < 1e-10 * result.augmented_singular[0])
    result.findings.push_back("the augmented distinguishing matrix is rank-deficient: label noise can't be told from signal");
  return result;
}

}  // namespace relucover
