// Every stage of the methods for vector outputs against its own bar (docs/math-vector.md): a right final answer would not
// show that a moment stage works. Usage: vector_stages [SEEDS] [PART OF A NAME]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "core/random.hpp"
#include "learners/vector/arbitrary_inputs.hpp"
#include "learners/vector/direction_net.hpp"
#include "learners/vector/exact_step.hpp"
#include "learners/vector/order_two_tensor.hpp"
#include "learners/vector/output_fit.hpp"
#include "learners/vector/proportional_labels.hpp"
#include "learners/vector/pure_neuron_start.hpp"
#include "learners/vector/rectified.hpp"
#include "learners/vector/sign_recovery.hpp"
#include "networks/squared_errors.hpp"
#include "relucover/relucover.hpp"
#include "samples/hard_instances.hpp"
#include "samples/vector_instances.hpp"
#include "vector/planted.hpp"
#include "verify/network_error.hpp"

using namespace relucover;

namespace {

const Control all_threads(2);
constexpr double failed = 100;

Planted plant(const VectorNetworkOptions& network, Index samples, std::uint64_t seed, const char* distribution = "gaussian",
              double noise = 0) {
  return planted_vector(network, of_samples(samples, distribution, noise), seed);
}

VectorNetworkOptions square(Index side) { return {.inputs = side, .units = side, .outputs = side}; }

double exact_error(const Planted& planted, const Matrix& compress, Network network) {
  network.W = exact_step(*planted.source, compress, network.W, all_threads).W;
  return squared_errors(planted.truth, with_fitted_outputs(*planted.source, network, all_threads)).worst();
}

double detector(const Planted& planted, DetectorRows rows, bool exact) {
  const QuadraticFit fit = fit_quadratic(*planted.source, all_threads);
  const auto start = pure_neuron_start(*planted.source, fit, planted.truth.units(), rows, 1, all_threads);
  if (!start.problem.empty()) return failed;
  return exact ? exact_error(planted, start.compress, start.network) : squared_errors(planted.truth, start.network).worst();
}

double order_two(std::uint64_t seed, bool exact) {
  const Planted planted = plant(square(10), 500, seed);
  const auto start = order_two_start(fit_quadratic(*planted.source, all_threads), 10, all_threads, {.biases = false});
  if (!start.problem.empty()) return failed;
  return exact ? exact_error(planted, Matrix::Identity(10, 10), start.network) : squared_errors(planted.truth, start.network, true).weights;
}

double dead_band(std::uint64_t seed, double error) {
  const Planted planted = plant({10, 5, 8, 3, 3}, 1000, seed);
  const auto found = recover_with_dead_band(*planted.source, compression(fit_quadratic(*planted.source, all_threads), 5),
                                            disturbed(planted.truth.W, error, seed), all_threads, {.error = error});
  return (found.W - planted.truth.W.rowwise().normalized()).rowwise().norm().maxCoeff();
}

/// Number of wrong signs.
double projections(std::uint64_t seed, double noise) {
  const Planted planted = plant({10, 5, 8, 3, 3}, 2000, seed, "gaussian", noise);
  const Matrix turned = disturbed(planted.truth.W, 0.05, seed);
  const Vector expected = turned.cwiseProduct(planted.truth.W).rowwise().sum().array().sign();
  return (signs_by_projection(*planted.source, turned, all_threads).signs - expected).cwiseAbs().sum() / 2;
}

double proportional(std::uint64_t seed) {
  const Planted planted = plant({10, 5, 3, 3, 1}, 20000, seed);
  const auto start = proportional_labels_start(*planted.source, 5, all_threads);
  if (!start.problem.empty()) return failed;
  return squared_errors(planted.truth, with_fitted_outputs(*planted.source, start.network, all_threads)).worst();
}

double cells(std::uint64_t seed, Index units) {
  RandomStream random(seed, purpose::study, 1);
  Network truth(units + 1, units, units + 1);
  truth.W = random.normal_matrix(units, units + 1);
  truth.A = random.normal_matrix(units + 1, units);
  const RowMatrix x = random.normal_matrix(60, units + 1).array().tanh();
  const auto found = search_cells(MemorySource<double>(x, truth.evaluate(x)), units, all_threads);
  return found.problem.empty() ? squared_errors(truth, found.network).worst() : failed;
}

double corruption(std::uint64_t seed) {
  const Planted planted = plant({10, 5, 60}, 2000, seed);
  const Result result = learn(corrupted(*planted.source, 0.15, 100, seed), {.units = 5, .method = "corrupted-labels", .threads = 2});
  return result.usable() ? squared_errors(planted.truth, result.network).worst() : failed;
}

/// Loss over that of the truth.
double net_loss(std::uint64_t seed, Index units) {
  const Planted planted = plant({10, units, 3}, 100000, seed, "gaussian", 1);
  const auto start = direction_net_start(*planted.source, units, all_threads);
  if (!start.problem.empty()) return failed;
  return std::sqrt(relative_residual(*planted.source, start.network, all_threads) /
                   relative_residual(*planted.source, planted.truth, all_threads));
}

double other_activation(std::uint64_t seed, Activation activation) {
  const Planted planted =
      plant({.inputs = 10, .units = 5, .outputs = 8, .weight_condition = 2, .output_condition = 2, .activation = activation}, 20000, seed);
  const QuadraticFit fit = fit_quadratic(*planted.source, all_threads);
  const auto start = order_two_start(fit, 5, all_threads, {.biases = false});
  if (!start.problem.empty()) return failed;
  const auto found = recover_rectified(*planted.source, compression(fit, 5), start.network.W, rectified(activation), all_threads);
  Network answer(10, 5, 8, activation);
  answer.W = found.W;
  answer.A = found.A;
  return found.problem.empty() ? squared_errors(planted.truth, answer).worst() : failed;
}

/// The whole learner on noisy labels: squared error over 10 σ² k(d-1)/n, and its loss over that of the truth.
struct Noisy {
  double error = failed, loss = failed;
};
Noisy noisy(double sigma, Index samples, std::uint64_t seed) {
  const Planted planted = plant(square(10), samples, seed, "gaussian", sigma);
  const Result result = learn(*planted.source, {.units = 10, .seed = seed, .threads = 2});
  if (!result.usable()) return {};
  const double bar = 10 * sigma * sigma * 10 * 9 / static_cast<double>(samples);
  const double answer = network_error(result.network, *planted.source, all_threads).rms,
               truth = network_error(planted.truth, *planted.source, all_threads).rms;
  return {squared_errors(planted.truth, result.network).worst() / bar, answer * answer / (truth * truth)};
}

struct Stage {
  const char* name;
  double bar;
  double needed;  // share of the seeds; 0.5: the median
  int seeds;      // at most
  std::function<double(std::uint64_t)> error;
};

bool run(const Stage& stage, int seeds) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<double> errors;
  for (int seed = 1; seed <= std::min(seeds, stage.seeds); ++seed) errors.push_back(stage.error(static_cast<std::uint64_t>(seed)));
  std::sort(errors.begin(), errors.end());
  const auto within = std::count_if(errors.begin(), errors.end(), [&](double e) { return e <= stage.bar; });
  const bool holds = static_cast<double>(within) >= stage.needed * static_cast<double>(errors.size());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{:<52} bar {:<8.2g} {:>2} of {:<2} median {:<8.1e} worst {:<8.1e} {:.2f} s each{}\n", stage.name, stage.bar, within,
             errors.size(), errors[errors.size() / 2], errors.back(), seconds / static_cast<double>(errors.size()),
             holds ? "" : "   MISSED");
  std::fflush(stdout);
  return holds;
}

}  // namespace

int main(int count, char** arguments) {
  const int seeds = count > 1 ? std::atoi(arguments[1]) : 20;
  const std::string part = count > 2 ? arguments[2] : "";
  const auto samples = DetectorRows::samples, moments = DetectorRows::moments;
  const double nearly_all = 0.95;
  const std::vector<Stage> stages = {
      {"exact step, 10x10, 200 samples", 1e-20, nearly_all, 20, [=](auto s) { return detector(plant(square(10), 200, s), samples, true); }},
      {"exact step, 10x10, mixture, 300 samples", 1e-20, nearly_all, 20,
       [=](auto s) { return detector(plant(square(10), 300, s, "mixture"), samples, true); }},
      {"exact step, 32x32, 1000 samples", 1e-20, nearly_all, 20,
       [=](auto s) { return detector(plant(square(32), 1000, s), samples, true); }},
      {"exact step, 32x32, mixture, 1500 samples", 1e-20, nearly_all, 20,
       [=](auto s) { return detector(plant(square(32), 1500, s, "mixture"), samples, true); }},
      {"before the exact step, 10x10, 10000", 1e-3, nearly_all, 20,
       [=](auto s) { return detector(plant(square(10), 10000, s), samples, false); }},
      {"before the exact step, 32x32, 10000", 1e-2, nearly_all, 20,
       [=](auto s) { return detector(plant(square(32), 10000, s), samples, false); }},
      {"before the exact step, 10x10, 10000, noise 0.1", 6e-3, nearly_all, 20,
       [=](auto s) { return detector(plant(square(10), 10000, s, "gaussian", 0.1), moments, false); }},
      {"printed Algorithm 2, 10x10, 10000 (median)", 0.3, 0.5, 20,
       [](auto s) {
         const Planted planted = plant(square(10), 10000, s);
         return squared_errors(planted.truth, printed_pure_neuron(*planted.source, 10, {}, s, all_threads).network).worst();
       }},
      {"noise 0.1, 1000 samples (error over its bar)", 1, nearly_all, 20, [](auto s) { return noisy(0.1, 1000, s).error; }},
      {"noise 0.1, 1000 samples (loss over the truth's)", 1.0001, nearly_all, 20, [](auto s) { return noisy(0.1, 1000, s).loss; }},
      {"noise 1, 10000 samples (error over its bar)", 1, nearly_all, 10, [](auto s) { return noisy(1, 10000, s).error; }},
      {"noise 1, 10000 samples (loss over the truth's)", 1.0001, nearly_all, 10, [](auto s) { return noisy(1, 10000, s).loss; }},
      {"order-2 tensor, 10x10, 500, up to sign", 0.1, nearly_all, 20, [](auto s) { return order_two(s, false); }},
      {"order-2 tensor, then the exact step", 1e-20, nearly_all, 20, [](auto s) { return order_two(s, true); }},
      {"Algorithm 5 with dead band, error 0.01", 1e-12, 1, 20, [](auto s) { return dead_band(s, 0.01); }},
      {"Algorithm 5 with dead band, error 0.1", 1e-12, 1, 20, [](auto s) { return dead_band(s, 0.1); }},
      {"Algorithm 6, noise 0.1 (wrong signs)", 0, 1, 20, [](auto s) { return projections(s, 0.1); }},
      {"Algorithm 6, noise 1 (wrong signs)", 0, 1, 20, [](auto s) { return projections(s, 1); }},
      {"Algorithm 7, 5 units, 3 outputs, 20000", 1e-18, nearly_all, 20, proportional},
      {"any inputs, 2 units, 60 samples", 1e-18, 1, 20, [](auto s) { return cells(s, 2); }},
      {"any inputs, 3 units, 60 samples", 1e-18, 1, 20, [](auto s) { return cells(s, 3); }},
      {"15% of entries wrong, 60 outputs, 2000", 1e-18, 0.9, 20, corruption},
      {"Algorithm 8, 1 unit, noise 1, 100000 (loss ratio)", 1.01, 1, 10, [](auto s) { return net_loss(s, 1); }},
      {"Algorithm 8, 2 units, noise 1, 100000 (loss ratio)", 1.01, 1, 10, [](auto s) { return net_loss(s, 2); }},
      {"max(t, 0)^2, 20000", 1e-18, nearly_all, 20, [](auto s) { return other_activation(s, Activation::relu2); }},
      {"max(t, 0)^3, 20000", 1e-18, nearly_all, 20, [](auto s) { return other_activation(s, Activation::relu3); }},
      {"exp(max(t, 0)) - 1, 20000", 1e-18, nearly_all, 20, [](auto s) { return other_activation(s, Activation::expm1); }},
  };
  bool all = true;
  for (const Stage& stage : stages)
    if (std::string(stage.name).find(part) != std::string::npos) all = run(stage, seeds) && all;
  return all ? 0 : 1;
}
