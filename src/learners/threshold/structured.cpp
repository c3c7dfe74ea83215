#include "learners/threshold/structured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "learners/threshold/certificate.hpp"
#include "moments/label_moments.hpp"

namespace relucover {

Supports find_supports(const SampleSource& source, const SupportOptions& options, const Control& control) {
  const Index n = source.inputs();
  const LabelMoments moments = label_moments(source, [](double y) { return y; }, Matrix::Identity(n, n), 2, control);
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

EvenDirections even_directions(const SampleSource& source, const UnitFunction& unit, Index units, std::uint64_t seed,
                               const Control& control, Index end) {
  const Index n = source.inputs();
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
                                                           std::abs(eigen.values[order[static_cast<std::size_t>(i + 1)]])) / noise);
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
  found.W.resize(static_cast<Index>(directions.size()), n);
  for (std::size_t i = 0; i < directions.size(); ++i) found.W.row(static_cast<Index>(i)) = directions[i].transpose();
  found.complete = static_cast<Index>(directions.size()) == units;
  return found;
}

namespace {

void fail(FirstLayerResult& result, const std::string& why) {
  result.status = Status::assumption_failed;
  result.message = why;
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
  if (!found.cliques) return fail(result, fmt::format("the correlation graph is no union of cliques (ratios inside from {:.2f}, outside to {:.2f}): supports overlap or products are too strong", found.smallest_inside, found.largest_outside));
  if (options.units > 0 && static_cast<Index>(found.groups.size()) != options.units)
    return fail(result, fmt::format("{} supports were found, {} expected", found.groups.size(), options.units));
  const double margin = std::min(found.smallest_inside - support.edge, support.edge - found.largest_outside);
  result.figures["edge_margin"] = margin;
  result.status = Status::approximate;  // ratios clear of the edge are evidence, not a check on held-out samples
  result.message = fmt::format("not certified: no held-out check of supports; {} disjoint supports, ratios inside from {:.2f}, outside to {:.2f}, edge at {}", found.groups.size(),
                               found.smallest_inside, found.largest_outside, support.edge);
}

void learn_even(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  const Index units = options.units > 0 ? options.units : source.inputs();
  const EvenDirections found = even_directions(source, options.unit, units, options.seed, control);
  result.method = "even";
  result.figures["u4"] = found.u4;
  result.model = {options.unit, found.W, Vector::Zero(found.W.rows()), {}};
  if (std::abs(found.u4) < 1e-9) {
    result.figures["eigengap"] = found.eigengap;
    if (found.eigengap < 3)
      return fail(result, fmt::format("the fourth Hermite coefficient of {} is zero and T_2 has an eigengap of {:.1f} noise levels, below 3: directions are not determined", options.unit.name(), found.eigengap));
  }
  if (!found.complete) return fail(result, fmt::format("{} of {} maxima were found", found.W.rows(), units));
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
}

}  // namespace

void structured_layer(const SampleSource& source, const FirstLayerOptions& options, FirstLayerResult& result, const Control& control) {
  StageClock clock(result);
  if (options.unit.even())
    learn_even(source, options, result, control);
  else
    learn_supports(source, options, result, control);
  clock.record("structured weights", 0, 0);
}

}  // namespace relucover
