#pragma once
// f(x) = P(u(w_1.x - t_1), ..., u(w_d.x - t_d)): a first layer with thresholds under a polynomial, logical or deep upper
// part. The model, its samples, and an oracle that can be asked for more of them.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "relucover/samples.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// What a unit of the first layer computes from a = w.x - t.
struct UnitFunction {
  enum class Kind { relu, step, sigmoid, exponential, abs, cosine, gaussian, power };
  Kind kind = Kind::relu;
  /// exponential: rate of e^(rate a); cosine: frequency; power: exponent. Unused by the others.
  double parameter = 1;

  double operator()(double a) const;
  void apply(RowMatrix& a) const;
  /// Normalised Hermite coefficient E[u(g - threshold) He_k(g)] / sqrt(k!), g ~ N(0,1).
  double hermite_coefficient(int order, double threshold) const;
  /// "relu", "exponential:0.5", "cosine:2", "power:4", ... as on the command line.
  static UnitFunction parse(const std::string& text);
  std::string name() const;
  bool even() const;
};

/// coefficient * product of X_i^power.
struct Monomial {
  std::vector<std::pair<Index, int>> factors;
  double coefficient = 0;
};

struct DenseLayer {
  enum class Kind { linear, relu, sigmoid, tanh };
  Kind kind = Kind::linear;
  Matrix W;
  Vector b;
};

/// What is made of the first layer's values.
struct UpperPart {
  enum class Kind { polynomial, any, all, layers };
  Kind kind = Kind::polynomial;
  double constant = 0;              // polynomial
  std::vector<Monomial> monomials;  // polynomial
  std::vector<DenseLayer> layers;   // layers: the last has one output
};

struct ThresholdModel {
  UnitFunction unit;
  Matrix W;  // units by inputs
  Vector t;  // units
  UpperPart upper;

  Index inputs() const { return W.cols(); }
  Index units() const { return W.rows(); }
  /// u(W x - t), one row per sample.
  RowMatrix first_layer(const Eigen::Ref<const RowMatrix>& x) const;
  Vector evaluate(const Eigen::Ref<const RowMatrix>& x) const;
  std::vector<std::string> problems() const;
};

/// .json, or .onnx (a graph that other programs run).
void write_threshold_model(const ThresholdModel& model, const std::filesystem::path& path);
/// .json, or .onnx as it was written here. Throws DataError naming file, place and remedy.
ThresholdModel read_threshold_model(const std::filesystem::path& path);
/// A .json or .onnx file that says it holds such a model.
bool holds_threshold_model(const std::filesystem::path& path);

/// Errors after the best pairing of units; of even units up to sign.
struct ThresholdComparison {
  Index units_truth = 0, units_answer = 0, units_matched = 0;
  double max_weight_error = 0;  // distance of unit weight vectors
  double max_threshold_error = 0;
  double function_rms = 0;  // relative, on fresh standard Gaussian inputs
  bool up_to_sign = false;
};
ThresholdComparison compare(const ThresholdModel& truth, const ThresholdModel& answer);

/// What a planted model looks like.
struct PlantedThresholdOptions {
  Index inputs = 0, units = 0;
  UnitFunction unit = {};
  /// Thresholds are drawn from [threshold, threshold_high]; all the same where threshold_high is not above threshold.
  double threshold = 2, threshold_high = 0;
  /// mild: orthonormal rows plus half a random unit vector each, normalised (condition 2 to 3.5);
  /// supports: rows of zeros and ones on disjoint supports of `support` inputs.
  enum class Weights { orthonormal, mild, gaussian, supports } weights = Weights::mild;
  Index support = 0;
  UpperPart::Kind upper = UpperPart::Kind::polynomial;
  double constant = 0.37;
  /// Polynomial: linear coefficients U(0.7, 1.3); each pair with this probability; as many triples as units;
  /// coefficients of products uniform in product_scale * [-1, 1], or [0, 1] where monotone.
  double pair_probability = 0.5;
  /// false: every pair, and no unit alone (GP section 3).
  bool linear_terms = true;
  bool triples = true, monotone = false;
  double product_scale = 1;
  /// Adds squares and cubes of single units.
  bool powers = false;
  /// layers: units of the middle layer and its function; weights are positive unless mixed_signs.
  Index hidden = 5;
  DenseLayer::Kind hidden_kind = DenseLayer::Kind::relu, output_kind = DenseLayer::Kind::linear;
  bool mixed_signs = false;
  std::uint64_t seed = 0;
  std::vector<std::string> problems() const;
};
ThresholdModel planted_threshold_model(const PlantedThresholdOptions& options);

struct ThresholdSampleOptions {
  Index samples = 0;
  /// Standard deviation of Gaussian label noise.
  double noise = 0;
  /// Probability that a 0/1 label is flipped.
  double flips = 0;
  std::uint64_t seed = 0;
};
/// Inputs N(0, I); sample i is the same whatever is read before it.
std::unique_ptr<SampleSource> threshold_samples(ThresholdModel model, const ThresholdSampleOptions& options);

/// A function that can be asked for its value anywhere.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual Index inputs() const = 0;
  /// One answer per row. Safe to call from many threads at once.
  virtual Vector answer(const Eigen::Ref<const RowMatrix>& x) const = 0;
};
std::unique_ptr<Oracle> model_oracle(ThresholdModel model);
/// A feed-forward ONNX model of any depth with one output. Throws DataError.
std::unique_ptr<Oracle> onnx_teacher(const std::filesystem::path& path);
/// The oracle's answers on N(0, I) inputs.
std::unique_ptr<SampleSource> oracle_samples(std::shared_ptr<const Oracle> oracle, const ThresholdSampleOptions& options);
/// Inputs kept with probability min(1, f(x) / highest) (GP B.6); every label is 1, so that moments are E[f h] / E[f].
/// f must not be negative. A sample that is not accepted in `tries` draws throws DataError.
std::unique_ptr<SampleSource> biased_oracle_samples(std::shared_ptr<const Oracle> oracle, Index samples, double highest, std::uint64_t seed,
                                                    Index tries = 100000);

}  // namespace relucover
