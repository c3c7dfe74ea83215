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

void PlantedArguments::add_to(Command& command) {
  constexpr Index most = Index{1} << 40;
  command.add_option("--inputs", options.inputs, "Inputs d").within(Index{1}, most).type_name("D").shows_default();
  command.add_option("--units", options.units, "Hidden units k").within(Index{1}, most).type_name("K").shows_default();
  command.add_option("--layers", layers, "Units of each hidden layer from below, instead of --units: a deep network")
      .separated_by(',')
      .within(Index{1}, most)
      .type_name("K1,K2,...");
  command.add_option("--outputs", options.outputs, "Outputs l").within(Index{1}, most).type_name("L").shows_default();
  command.add_option("--samples", count, "Samples n").within(Index{1}, most).type_name("N").shows_default();
  command.add_option("--bias", options.bias, "Biases are S N(0,1)").type_name("S").shows_default();
  command
      .add_option("--weights", weights,
                  "gaussian, orthonormal, condition:C, or dependent (more units than inputs, no biases, signs that no data tell)")
      .type_name("KIND")
      .shows_default();
  command
      .add_option("--distribution", distribution,
                  "Inputs: gaussian, correlated:C (condition C), mixture, uniform, laplace, rademacher, exponential; q-lambda:L redraws a "
                  "share L of "
                  "Gaussian ones from N(0, Q Qᵀ), Q Gaussian")
      .type_name("KIND")
      .shows_default();
  command.add_option("--activation", activation, "relu, relu2, relu3, expm1, step, sigmoid or abs").type_name("NAME").shows_default();
  command.add_option("--noise", noise, "Standard deviation of Gaussian label noise").type_name("S").shows_default();
  command.add_option("--seed", options.seed, "Seed of everything random").type_name("I").shows_default();
}

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
