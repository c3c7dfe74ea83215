#pragma once
// Where Hermite moments T_k = E[y He_k(x)] come from: a given network (exact) or samples (estimated).
#include <vector>

#include "moments/packed.hpp"
#include "moments/polynomials.hpp"
#include "moments/whitening.hpp"
#include "relucover/network.hpp"

namespace relucover {

/// T_0, ..., T_K on a few orthonormal directions.
struct HermiteMoments {
  std::vector<SymmetricTensor> tensors;
  /// Expected Frobenius norm of the sampling error of each order; 0 where exact.
  std::vector<double> noise;
  const SymmetricTensor& of_order(Index order) const { return tensors.at(static_cast<std::size_t>(order)); }
};

class MomentSource {
 public:
  virtual ~MomentSource() = default;
  /// Dimension of the standard inputs that moments are taken of.
  virtual Index inputs() const = 0;
  virtual bool exact() const = 0;
  /// Variance of the label.
  virtual double label_variance() const = 0;
  /// The matrix T_2 on all inputs.
  virtual Matrix second_moment(const Control& control) const = 0;
  /// T_0..T_max_order on the rows of `directions`, which are orthonormal.
  virtual HermiteMoments moments(const Matrix& directions, Index max_order, const Control& control) const = 0;
};

/// Population mode: the moments of a ReLU network on standard normal inputs (ATV Lemma 3.5). Scalar output.
class ExactMoments : public MomentSource {
 public:
  explicit ExactMoments(const Network& network);
  Index inputs() const override { return network_.inputs(); }
  bool exact() const override { return true; }
  double label_variance() const override;
  Matrix second_moment(const Control& control) const override;
  HermiteMoments moments(const Matrix& directions, Index max_order, const Control& control) const override;
  const Network& network() const { return network_; }  // canonical

 private:
  Network network_;
};

/// Moments that come from samples: inputs are whitened by their own covariance, the label is combination·y.
class SampledMoments : public MomentSource {
 public:
  bool exact() const override { return false; }
  Index inputs() const override { return whitening_.size(); }
  double label_variance() const override;
  /// Summed over the outputs.
  double total_label_variance() const { return moments_.label_covariance.trace(); }
  /// Mean square of the residual of the affine fit.
  double affine_residual() const;
  Index samples() const { return moments_.samples; }
  const Whitening& whitening() const { return whitening_; }
  const InputMoments& input_moments() const { return moments_; }
  const Vector& combination() const { return combination_; }
  /// Whitened inputs on the rows of `directions` and the label.
  View view(const Matrix& directions) const;

 protected:
  SampledMoments() = default;
  SampledMoments(InputMoments moments, Whitening whitening, Vector combination);
  /// The affine fit in whitened inputs: E[y z].
  Vector slope() const;
  InputMoments moments_;
  Whitening whitening_;
  Vector combination_;
};

struct EstimationOptions {
  /// Order k is taken of the residual of the best polynomial of degree k - 1, or of the highest degree with
  /// samples * features² <= regression_budget.
  double regression_budget = 1e11;
  /// d above which T_2 is not formed: its range is found by products with blocks of vectors.
  Index operator_above = 1500;
};

/// Moments of samples at hand, with control variates.
class EstimatedMoments : public SampledMoments {
 public:
  EstimatedMoments(const SampleSource& source, InputMoments moments, Whitening whitening, Vector combination,
                   EstimationOptions options = {});
  Matrix second_moment(const Control& control) const override;
  /// T_2 V without forming T_2: v ↦ Zᵀ(r ∘ Z v)/N for the residual r of the affine fit.
  Matrix second_moment_times(const Matrix& vectors, const Control& control) const;
  HermiteMoments moments(const Matrix& directions, Index max_order, const Control& control) const override;
  const SampleSource& source() const { return source_; }
  const EstimationOptions& options() const { return options_; }

 private:
  const SampleSource& source_;
  EstimationOptions options_;
};

}  // namespace relucover
