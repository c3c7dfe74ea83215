#pragma once
// The sums over samples that the solver needs, as reductions. `model` must outlive them.
//
// At a model, with t = x~ theta^T, sigma = sign(t), h = |t|, the fit is linear in the parameters as long as sigma stays:
//   d fit = (sigma ∘ x~ dtheta^T) output^T + h doutput^T + x~ daffine^T
#include "relucover/samples.hpp"
#include "solve/sign_free.hpp"
#include "solve/sign_pattern.hpp"

namespace relucover {

/// How residuals count. Least squares, or (robust_scale c > 0) c² log(1 + |r|²/c²), which forgives outliers.
struct Loss {
  double robust_scale = 0;
  /// False: x~ = (x, 0), a network without biases and offset.
  bool bias = true;
};

/// One block seen through a model: what every sum below starts from.
struct SeenBlock {
  RowMatrix x;     // x~ times the root of the weight
  RowMatrix t, h;  // theta x~, |theta x~| (weighted alike)
  RowMatrix residual;
  double cost = 0;
  void look(const Block<double>& block, const SignFreeModel& model, const Loss& loss);
  RowMatrix signs() const;
  /// Takes out samples that lie on some unit's kink up to rounding: which side they are on is not known.
  void drop_kinks(const SignFreeModel& model);
};

/// What the loss makes of the residuals.
struct ResidualSum {
  using Scalar = double;
  const SignFreeModel* model;
  Loss loss;
  double cost = 0;
  Index samples = 0;
  void add(const Block<double>& block);
  void fields(auto& visit) { visit(cost, samples); }
};

/// Cost and J^T r.
struct GradientSum {
  using Scalar = double;
  const SignFreeModel* model;
  Loss loss;
  double cost = 0;
  Index samples = 0;
  SignFreeModel gradient;
  SignPattern* pattern = nullptr;  // filled, if given
  Matrix sign_products;            // Σ (sigma, 1) (sigma, 1)^T; empty: not wanted
  GradientSum(const SignFreeModel& at, const Loss& loss);
  void add(const Block<double>& block);
  void fields(auto& visit) { visit(cost, samples, gradient, sign_products); }
};

/// Precision of the products that make up J^T J. Costs and gradients are always in double precision, so a search may
/// take its curvature in single precision: steps get a little shorter, answers no less precise.
enum class GramPrecision { float64, float32 };

/// J^T J times a direction, without forming it, for any loss.
struct CurvatureSum {
  using Scalar = double;
  const SignFreeModel* model;
  const SignFreeModel* direction;
  Loss loss;
  SignFreeModel product;
  bool without_kinks = false;  // leave out samples that lie on a unit's kink
  CurvatureSum(const SignFreeModel& at, const SignFreeModel& direction, const Loss& loss);
  void add(const Block<double>& block);
  void fields(auto& visit) { visit(product); }
};

/// The same for least squares with known signs: two products with the data (three where output weights are free),
/// which is not copied, in single or double precision; sums over blocks are in double precision.
template <class Real>
struct PatternCurvatureSum {
  using Scalar = Real;
  const SignFreeModel* model;
  const SignPattern* pattern;
  bool bias;
  RowMajor<Real> theta, output;                // of the model, in the precision of the products
  RowMajor<Real> direction, output_direction;  // theta above affine, so that one product has both
  SignFreeModel product;
  PatternCurvatureSum(const SignFreeModel& at, const SignPattern& pattern, const SignFreeModel& direction, bool bias);
  void add(const Block<Real>& block);
  void fields(auto& visit) { visit(product); }

 private:
  /// The same as SignPattern::spread_change for several outputs with weights of their own.
  void spread_changes(const Block<Real>& block, RowMajor<Real>& values);
};
extern template struct PatternCurvatureSum<float>;
extern template struct PatternCurvatureSum<double>;

/// Gram matrix of the changes of the fit when each unit's form changes along itself and along its bias, and the affine part along
/// each unit's form and its constant: a |t|, a sigma, t, 1 (one output with weight a = ±1).
struct OwnDirectionSum {
  using Scalar = float;
  const SignFreeModel* model;
  const SignPattern* pattern;
  bool bias;
  RowMajor<float> theta;
  Matrix products;
  OwnDirectionSum(const SignFreeModel& at, const SignPattern& pattern, bool bias);
  void add(const Block<float>& block);
  void fields(auto& visit) { visit(products); }
};

/// Cost, J^T r, and the Gram matrix of [sigma_1 x~, ..., sigma_K x~, x~], from which all of J^T J follows for any
/// number of outputs. Its blocks Σ sigma_i sigma_j x~ x~^T are symmetric, so one product of the packed pairs of signs
/// with the packed pairs of inputs has all of it, at half the cost of the Gram matrix as such.
struct NormalSum {
  using Scalar = double;
  GradientSum first_order;
  Matrix pair_products;  // pairs a >= b of inputs by pairs i >= j of signs (sigma_K = 1 for the affine part)
  GramPrecision precision;
  bool without_kinks = false;  // leave out samples that lie on a unit's kink
  NormalSum(const SignFreeModel& at, const Loss& loss, GramPrecision precision = GramPrecision::float64);
  void add(const Block<double>& block);
  void fields(auto& visit) { visit(first_order, pair_products); }
  /// Σ sigma_i sigma_j x~ x~^T; i or j = units stands for the affine part.
  Matrix block(Index i, Index j) const;
};

/// What the affine part alone has to do with the labels: Σ x~ x~^T (the lower half), Σ x~ y^T, Σ |y|².
struct AffineSum {
  using Scalar = double;
  Loss loss;
  Matrix gram, labels;
  double label_squares = 0;
  Index samples = 0;
  AffineSum(Index inputs, Index outputs, const Loss& loss);
  void add(const Block<double>& block);
  void fields(auto& visit) { visit(gram, labels, label_squares, samples); }
};

/// What units add to it, with h = |theta x~|: Σ h h^T (the lower half), Σ x~ h^T, Σ h y^T. Together they determine the linear
/// weights given the units.
struct UnitSum {
  using Scalar = double;
  const SignFreeModel* model;
  Loss loss;
  Matrix gram, with_inputs, labels;
  UnitSum(const SignFreeModel& at, const Loss& loss);
  void add(const Block<double>& block);
  void fields(auto& visit) { visit(gram, with_inputs, labels); }
};

}  // namespace relucover
