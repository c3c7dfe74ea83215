// Noisy labels: the error of the answer against the Cramér-Rao bound, the least that any unbiased estimate can have.
//   bench_accuracy_cramer_rao [seeds]
// Parameters are u_i = |a_i| (w_i, b_i): the bound is sigma^2 (sum_n J_n^T J_n)^{-1}, J_n = [±1(u_i·x~ > 0) x~].
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "core/linear_algebra.hpp"
#include "relucover/relucover.hpp"

using namespace relucover;

namespace {

constexpr double sigma = 0.1;

Matrix parameters(const Network& network) {
  Matrix u(network.units(), network.inputs() + 1);
  u << network.W, network.b;
  return network.A.row(0).cwiseAbs().transpose().asDiagonal() * u;
}

double bound_trace(const Network& truth, const RowMatrix& x) {
  RowMatrix augmented(x.rows(), x.cols() + 1);
  augmented << x, RowMatrix::Ones(x.rows(), 1);
  const RowMatrix active = ((augmented * parameters(truth).transpose()).array() > 0).cast<double>();
  const Index width = augmented.cols(), size = truth.units() * width;
  Matrix information = Matrix::Zero(size, size);
  for (Index i = 0; i < truth.units(); ++i)
    for (Index j = 0; j <= i; ++j) {
      const Vector both = active.col(i).cwiseProduct(active.col(j)) * (truth.A(0, i) * truth.A(0, j) > 0 ? 1.0 : -1.0);
      information.block(i * width, j * width, width, width) = augmented.transpose() * (both.asDiagonal() * augmented);
    }
  const Matrix whole = information.selfadjointView<Eigen::Lower>();
  return sigma * sigma * Cholesky(whole).inverse().trace();
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 20;
  double errors = 0, bounds = 0;
  int recovered = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Network truth = canonical(planted_network({.inputs = 10, .units = 5, .seed = static_cast<std::uint64_t>(seed)}));
    const auto source = synthetic_samples(truth, {.samples = 100000, .noise = sigma, .seed = static_cast<std::uint64_t>(seed)});
    BlockBuffer<double> buffer;
    source->read(0, source->samples(), buffer);
    const MemorySource<double> samples(buffer.x, buffer.y);
    const Result result = learn(samples, {.units = 5});
    if (!result.usable() || result.network.units() != 5) {
      fmt::print("seed {}: {}\n", seed, result.brief());
      return 1;
    }
    recovered += result.status == Status::recovered;
    const Network answer = canonical(result.network);
    const Comparison matched = compare(truth, answer);
    const Matrix u = parameters(truth), v = parameters(answer);
    double error = 0;
    for (Index i = 0; i < u.rows(); ++i) error += (u.row(i) - v.row(matched.partner[static_cast<std::size_t>(i)])).squaredNorm();
    const double bound = bound_trace(truth, samples.x());
    fmt::print("seed {:>2}: {:<12} rms error {:.2e}, bound {:.2e}, ratio {:.3f}\n", seed, name_of(result.status),
               std::sqrt(error / static_cast<double>(u.size())), std::sqrt(bound / static_cast<double>(u.size())),
               std::sqrt(error / bound));
    errors += error;
    bounds += bound;
  }
  const double ratio = std::sqrt(errors / bounds);
  fmt::print("{} of {} recovered; rms error over the Cramer-Rao bound, all seeds: {:.3f} (at most 1.1 demanded)\n", recovered, seeds,
             ratio);
  return ratio <= 1.1 && recovered == seeds ? 0 : 1;
}
