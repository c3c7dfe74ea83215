// All layers of a deep network, from samples that nobody chose.
#include <iostream>
#include <relucover/relucover.hpp>

int main() {
  using namespace relucover;
  const Network truth = planted_deep_network({.inputs = 10, .layers = {8, 5}, .seed = 3});
  const auto samples = synthetic_samples(truth, {.samples = 20000, .seed = 3});

  const Result result = learn(*samples, {.layers = {8, 5}, .seed = 1});
  std::cout << result.brief() << "\n";
  if (!result.usable()) return 1;

  const Comparison errors = compare(truth, result.network);
  for (std::size_t l = 0; l < errors.layers.size(); ++l)
    std::cout << "layer " << l + 1 << ": " << errors.layers[l].units_matched << " of " << errors.layers[l].units_truth
              << " units found, largest error of a weight vector " << errors.layers[l].max_weight_error << "\n";
  return errors.function_rms < 1e-9 ? 0 : 1;
}
