#pragma once
// Polynomials of a few variables on blocks of samples: features, least-squares fits (control variates), moments.
#include <vector>

#include "moments/packed.hpp"
#include "reduce/reduce.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Features of each order 0..max_order of the rows of z: one column per sorted tuple (packed order).
std::vector<Matrix> monomial_features(const Matrix& z, Index max_order);
/// The same with Π He_{c_i}(z_i), c the counts of the tuple: orthogonal for standard normal z.
std::vector<Matrix> hermite_features(const Matrix& z, Index max_order);
/// Number of features of order 0..max_order together.
Index feature_count(Index dimension, Index max_order);

/// z = rows x + offset and the scalar label combination·y: what moments are taken of.
struct View {
  Matrix rows;         // q by d
  Vector offset;       // q
  Vector combination;  // l
  Matrix variables(const Block<double>& block) const;
  Vector labels(const Block<double>& block) const;
};

/// A polynomial in Hermite features of order 0..degree; degree -1 is zero.
struct Polynomial {
  Index dimension = 0, degree = -1;
  Vector coefficients;
  Vector evaluate(const std::vector<Matrix>& features) const;
};

/// Least-squares fits of the label by all polynomials up to each degree 0..max_degree, from one pass over the samples.
std::vector<Polynomial> fit_polynomials(const SampleSource& source, const View& view, Index max_degree, const Control& control);

/// |He_k(z)|² of the whole tensor, for each row of z.
Vector hermite_tensor_squared_norms(const Matrix& z, Index order);

/// Raw moments (1/N) Σ r z^{⊗k} of the residual r = label - polynomial.
struct ResidualMoments {
  std::vector<SymmetricTensor> raw;  // orders k, k-2, ...
  double spread = 0;                 // mean of r² |He_k(z)|²: N times the variance of the estimate of T_k
};
/// For each item the moments of the residual of its polynomial, of its order and all lower orders of the same parity.
struct MomentRequest {
  Index order;
  Polynomial removed;
};
std::vector<ResidualMoments> residual_moments(const SampleSource& source, const View& view, const std::vector<MomentRequest>& requests,
                                              const Control& control);

/// (1/N) Σ r He_k(z) from raw moments of orders k, k-2, ...: He_k is z^{⊗k} less lower orders, coordinate by coordinate.
SymmetricTensor hermite_from_raw(const std::vector<SymmetricTensor>& raw);

}  // namespace relucover
