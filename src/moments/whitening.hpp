#pragma once
// First and second moments of inputs and labels in one pass, and the change of variables that makes inputs standard.
#include <vector>

#include "reduce/reduce.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Mean and covariance of (x, y).
struct InputMoments {
  Index samples = 0;
  Vector mean;              // d
  Matrix covariance;        // d by d, divided by the number of samples
  Matrix cross_covariance;  // d by l
  Vector label_mean;        // l
  Matrix label_covariance;  // l by l
};
/// Of all samples; without a pass over them if the source is a MeasuredSource.
InputMoments input_moments(const SampleSource& source, const Control& control);
/// Of the samples [begin, end) alone.
InputMoments input_moments(const SampleSource& source, const Control& control, Index begin, Index end);

struct WhiteningOptions {
  /// A column depends on the others if var(column | the others kept) <= dependence_tolerance * var(column).
  double dependence_tolerance = 1e-11;
  /// A column is constant if its standard deviation <= constant_tolerance * |its mean|.
  double constant_tolerance = 1e-14;
};

/// x restricted to the columns `kept` is mean + factor z, with z of mean 0 and covariance I.
struct Whitening {
  Index inputs = 0;              // columns of x
  std::vector<Index> kept;       // in increasing order
  std::vector<Index> constant;   // never vary
  std::vector<Index> dependent;  // linear combinations of the columns kept
  Vector mean;                   // of the columns kept
  Matrix factor;                 // lower Cholesky factor of their covariance

  Index size() const { return static_cast<Index>(kept.size()); }
  /// Of the covariance of the columns kept.
  double condition() const;
  /// Rows x to rows z.
  Matrix whiten(const Eigen::Ref<const RowMatrix>& x) const;
  /// Rows (w, b) with w·z + b in whitened inputs to the rows (w', b') with the same values on x; zero where not kept.
  Matrix forms_to_inputs(const Matrix& forms) const;
  /// The other way: rows (w', b') on x to rows (w, b) on z. Only the columns kept and constants may be used.
  Matrix forms_to_whitened(const Matrix& forms, const Vector& all_means) const;
};
Whitening whitening_of(const InputMoments& moments, const WhiteningOptions& options = {});

/// Slopes of the affine fit of the labels: columns kept by outputs.
Matrix affine_slopes(const InputMoments& moments, const Whitening& whitening);

}  // namespace relucover
