#include "learners/hermite/moment_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/random.hpp"
#include "decompose/pencil.hpp"
#include "learners/registry.hpp"
#include "learners/stage_clock.hpp"
#include "moments/hermite.hpp"
#include "moments/subspace.hpp"
#include "solve/signs.hpp"

namespace relucover {

namespace {

constexpr Index highest_tuple_order = 3;  // moments of order 8

/// ℓ and the directions to work in: for ℓ = 1 the range of T_2, else all inputs.
struct MomentFrame {
  Index tuple_order = 1, units = 0;
  Matrix directions;
};

MomentFrame choose_frame(const MomentSource& source, const MomentMethodOptions& options, const Control& control) {
  const Index d = source.inputs();
  MomentFrame frame{options.tuple_order, options.units, Matrix::Identity(d, d)};
  if (frame.tuple_order == 0 && frame.units > 0) frame.tuple_order = tuple_order_for(d, frame.units);
  if (frame.tuple_order > 1) return frame;
  const Index guess = std::min(d, std::max<Index>(1, frame.units > 0 ? frame.units : d));
  const Subspace all = subspace_of(source, guess, {.excess = 1.0, .seed = options.seed}, control);
  const Index rank = count_by_spectrum(all.spectrum, source.exact());
  const bool more_than_inputs = rank == d && frame.units == 0, dependent = source.exact() && rank < frame.units;
  if (options.tuple_order == 0 && (more_than_inputs || dependent)) {
    frame.tuple_order = 2;
    return frame;
  }
  frame.tuple_order = 1;
  if (frame.units == 0) frame.units = rank;
  frame.directions = all.directions.topRows(std::min(frame.units, all.directions.rows()));
  return frame;
}

/// c_i (w_i, b_i) of the sign-free form Σ c_i |w_i·x + b_i| + v·(x, 1) with c = a/2, and v from T_1 and T_0.
void resolve_signs(const HermiteMoments& moments, const MomentMethodOptions& options, bool exact, MomentAnswer& answer) {
  ReluUnits& units = answer.units;
  const Index m = units.count(), d = units.w.cols();
  const Vector first = moments.of_order(1).values;
  const double zeroth = moments.of_order(0).values[0];
  if (answer.tuple_order == 1) {
    units = fix_signs(units, first, options.signs);
    answer.signs_resolved = answer.signs_unique = true;  // independent w: ATV Theorem 4.1
  } else if (exact) {
    Matrix rows(m, d + 1);
    Vector target(d + 1);
    target << first, zeroth;
    for (Index i = 0; i < m; ++i) {
      const double c = units.a[i] / 2, b = units.b[i];
      rows.row(i) << c * units.w.row(i), c * b;
      // E|z + b| = 2 E relu(z + b) - b and E[|z + b| z] = 2Φ(b) - 1
      target.head(d) -= c * (2 * normal_distribution(b) - 1) * units.w.row(i).transpose();
      target[d] -= c * (2 * relu_hermite_coefficient(0, b) - b);
    }
    const double tolerance = 1e-7 * std::max(1.0, rows.rowwise().norm().sum());
    const SignSolution found = find_signs(rows, target, tolerance, 1024);
    answer.signs_resolved = !found.signs.empty();
    answer.signs_unique = found.signs.size() == 1 && found.complete;
    if (answer.signs_resolved) {
      for (Index i = 0; i < m; ++i) {
        units.w.row(i) *= found.signs[0][static_cast<std::size_t>(i)];
        units.b[i] *= found.signs[0][static_cast<std::size_t>(i)];
      }
      for (std::size_t s = 1; s < found.signs.size(); ++s) {
        answer.equivalent.push_back(found.signs[s]);
        for (std::size_t i = 0; i < found.signs[s].size(); ++i) answer.equivalent.back()[i] *= found.signs[0][i];
      }
    }
  }
  answer.skip = first;
  answer.offset = zeroth;
  for (Index i = 0; i < m; ++i) {
    answer.skip -= units.a[i] * normal_distribution(units.b[i]) * units.w.row(i).transpose();
    answer.offset -= units.a[i] * relu_hermite_coefficient(0, units.b[i]);
  }
  if (!exact && answer.tuple_order == 1) {
    answer.skip.setZero();  // the printed algorithms have no affine term; what is left is sampling error
    answer.offset = 0;
  }
}

/// Moments without a unit in them: the affine part is all there is.
MomentAnswer affine_answer(const MomentSource& source, const Control& control) {
  const Index d = source.inputs();
  const HermiteMoments moments = source.moments(Matrix::Identity(d, d), 1, control);
  MomentAnswer answer;
  answer.units = {Matrix(0, d), Vector(0), Vector(0)};
  answer.signs_resolved = answer.signs_unique = true;
  answer.skip = moments.of_order(1).values;
  answer.offset = moments.of_order(0).values[0];
  return answer;
}

void lift(const MomentFrame& frame, MomentAnswer& answer) {
  answer.units.w = answer.units.w * frame.directions;
  answer.skip = frame.directions.transpose() * answer.skip;
}

/// Number of units that all slices of T_{2ℓ}, T_{2ℓ+1}, T_{2ℓ+2} side by side show.
Index rank_of_slices(const Pencils& pencils) {
  const Vector& spectrum = pencils.spectrum();
  if (!(spectrum[0] > 0)) return 0;
  return (spectrum.array() > 1e-7 * spectrum[0]).count();  // roots of eigenvalues of a Gram matrix: rounding at 1e-8
}

ReluUnits draw_units(const HermiteMoments& moments, const MomentFrame& frame, const MomentMethodOptions& options, bool exact,
                     const Control& control) {
  const Index last = 2 * frame.tuple_order + 2;
  const Pencils pencils(moments, frame.units, {.tuple_order = frame.tuple_order});
  ReluUnits best{Matrix(0, frame.directions.rows()), Vector(), Vector()};
  double least = std::numeric_limits<double>::infinity();
  for (Index draw = 0; draw < options.draws; ++draw) {
    control.check();
    RandomStream random(options.seed, purpose::pencil, static_cast<std::uint64_t>(draw));
    const Pencils::Draw found = pencils.draw(random);
    if (found.directions.rows() == 0 || (exact && !found.real)) continue;
    ReluUnits units = recover_scalars(moments, found.directions, frame.tuple_order);
    if (!units.b.allFinite() || !units.a.allFinite()) continue;
    const double risk = moment_risk(moments, units, 2, last);
    if (!(risk < least)) continue;
    least = risk;
    best = std::move(units);
  }
  return best;
}

struct RankThresholds {
  double rank, weight, same;
};
RankThresholds thresholds_of(const HermiteMoments& moments, Index order, Index tuple_order, bool exact,
                             const MomentMethodOptions& options) {
  const SymmetricTensor& tensor = moments.of_order(order);
  const double noise = moments.noise[static_cast<std::size_t>(order)];
  const double rows = std::sqrt(static_cast<double>(packed_size(tensor.dimension, tuple_order)));
  const double automatic = std::max(1e-9 * std::sqrt(tensor.squared_norm()), 2 * noise / rows);
  return {options.eta1 > 0 ? options.eta1 : automatic, options.eta2 > 0 ? options.eta2 : automatic / 2,
          options.eta3 > 0 ? options.eta3 : (exact ? 1e-4 : 0.3)};
}

/// Step 4 of ATV Algorithm 4: small terms out, then duplicates up to sign, those with the largest share first.
Matrix merge_directions(const std::vector<RankOneTerms>& found, const std::vector<double>& sizes,
                        const std::vector<RankThresholds>& thresholds, Index at_most) {
  struct Term {
    double share;
    Vector w;
  };
  std::vector<Term> terms;
  for (std::size_t t = 0; t < found.size(); ++t)
    for (Index i = 0; i < found[t].count(); ++i)
      if (std::abs(found[t].weights[i]) > thresholds[t].weight)
        terms.push_back({std::abs(found[t].weights[i]) / sizes[t], found[t].directions.row(i).transpose()});
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.share > b.share; });
  std::vector<Vector> kept;
  for (const Term& term : terms) {
    if (at_most > 0 && static_cast<Index>(kept.size()) == at_most) break;
    const auto same = [&](const Vector& w) { return std::min((w - term.w).norm(), (w + term.w).norm()) < thresholds.front().same; };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(term.w);
  }
  Matrix directions(static_cast<Index>(kept.size()), found.front().directions.cols());
  for (Index i = 0; i < directions.rows(); ++i) directions.row(i) = kept[static_cast<std::size_t>(i)].transpose();
  return directions;
}

/// Directions that are no unit's (a decomposition that did not converge) have scalars that are no numbers: without them.
ReluUnits finite_units(const ReluUnits& units) {
  std::vector<Index> kept;
  for (Index i = 0; i < units.count(); ++i)
    if (std::isfinite(units.a[i]) && std::isfinite(units.b[i])) kept.push_back(i);
  return {units.w(kept, Eigen::all), units.b(kept), units.a(kept)};
}

}  // namespace

Network MomentAnswer::network() const {
  Network network(units.w.cols(), units.count(), 1);
  network.W = units.w;
  network.b = units.b;
  network.A = units.a.transpose();
  network.skip = skip.transpose();
  network.offset[0] = offset;
  return network;
}

Network on_inputs(const MomentAnswer& answer, const Whitening& whitening) {
  const Index m = answer.units.count(), d = whitening.size();
  Matrix forms(m + 1, d + 1);
  forms.topLeftCorner(m, d) = answer.units.w;
  forms.topRightCorner(m, 1) = answer.units.b;
  forms.row(m) << answer.skip.transpose(), answer.offset;
  const Matrix mapped = whitening.forms_to_inputs(forms);
  Network network(whitening.inputs, m, 1);
  network.W = mapped.topLeftCorner(m, whitening.inputs);
  network.b = mapped.topRightCorner(m, 1);
  network.A = answer.units.a.transpose();
  network.skip = mapped.row(m).head(whitening.inputs);
  network.offset[0] = mapped(m, whitening.inputs);
  return canonical(network);
}

Index tuple_order_for(Index inputs, Index units) {
  Index order = 1;
  while (order < highest_tuple_order && packed_size(inputs, order) < units) ++order;
  return order;
}

MomentAnswer pencil_units(const MomentSource& source, const MomentMethodOptions& options, const Control& control) {
  MomentFrame frame = choose_frame(source, options, control);
  if (frame.directions.rows() == 0) return affine_answer(source, control);
  HermiteMoments moments = source.moments(frame.directions, 2 * frame.tuple_order + 2, control);
  if (source.exact() && frame.tuple_order > 1) {  // parallel units are one direction: there is no more than the rank
    Index rank = rank_of_slices(Pencils(moments, 1, {.tuple_order = frame.tuple_order}));
    // As many as there is room for: there may be more, and the next order has more room.
    while (options.tuple_order == 0 && frame.tuple_order < highest_tuple_order && rank == packed_size(source.inputs(), frame.tuple_order)) {
      ++frame.tuple_order;
      moments = source.moments(frame.directions, 2 * frame.tuple_order + 2, control);
      rank = rank_of_slices(Pencils(moments, 1, {.tuple_order = frame.tuple_order}));
    }
    frame.units = frame.units == 0 ? rank : std::min(frame.units, rank);
    if (frame.units == 0) return affine_answer(source, control);
  }
  const Index last = 2 * frame.tuple_order + 2;
  MomentAnswer answer;
  answer.tuple_order = frame.tuple_order;
  answer.units = draw_units(moments, frame, options, source.exact(), control);
  if (answer.units.count() == 0) return affine_answer(source, control);
  constexpr Index refinements = 30;
  if (source.exact() && answer.units.count() > 0) answer.units = refine_on_moments(moments, answer.units, 2, last, refinements, control);
  resolve_signs(moments, options, source.exact(), answer);
  answer.risk = moment_risk(moments, answer.units, 2, last);
  lift(frame, answer);
  return answer;
}

MomentAnswer printed_units(const MomentSource& source, const MomentMethodOptions& options, const Control& control) {
  const MomentFrame frame = choose_frame(source, options, control);
  if (frame.directions.rows() == 0) return affine_answer(source, control);
  const Index tuple_order = frame.tuple_order, last = 2 * tuple_order + 2;
  const HermiteMoments moments = source.moments(frame.directions, last, control);
  std::vector<RankOneTerms> found;
  std::vector<double> sizes;
  std::vector<RankThresholds> thresholds;
  for (const Index order : {2 * tuple_order + 1, 2 * tuple_order + 2}) {  // ATV Algorithms 1 and 4, steps 1 to 3
    const SymmetricTensor& tensor = moments.of_order(order);
    thresholds.push_back(thresholds_of(moments, order, tuple_order, source.exact(), options));
    sizes.push_back(std::max(std::sqrt(tensor.squared_norm()), 1e-300));
    found.push_back(decompose_tensor(tensor,
                                     {.algorithm = options.decomposition,
                                      .tuple_order = tuple_order,
                                      .rank_threshold = thresholds.back().rank,
                                      .max_rank = options.units,
                                      .draws = options.draws,
                                      .seed = options.seed},
                                     control));
  }
  MomentAnswer answer;
  answer.tuple_order = tuple_order;
  const Matrix directions = merge_directions(found, sizes, thresholds, options.units);  // step 4
  if (directions.rows() == 0) return affine_answer(source, control);
  answer.units = finite_units(recover_scalars(moments, directions, tuple_order));  // step 5, Algorithm 2
  if (answer.units.count() == 0) return affine_answer(source, control);
  resolve_signs(moments, options, source.exact(), answer);  // Algorithm 3 for ℓ = 1
  answer.risk = moment_risk(moments, answer.units, 2, last);
  lift(frame, answer);
  return answer;
}

Result learn_from_moments(const LearnOptions& options, const std::string& from, std::vector<std::string> problems,
                          const std::string& reason, const std::function<void(const Control&, Result&)>& work) {
  for (std::string& problem : options.problems()) problems.push_back(std::move(problem));
  if (options.method != "hermite-printed" && options.method != "hermite" && options.method != "auto")
    problems.push_back(fmt::format("method {} needs samples; from {} there are hermite and hermite-printed", options.method, from));
  check_no_problems("learn from " + from, problems);
  const Control control(options.threads, options.time_limit, options.observer);
  const SingleThreadedBlas single_threaded;
  Result result;
  result.method = options.method == "hermite-printed" ? options.method : "hermite";
  result.method_asked = options.method;
  result.method_reason = reason;
  result.units_asked = options.units;
  const StageClock clock("learn");
  try {
    work(control, result);
  } catch (const Interrupted& interrupted) {
    result.status = Status::budget_exhausted;
    result.message = interrupted.what();
  }
  result.seconds = clock.seconds();
  return result;
}

MomentMethodOptions moment_options(const LearnOptions& options) {
  MomentMethodOptions chosen;
  chosen.units = options.units;
  chosen.seed = options.seed;
  chosen.tuple_order = static_cast<Index>(setting(options, "order", 0));
  chosen.eta1 = setting(options, "eta1", 0);
  chosen.eta2 = setting(options, "eta2", 0);
  chosen.eta3 = setting(options, "eta3", 0);
  chosen.draws = static_cast<Index>(setting(options, "draws", static_cast<double>(chosen.draws)));
  chosen.signs = setting(options, "printed_signs", 0) != 0 ? SignRule::printed : SignRule::margin;
  const auto which = static_cast<int>(setting(options, "decomposition", 0));
  chosen.decomposition = which == 1 ? Decomposition::power : which == 2 ? Decomposition::als : Decomposition::jennrich;
  return chosen;
}

}  // namespace relucover
