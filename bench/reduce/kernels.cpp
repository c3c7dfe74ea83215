// The kernels that large problems spend their time in, against OpenBLAS alone on the same shapes: weighted Gram sums of
// order 2 and 4 (moments), and the engine's two products with the data. One thread each; answers are checked first.
//   bench_reduce_kernels [samples]
#include <cblas.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "core/blas.hpp"
#include "moments/moment_source.hpp"
#include "reduce/reduce.hpp"
#include "relucover/relucover.hpp"
#include "solve/normal_equations.hpp"
#include "solve/sign_pattern.hpp"
#include "solve/sums.hpp"

using namespace relucover;

namespace {

int failures = 0;

/// The two take turns, so that a busy moment of the machine hits both.
void compare_times(const std::string& name, double error, double error_bar, const std::function<void()>& reference,
                   const std::function<void()>& ours, double demanded = 0.8) {
  double best_reference = 1e300, best_ours = 1e300;
  const auto seconds = [](const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  constexpr int turns = 41;  // enough for a quiet moment of a shared machine
  for (int i = 0; i < turns; ++i) {
    best_reference = std::min(best_reference, seconds(reference));
    best_ours = std::min(best_ours, seconds(ours));
  }
  const double ratio = best_reference / best_ours;
  const bool good = error < error_bar && ratio >= demanded;
  failures += !good;
  fmt::print("{:<46} difference {:.1e}  OpenBLAS {:7.2f} ms  relucover {:7.2f} ms  ratio {:.2f} {}\n", name, error, 1e3 * best_reference,
             1e3 * best_ours, ratio,
             demanded == 0 ? "(nothing demanded)"
             : good        ? "ok"
                           : "BELOW 0.80");
}

MemorySource<double> planted(Index inputs, Index units, Index samples) {
  const auto source = synthetic_samples(planted_network({.inputs = inputs, .units = units, .seed = 1}), {.samples = samples, .seed = 1});
  BlockBuffer<double> buffer;
  source->read(0, samples, buffer);
  return MemorySource<double>(buffer.x, buffer.y);
}

/// Σ r z zᵀ on whitened inputs: OpenBLAS multiplies matrices that were formed beforehand.
void order_two(Index samples) {
  constexpr Index d = 100;
  const auto data = planted(d, 10, samples);
  const InputMoments inputs = input_moments(data, Control(1));
  const EstimatedMoments moments(data, inputs, whitening_of(inputs), Vector::Ones(1));
  const RowMatrix z = moments.whitening().whiten(data.x());
  const Vector slope = z.transpose() * data.y().col(0) / static_cast<double>(samples);
  const Vector residual = (data.y().col(0) - z * slope).array() - data.y().mean();
  const RowMatrix weighted = residual.asDiagonal() * z;
  RowMatrix plain(d, d);
  const auto reference = [&] {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, d, static_cast<int>(samples), 1, z.data(), d, weighted.data(), d, 0,
                plain.data(), d);
  };
  Matrix ours;
  const auto kernel = [&] { ours = moments.second_moment(Control(1)); };
  reference();
  kernel();
  compare_times(fmt::format("weighted Gram, order 2, d = {}", d), (ours - plain / static_cast<double>(samples)).norm() / ours.norm(), 1e-11,
                reference, kernel);
}

/// Σ r z⊗z⊗z⊗z: OpenBLAS multiplies the pairs, formed and weighted beforehand, as one product.
void order_four(Index samples) {
  constexpr Index q = 20;
  const auto data = planted(q, 10, samples);
  const View view{Matrix::Identity(q, q), Vector::Zero(q), Vector::Ones(1)};
  const auto features = monomial_features(data.x(), 2);
  const Matrix& pairs = features[2];
  const Matrix weighted = data.y().col(0).asDiagonal() * pairs;
  const int columns = static_cast<int>(pairs.cols());
  Matrix plain(columns, columns);
  const auto reference = [&] {
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, columns, columns, static_cast<int>(samples), 1, pairs.data(),
                static_cast<int>(samples), weighted.data(), static_cast<int>(samples), 0, plain.data(), columns);
  };
  std::vector<ResidualMoments> ours;
  const auto kernel = [&] { ours = residual_moments(data, view, {{4, Polynomial{}}}, Control(1)); };
  reference();
  kernel();
  const PackedIndex index(q, 2);
  double error = 0;
  for (Index a = 0; a < columns; ++a)
    for (Index b = 0; b < columns; ++b) {
      const double value = ours[0].raw[0].at({index.tuple(a)[0], index.tuple(a)[1], index.tuple(b)[0], index.tuple(b)[1]});
      error = std::max(error, std::abs(value - plain(a, b) / static_cast<double>(samples)));
    }
  compare_times(fmt::format("weighted Gram, order 4, {} directions", q), error, 1e-11, reference, kernel);
}

/// JᵀJ v by two products with the data, signs in between: OpenBLAS makes the two products alone, of the units and the affine part.
template <class Real>
void engine_products(Index samples, Index d, Index m, double demanded = 0.8) {
  const auto source = planted(d, m, samples);
  const RowMajor<Real> x = source.x().cast<Real>();
  const MemorySource<Real> data(x, source.y().cast<Real>());
  const SignFreeModel model = sign_free(planted_network({.inputs = d, .units = m, .seed = 2}));
  const SignFreeModel direction = sign_free(planted_network({.inputs = d, .units = m, .seed = 3}));
  SignPattern pattern(samples, m);
  GradientSum gradient(model, Loss{});
  gradient.pattern = &pattern;
  reduce(source, gradient, Control(1));
  const Matrix expected = reduce(source, CurvatureSum(model, direction, Loss{}), Control(1)).product.theta;
  RowMajor<Real> forms(m + 1, d), values(samples, m + 1), back(m + 1, d);
  forms << direction.theta.leftCols(d).cast<Real>(), direction.affine.leftCols(d).cast<Real>();
  const auto reference = [&] {
    values.noalias() = x * forms.transpose();
    back.noalias() = values.transpose() * x;
  };
  SignFreeModel ours;
  const auto kernel = [&] { ours = reduce(data, PatternCurvatureSum<Real>(model, pattern, direction, true), Control(1)).product; };
  reference();
  kernel();
  compare_times(fmt::format("engine's two products, {}, {} inputs, {} units", sizeof(Real) == 4 ? "float32" : "float64", d, m),
                (ours.theta - expected).norm() / expected.norm(), sizeof(Real) == 4 ? 1e-5 : 1e-12, reference, kernel, demanded);
}

}  // namespace

int main(int argc, char** argv) {
  const Index samples = argc > 1 ? std::atoll(argv[1]) : 20000;
  const SingleThreadedBlas single_threaded;
  order_two(samples);
  order_four(samples);
  engine_products<float>(samples, 784, 32);
  engine_products<double>(samples, 784, 32);
  engine_products<float>(samples, 400, 64);
  engine_products<float>(samples, 100, 16, 0);  // so thin that what lies between the products counts; such models are solved densely
  return failures > 0;
}
