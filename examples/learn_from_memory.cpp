// Arrays in memory: your own numbers, no files.
#include <cmath>
#include <iostream>
#include <relucover/relucover.hpp>

int main() {
  using namespace relucover;
  // y = |x0 - x1| + max(0, 2 x0 + 1): three ReLU units, on a grid of points.
  constexpr Index side = 40;
  RowMatrix x(side * side, 2), y(side * side, 1);
  for (Index i = 0; i < x.rows(); ++i) {
    x.row(i) << 4.0 * static_cast<double>(i / side) / side - 2, 4.0 * static_cast<double>(i % side) / side - 2;
    y(i, 0) = std::abs(x(i, 0) - x(i, 1)) + std::max(0.0, 2 * x(i, 0) + 1);
  }
  const MemorySource<double> source(x, y);

  const Result result = learn(source, {});
  std::cout << result.full();
  if (!result.usable()) return 1;

  // |t| bends once: a unit and an affine part make it, so two units are enough.
  const double worst = (result.network.evaluate(x) - y).cwiseAbs().maxCoeff();
  std::cout << "units: " << result.network.units() << ", largest error on the data: " << worst << "\n";
  return worst < 1e-9 ? 0 : 1;
}
