// A source of your own: samples are made when they are asked for, so that data need not fit in memory.
#include <cmath>
#include <iostream>
#include <relucover/relucover.hpp>

namespace {

using namespace relucover;

/// Low-discrepancy points in a box, labelled by a function that could be anything.
class Measurements : public SampleSource {
 public:
  Index samples() const override { return 50000; }
  Index inputs() const override { return 3; }
  Index outputs() const override { return 1; }
  std::string name() const override { return "measurements"; }
  // The same row must always give the same numbers: rows are visited more than once and from several threads.
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override {
    buffer.x.resize(rows, inputs());
    buffer.y.resize(rows, outputs());
    for (Index i = 0; i < rows; ++i) {
      const double n = static_cast<double>(first + i + 1);
      const double steps[] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
      for (Index j = 0; j < inputs(); ++j) buffer.x(i, j) = 4 * (n * steps[j] - std::floor(n * steps[j])) - 2;
      const double a = buffer.x(i, 0), b = buffer.x(i, 1), c = buffer.x(i, 2);
      buffer.y(i, 0) = std::max(0.0, a - b + 0.5) - 1.5 * std::max(0.0, b + c) + std::max(0.0, 0.5 * a + c - 1);
    }
    return view_of(first, buffer);
  }
  using SampleSource::read;
};

}  // namespace

int main() {
  const Measurements source;
  const Result result = learn(source, {.units = 3, .seed = 1});
  std::cout << result.full();
  for (Index i = 0; result.usable() && i < result.network.units(); ++i)
    std::cout << result.network.A(0, i) << " relu(" << result.network.W.row(i) << " . x + " << result.network.b[i] << ")\n";
  return result.certified() ? 0 : 1;
}
