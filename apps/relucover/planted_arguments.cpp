#include "relucover/planted_arguments.hpp"

namespace relucover::cli {

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

}  // namespace relucover::cli
