// Several outputs: the number of units shows in the labels' linear part, and the weights come out to rounding.
#include <iostream>
#include <relucover/relucover.hpp>

int main() {
  using namespace relucover;
  const Network truth =
      planted_network({.inputs = 10, .units = 6, .outputs = 8, .bias = 0, .weights = PlantedOptions::Weights::orthonormal, .seed = 1});
  const auto samples = synthetic_samples(truth, {.samples = 2000, .distribution = InputDistribution::parse("mixture"), .seed = 2});

  const Result result = learn(*samples, {});
  std::cout << result.brief() << "\nmethod: " << result.method << ", because " << result.method_reason << "\n";
  const Comparison errors = compare(truth, result.network);
  std::cout << "weights off by " << errors.max_weight_error << ", outputs by " << errors.max_output_error << "\n";
  return result.status == Status::exact && errors.max_weight_error < 1e-12 && errors.max_output_error < 1e-12 ? 0 : 1;
}
