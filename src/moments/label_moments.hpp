#pragma once
// Hermite moments T_k = E[g(y) He_k(z)], k = 0..4, of a function g of the label, for z = Bᵀx with orthonormal columns B.
// Made for labels that are zero on most samples: those cost nothing. The moments are also the coefficients of the best
// polynomial of degree 4 in z, which as a control variate removes most of their own sampling noise (refined_moments).
#include <functional>
#include <vector>

#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

struct LabelMoments {
  double t0 = 0;
  Vector t1;
  Matrix t2;
  /// T_3 as slices: t3[c](a, b) = T_3(a, b, c).
  std::vector<Matrix> t3;
  /// T_4 as a matrix on packed pairs a <= b (see pair_index): t4(ab, cd) = T_4(a, b, c, d).
  Matrix t4;
  /// E[g²], for noise levels.
  double mean_square = 0;
  Index samples = 0;

  Index size() const { return t1.size(); }
  /// Matrices T_4(., ., c, d) for c <= d, those with c < d times √2: their squares sum to those of all slices.
  std::vector<Matrix> t4_slices() const;
  /// T_4 as a q² by q² matrix.
  Matrix t4_square() const;
};

/// Place of the pair a <= b among the packed pairs of q coordinates.
inline Index pair_index(Index a, Index b) { return b * (b + 1) / 2 + a; }

/// A function of the label.
using LabelFunction = std::function<double(double)>;

/// The samples to use; end -1: all.
struct SampleRange {
  Index begin = 0, end = -1;
};

/// Moments up to `order` (2, 3 or 4) of label(y) on z = basisᵀ x.
LabelMoments label_moments(const SampleSource& source, const LabelFunction& label, const Matrix& basis, int order, const Control& control,
                           const SampleRange& range = {});

/// Σ_k <T_k, He_k(basisᵀ x)> / k!, k <= 4: the projection of the label on polynomials of degree 4.
struct HermiteExpansion {
  Matrix basis;  // orthonormal columns
  LabelMoments moments;
};

/// Moments on another basis with the expansion's part known and only the rest measured:
/// T_k = (T_k of the expansion) + E[(g - expansion) He_k]. Same expectation, the variance of the rest alone.
LabelMoments refined_moments(const SampleSource& source, const LabelFunction& label, const HermiteExpansion& expansion, const Matrix& basis,
                             int order, const Control& control, const SampleRange& range = {});

}  // namespace relucover
