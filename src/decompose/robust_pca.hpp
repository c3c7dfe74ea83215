#pragma once
// A matrix of low rank plus a sparse one with entries of any size: M = L + S.
#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct RobustPcaOptions {
  /// λ = sparsity_weight / √max(rows, columns) in min ‖L‖_* + λ ‖S‖_1.
  double sparsity_weight = 1.5;
  Index max_iterations = 200;
  /// Growth of the penalty per step of the inexact augmented Lagrange method.
  double growth = 1.2;
  /// Stop when ‖M - L - S‖ <= tolerance ‖M‖.
  double tolerance = 1e-7;
};
struct RobustPca {
  Matrix low_rank;
  Index rank = 0;
  Index iterations = 0;
  bool converged = false;
};
RobustPca robust_pca(const Matrix& given, const Control& control, const RobustPcaOptions& options = {});

/// L = left right of given rank that agrees with the given entries on as many as possible: alternating least squares over the
/// entries whose residual is at most 6 max(row median, column median), down to rounding.
struct MaskedFactors {
  Matrix left;                                                 // rows by rank, orthonormal columns
  Matrix right;                                                // rank by columns
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> agrees;  // entries that L explains to rounding
};
MaskedFactors masked_factors(const Matrix& given, const Matrix& start, Index rank, const Control& control);

}  // namespace relucover
