#include "verify/leftover/tails.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace relucover {

namespace {

constexpr double least_probability = 1e-300;

double mean_of(const Vector& draws) { return draws.mean(); }
double variance_of(const Vector& draws) { return (draws.array() - draws.mean()).square().mean(); }

/// std::lgamma also writes a sign where all threads see it.
double log_gamma(double value) {
  int sign = 0;
  return ::lgamma_r(value, &sign);
}

double share_reaching(const Vector& draws, double value) {
  const auto reaching = (draws.array() >= value).count();
  return static_cast<double>(1 + reaching) / static_cast<double>(1 + draws.size());
}

}  // namespace

double normal_tail(double z) { return z < 37 ? 0.5 * std::erfc(z / std::numbers::sqrt2) : least_probability; }

double gamma_tail(double mean, double variance, double value) {
  if (!(variance > 0) || !(mean > 0)) return 1;
  const double spread = variance / (9 * mean * mean);
  return normal_tail((std::cbrt(std::max(value, 0.0) / mean) - (1 - spread)) / std::sqrt(spread));
}

double chance_of_score(Index outputs, double square) {
  const auto count = static_cast<double>(outputs);
  return outputs > 1 ? gamma_tail(count, 2 * count, square) : 2 * normal_tail(std::sqrt(square));
}

double erlang_tail(Index count, double sum) {
  if (!(sum > 0)) return 1;
  constexpr Index many = 60;
  if (count > many) return gamma_tail(static_cast<double>(count), static_cast<double>(count), sum);
  double term = std::exp(-sum), total = 0;
  if (term == 0) {  // far out the last term is nearly all
    const double k = static_cast<double>(count - 1);
    return std::max(least_probability, std::exp(k * std::log(sum) - sum - log_gamma(k + 1)));
  }
  for (Index i = 0; i < count; ++i) {
    total += term;
    term *= sum / static_cast<double>(i + 1);
  }
  return std::min(1.0, total);
}

double binomial_tail(Index trials, double probability, Index hits) {
  if (hits <= 0 || probability >= 1) return 1;
  if (probability <= 0) return 0;
  const double n = static_cast<double>(trials);
  double total = 0;
  for (Index i = hits; i <= trials; ++i) {
    const double k = static_cast<double>(i);
    total += std::exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) + k * std::log(probability) +
                      (n - k) * std::log1p(-probability));
  }
  return std::min(1.0, total);
}

double tail_of_draws(const Vector& draws, double value) {
  if (value <= draws.maxCoeff()) return share_reaching(draws, value);
  return gamma_tail(mean_of(draws), variance_of(draws), value);
}

double tail_of_many_draws(const Vector& draws, double value) {
  constexpr double share = 0.05;
  if (value <= draws.maxCoeff()) return share_reaching(draws, value);
  Vector sorted = draws;
  std::sort(sorted.begin(), sorted.end());
  const Index most = std::max<Index>(1, static_cast<Index>(share * static_cast<double>(draws.size())));
  const double from = sorted[draws.size() - most - 1], further = sorted.tail(most).mean() - from;
  return share * std::exp(-(value - from) / std::max(further, 1e-300));
}

Gumbel gumbel_of(const Vector& maxima) {
  const double scale = std::max(std::sqrt(6 * variance_of(maxima)) / std::numbers::pi, 1e-300);
  return {mean_of(maxima) - std::numbers::egamma * scale, scale};
}

double Gumbel::tail(double value) const {
  const double standard = (value - place) / scale;
  const double beyond = std::exp(-std::min(standard, 690.0));
  return standard < 30 ? -std::expm1(-beyond) : beyond;
}

double tail_of_maxima(const Vector& maxima, double value) {
  const double tail = gumbel_of(maxima).tail(value);
  return value > maxima.maxCoeff() ? tail : std::max(tail, share_reaching(maxima, value));
}

double tail_of_dear_maxima(Index draws, const std::function<double()>& draw, double value) {
  constexpr Index few = 8;
  constexpr double ordinary = 0.15;
  Vector maxima(draws);
  for (Index k = 0; k < draws; ++k) {
    maxima[k] = draw();
    if (k + 1 != few) continue;
    if (const double chance = tail_of_maxima(maxima.head(few), value); chance > ordinary) return chance;
  }
  return tail_of_maxima(maxima, value);
}

}  // namespace relucover
