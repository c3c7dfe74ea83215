#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/check.hpp"
#include "learners/asked_before.hpp"
#include "learners/deep/deep.hpp"
#include "learners/deep/deep_extract.hpp"
#include "learners/linked.hpp"
#include "learners/registry.hpp"
#include "relucover/oracle.hpp"
#include "samples/queried_samples.hpp"
#include "samples/query_scale.hpp"
#include "samples/subsample.hpp"
#include "samples/views.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/first_look.hpp"
#include "verify/label_grid.hpp"
#include "verify/network_error.hpp"
#include "verify/unlinked.hpp"

namespace relucover {

namespace {

bool several_layers(const ExtractOptions& options) {
  return options.learn.layers.size() > 1 || options.learn.any_depth || options.learn.method == "deep";
}

/// Asks, learns, doubles the sample until the answer is certified and predicts fresh answers, or the budget is used up.
class OneLayerExtraction {
 public:
  /// A model that was seen to be piecewise linear, or to round its answers, gives answers that carry rounding alone.
  OneLayerExtraction(Asking& asking, const QueryLaw& law, const FirstLook& look, const ExtractOptions& options, const Control& control,
                     Extraction& extraction)
      : asking_(asking), link_(look.link), noise_free_(look.kind == FirstLook::Kind::kinked || step_of(look) > 0), step_(step_of(look)),
        looks_again_(look.link == Link::identity && (noise_free_ || look.kind == FirstLook::Kind::affine)), options_(options),
        control_(control), extraction_(extraction), samples_(asking, law, options) {
    extraction.reused = samples_.reused();
    again_ = kept_for_asking_again(options.budget);
    most_ = options.budget - (samples_.reused() > 0 ? 0 : asking.queries()) - again_;
    looked_at_ = first_sample();
  }

  /// One sample and a short time, for models that do not look like a network: whether an answer is certified all the same. What looks at
  /// short segments can be wrong about what they see (rounded outputs, units that are flat mostly, inputs of few values).
  bool in_one_attempt() {
    constexpr double share = 0.1, seconds = 3;
    const Index wanted = first_sample(), judged = std::min(wanted + options_.fresh, most_);
    samples_.grow(judged, control_);
    learn_from(wanted, std::min(seconds, share * control_.seconds_left()));
    Result& result = extraction_.result;
    if (!result.certified() || !predicts(*seen(wanted, judged), control_, result, "fresh_queries") || !predicts_look() ||
        !predicts_rows() || !left_is_no_more_than_noise(wanted))
      return false;
    say_what_was_seen();
    return true;
  }

  void run() {
    for (Index wanted = first_sample();;) {
      samples_.grow(wanted, control_);
      learn_from(wanted);
      const Index judged = std::min(wanted + options_.fresh, most_);
      if (extraction_.result.certified()) {
        samples_.grow(judged, control_);
        const bool right = judged == wanted || predicts(*seen(wanted, judged), control_, extraction_.result, "fresh_queries");
        if (right && predicts_look() && predicts_rows() && left_is_no_more_than_noise(wanted)) break;
      }
      if (steps_show_ || contradicted_ > most_contradictions) break;
      if (wanted >= most_) break;
      if (!extraction_.result.certified() && (nothing_new(wanted) || no_network_shows(wanted))) break;
      wanted = std::min(extraction_.result.certified() ? std::max(2 * wanted, judged) : 2 * wanted, most_);
    }
    if (samples_.samples() >= most_) explain_budget();
    say_what_was_seen();
  }

  /// What there is becomes what the model serves.
  void serve() {
    Result& result = extraction_.result;
    if (!unlink_ || result.network.inputs() == 0) return;
    result.network = unlink_->served(std::move(result.network));
    say_link(*unlink_, saturated_, samples_.samples(), result);
  }

 private:
  Index first_sample() const {
    const Index wanted = options_.first > 0 ? options_.first : std::max<Index>(1000, 40 * (options_.inputs + 1));
    return std::min(wanted, most_);
  }

  /// Of answers that are learned from though they are rounded.
  static double step_of(const FirstLook& look) { return look.kind == FirstLook::Kind::noisy ? look.step : 0; }

  /// Samples [first, last) before the link.
  std::unique_ptr<SampleSource> seen(Index first, Index last) {
    auto range = std::make_unique<RowRange>(samples_, first, last);
    if (link_ == Link::identity) return range;
    if (!unlink_) unlink_.emplace(link_, samples_, control_);
    auto before = std::make_unique<MemorySource<double>>(unlink_->samples(*range, control_));
    if (first == 0) saturated_ = last - before->samples();
    return before;
  }

  /// Where no column moves, there may be few different queries, and all of them asked.
  bool nothing_new(Index wanted) {
    for (Index j = 0; j < samples_.inputs(); ++j)
      if (samples_.law().moves(j)) return false;
    const auto different = [&](Index samples) { return std::ssize(distinct_samples(gather(*seen(0, samples), 0, samples, control_))); };
    const Index asked = different(wanted);
    if (asked != different(wanted / 2)) return false;
    extraction_.result.notes.push_back(
        fmt::format("{} different queries are all there are like {}: more of them would say nothing new", asked, options_.like_name));
    return true;
  }

  /// After many samples: whether what an answer leaves unexplained is no network either.
  bool no_network_shows(Index wanted) {
    constexpr Index times = 8;
    const Result& result = extraction_.result;
    if (!looks_again_ || result.network.inputs() == 0 || wanted < times * looked_at_ || most_ - wanted < wanted) return false;
    looked_at_ = wanted;
    const Index asked = asking_.queries();
    const auto look = look_beside(result.network, asking_, samples_.law(), step_, options_.learn.seed, control_);
    most_ -= asking_.queries() - asked;
    if (look) return stop_because(look->words);
    // Rounding is known, so that what is left is no noise; twice the units would have been found by now.
    constexpr double far_above = 30, gained = 0.5;
    const double left = result.residual_rms, before = std::exchange(left_before_, left);
    if (step_ == 0 || !(left > std::max(far_above * step_, gained * before))) return false;
    return stop_because(
        fmt::format("answers are rounded to {:.2g}, and the best network with one hidden layer that {} queries show leaves {:.2g}, hardly "
                    "less than with an eighth of them: the model has more layers, is smooth, or has hundreds of units",
                    step_, wanted, left));
  }

  bool stop_because(const std::string& words) {
    fail(extraction_.result, Status::assumption_failed, words);
    extraction_.looks_like.clear();  // was wrong
    return true;
  }

  /// What rounding there is grows where a link is turned back: only answers that nobody rounded carry none to speak of.
  bool answers_are_whole(Index wanted) {
    const LabelGrid grid = label_grid(RowRange(samples_, 0, wanted), control_);
    return !grid.rounded() && !grid.float32;
  }

  void learn_from(Index wanted, double most_seconds = std::numeric_limits<double>::infinity()) {
    LearnOptions learn_options = options_.learn;
    learn_options.link = Link::identity;
    learn_options.noise_free = noise_free_ && wanted < most_ && (link_ == Link::identity || answers_are_whole(wanted));
    learn_options.time_limit = std::max(std::min(control_.seconds_left(), most_seconds), 1e-3);
    Result result = learn(*seen(0, wanted), learn_options);
    ++extraction_.attempts;
    // What was stopped may be worse than what an earlier sample gave.
    if (result.status == Status::budget_exhausted && result.network.inputs() == 0 && extraction_.result.network.inputs() > 0)
      control_.check();
    extraction_.result = std::move(result);
    control_.check();
  }

  /// A certified answer must explain what the model said when it was looked at, as far as that lies where the answer speaks of.
  bool predicts_look() {
    if (!looked_) looked_ = asked_within(asking_, samples_.law());
    if (looked_->samples() == 0) return true;
    if (explains_look(link_ == Link::identity ? *looked_ : unlink_->samples(*looked_, control_), control_, extraction_.result)) return true;
    ++contradicted_;
    return false;
  }

  /// A certified answer must know what the model says where its user's data are.
  bool predicts_rows() {
    constexpr Index most_rows = 5000;
    if (options_.like.rows() == 0) return true;
    if (rows_y_.rows() == 0) {
      rows_x_ = options_.like.topRows(std::min(most_rows, options_.like.rows()));
      for (Index j = 0; j < rows_x_.cols(); ++j)
        rows_x_.col(j) = rows_x_.col(j).unaryExpr([&](double v) { return samples_.law().as_asked(v, j); });
      rows_y_ = asking_.all(rows_x_, control_);
    }
    const MemorySource<double> rows(rows_x_, rows_y_, options_.like_name);
    if (link_ == Link::identity) return settled(predicts(rows, control_, extraction_.result, "rows_of_the_user"), rows.samples());
    const MemorySource<double> before = unlink_->samples(rows, control_);
    return settled(before.samples() == 0 || predicts(before, control_, extraction_.result, "rows_of_the_user"), before.samples());
  }

  /// Of the answers themselves: what noise was added where a link was turned back does not count.
  bool left_is_no_more_than_noise(Index wanted) {
    Result& result = extraction_.result;
    const RowRange answers(samples_, 0, wanted);
    const Unlink* unlink = unlink_ ? &*unlink_ : nullptr;
    if (left_is_noise(answers, unlink, again_, asking_, control_, result)) return true;
    ++contradicted_;
    // Where steps show, more samples would say nothing new.
    if (options_.budget - asking_.queries() < wanted + short_step_queries(options_.inputs)) return false;
    const Index asked = asking_.queries();
    const std::string words = moved_by_short_steps(unlink ? unlink->served(result.network) : result.network, answers,
                                                   result.figures.at("left_of_answers"), asking_, samples_.law(), control_);
    most_ -= asking_.queries() - asked;
    if (words.empty()) return false;
    steps_show_ = stop_because(words);
    extraction_.looks_like = words;
    return false;
  }

  bool settled(bool right, Index rows) {
    Result& result = extraction_.result;
    if (right) {
      result.notes.push_back(fmt::format("{} rows of {} are answered alike", rows, options_.like_name));
      return true;
    }
    result.status = Status::approximate;
    result.message = fmt::format("not certified: the rows of {} are not answered as the model does (worst difference {:.1e})",
                                 options_.like_name, result.figures["rows_of_the_user_worst"]);
    return false;
  }

  /// Which units queries can see: those that bend. Units that are on at all queries are a linear function there.
  void say_what_was_seen() {
    Result& result = extraction_.result;
    if (!result.certified()) return;
    if (result.figures.contains("fresh_queries"))
      result.notes.push_back(fmt::format("{} fresh queries, which were not learned from, are answered alike (worst difference {:.1e})",
                                         result.figures.at("fresh_queries"), result.figures.at("fresh_queries_worst")));
    const NetworkError error = network_error(result.network, *seen(0, std::min(samples_.samples(), most_)), control_);
    const double spread = error.relative > 0 ? error.rms / error.relative : 1;
    const Matrix& skip = result.network.skip;
    const double linear = skip.size() > 0 ? (skip * samples_.law().spread().asDiagonal()).norm() / spread : 0;
    result.figures["units_bending"] = static_cast<double>(result.network.units());
    result.figures["linear_part"] = linear;
    result.notes.push_back(
        fmt::format("{} unit{} bend on the queries; {}; units that are off at every query leave no trace", result.network.units(),
                    result.network.units() == 1 ? "" : "s",
                    linear > 0 ? "beside them there is a linear function (skip and offset): units that are on at every query, or a "
                                 "linear term of the model, and with it the signs of the units are a convention"
                               : "no unit is on at every query, and there is no linear term"));
  }

  /// Says in the result that the budget ended the work, not the data.
  void explain_budget() {
    Result& result = extraction_.result;
    if (result.certified()) return;
    result.notes.push_back(fmt::format("the budget of {} queries was used up before the answer could be certified", options_.budget));
    if (result.usable()) return;
    result.message = fmt::format("after {} queries: {}", options_.budget, result.message);
    result.status = Status::budget_exhausted;
  }

  Asking& asking_;
  Link link_;
  bool noise_free_;
  double step_;
  bool looks_again_;
  const ExtractOptions& options_;
  const Control& control_;
  Extraction& extraction_;
  QueriedSamples samples_;
  std::optional<Unlink> unlink_;
  RowMatrix rows_x_, rows_y_;
  std::optional<MemorySource<double>> looked_;
  static constexpr Index most_contradictions = 3;  // so often more samples may show what the look has seen
  bool steps_show_ = false;
  Index most_ = 0, again_ = 0, saturated_ = 0, contradicted_ = 0, looked_at_ = 0;
  double left_before_ = std::numeric_limits<double>::infinity();
};

QueryLaw law_for(const ExtractOptions& options, Asking& asking, const Control& control, bool may_ask) {
  if (options.like.rows() > 0) return QueryLaw::like(options.like, options.like_name);
  if (options.spread.size() > 0) return QueryLaw(options.center, options.spread, "N(mean, spread^2) of the model's own scaler");
  if (options.scale > 0) return QueryLaw(Vector::Constant(options.inputs, options.scale));
  if (auto kept = AnswerSpool::gaussian_in(options.spool)) return *kept;
  if (!may_ask) return QueryLaw(Vector::Ones(options.inputs));
  return law_by_asking(asking, options.inputs, options.learn.seed, control);
}

void give_up(std::string words, const ExtractOptions& options, Result& result) {
  result = Result{};
  result.method = result.method_asked = options.learn.method;
  fail(result, Status::assumption_failed, std::move(words));
}

void extract_after_look(Asking& asking, const ExtractOptions& options, const Control& control, Extraction& extraction,
                        std::string& domain) {
  // A file of answers is gone on with without asking anything twice; a small budget is for samples.
  constexpr Index small_budget = 5000;
  std::error_code ignored;
  const bool kept =
      !options.spool.empty() && std::filesystem::exists(options.spool, ignored) && std::filesystem::file_size(options.spool, ignored) > 0;
  const bool may_ask = options.look && !kept && options.budget >= std::max(small_budget, 40 * options.inputs);
  asking.keep(true);
  const QueryLaw law = law_for(options, asking, control, may_ask);
  domain = law.words();
  FirstLook look;
  look.link = options.learn.link.value_or(Link::identity);
  if (may_ask) {
    const std::optional<Link> known = asking.oracle().link_behind() == Link::identity ? options.learn.link : Link::identity;
    look = first_look(asking, law, known, options.learn.seed, control);
    extraction.looks_like = look.words;
    if (look.hopeless() && !(look.kind == FirstLook::Kind::deeper && several_layers(options))) {
      asking.keep(false);
      if (look.kind != FirstLook::Kind::constant) {
        OneLayerExtraction work(asking, law, look, options, control, extraction);
        if (work.in_one_attempt()) {
          work.serve();
          extraction.looks_like.clear();
          return;
        }
      }
      if (look.kind == FirstLook::Kind::deeper && extraction.looks_like == look.words)
        extraction.looks_like += "; ask for several with layers (--layers auto)";
      give_up(extraction.looks_like, options, extraction.result);
      return;
    }
  }
  asking.keep(false);
  if (several_layers(options)) {
    if (look.link != Link::identity)
      return give_up(fmt::format("several layers behind a {} link are not learned: hand over the outputs before it", name_of(look.link)),
                     options, extraction.result);
    extract_deep(asking, law, options, control, extraction);
  } else {
    OneLayerExtraction work(asking, law, look, options, control, extraction);
    try {
      work.run();
    } catch (const Interrupted&) {
      work.serve();
      throw;
    }
    work.serve();
  }
}

/// Row and column, counted from 1.
std::optional<std::pair<Index, Index>> first_not_finite(const RowMatrix& rows) {
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index j = 0; j < rows.cols(); ++j)
      if (!std::isfinite(rows(i, j))) return std::pair{i + 1, j + 1};
  return std::nullopt;
}

}  // namespace

std::vector<std::string> ExtractOptions::problems() const {
  std::vector<std::string> found = learn.problems();
  if (inputs < 1) found.push_back("inputs must be positive");
  if (budget < 1) found.push_back("budget must be positive");
  constexpr Index queries_for_an_unknown = 3;
  if (const double unknowns = static_cast<double>(learn.units) * static_cast<double>(inputs + 1);
      unknowns * queries_for_an_unknown > static_cast<double>(std::max<Index>(budget, 100)))
    found.push_back(fmt::format(
        "{} units on {} inputs are {:.0f} unknowns or more, too many for {} queries: ask for fewer units, or give a larger budget",
        learn.units, inputs, unknowns, budget));
  if (learn.layers.size() > 1) {
    const double unknowns = least_unknowns(inputs, learn.layers, 1);
    if (unknowns * queries_for_an_unknown > static_cast<double>(std::max<Index>(budget, 100)))
      found.push_back(
          fmt::format("layers of {} units on {} inputs are {:.0f} unknowns or more, too many for {} queries: ask for fewer units, or give "
                      "a larger budget",
                      fmt::join(learn.layers, ", "), inputs, unknowns, budget));
  }
  if (first < 0) found.push_back("first must not be negative");
  if (fresh < 0) found.push_back("fresh must not be negative");
  if (batch < 1) found.push_back("batch must be positive");
  if (!(scale >= 0) || !std::isfinite(scale)) found.push_back("scale must be positive and finite, or 0 to find out");
  if (like.rows() > 0 && like.cols() != inputs)
    found.push_back(fmt::format(
        "the rows of {} have {} columns, the model has {} inputs: leave out what is no input (labels are columns named y, y1, ...)",
        like_name, like.cols(), inputs));
  if (like.rows() == 1) found.push_back(fmt::format("one row of {} is not enough to be like: give some ten rows or more", like_name));
  if (const auto place = first_not_finite(like))
    found.push_back(fmt::format("row {}, column {} of {} is NaN or infinite: leave such rows out, or fill them in as for the model",
                                place->first, place->second, like_name));
  if ((like.rows() > 0) + (scale > 0) + (spread.size() > 0) > 1) found.push_back("scale, spreads and rows to be like: one of them");
  if (spread.size() > 0 &&
      (spread.size() != inputs || center.size() != inputs || !(spread.minCoeff() > 0) || !spread.allFinite() || !center.allFinite()))
    found.push_back("center and spread must have a number for each input, spreads positive");
  return found;
}

Extraction extract(BlackBox& oracle, const ExtractOptions& options) {
  check_no_problems("extract", options.problems());
  const Control control(options.learn.threads, options.learn.time_limit, options.learn.observer);
  Extraction extraction;
  Result& result = extraction.result;
  result.method = result.method_asked = options.learn.method;
  Asking asking(oracle, options.batch);
  std::string domain;
  try {
    extract_after_look(asking, options, control, extraction, domain);
  } catch (const Interrupted& reason) {
    if (!result.certified()) {
      result.status = Status::budget_exhausted;
      result.message = fmt::format("{}; {}", reason.what(),
                                   result.network.inputs() > 0 ? "this is the best there was by then" : "no network was found by then");
    }
    result.notes.push_back(fmt::format("stopped while asking: {}", reason.what()));
  }
  result.domain = domain;
  if (oracle.link_behind() != Link::identity && result.network.inputs() > 0) {
    result.network.link = oracle.link_behind();
    result.notes.push_back(fmt::format("link {}: the model says so itself, and was asked before it", name_of(result.network.link)));
  }
  if (!extraction.looks_like.empty()) result.notes.push_back("the model: " + extraction.looks_like);
  extraction.queries = asking.queries();
  extraction.repeated = asking.repeated();
  extraction.restarts = oracle.restarts();
  return extraction;
}

}  // namespace relucover
