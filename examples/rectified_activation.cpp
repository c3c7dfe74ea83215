// An activation of one's own: y = A f(W x) with f(t) = t + t² for t > 0, 0 below, learned from noisy labels.
#include <cstdio>
#include <random>

#include <relucover/rectified.hpp>
#include <relucover/samples.hpp>

int main() {
  const relucover::RectifiedFunction f{[](double t) { return t + t * t; }, [](double t) { return 1 + 2 * t; }, false};
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  relucover::RowMatrix x(8000, 4), y(8000, 3);
  const relucover::Matrix W = (relucover::Matrix(2, 4) << 0.6, 0.8, 0, 0, 0, 0, 1, 0).finished();
  const relucover::Matrix A = (relucover::Matrix(3, 2) << 1, 0.5, -1, 2, 0.3, 0.7).finished();
  for (double& value : x.reshaped()) value = normal(bits);
  const relucover::Matrix hidden = (x * W.transpose()).unaryExpr([&](double t) { return t > 0 ? f.value(t) : 0.0; });
  y = hidden * A.transpose();
  for (double& value : y.reshaped()) value += 0.01 * normal(bits);

  const auto result = relucover::learn_rectified(relucover::MemorySource<double>(x, y), f, {.units = 2});
  std::printf("%s: %s\n", relucover::name_of(result.status).c_str(), result.message.c_str());
  return result.status.certified() ? 0 : 1;
}
