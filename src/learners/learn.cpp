#include "relucover/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "core/archive.hpp"
#include "core/blas.hpp"
#include "core/check.hpp"
#include "core/checkpoint.hpp"
#include "core/linear_algebra.hpp"
#include "core/version.hpp"
#include "learners/leaky_fit.hpp"
#include "learners/linked.hpp"
#include "learners/plan.hpp"
#include "learners/registry.hpp"
#include "learners/stage_clock.hpp"
#include "moments/measured_source.hpp"
#include "networks/leaky.hpp"
#include "reduce/cut.hpp"
#include "relucover/errors.hpp"
#include "samples/subsample.hpp"
#include "samples/views.hpp"
#include "verify/extreme_spreads.hpp"
#include "verify/label_grid.hpp"
#include "verify/network_error.hpp"
#include "verify/unlinked.hpp"

namespace relucover {

std::vector<std::string> LearnOptions::problems() const {
  std::vector<std::string> found;
  if (units < 0) found.push_back(fmt::format("units is {}, expected 1 or more, or 0 to find out", units));
  if (threads < 0) found.push_back(fmt::format("threads is {}, expected 1 or more, or 0 for all cores", threads));
  if (!(time_limit > 0)) found.push_back(fmt::format("time limit is {}, expected a positive number of seconds", time_limit));
  if (!(seconds_between_checkpoints >= 0))
    found.push_back(fmt::format("seconds between checkpoints is {}, expected 0 or more", seconds_between_checkpoints));
  for (const Index width : layers)
    if (width < 0) found.push_back(fmt::format("a layer has {} units, expected 1 or more, or 0 to find out", width));
  if (units > 0 && (!layers.empty() || any_depth)) found.push_back("units and layers are both given: units is for one hidden layer");
  if (units > 0 && method == "deep") found.push_back("method deep has layers, not units: units is for one hidden layer");
  if (any_depth && !layers.empty()) found.push_back("layers are given, and any depth is asked for");
  if ((any_depth || layers.size() > 1) && method != "auto" && method != "deep")
    found.push_back(fmt::format("method {} is for one hidden layer; several are learned by method deep", method));
  if (starts < 1) found.push_back(fmt::format("starts is {}, expected at least 1", starts));
  const auto all = methods();
  const auto info = std::find_if(all.begin(), all.end(), [&](const MethodInfo& m) { return m.name == method; });
  if (info == all.end()) {
    std::string names;
    for (const auto& m : all) names += (names.empty() ? "" : ", ") + m.name;
    found.push_back(fmt::format("unknown method \"{}\"; there are {}", method, names));
    return found;
  }
  for (const auto& [name, value] : settings) {
    const bool known =
        std::any_of(info->settings.begin(), info->settings.end(), [&, &key = name](const auto& s) { return s.first == key; });
    if (!known) found.push_back(fmt::format("method {} has no setting \"{}\"", method, name));
    if (!std::isfinite(value)) found.push_back(fmt::format("setting {} is not a finite number", name));
  }
  return found;
}

namespace {

std::string listed(const std::vector<Index>& columns) {
  std::string text;
  for (std::size_t i = 0; i < columns.size() && i < 8; ++i) text += (i ? ", " : "") + std::to_string(columns[i]);
  return columns.size() > 8 ? text + ", ..." : text;
}

/// Notes on columns that carry nothing; the columns that do.
std::vector<Index> useful_columns(const Whitening& whitening, Result& result) {
  if (!whitening.constant.empty())
    result.notes.push_back(fmt::format("input column{} {} never var{}: weight 0, the effect is in the biases",
                                       whitening.constant.size() == 1 ? "" : "s", listed(whitening.constant),
                                       whitening.constant.size() == 1 ? "ies" : "y"));
  if (!whitening.dependent.empty())
    result.notes.push_back(fmt::format(
        "input column{} {} {} a linear combination of the others: weight 0, the effect is in the others' weights",
        whitening.dependent.size() == 1 ? "" : "s", listed(whitening.dependent), whitening.dependent.size() == 1 ? "is" : "are"));
  return whitening.kept;
}

/// How far columns that are taken for linear combinations of the others are from being so, over their spread.
double distance_from_dependence(const SampleSource& source, const Whitening& whitening, const Control& control) {
  if (whitening.dependent.empty()) return 0;
  const auto kept = static_cast<Index>(whitening.kept.size());
  const Index rows = std::min(source.samples(), 2000 + 4 * kept);
  const MemorySource<double> part = gather(source, spread_rows(source.samples(), rows, 0), control);
  Matrix others(rows, kept + 1);
  others << part.x()(Eigen::all, whitening.kept), Vector::Ones(rows);
  Matrix columns = part.x()(Eigen::all, whitening.dependent);
  columns.rowwise() -= columns.colwise().mean().eval();
  const Matrix left = columns - others * least_squares(others, columns);
  return (left.colwise().norm().array() / columns.colwise().norm().array().max(1e-300)).maxCoeff();
}

/// What a column that is nearly a combination of others adds was not looked at: with noise, nobody can say that it adds nothing.
void say_nearly_dependent(double distance, Result& result) {
  constexpr double rounding = 1e-10;
  if (distance <= rounding) return;
  const std::string words = fmt::format(
      "a column that was taken for a linear combination of the others differs from it by {:.0e} of its spread, and what that part does was "
      "not looked at",
      distance);
  result.notes.push_back(words);
  if (result.status != Status::recovered) return;
  fail(result, Status::approximate, "not certified: " + words);
  result.detection_limit = std::numeric_limits<double>::quiet_NaN();
}

Network spread_over_inputs(const Network& network, const std::vector<Index>& columns, Index inputs) {
  Network wide = network;
  wide.W = Matrix::Zero(network.units(), inputs);
  wide.skip = Matrix::Zero(network.outputs(), inputs);
  if (network.deep() && network.upper.front().around.size() > 0)
    wide.upper.front().around = Matrix::Zero(network.upper.front().W.rows(), inputs);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    wide.W.col(columns[j]) = network.W.col(static_cast<Index>(j));
    wide.skip.col(columns[j]) = network.skip.col(static_cast<Index>(j));
    if (network.deep() && network.upper.front().around.size() > 0)
      wide.upper.front().around.col(columns[j]) = network.upper.front().around.col(static_cast<Index>(j));
  }
  return wide;
}

/// True if the samples can carry an answer at all; else says what is missing.
bool enough_samples(const SampleSource& source, Index inputs, const LearnOptions& options, Result& result) {
  const Index units = options.units;
  const Index equations = source.samples() * source.outputs();
  const Index least_units = std::max<Index>(units, 1);
  const Index unknowns = least_units * (inputs + source.outputs()) + (units == 0 ? inputs + 1 : 0);
  if (equations > unknowns) return true;
  const std::string of_what = options.layers.size() > 1
                                  ? fmt::format("one unit alone; layers of {} were asked for", fmt::join(options.layers, ", "))
                                  : fmt::format("{} unit{} on {} inputs", least_units, least_units == 1 ? "" : "s", inputs);
  fail(result, Status::assumption_failed,
       fmt::format("{} samples give {} equations for at least {} unknowns ({}): give more samples or ask for fewer units", source.samples(),
                   equations, unknowns, of_what));
  return false;
}

/// How one hidden layer and several are told apart where any depth is asked for: the plan's.
bool wants_layers(const LearnOptions& options) { return options.method == "deep" || options.layers.size() > 1; }

void learn_from_columns(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  if (wants_layers(options)) {
    result.method = "deep";
    result.method_reason = "several hidden layers";
    learner_named("deep").run(source, options, control, result);
  } else if (options.method == "auto")
    learn_by_plan(source, options, control, result);
  else
    learner_named(options.method).run(source, options, control, result);
}

void learn_checked(const SampleSource& source, const LearnOptions& options, const Control& control, Result& result) {
  control.progress("look at the data", -1);
  const MeasuredSource measured(source, input_moments(source, control));
  const InputMoments& moments = measured.moments();
  if (!moments.covariance.allFinite() || !moments.cross_covariance.allFinite() || !moments.label_covariance.allFinite()) {
    check_finite(source, control);
    return fail(result, Status::assumption_failed, "values too large: squares of inputs or labels overflow; rescale them");
  }
  if (const std::string words = spreads_beyond_squares(moments, source, control); !words.empty())
    return fail(result, Status::assumption_failed, words);
  if (!(moments.label_covariance.diagonal().maxCoeff() > 0))
    return fail(result, Status::assumption_failed, "the labels never vary: any network with these labels would do");
  const Whitening whitening = whitening_of(moments);
  const auto columns = useful_columns(whitening, result);
  if (columns.empty()) return fail(result, Status::assumption_failed, "the inputs never vary: nothing can be learned from them");
  if (!enough_samples(source, static_cast<Index>(columns.size()), options, result)) return;

  std::optional<SelectedColumns> selected;
  if (static_cast<Index>(columns.size()) < source.inputs()) selected.emplace(source, columns);
  const SampleSource& useful = selected ? static_cast<const SampleSource&>(*selected) : measured;
  const auto of_all_inputs = [&] {
    if (selected && result.network.inputs() > 0) result.network = spread_over_inputs(result.network, columns, source.inputs());
  };
  try {
    learn_from_columns(useful, options, control, result);
    say_nearly_dependent(distance_from_dependence(source, whitening, control), result);
  } catch (...) {  // stopped: the best so far is an answer too
    of_all_inputs();
    throw;
  }
  of_all_inputs();
}

std::string how_far(const Result& result) {
  if (result.stages.empty()) return "before the first stage was done";
  const auto& last = result.stages.back();
  return fmt::format("after stage \"{}\", relative squared residual {:.1e}", last.stage, last.residual);
}

/// What must be the same for work to go on: the data (a few samples of it stand for all), what was asked, the version.
Checkpoint::Identity identity_of(const SampleSource& source, const LearnOptions& options, const Control& control) {
  std::string settings;
  for (const auto& [name, value] : options.settings) settings += fmt::format("{}={} ", name, value);
  const auto rows = spread_rows(source.samples(), std::min<Index>(source.samples(), 64), 0);
  const auto some = gather(source, rows, control);
  const std::size_t sum = std::hash<std::string>{}(pack(some.x(), some.y()));
  Checkpoint::Identity identity = {{"version", version()},
                                   {"samples", std::to_string(source.samples())},
                                   {"inputs", std::to_string(source.inputs())},
                                   {"outputs", std::to_string(source.outputs())},
                                   {"check sum of the data", fmt::format("{:016x}", sum)},
                                   {"method", options.method},
                                   {"units", std::to_string(options.units)},
                                   {"layers", options.any_depth ? "auto" : fmt::format("{}", fmt::join(options.layers, ","))},
                                   {"seed", std::to_string(options.seed)},
                                   {"starts", std::to_string(options.starts)},
                                   {"settings", settings}};
  // Sums over chunks round as they are cut. Few chunks are cut as ever; old files of data with more say nothing of it.
  const Cut cut(source.samples(), source.inputs() + source.outputs());
  if (cut.chunks() > Cut::few_chunks) identity.emplace_back("chunks of the data", std::to_string(cut.chunks()));
  return identity;
}

/// Keeps the state if a file is named for it. Only the first rank writes.
std::optional<Checkpoint> checkpoint_for(const SampleSource& source, const LearnOptions& options, const Control& control) {
  if (source.samples() == 0 || (options.checkpoint.empty() && options.resume.empty())) return std::nullopt;
  const bool writes = control.ranks() == nullptr || control.ranks()->rank() == 0;
  const std::string file = options.checkpoint.empty() ? options.resume : options.checkpoint;
  Checkpoint checkpoint(writes ? file : "", identity_of(source, options, control), options.seconds_between_checkpoints);
  checkpoint.check_writable();
  if (!options.resume.empty()) checkpoint.resume_from(options.resume);
  return checkpoint;
}

/// Writes the state when work was stopped, and says where it is or why it is not.
std::string kept(Checkpoint& checkpoint) {
  try {
    checkpoint.write();
    return fmt::format("; the state is kept in {}", checkpoint.file().string());
  } catch (const DataError& error) {
    return fmt::format("; the state could not be kept: {}", error.what());
  }
}

/// Leaky units with one slope look like ReLUs beside a linear term: the network that says what they are, as right as this one.
std::optional<Network> of_leaky_units(const SampleSource& source, const Control& control, const Result& result) {
  constexpr double least = 1e-9, most = 1e-4, rounding = 1e3, as_good = 1.5, epsilon = 1e-15;
  auto leaky = as_leaky(result.network, std::clamp(rounding * result.residual_relative, least, most));
  if (!leaky || result.left_out > 0) return leaky;
  const double spread = result.residual_rms / std::max(result.residual_relative, 1e-300);
  const auto right = [&] { return network_error(*leaky, source, control).rms <= as_good * result.residual_rms + epsilon * spread; };
  if (right()) return leaky;
  // One slope for all of them has dropped what rounding had added to each.
  leaky = fitted_leaky(*std::move(leaky), source, control);
  return right() ? leaky : std::nullopt;
}

void name_leaky_units(const SampleSource& source, const Control& control, Result& result) {
  if (result.status != Status::exact) return;
  std::optional<Network> leaky;
  try {
    leaky = of_leaky_units(source, control, result);
  } catch (const Interrupted&) {  // an answer is there: its name can wait
  }
  if (!leaky) return;
  result.network = *std::move(leaky);
  std::erase_if(result.notes, [](const std::string& note) { return note.starts_with("no choice of signs"); });
  result.sign_ambiguous = false;
  result.notes.push_back(
      fmt::format("the units are leaky: below their kinks all of them go on with slope {:.6g}, and there is no other linear term",
                  result.network.slope));
}

/// As it is: labels are what the network puts out.
Result learn_outputs(const SampleSource& source, const LearnOptions& given) {
  LearnOptions options = given;
  if (options.layers.size() == 1 && options.method != "deep") {  // one hidden layer by another name
    options.units = options.layers.front();
    options.layers.clear();
  }
  Control control = Control(options.threads, options.time_limit, options.observer).with_ranks(options.ranks);
  const SingleThreadedBlas single_threaded;
  std::optional<Checkpoint> checkpoint = [&]() -> std::optional<Checkpoint> {
    try {
      return checkpoint_for(source, options, control);
    } catch (const Interrupted&) {
      return std::nullopt;  // said below, at the first step
    }
  }();
  if (checkpoint) control = control.with_checkpoint(&*checkpoint);
  const StageClock clock("learn");
  Result result;
  result.method = result.method_asked = options.method;
  result.units_asked = options.units;
  result.samples = source.samples();
  try {
    if (source.samples() == 0)
      fail(result, Status::assumption_failed, "there are no samples");
    else
      learn_checked(source, options, control, result);
    name_leaky_units(source, control, result);
  } catch (const Interrupted& interrupted) {
    fail(result, Status::budget_exhausted, fmt::format("{} {}", interrupted.what(), how_far(result)));
    if (checkpoint) result.message += kept(*checkpoint);
  } catch (const DataError& error) {
    if (options.throw_on_bad_data) throw;
    fail(result, Status::assumption_failed, error.what());
  } catch (const std::bad_alloc&) {
    fail(result, Status::budget_exhausted, fmt::format("not enough memory, {}", how_far(result)));
  }
  if (checkpoint && !checkpoint->trouble().empty()) result.notes.push_back("the state could not be kept: " + checkpoint->trouble());
  result.domain = fmt::format("the {} samples of {}", source.samples(), source.name());
  result.seconds = clock.seconds();
  if (result.plan.empty() && result.method != "auto")
    result.plan = {{result.method, "asked for", result.seconds, name_of(result.status), result.message}};
  return result;
}

/// Labels that went through a link, taken back through it.
Result learn_through(Link link, const SampleSource& source, const LearnOptions& options) {
  const Control control(options.threads, options.time_limit, options.observer);
  const Unlink unlink(link, source, control);
  const MemorySource<double> before = unlink.samples(source, control);
  LearnOptions rest = options;
  rest.time_limit = control.seconds_left();
  Result result = learn_outputs(before, rest);
  if (result.network.inputs() > 0) result.network = unlink.served(std::move(result.network));
  say_link(unlink, source.samples() - before.samples(), source.samples(), result);
  return result;
}

/// The link to try first, as far as the labels tell.
Link link_to_try(const SampleSource& source, const LearnOptions& options, const Control& control) {
  if (options.link || options.ranks || !options.checkpoint.empty() || !options.resume.empty() || source.samples() == 0)
    return options.link.value_or(Link::identity);
  constexpr Index rows = 4000;
  const auto part = gather(source, spread_rows(source.samples(), std::min(rows, source.samples()), options.seed), control);
  const Link likely = likely_link(part.y());
  // Labels that are 0 or 1 at times were scaled to lie there, or are classes.
  if (likely == Link::sigmoid && ((part.y().array() == 0) || (part.y().array() == 1)).any()) return Link::identity;
  if (likely == Link::identity || label_grid(part, control).values.size() > 0) return Link::identity;
  return likely;
}

/// With the time that is left.
LearnOptions in_time(LearnOptions options, double seconds) {
  options.time_limit = std::max(seconds, 1e-3);
  return options;
}

/// Through the link that is asked for, or that labels show.
Result learn_through_any(const SampleSource& source, const LearnOptions& options, const Control& control) {
  Link link = Link::identity;
  try {
    link = link_to_try(source, options, control);
  } catch (const DataError&) {
    link = Link::identity;  // what can't be read is said by who learns
  }
  if (link == Link::identity) return learn_outputs(source, in_time(options, control.seconds_left()));
  if (options.link) return learn_through(link, source, in_time(options, control.seconds_left()));
  constexpr double share_of_time = 0.5;
  Result through = learn_through(link, source, in_time(options, share_of_time * control.seconds_left()));
  if (through.certified()) return through;
  Result plain = learn_outputs(source, in_time(options, control.seconds_left()));
  // Probabilities that add up to 1 went through softmax, whatever else fits them.
  const bool prefer_link =
      !plain.certified() && through.usable() && (link != Link::sigmoid || through.residual_relative < plain.residual_relative);
  if (prefer_link) return through;
  for (TriedMethod& tried : through.plan) tried.reason += fmt::format("; before a {} link", name_of(link));
  plain.plan.insert(plain.plan.begin(), through.plan.begin(), through.plan.end());
  plain.notes.push_back(fmt::format("the labels look like those of a {} link, which was tried too: {}", name_of(link), through.message));
  return plain;
}

}  // namespace

Result learn(const SampleSource& source, const LearnOptions& options) {
  check_no_problems("learn", options.problems());
  const Control control(options.threads, options.time_limit, options.observer);
  try {
    return learn_through_any(source, options, control);
  } catch (const Interrupted&) {  // while the link was looked for: who learns says it
    return learn_outputs(source, in_time(options, control.seconds_left()));
  }
}

}  // namespace relucover
