#include "core/random.hpp"

#include <cmath>
#include <numbers>

#include "core/linear_algebra.hpp"

namespace relucover {

namespace {

struct Product {
  std::uint32_t high, low;
};
Product wide_product(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t wide = static_cast<std::uint64_t>(a) * b;
  return {static_cast<std::uint32_t>(wide >> 32), static_cast<std::uint32_t>(wide)};
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint32_t purpose, std::uint64_t index)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, counter_{0, purpose,
                                                                                               static_cast<std::uint32_t>(index),
                                                                                               static_cast<std::uint32_t>(index >> 32)} {}

void RandomStream::refill() {
  // Philox 4x32-10 (Salmon et al. 2011): constants of the published generator.
  auto c = counter_;
  auto k = key_;
  for (int round = 0; round < 10; ++round) {
    const auto [h0, l0] = wide_product(0xD2511F53u, c[0]);
    const auto [h1, l1] = wide_product(0xCD9E8D57u, c[2]);
    c = {h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0};
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  ready_ = c;
  left_ = 4;
  ++counter_[0];
}

std::uint32_t RandomStream::bits() {
  if (left_ == 0) refill();
  return ready_[static_cast<std::size_t>(--left_)];
}

std::uint64_t RandomStream::bits64() {
  const std::uint64_t high = bits();
  return high << 32 | bits();
}

double RandomStream::uniform() { return (static_cast<double>(bits64() >> 12) + 0.5) * 0x1p-52; }

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(uniform()));  // Box-Muller
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Index RandomStream::below(Index bound) {
  __extension__ using Wide = unsigned __int128;  // the bias of this product is below bound / 2^64
  return static_cast<Index>((static_cast<Wide>(bits64()) * static_cast<std::uint64_t>(bound)) >> 64);
}

Vector RandomStream::normal_vector(Index size) {
  Vector v(size);
  for (Index i = 0; i < size; ++i) v[i] = normal();
  return v;
}

Matrix RandomStream::normal_matrix(Index rows, Index cols) {
  Matrix m(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) m(i, j) = normal();
  return m;
}

Matrix random_orthonormal(Index rows, Index cols, RandomStream& random) {
  ThinQr qr = thin_qr(random.normal_matrix(rows, cols));
  for (Index j = 0; j < cols; ++j)
    if (qr.triangle(j, j) < 0) qr.basis.col(j) *= -1;  // makes the distribution Haar
  return std::move(qr.basis);
}

}  // namespace relucover
