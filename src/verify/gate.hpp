#pragma once
// The gate: the one place where `exact` and `recovered` are made. Learners hand over an answer and the samples it is claimed for,
// and get back what may be said about it: docs/certificates.md.
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "relucover/status.hpp"
#include "solve/large_uncertainty.hpp"
#include "solve/rectifier.hpp"
#include "solve/uncertainty.hpp"
#include "verify/label_grid.hpp"
#include "verify/network_error.hpp"

namespace relucover {

struct Certificate {
  AnswerStatus status = Status::approximate;
  std::string reason;  // in words, either way
  double detection_limit = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> unit_errors;  // of several layers with noise: standard errors, unit by unit from below
  Index left_out = 0;
  bool something_left = false;  // refused because the residual is more than noise
  std::map<std::string, double> figures;
  bool given() const { return status.certified(); }
};

/// Samples of which the answer explains some only.
struct PartlyExplained {
  const MemorySource<double>* all = nullptr;
  std::vector<bool> kept;  // by samples; empty: single labels are wrong, not whole samples
};

/// An answer with one hidden layer of ReLUs.
struct Claimed {
  const SampleSource& samples;   // what the answer was fitted to
  const SampleSource& held_out;  // of these, what the last solve did not use
  const Network& network;
  const SignFreeModel& model;  // the same, as it was solved for
  const LabelGrid& grid;
  double noise = 0;  // standard deviation of the labels' noise, where there is some
  /// Of the network on all samples, and on those held out.
  const NetworkError &error, &error_held_out;
  /// What the samples determine; empty: too many unknowns to say it in this way.
  const std::optional<Uncertainty>& known;
  /// For those: what they determine, without forming the Gram matrix. Asked for once, at the end.
  std::function<LargeUncertainty()> large_known;
  std::optional<PartlyExplained> partly;
  Index asked_units = 0;  // what somebody knows of the network; 0: nothing
  std::uint64_t seed = 0;
};

/// An answer A f(W x) with a rectified activation f other than ReLU, by least squares on the samples.
struct ClaimedRectified {
  const SampleSource& samples;
  const Matrix& W;
  const Matrix& A;
  const Rectifier& f;
  std::uint64_t seed = 0;
};

/// An answer with several hidden layers of ReLUs.
struct ClaimedLayers {
  const SampleSource& samples;
  const Network& network;
  Index asked_units = 0;  // of all layers, where somebody knows; else 0
  bool noisy = false;     // a fit by least squares through the noise of the labels
  std::uint64_t seed = 0;
};

/// A condition that was looked at on data apart, and what was seen.
struct Condition {
  bool holds;
  std::string words;  // what does not hold, where it does not
};

class Gate {
 public:
  static Certificate judge(const Claimed& claimed, const Control& control);

  /// An activation other than ReLU. Exact: every label is explained to rounding, every parameter is determined. Recovered: as for ReLUs,
  /// with features orthogonal to what this model can do, and no bias or other growth where it was stated to have none.
  static Certificate judge_rectified(const ClaimedRectified& claimed, const Control& control);

  /// Several hidden layers of ReLUs: without noise by verify/deep_certificate.hpp, else by what is left
  /// (verify/leftover/layered_tests.hpp). Units that are not determined are added to `uncertain`.
  static Certificate judge_layers(const ClaimedLayers& claimed, std::vector<std::string>& uncertain, const Control& control);

  /// Moments computed from a network: the answer is that network or it is not.
  static Certificate judge_population(const Network& truth, const Network& answer);

  /// First layers with thresholds: every condition that their checks on held-out data (learners/threshold) have must hold.
  static Certificate judge_first_layer(Status claim, const std::vector<Condition>& conditions, std::string seen);

 private:
  static Certificate exact(const Claimed& claimed, double rounding_rms, const char* precision, const Control& control);
  static Certificate recovered(const Claimed& claimed, const Control& control);
  static Certificate recovered_rectified(const ClaimedRectified& claimed, const Network& weights, const LabelGrid& grid,
                                         const Control& control);
  static Certificate recovered_layers(const ClaimedLayers& claimed, const LabelGrid& grid, const Control& control);
  static Certificate certain(Status status, std::string reason);
};

/// Labels computed in this precision carry the rounding of every term that is added up, not of the sum alone: twice that.
double float32_rounding(const Network& network, const SampleSource& samples);

}  // namespace relucover
