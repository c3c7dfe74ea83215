#include "relucover/planted_arguments.hpp"

#include <fmt/format.h>

#include "core/option_text.hpp"
#include "core/random.hpp"
#include "samples/dependent_units.hpp"
#include "samples/hard_instances.hpp"

namespace relucover::cli {

namespace {

void parse_weights(const std::string& text, PlantedOptions& options) {
  using Weights = PlantedOptions::Weights;
  const std::string condition = "condition:";
  if (text == "gaussian") {
    options.weights = Weights::gaussian;
  } else if (text == "orthonormal") {
    options.weights = Weights::orthonormal;
  } else if (text.starts_with(condition) && is_number(text.substr(condition.size()), options.condition)) {
    options.weights = Weights::condition;
  } else {
    throw std::invalid_argument(
        fmt::format("unknown weights \"{}\"; there are gaussian, orthonormal, condition:C (C >= 1), dependent", text));
  }
}

}  // namespace

Network PlantedArguments::network() const {
  if (!layers.empty())
    return planted_deep_network({.inputs = options.inputs, .layers = layers, .outputs = options.outputs, .seed = options.seed});
  if (weights == "dependent") {
    if (options.outputs != 1) throw std::invalid_argument("--weights dependent has one output");
    if (options.units <= options.inputs) throw std::invalid_argument("--weights dependent needs more units than inputs");
    return dependent_network(options.inputs, options.units, options.seed);
  }
  PlantedOptions complete = options;
  parse_weights(weights, complete);
  Network network = planted_network(complete);
  network.activation = activation_named(activation);
  return network;
}

namespace {

/// GKLW appendix C: a share of the inputs drawn anew; labels (and their noise) are those of the inputs as they are then.
std::unique_ptr<SampleSource> redrawn_inputs(const Network& network, const SyntheticOptions& options, const std::string& share) {
  double lambda = 0;
  if (!is_number(share, lambda) || !(lambda >= 0 && lambda <= 1))
    throw std::invalid_argument(fmt::format("--distribution q-lambda:{}: the share is a number from 0 to 1", share));
  const auto base = synthetic_samples(network, {.samples = options.samples, .seed = options.seed});
  return std::make_unique<MemorySource<double>>(perturbed_inputs(*base, lambda, options.seed, [&](const RowMatrix& x) {
    RowMatrix y = network.evaluate(x);
    for (Index i = 0; options.noise > 0 && i < y.rows(); ++i) {
      RandomStream random(options.seed, purpose::noise, static_cast<std::uint64_t>(i));
      for (double& value : y.row(i)) value += options.noise * random.normal();
    }
    return y;
  }));
}

}  // namespace

std::unique_ptr<SampleSource> PlantedArguments::samples(const Network& network) const {
  const std::string redrawn = "q-lambda:";
  if (distribution.starts_with(redrawn))
    return redrawn_inputs(network, {.samples = count, .noise = noise, .seed = options.seed}, distribution.substr(redrawn.size()));
  return synthetic_samples(
      network, {.samples = count, .distribution = InputDistribution::parse(distribution), .noise = noise, .seed = options.seed});
}

}  // namespace relucover::cli
