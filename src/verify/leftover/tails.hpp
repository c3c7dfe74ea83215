#pragma once
// Chances of what was seen, if nothing but chance was at work: tails of distributions, and of draws.
#include <functional>

#include "relucover/types.hpp"

namespace relucover {

/// P(N(0,1) > z).
double normal_tail(double z);
/// P(G > value) for a gamma variable of this mean and variance (Wilson-Hilferty).
double gamma_tail(double mean, double variance, double value);
/// Of a score that is the sum of squares of standard normal numbers, one for each output.
double chance_of_score(Index outputs, double square);
/// P(sum of `count` unit exponentials > sum): the tail of Fisher's combination of p-values.
double erlang_tail(Index count, double sum);
/// P(X >= hits) for a binomial variable.
double binomial_tail(Index trials, double probability, Index hits);

/// Chance of a value at least this large, given what chance drew: the share of the draws that reach it, and beyond all of
/// them the tail of the gamma distribution with their mean and variance.
double tail_of_draws(const Vector& draws, double value);
/// The same with a thousand draws or more: beyond them their largest twentieth goes on as an exponential, which sums of few squares do,
/// and which is never too small for lighter tails.
double tail_of_many_draws(const Vector& draws, double value);
/// Distribution of maxima.
struct Gumbel {
  double place, scale;
  double tail(double value) const;
};
/// By mean and variance.
Gumbel gumbel_of(const Vector& maxima);
/// The same for values that are maxima: beyond the draws by a Gumbel distribution.
double tail_of_maxima(const Vector& maxima, double value);
/// The same, of draws that are dear: the first few tell where the value is nothing out of the ordinary.
double tail_of_dear_maxima(Index draws, const std::function<double()>& draw, double value);

}  // namespace relucover
