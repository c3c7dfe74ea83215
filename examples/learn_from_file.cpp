// A file in, a file out: what the command line does, in a program.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <relucover/relucover.hpp>
#include <string>

int main() {
  using namespace relucover;
  std::string folder = (std::filesystem::temp_directory_path() / "relucover-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 1;
  const std::filesystem::path data = std::filesystem::path(folder) / "data.npz", net = data.parent_path() / "net.json";

  const Network truth = planted_network({.inputs = 5, .units = 3, .seed = 1});
  write_samples(*synthetic_samples(truth, {.samples = 5000, .seed = 1}), data, Precision::float64, Control());

  const auto source = open_samples(data);
  const Result result = learn(*source, {.units = 3});
  std::cout << result.brief() << "\n";
  if (!result.usable()) return 1;
  write_network(result.network, net);

  const Comparison errors = compare(truth, read_network(net));
  std::cout << "largest error of a weight vector: " << errors.max_weight_error << "\n";
  std::filesystem::remove_all(folder);
  return errors.max_weight_error < 1e-10 ? 0 : 1;
}
