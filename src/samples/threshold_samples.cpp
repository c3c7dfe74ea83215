// Samples of models with thresholds, drawn from counter-based streams, and oracles.
#include <fmt/format.h>

#include "core/check.hpp"
#include "core/random.hpp"
#include "networks/network_onnx.hpp"
#include "relucover/errors.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

void draw_inputs(std::uint64_t seed, Index first, RowMatrix& x) {
  for (Index i = 0; i < x.rows(); ++i) {
    RandomStream random(seed, purpose::inputs, static_cast<std::uint64_t>(first + i));
    for (double& value : x.row(i)) value = random.normal();
  }
}

class ThresholdOracle : public Oracle {
 public:
  explicit ThresholdOracle(ThresholdModel model) : model_(std::move(model)) {}
  Index inputs() const override { return model_.inputs(); }
  Vector answer(const Eigen::Ref<const RowMatrix>& x) const override { return model_.evaluate(x); }

 private:
  ThresholdModel model_;
};

class NetworkOracle : public Oracle {
 public:
  explicit NetworkOracle(FeedForward network) : network_(std::move(network)) {}
  Index inputs() const override { return network_.inputs; }
  Vector answer(const Eigen::Ref<const RowMatrix>& x) const override { return network_.evaluate(x).col(0); }

 private:
  FeedForward network_;
};

/// Common to all generated sources of one output.
class GeneratedSource : public SampleSource {
 public:
  GeneratedSource(Index samples, Index inputs, std::uint64_t seed) : seed_(seed), samples_(samples), inputs_(inputs) {
    if (samples < 0) throw std::invalid_argument("the number of samples is negative");
  }
  Index samples() const override { return samples_; }
  Index inputs() const override { return inputs_; }
  Index outputs() const override { return 1; }
  using SampleSource::read;

 protected:
  std::uint64_t seed_;

 private:
  Index samples_, inputs_;
};

class OracleSource : public GeneratedSource {
 public:
  OracleSource(std::shared_ptr<const Oracle> oracle, const ThresholdSampleOptions& options, std::string name)
      : GeneratedSource(options.samples, oracle->inputs(), options.seed), oracle_(std::move(oracle)), options_(options),
        name_(std::move(name)) {}
  std::string name() const override { return name_; }

  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override {
    check_range(name(), first, rows, samples());
    buffer.x.resize(rows, inputs());
    draw_inputs(seed_, first, buffer.x);
    buffer.y = oracle_->answer(buffer.x);
    if (options_.noise > 0 || options_.flips > 0)
      for (Index i = 0; i < rows; ++i) {
        RandomStream random(seed_, purpose::noise, static_cast<std::uint64_t>(first + i));
        if (options_.flips > 0 && random.uniform() < options_.flips) buffer.y(i, 0) = 1 - buffer.y(i, 0);
        if (options_.noise > 0) buffer.y(i, 0) += options_.noise * random.normal();
      }
    return view_of(first, buffer);
  }
  using GeneratedSource::read;

 private:
  std::shared_ptr<const Oracle> oracle_;
  ThresholdSampleOptions options_;
  std::string name_;
};

class BiasedOracleSource : public GeneratedSource {
 public:
  BiasedOracleSource(std::shared_ptr<const Oracle> oracle, Index samples, double highest, std::uint64_t seed, Index tries)
      : GeneratedSource(samples, oracle->inputs(), seed), oracle_(std::move(oracle)), highest_(highest), tries_(tries) {
    if (!(highest > 0)) throw std::invalid_argument("the highest value of a biased oracle must be above zero");
  }
  std::string name() const override { return "biased oracle samples"; }

  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override {
    check_range(name(), first, rows, samples());
    buffer.x.resize(rows, inputs());
    buffer.y = RowMatrix::Ones(rows, 1);
    for (Index i = 0; i < rows; ++i) draw_accepted(first + i, buffer.x.row(i));
    return view_of(first, buffer);
  }
  using GeneratedSource::read;

 private:
  template <class Row>
  void draw_accepted(Index sample, Row row) const {
    constexpr Index batch = 64;  // one call of the oracle answers many candidates
    RandomStream random(seed_, purpose::inputs, static_cast<std::uint64_t>(sample));
    RowMatrix candidates(batch, inputs());
    for (Index tried = 0; tried < tries_; tried += batch) {
      for (double& value : candidates.reshaped()) value = random.normal();
      const Vector f = oracle_->answer(candidates);
      if (f.minCoeff() < 0)
        throw DataError(name(), fmt::format("sample {}", sample), "the oracle answered below zero",
                        "sampling in proportion to f needs f >= 0");
      for (Index k = 0; k < batch; ++k)
        if (random.uniform() * highest_ < f[k]) {
          row = candidates.row(k);
          return;
        }
    }
    throw DataError(name(), fmt::format("sample {}", sample), fmt::format("no input accepted in {} draws", tries_),
                    "give a lower `highest` or more tries");
  }

  std::shared_ptr<const Oracle> oracle_;
  double highest_;
  Index tries_;
};

}  // namespace

std::unique_ptr<SampleSource> threshold_samples(ThresholdModel model, const ThresholdSampleOptions& options) {
  return oracle_samples(model_oracle(std::move(model)), options);
}

std::unique_ptr<Oracle> model_oracle(ThresholdModel model) {
  check_no_problems("threshold model", model.problems());
  return std::make_unique<ThresholdOracle>(std::move(model));
}

std::unique_ptr<Oracle> onnx_teacher(const std::filesystem::path& path) {
  FeedForward network = read_feed_forward_onnx(path);
  if (network.outputs() != 1)
    throw DataError(path.string(), "", fmt::format("has {} outputs", network.outputs()), "give a model with one output");
  return std::make_unique<NetworkOracle>(std::move(network));
}

std::unique_ptr<SampleSource> oracle_samples(std::shared_ptr<const Oracle> oracle, const ThresholdSampleOptions& options) {
  if (!(options.noise >= 0) || !(options.flips >= 0 && options.flips <= 1))
    throw std::invalid_argument("noise must not be negative and flips must be a probability");
  return std::make_unique<OracleSource>(std::move(oracle), options, "threshold samples");
}

std::unique_ptr<SampleSource> biased_oracle_samples(std::shared_ptr<const Oracle> oracle, Index samples, double highest, std::uint64_t seed,
                                                    Index tries) {
  return std::make_unique<BiasedOracleSource>(std::move(oracle), samples, highest, seed, tries);
}

}  // namespace relucover
