#pragma once
// One orthogonal basis in which several symmetric matrices are as diagonal as can be (Jacobi rotations).
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

struct JointDiagonalisationOptions {
  Index max_sweeps = 100;
  /// Stops after a sweep in which no rotation was larger than this angle.
  double angle_tolerance = 1e-14;
};

struct JointDiagonalisation {
  Matrix vectors;           // n by n, orthogonal, columns are the common eigenvectors
  Matrix diagonals;         // one row per matrix: the diagonal of vectorsᵀ M vectors
  double off_diagonal = 0;  // Σ off-diagonal² / Σ all², after
  Index sweeps = 0;
  bool converged = false;
};
JointDiagonalisation jointly_diagonalise(std::vector<Matrix> matrices, const Control& control,
                                         const JointDiagonalisationOptions& options = {});

}  // namespace relucover
