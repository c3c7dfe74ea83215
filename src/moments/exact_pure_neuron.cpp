#include "moments/exact_pure_neuron.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "moments/symmetric_packing.hpp"

namespace relucover {

namespace {

constexpr double pi = std::numbers::pi;

/// What two units have together on N(0, I), u = w_i·x and v = w_j·x.
struct Pair {
  double product;   // E[relu(u) relu(v)]
  Matrix detector;  // E[(relu(u) v + u relu(v))/2 - relu(u) relu(v)) x xᵀ], zero for i = j
};

/// E[h x xᵀ] = E[h] I + E[∇²h] (Stein), with ∇²(relu(u) relu(v)) = δ(u) relu(v) w wᵀ + 1[u > 0, v > 0] (w w'ᵀ + w' wᵀ) + δ(v) relu(u) w'
/// w'ᵀ.
Pair pair_of(const Vector& w, const Vector& other) {
  const double one = w.norm(), two = other.norm(), inner = w.dot(other);
  const double cosine = std::clamp(inner / (one * two), -1.0, 1.0), angle = std::acos(cosine), sine = std::sin(angle);
  const Matrix cross = w * other.transpose() + other * w.transpose();
  const Matrix identity = Matrix::Identity(w.size(), w.size());
  Pair pair;
  pair.product = one * two / (2 * pi) * (sine + (pi - angle) * cosine);
  const Matrix both = pair.product * identity + sine * two / (2 * pi * one) * w * w.transpose() +
                      sine * one / (2 * pi * two) * other * other.transpose() + (pi - angle) / (2 * pi) * cross;
  pair.detector = inner / 2 * identity + cross / 2 - both;
  return pair;
}

}  // namespace

ExactPureNeuronMoments exact_pure_neuron_moments(const Network& network, const Matrix& compress) {
  const Index m = network.units(), d = network.inputs(), k = compress.cols();
  ExactPureNeuronMoments exact;
  exact.linear = network.A * network.W / 2;
  const Matrix outputs = compress.transpose() * network.A, linear = compress.transpose() * exact.linear;
  exact.of.detector = Matrix::Zero(packed_size(d), packed_size(k));
  Matrix products(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) {
      const Pair pair = pair_of(network.W.row(i).transpose(), network.W.row(j).transpose());
      products(i, j) = pair.product;
      if (i == j) continue;  // relu(t) t = relu(t)²
      const Vector packed = pack_symmetric(pair.detector);
      Index at = 0;
      for (Index a = 0; a < k; ++a)
        for (Index b = a; b < k; ++b)
          exact.of.detector.col(at++) += (a == b ? 1.0 : std::numbers::sqrt2) * outputs(a, i) * outputs(b, j) * packed;
    }
  const Matrix noise_square = outputs * products * outputs.transpose() - 2 * linear * linear.transpose();  // GKLW (11)
  exact.of.detector_denoised = exact.of.detector + pack_symmetric(Matrix::Identity(d, d)) * pack_symmetric(noise_square).transpose();
  exact.of.output_mean = outputs * network.W.rowwise().norm() / std::sqrt(2 * pi);
  return exact;
}

}  // namespace relucover
