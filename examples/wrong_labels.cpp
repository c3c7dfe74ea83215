// One label entry in twenty is wrong, some by a factor of a hundred: the others outvote them.
#include <iostream>
#include <relucover/relucover.hpp>

int main() {
  using namespace relucover;
  const Network truth = planted_network({.inputs = 8, .units = 3, .outputs = 20, .bias = 0, .seed = 1});
  const auto samples = synthetic_samples(truth, {.samples = 2000, .seed = 2});
  BlockBuffer<double> buffer;
  const Block<double> block = samples->read(0, samples->samples(), buffer);
  const RowMatrix x = block.x;
  RowMatrix y = block.y;
  for (Index i = 0; i < y.size(); ++i)
    if ((i * 7919) % 101 < 5) y.data()[i] = (i % 3 == 0 ? 100.0 : -40.0) * static_cast<double>(1 + i % 7);
  const MemorySource<double> source(x, y);

  const Result result = learn(source, {});
  std::cout << result.brief() << "\nmethod: " << result.method << ", because " << result.method_reason << "\n";
  const Comparison errors = compare(truth, result.network);
  std::cout << "weights off by " << errors.max_weight_error << "\n";
  return result.status == Status::exact && errors.max_weight_error < 1e-9 ? 0 : 1;
}
