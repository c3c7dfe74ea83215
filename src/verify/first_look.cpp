#include "verify/first_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/random.hpp"
#include "verify/kink_planes.hpp"
#include "verify/label_grid.hpp"
#include "verify/segments.hpp"

namespace relucover {

namespace {

using Look = FirstLook::Kind;

constexpr double mostly = 0.7;

bool whole_numbers(const RowMatrix& answers) { return (answers.array() == answers.array().round()).all(); }

/// Answers of few decimals or digits, but far more levels than these: noise, as it were. Segments that are short show rounding alone.
std::optional<FirstLook> rounded_answers(const Segments& seen, const Control& control) {
  constexpr double many_levels = 1000;
  const LabelGrid grid = label_grid(MemorySource<double>(RowMatrix::Zero(seen.middle.rows(), 1), seen.middle), control);
  if (!grid.rounded()) return std::nullopt;
  const Vector spread = (seen.middle.rowwise() - seen.middle.colwise().mean()).colwise().norm().transpose() /
                        std::sqrt(static_cast<double>(seen.middle.rows()));
  if (!(spread.maxCoeff() > many_levels * grid.step())) return std::nullopt;
  std::string words = grid.words();
  words.replace(0, std::string("labels").size(), "answers");
  return FirstLook{Look::noisy, words + ": short segments of queries show their rounding, not what bends"};
}

/// What shows without looking for bends.
std::optional<FirstLook> plain_to_see(const Segments& seen, double noise, const Control& control) {
  const auto& first = seen.middle;
  if (seen.distinct_values == 1 || (first.rowwise() - first.row(0)).isZero(0))
    if (second_differences(seen).isZero(0))
      return FirstLook{Look::constant, fmt::format("every answer is the same ({:g}): the model is constant on these inputs", first(0, 0))};
  if (noise > rounding_of(seen))
    return FirstLook{Look::noisy, fmt::format("the same query is answered differently (by {:.1e}): the answers are noisy", noise)};
  constexpr Index few = 40;
  if (seen.distinct_values <= few && 2 * seen.distinct_values <= seen.distinct_queries)
    return FirstLook{
        Look::few_values,
        fmt::format("the answers take {} different values{}: class labels alone are not enough, ask for probabilities or scores "
                    "(predict_proba, decision_function, logits)",
                    seen.distinct_values, whole_numbers(first) ? ", whole numbers" : "")};
  if (!seen.moved) return FirstLook{Look::unknown, "no input can be moved a little: where the model bends is not seen by asking"};
  const RowMatrix& near = seen.one.back();
  std::set<double> levels;  // one alone may be an output that is cut off
  Index rows_still = 0;
  for (Index i = 0; i < near.rows(); ++i) {
    if (near.row(i) != seen.middle.row(i)) continue;
    ++rows_still;
    levels.insert(near(i, 0));
  }
  const double still = static_cast<double>(rows_still) / static_cast<double>(near.rows());
  if (still > 0.5 && levels.size() > 2)
    return FirstLook{
        Look::steps,
        fmt::format("{:.0f}% of the answers do not change when the query moves a little: the model is piecewise constant (a tree, "
                    "a forest, rounded scores), not a network of ReLUs",
                    100 * still)};
  return rounded_answers(seen, control);
}

/// The largest difference of two answers to one query.
double noise_of(Asking& asking, const QueryLaw& law, std::uint64_t seed, const Control& control) {
  constexpr Index asked_twice = 8;
  const RowMatrix queries = law.draw(seed, purpose::queries + 4, 0, asked_twice);
  const RowMatrix first = asking.all(queries, control);
  return (asking.all(queries, control) - first).cwiseAbs().maxCoeff();
}

std::string saturates(Asking& asking, const QueryLaw& law, const Segments& seen, std::uint64_t seed, const Control& control) {
  if (!law.gaussian()) return "";
  constexpr double far = 1e4, grows = 50;
  const RowMatrix answers = asking.all(QueryLaw(far * law.spread()).draw(seed, purpose::queries + 5, 0, 16), control);
  return answers.cwiseAbs().maxCoeff() < grows * std::max(seen.largest, 1e-300) ? ", and bounded far out (it saturates, or waves)" : "";
}

FirstLook kinked_or_smooth(const Segments& seen, Link link, Asking& asking, const QueryLaw& law, std::uint64_t seed, const Control& control,
                           const std::function<RowMatrix(const RowMatrix&)>& answers) {
  const Matrix differences = second_differences(seen);
  const double rounding = rounding_of(seen);
  FirstLook look{Look::kinked, "", link};
  if (differences.size() == 0) {
    look.kind = Look::unknown;
    return look;
  }
  if (!((differences.array() > rounding).any())) {
    look.kind = Look::affine;
    look.words = fmt::format("no bend on {} segments of queries: the model is affine there", differences.rows());
    return look;
  }
  const double share = smooth_share(differences, rounding);
  if (share > mostly) {
    look.kind = Look::smooth;
    look.words = fmt::format(
        "the model is smooth{}: on {:.0f}% of the segments that bend, second differences shrink with the square of the length (kinks "
        "vanish or stay); tanh, GELU, ELU, softplus, sines look like this, networks of ReLUs don't",
        link == Link::identity ? saturates(asking, law, seen, seed, control) : "", 100 * share);
    return look;
  }
  look.words = share < 0 ? "few segments of queries bend"
                         : fmt::format("piecewise linear: second differences vanish on short segments ({:.0f}% look smooth)", 100 * share);
  const KinkPlanes planes = follow_kinks(answers, law, rounding, seed);
  constexpr Index enough_bends = 6;
  if (planes.bends >= enough_bends && 2 * planes.jumps > planes.bends) {
    look.kind = Look::steps;
    look.words = fmt::format(
        "the model jumps: at {} of {} places where it bends most, the bend does not shrink with the distance; it is piecewise constant in "
        "part (a tree, rounded scores), not a network of ReLUs",
        planes.jumps, planes.bends);
    return look;
  }
  if (planes.bends >= enough_bends && 2 * planes.round > planes.bends) {
    look.kind = Look::smooth;
    look.words = fmt::format(
        "the model is smooth, with sharp bends: at {} of {} of them the bend shrinks with the square of the distance (at a kink, with the "
        "distance); steep softplus and the like look like this, networks of ReLUs don't",
        planes.round, planes.bends);
    return look;
  }
  constexpr Index enough = 20;
  const double other_kinks = planes.longest_step < 5e-3 ? 0.2 : 0.5;  // a wide step meets others
  if (planes.places >= enough && planes.share() > other_kinks) {
    look.kind = Look::deeper;
    look.words = fmt::format(
        "piecewise linear with more than one hidden layer: {} of {} places on the planes of {} kinks bend otherwise or not at all (one "
        "hidden layer: all alike)",
        planes.elsewhere, planes.places, planes.kinks);
  } else if (planes.places >= enough) {
    look.words += fmt::format(", and {} of {} places on the planes of {} kinks bend alike: one hidden layer",
                              planes.places - planes.elsewhere, planes.places, planes.kinks);
  }
  return look;
}

}  // namespace

FirstLook first_look(Asking& asking, const QueryLaw& law, std::optional<Link> link, std::uint64_t seed, const Control& control) {
  control.progress("first look", -1);
  const Segments seen = ask_along_segments(asking, law, seed, control);
  if (const auto plain = plain_to_see(seen, noise_of(asking, law, seed, control), control)) {
    FirstLook look = *plain;
    if (look.kind == Look::noisy || look.kind == Look::unknown) look.link = link.value_or(likely_link(seen.middle));
    return look;
  }
  const auto look_through = [&](Link through) {
    if (through == Link::identity)
      return kinked_or_smooth(seen, through, asking, law, seed, control,
                              [&](const RowMatrix& queries) { return asking.all(queries, control); });
    const MemorySource<double> labels(RowMatrix::Zero(seen.middle.rows(), 1), seen.middle);
    const Unlink unlink(through, labels, control);
    if (unlink.noise() > 0)  // what bends on short segments is the rounding
      return FirstLook{Look::unknown,
                       "its probabilities have few digits, and short segments of queries show their rounding, not what bends", through};
    return kinked_or_smooth(before_link(seen, unlink), through, asking, law, seed, control, [&](const RowMatrix& queries) {
      const RowMatrix served = asking.all(queries, control);
      RowMatrix before = RowMatrix::Constant(served.rows(), unlink.outputs(), std::numeric_limits<double>::quiet_NaN());
      for (Index i = 0; i < served.rows(); ++i)
        if (unlink.carries(served.row(i).transpose())) before.row(i) = unlink.before(served.row(i).transpose()).transpose();
      return before;
    });
  };
  if (link) return look_through(*link);
  Link likely = likely_link(seen.middle);
  const bool between = (seen.middle.array() > 0).all() && (seen.middle.array() < 1).all();
  // Numbers between 0 and 1 need not be probabilities; where they are, log-odds are straight between kinks.
  if (likely == Link::sigmoid || (likely == Link::identity && between)) {
    const Unlink log_odds(Link::sigmoid, MemorySource<double>(RowMatrix::Zero(seen.middle.rows(), 1), seen.middle), control);
    likely = straight_share(before_link(seen, log_odds)) > straight_share(seen) ? Link::sigmoid : Link::identity;
  }
  if (likely == Link::identity) return look_through(Link::identity);
  FirstLook look = look_through(likely);
  look.words = fmt::format("answers through a {} link; before it, {}", name_of(likely), look.words);
  return look;
}

}  // namespace relucover
