#pragma once
// The lowest hidden layer of a model that can be asked: the hyperplanes on which it bends wherever one looks.
#include <functional>

#include "core/random.hpp"
#include "relucover/progress.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Answers (of a spread of about 1) to rows of whitened inputs, which become what was really asked (queries are rounded).
using AskAt = std::function<RowMatrix(RowMatrix& rows)>;

struct BentPlanesOptions {
  /// Rows (whitened) of the domain: segments between them are looked at, and nothing beyond.
  const RowMatrix& domain;
  Index most_queries = 0;
  /// Units that the lowest layer is said to have; 0: nobody knows.
  Index wanted = 0;
};

struct BentPlanes {
  RowMatrix forms;  // rows (w, b) with |w| = 1: w·z + b = 0
  Index queries = 0;
};

/// Points of the plane w·z + b = 0: where segments between rows of the domain cross it, or (if none does) below rows.
RowMatrix points_on_plane(const Eigen::RowVectorXd& plane, const RowMatrix& domain, Index count, RandomStream& random);

/// Along segments, bends that stand alone; on both sides of each the gradient, whose jump is normal to the plane of the bend; and all over
/// that plane whether the model bends there too. A unit of the lowest layer bends on all of its plane (where the layers above let it
/// through), a unit of a higher one only where the units below are on and off as they were. Nothing is found where answers are noisy, or
/// the model is smooth.
BentPlanes bent_planes(const AskAt& ask, const BentPlanesOptions& options, RandomStream& random, const Control& control);

}  // namespace relucover
