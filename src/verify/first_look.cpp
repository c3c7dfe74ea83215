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

constexpr const char* smooth_functions = "tanh, GELU, ELU, softplus, sines look like this, networks of ReLUs don't";

LabelGrid grid_of_answers(const RowMatrix& answers, const Control& control) {
  return label_grid(MemorySource<double>(RowMatrix::Zero(answers.rows(), 1), answers), control);
}

/// Of a second difference of three answers, each half a step off at most.
double rounding_on_grid(double step) { return 2 * step; }
constexpr double above_a_bound = 4;  // times that

/// Answers of few decimals or digits, but far more levels than these: noise, as it were. Segments that are short show rounding alone, long
/// ones whether the model is smooth. Queries along segments lie on a grid themselves, `answers` are to others.
std::optional<FirstLook> rounded_answers(const Segments& seen, const RowMatrix& answers, bool linked, const Control& control) {
  constexpr double many_levels = 1000, alike = 0.05;
  const LabelGrid grid = grid_of_answers(seen.middle, control), elsewhere = grid_of_answers(answers, control);
  if (!grid.rounded() || !elsewhere.rounded() || elsewhere.step() < alike * grid.step()) return std::nullopt;
  const Vector spread = (seen.middle.rowwise() - seen.middle.colwise().mean()).colwise().norm().transpose() /
                        std::sqrt(static_cast<double>(seen.middle.rows()));
  if (!(spread.maxCoeff() > many_levels * grid.step())) return std::nullopt;
  std::string words = grid.words();
  words.replace(0, std::string("labels").size(), "answers");
  const double share = linked ? -1 : smooth_share(second_differences(seen), rounding_on_grid(grid.step()), above_a_bound);
  FirstLook look{Look::noisy, words + ": short segments of queries show their rounding, not what bends"};
  if (share > mostly)
    look = {Look::smooth, fmt::format("the model is smooth, and its {}: on {:.0f}% of the segments that bend by more than that, second "
                                      "differences shrink with the square of the length (kinks vanish or stay); {}",
                                      words, 100 * share, smooth_functions)};
  if (grid.binary == LabelGrid::no_grid) look.step = grid.step();  // half precision is rounded by more than its last bit
  return look;
}

bool between_zero_and_one(const RowMatrix& answers) { return (answers.array() >= 0).all() && (answers.array() <= 1).all(); }

struct AskedTwice {
  RowMatrix answers;
  double difference = 0;  // the largest of two answers to one query
};

AskedTwice ask_twice(Asking& asking, const QueryLaw& law, std::uint64_t seed, const Control& control) {
  constexpr Index queries = 8;
  const RowMatrix x = law.draw(seed, purpose::queries + 4, 0, queries);
  AskedTwice asked{asking.all(x, control)};
  asked.difference = (asking.all(x, control) - asked.answers).cwiseAbs().maxCoeff();
  return asked;
}

/// What shows without looking for bends.
std::optional<FirstLook> plain_to_see(const Segments& seen, const AskedTwice& asked, bool linked, const Control& control) {
  const auto& first = seen.middle;
  if (seen.distinct_values == 1 || (first.rowwise() - first.row(0)).isZero(0))
    if (second_differences(seen).isZero(0))
      return FirstLook{Look::constant, fmt::format("every answer is the same ({:g}): the model is constant on these inputs", first(0, 0))};
  if (asked.difference > rounding_of(seen))
    return FirstLook{Look::noisy,
                     fmt::format("the same query is answered differently (by {:.1e}): the answers are noisy", asked.difference)};
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
  return rounded_answers(seen, asked.answers, linked, control);
}

std::string saturates(Asking& asking, const QueryLaw& law, const Segments& seen, std::uint64_t seed, const Control& control) {
  if (!law.gaussian()) return "";
  constexpr double far = 1e4, grows = 50;
  const RowMatrix answers = asking.all(QueryLaw(far * law.spread()).draw(seed, purpose::queries + 5, 0, 16), control);
  return answers.cwiseAbs().maxCoeff() < grows * std::max(seen.largest, 1e-300) ? ", and bounded far out (it saturates, or waves)" : "";
}

/// Bends that are no kinks.
bool jumps_or_round(const KinkPlanes& planes, FirstLook& look) {
  constexpr Index enough_bends = 6;
  if (planes.bends < enough_bends) return false;
  if (2 * planes.jumps > planes.bends) {
    look.kind = Look::steps;
    look.words = fmt::format(
        "the model jumps: at {} of {} places where it bends most, the bend does not shrink with the distance; it is piecewise constant in "
        "part (a tree, rounded scores), not a network of ReLUs",
        planes.jumps, planes.bends);
  } else if (2 * planes.round > planes.bends) {
    look.kind = Look::smooth;
    look.words = fmt::format(
        "the model is smooth, with sharp bends: at {} of {} of them the bend shrinks with the square of the distance (at a kink, with the "
        "distance); steep softplus and the like look like this, networks of ReLUs don't",
        planes.round, planes.bends);
  }
  return look.hopeless();
}

/// A model less a network.
class LessNetwork : public BlackBox {
 public:
  LessNetwork(Asking& model, const Network& network) : model_(model), network_(network) {}
  std::string name() const override { return model_.oracle().name(); }
  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control& control) override {
    const RowMatrix answers = model_.all(queries, control);
    largest_ = std::max(largest_, answers.cwiseAbs().maxCoeff());
    float32_ = float32_ && answers.cast<float>().cast<double>() == answers;
    return answers - RowMatrix(network_.serve(queries));
  }
  /// The model's, not of what is left.
  void say_rounding(Segments& seen) const {
    seen.largest = largest_;
    seen.float32 = float32_;
  }

 private:
  Asking& model_;
  const Network& network_;
  double largest_ = 0;
  bool float32_ = true;
};

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
        "vanish or stay); {}",
        link == Link::identity ? saturates(asking, law, seen, seed, control) : "", 100 * share, smooth_functions);
    return look;
  }
  look.words = share < 0 ? "few segments of queries bend"
                         : fmt::format("piecewise linear: second differences vanish on short segments ({:.0f}% look smooth)", 100 * share);
  const KinkPlanes planes = follow_kinks(answers, law, rounding, seed);
  if (jumps_or_round(planes, look)) return look;
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
  const bool linked = link.value_or(likely_link(seen.middle)) != Link::identity || between_zero_and_one(seen.middle);
  if (const auto plain = plain_to_see(seen, ask_twice(asking, law, seed, control), linked, control)) {
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

std::optional<FirstLook> look_beside(const Network& network, Asking& asking, const QueryLaw& law, double step, std::uint64_t seed,
                                     const Control& control) {
  LessNetwork rest(asking, network);
  Asking asking_rest(rest, asking.batch());
  Segments seen = ask_along_segments(asking_rest, law, seed, control);
  rest.say_rounding(seen);
  const double rounding = step > 0 ? rounding_on_grid(step) : rounding_of(seen);
  const double share =
      step > 0 ? smooth_share(second_differences(seen), rounding, above_a_bound) : smooth_share(second_differences(seen), rounding);
  FirstLook look{Look::kinked, ""};
  if (share > mostly) {
    look.kind = Look::smooth;
    look.words = fmt::format(
        "the model is smooth: on {:.0f}% of the segments that bend, second differences shrink with the square of the "
        "length (kinks vanish or stay); {}",
        100 * share, smooth_functions);
  } else if (step == 0) {
    constexpr int far_down = 10;  // a kink that the network has almost in its place jumps until the two are told apart
    jumps_or_round(follow_kinks([&](const RowMatrix& queries) { return asking_rest.all(queries, control); }, law, rounding, seed, far_down),
                   look);
  }
  if (!look.hopeless()) return std::nullopt;
  look.words = fmt::format("beside {} units that explain most of it, {}", network.units(), look.words);
  look.step = step;
  return look;
}

}  // namespace relucover
