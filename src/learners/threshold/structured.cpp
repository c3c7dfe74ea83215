#include "learners/threshold/structured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "learners/threshold/certificate.hpp"
#include "learners/threshold/claims.hpp"
#include "learners/threshold/product_fit.hpp"
#include "moments/label_moments.hpp"

namespace relucover {

Supports find_supports(const SampleSource& source, const SupportOptions& options, const Control& control) {
  const Index n = source.inputs();
  const LabelMoments moments = label_moments(
      source, [](double y) { return y; }, Matrix::Identity(n, n), 2, control);
  const double floor = options.present * moments.t1.cwiseAbs().maxCoeff();
  const auto ratio = [&](Index i, Index j) {  // T_2 and E[f x_i x_j] agree off the diagonal
    return moments.t2(i, j) / (options.rate * std::sqrt(std::abs(moments.t1[i] * moments.t1[j])));
  };
  const auto present = [&](Index i) { return std::abs(moments.t1[i]) > floor; };
  const auto edge = [&](Index i, Index j) { return present(i) && present(j) && ratio(i, j) > options.edge; };

  Supports supports;
  supports.smallest_inside = std::numeric_limits<double>::infinity();
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (Index i = 0; i < n; ++i) {
    if (seen[static_cast<std::size_t>(i)] || !present(i)) continue;
    std::vector<Index> group = {i};
    seen[static_cast<std::size_t>(i)] = true;
    for (std::size_t next = 0; next < group.size(); ++next)
      for (Index j = 0; j < n; ++j)
        if (!seen[static_cast<std::size_t>(j)] && edge(group[next], j)) {
          seen[static_cast<std::size_t>(j)] = true;
          group.push_back(j);
        }
    std::sort(group.begin(), group.end());
    for (std::size_t a = 0; a < group.size(); ++a)
      for (std::size_t b = a + 1; b < group.size(); ++b) {
        supports.cliques = supports.cliques && edge(group[a], group[b]);
        supports.smallest_inside = std::min(supports.smallest_inside, ratio(group[a], group[b]));
      }
    supports.groups.push_back(std::move(group));
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j)
      if (present(i) && present(j) && !edge(i, j)) supports.largest_outside = std::max(supports.largest_outside, ratio(i, j));
  return supports;
}

namespace {

/// Shifted power iteration for a maximum of T_4(z,z,z,z) on the sphere, away from the directions already found.
Vector climb(const Matrix& fourth, double shift, Vector z, const Control& control) {
  const Index n = z.size();
  for (int iteration = 0; iteration < 500; ++iteration) {
    control.check();
    const Matrix square = z * z.transpose();
    const Vector inner = fourth * square.reshaped();
    const Vector next = (inner.reshaped(n, n) * z + shift * z).normalized();
    const double change = (next - z).norm();
    z = next;
    if (change < 1e-10) break;
  }
  return z;
}

}  // namespace

EvenDirections even_directions(const SampleSource& source, const UnitFunction& unit, Index asked, std::uint64_t seed,
                               const Control& control, Index end) {
  const Index n = source.inputs(), units = asked > 0 ? asked : n;
  const Matrix identity = Matrix::Identity(n, n);
  const SampleRange range{0, end};
  const double mean = mean_label(source, control);
  const LabelFunction label = [mean](double y) { return y - mean; };
  EvenDirections found;
  found.u4 = unit.hermite_coefficient(4, 0);
  LabelMoments moments = label_moments(source, label, identity, 4, control, range);
  moments = refined_moments(source, label, {identity, moments}, identity, 4, control, range);
  if (std::abs(found.u4) < 1e-9) {  // a²: only T_2 is left, and it must have gaps
    const SymmetricEigen eigen = symmetric_eigen(moments.t2);
    std::vector<Index> order(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return std::abs(eigen.values[a]) > std::abs(eigen.values[b]); });
    found.W.resize(units, n);
    const double noise = 2 * std::sqrt(static_cast<double>(n) * moments.mean_square / static_cast<double>(moments.samples));
    found.eigengap = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < units; ++i) {
      found.W.row(i) = eigen.vectors.col(order[static_cast<std::size_t>(i)]).transpose();
      if (i + 1 < n)
        found.eigengap = std::min(found.eigengap, std::abs(std::abs(eigen.values[order[static_cast<std::size_t>(i)]]) -
                                                           std::abs(eigen.values[order[static_cast<std::size_t>(i + 1)]])) /
                                                      noise);
    }
    found.complete = true;
    return found;
  }
  const Matrix fourth = (found.u4 < 0 ? -1.0 : 1.0) * moments.t4_square();
  const double shift = std::abs(found.u4) * std::sqrt(24.0);
  std::vector<Vector> directions;
  for (Index start = 0; start < 150 && static_cast<Index>(directions.size()) < units; ++start) {
    RandomStream random(seed, purpose::starts, static_cast<std::uint64_t>(start));
    Vector z = random.normal_vector(n);
    for (const Vector& other : directions) z -= z.dot(other) * other;
    z = climb(fourth, shift, z.normalized(), control);
    const bool fresh = std::all_of(directions.begin(), directions.end(), [&](const Vector& other) { return std::abs(z.dot(other)) < 0.7; });
    if (fresh) directions.push_back(z);
  }
  found.noise = std::sqrt(24 * moments.mean_square / static_cast<double>(std::max<Index>(moments.samples, 1)));
  const auto strength = [&](const Vector& z) {
    const Matrix square = z * z.transpose();
    return square.reshaped().dot(fourth * square.reshaped());
  };
  if (asked == 0) {  // maxima of noise alone are left out
    double largest = 0;
    for (const Vector& z : directions) largest = std::max(largest, strength(z));
    constexpr double chance = 6, least = 0.15;  // deviations of the noise; share of the largest
    std::erase_if(directions, [&](const Vector& z) { return strength(z) < std::max(chance * found.noise, least * largest); });
  }
  found.W.resize(static_cast<Index>(directions.size()), n);
  found.strength.resize(found.W.rows());
  for (std::size_t i = 0; i < directions.size(); ++i) {
    found.W.row(static_cast<Index>(i)) = directions[i].transpose();
    found.strength[static_cast<Index>(i)] = strength(directions[i]);
  }
  found.complete = asked > 0 ? found.W.rows() == asked : found.W.rows() > 0;
  return found;
}

namespace {

void refuse_task(FirstLayerResult& result, const std::string& why) {
  result.status = Status::assumption_failed;
  result.message = why;
}

/// Weights of zeros and ones are right or wrong: with the right ones all that is left to fit is linear, and held-out labels come
/// out to rounding.
void certify_supports(const SampleSource& source, const FirstLayerOptions& options, const std::string& words, FirstLayerResult& result,
                      const Control& control) {
  constexpr double unexplained = 0.2;  // of the labels' spread: these are not the weights
  const HoldOut holdout(source.samples());
  const Products products = products_of_units(result.model.units(), options.degree);
  const Index columns = static_cast<Index>(products.size());
  const UpperFit fit = fit_upper_polynomial(source, result.model, products, 0, std::min(holdout.begin, 20 * columns + 2000), control);
  result.model.upper = fit.upper;
  result.holdout_samples = holdout.end - holdout.begin;
  const double rounding = label_rounding(source, control);
  const Claim claim = upper_part_is_exact(source, result.model, fit.unseen, rounding, holdout, result, control);
  result.holdout_error = result.figures["holdout_upper_error"];
  if (claim.given) {
    settle(result, Status::exact, claim);
    result.direction_error = 0;
    result.message = fmt::format("{}; {}", words, result.message);
  } else if (result.holdout_error > unexplained) {
    refuse_task(result,
                fmt::format("{}, but with these weights {}: the weights are not zeros and ones on disjoint supports", words, claim.reason));
  } else {
    result.message = fmt::format("not certified: {}; {}", claim.reason, words);
  }
}

void learn_supports(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  const bool threshold = std::isfinite(options.threshold) && options.threshold > 0;
  const SupportOptions support{.rate = options.unit.parameter, .edge = threshold ? 0.5 : 0.75, .present = threshold ? 0.2 : 0.15};
  const Supports found = find_supports(source, support, control);
  result.method = threshold ? "supports (correlation graph)" : "supports (correlation graph, no threshold)";
  result.figures["smallest_inside"] = found.smallest_inside;
  result.figures["largest_outside"] = found.largest_outside;
  result.model.unit = options.unit;
  result.model.W = Matrix::Zero(static_cast<Index>(found.groups.size()), source.inputs());
  result.model.t = Vector::Constant(result.model.W.rows(), threshold ? options.threshold : 0);
  for (std::size_t i = 0; i < found.groups.size(); ++i)
    for (const Index j : found.groups[i]) result.model.W(static_cast<Index>(i), j) = 1;
  if (!found.cliques)
    return refuse_task(result, fmt::format("the correlation graph is no union of cliques (ratios inside from {:.2f}, outside to {:.2f}): "
                                           "supports overlap or products are too strong",
                                           found.smallest_inside, found.largest_outside));
  if (options.units > 0 && static_cast<Index>(found.groups.size()) != options.units)
    return refuse_task(result, fmt::format("{} supports were found, {} expected", found.groups.size(), options.units));
  const double margin = std::min(found.smallest_inside - support.edge, support.edge - found.largest_outside);
  result.figures["edge_margin"] = margin;
  const std::string words = fmt::format("{} disjoint supports, ratios inside from {:.2f}, outside to {:.2f}, edge at {}",
                                        found.groups.size(), found.smallest_inside, found.largest_outside, support.edge);
  result.status = Status::approximate;
  result.message = "not certified without the degree of the upper part: " + words;
  if (options.degree > 0 && result.model.units() > 0) certify_supports(source, options, words, result, control);
}

/// All weights together, from the maxima: exact where the upper part has the degree that was given.
void refine_even(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  const HoldOut holdout(source.samples());
  const ProductFit fit = product_fit(source, options.unit, result.model.W, result.model.t,
                                     {.degree = options.degree, .samples = std::min<Index>(20'000, holdout.begin)}, control);
  FirstLayerResult refined = result;
  refined.model = fit.model;
  const Claim claim = smooth_model_is_exact(source, fit, label_rounding(source, control), holdout, refined, control);
  if (!claim.given) {
    result.message += "; not certified: " + claim.reason;
    return;
  }
  settle(refined, Status::exact, claim);
  refined.message += "; directions are known up to sign";
  result = std::move(refined);
}

void learn_even(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  const EvenDirections found = even_directions(source, options.unit, options.units, options.seed, control);
  const Index units = options.units > 0 ? options.units : found.W.rows();
  if (options.units == 0) result.notes.push_back(fmt::format("{} maxima of order 4 stand out of the noise: that many units", units));
  result.method = "even";
  result.figures["u4"] = found.u4;
  result.model = {options.unit, found.W, Vector::Zero(found.W.rows()), {}};
  if (std::abs(found.u4) < 1e-9) {
    result.figures["eigengap"] = found.eigengap;
    if (found.eigengap < 3)
      return refuse_task(result, fmt::format("the fourth Hermite coefficient of {} is zero and T_2 has an eigengap of {:.1f} noise levels, "
                                             "below 3: directions are not determined",
                                             options.unit.name(), found.eigengap));
  }
  if (!found.complete)
    return refuse_task(result,
                       fmt::format("{} of {} maxima were found: f has no fourth moment that stands out of its noise along the others",
                                   found.W.rows(), units));
  const Index half = source.samples() / 2;
  const EvenDirections other = even_directions(source, options.unit, units, options.seed, control, half);
  // Pair by overlap: both are orthonormal up to sampling noise.
  double worst = other.complete ? 0 : M_PI;
  for (Index i = 0; i < found.W.rows() && other.complete; ++i)
    worst = std::max(worst, std::acos(std::min(1.0, (other.W * found.W.row(i).transpose()).cwiseAbs().maxCoeff())));
  result.direction_error = worst;
  const double overlap = (found.W * found.W.transpose() - Matrix::Identity(units, units)).cwiseAbs().maxCoeff();
  result.figures["overlap"] = overlap;
  result.status = Status::approximate;
  result.message = fmt::format("directions up to sign; half of the data moves them by {:.3f} rad; largest overlap {:.3f}", worst, overlap);
  if (options.refine && options.degree > 0) refine_even(source, options, result, control);
}

}  // namespace

void structured_layer(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  TaskClock clock(result);
  if (options.unit.even())
    learn_even(source, options, result, control);
  else
    learn_supports(source, options, result, control);
  clock.record("structured weights", 0, 0);
}

}  // namespace relucover
