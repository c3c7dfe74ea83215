#include "learners/deep/deep_extract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/blas.hpp"
#include "learners/asked_before.hpp"
#include "learners/deep/asked_layers.hpp"
#include "learners/deep/deep.hpp"
#include "learners/deep/deep_finish.hpp"
#include "learners/deep/probes.hpp"
#include "learners/deep/widths.hpp"
#include "learners/stage_clock.hpp"
#include "relucover/errors.hpp"
#include "samples/queried_samples.hpp"
#include "samples/subsample.hpp"
#include "samples/views.hpp"

namespace relucover {

namespace {

RowMatrix one_above_other(const RowMatrix& above, const RowMatrix& below) {
  if (above.rows() == 0) return below;
  RowMatrix both(above.rows() + below.rows(), above.cols());
  both << above, below;
  return both;
}

class DeepExtraction {
 public:
  DeepExtraction(Asking& asking, const QueryLaw& law, const ExtractOptions& options, const Control& control)
      : asking_(asking), options_(options), control_(control), gaussian_(asking, law, options),
        random_(options.learn.seed, purpose::queries, 1) {}

  void run(Extraction& extraction) {
    Result& result = extraction.result;
    result.method = "deep";
    result.method_asked = options_.learn.method;
    const StageClock clock("extract");
    std::optional<Result> uncertain;
    try {
      for (Index wanted = first_sample();; wanted = std::min(4 * wanted, options_.budget)) {
        const bool last = 4 * wanted > options_.budget;
        attempt(wanted, last, ++extraction.attempts, result);
        if (result.status == Status::exact || last || found_.noisy) break;
        if (!found_.found || !result.usable()) continue;
        if (uncertain) break;
        uncertain = result;  // a unit that few samples see may be certain with more of them
      }
    } catch (const Interrupted&) {
      if (!uncertain) throw;
      result.status = Status::budget_exhausted;
    }
    if (uncertain && !result.usable()) result = std::move(*uncertain);
    result.seconds = clock.seconds();
    result.samples = gaussian_.samples() + asked_x_.rows();
  }

  Index reused() const { return gaussian_.reused(); }

 private:
  Index first_sample() const { return std::min(options_.first > 0 ? options_.first : Index{20000}, options_.budget); }
  Index queries_left() const { return options_.budget - asking_.queries() - gaussian_.reused() - kept_for_asking_again(options_.budget); }

  void attempt(Index wanted, bool last, Index number, Result& result) {
    control_.progress("ask", -1, fmt::format("{} queries", wanted));
    gaussian_.grow(std::min(wanted, gaussian_.samples() + queries_left()), control_);
    learn_from_gaussian(result, number, last);
    if (!found_.found) return;
    if (!found_.noisy) ask_about_rare_units();
    judge(result);
  }

  /// Where a search is stuck because few samples see a unit, more samples help sooner than more of the search: it is short at first.
  LearnOptions options_for(Index number, bool last) const {
    LearnOptions learn = options_.learn;
    if (last || learn.settings.contains("rounds")) return learn;
    learn.starts = 1;
    learn.settings["rounds"] = static_cast<double>(number);
    return learn;
  }

  void learn_from_gaussian(Result& result, Index number, bool last) {
    rounding_ = deep_label_rounding(gaussian_, control_);
    prepared_ = prepare_deep_data(gaussian_, rounding_, control_);
    ask_for_layers(result);
    const StageClock searching("search layers");
    found_ = search_for_widths(prepared_.data, options_for(number, last), control_, asked_in_whitened());
    searching.file(result, found_.rounds, found_.cost);
    if (found_.found) return;
    result.status = Status::budget_exhausted;
    result.message = nothing_found(found_, fmt::format("the answers to {} queries", gaussian_.samples()));
  }

  /// Once, where every input can be moved a little.
  void ask_for_layers(Result& result) {
    const QueryLaw& law = gaussian_.law();
    const Whitening& whitening = prepared_.scaling.whitening;
    if (looked_ || whitening.size() != law.inputs()) return;
    looked_ = true;
    for (Index column = 0; column < law.inputs(); ++column)
      if (!law.moves(column)) return;
    const StageClock clock("ask for layers");
    const AskAt ask_at = [&](RowMatrix& rows) {
      RowMatrix queries = (whitening.factor * rows.transpose()).transpose().rowwise() + whitening.mean.transpose();
      for (Index column = 0; column < queries.cols(); ++column)
        queries.col(column) = queries.col(column).unaryExpr([&](double value) { return law.as_asked(value, column); });
      rows = whitening.whiten(queries);
      layers_queries_ += queries.rows();
      return RowMatrix(asking_.all(queries, control_) / prepared_.scaling.label_scale);
    };
    const LearnOptions& learn = options_.learn;
    const bool depth_known = !learn.any_depth && !learn.layers.empty();
    RowMatrix domain = prepared_.data.x.topRows(std::min<Index>(prepared_.data.samples(), 4000));
    constexpr double far = 2;  // planes that few samples are beyond show there
    if (law.gaussian()) domain.bottomRows(domain.rows() / 2) *= far;
    constexpr Index most_numbers = 50'000'000;
    asking_.keep(law.inputs() * std::min<Index>(queries_left() / 3, 200'000) < most_numbers);
    asked_ = asked_layers(ask_at, domain, {learn.layers, depth_known, queries_left() / 3}, random_, control_);
    asking_.keep(false);
    RowMatrix& lowest = asked_.plain.empty() ? asked_.forms : asked_.plain.front();
    if (lowest.rows() > 0) lowest = whitening.forms_to_inputs(lowest);
    clock.file(result, std::ssize(asked_.widths()), 0);
  }

  /// With the inputs scaled as the samples are now.
  AskedLayers asked_in_whitened() const {
    AskedLayers scaled = asked_;
    RowMatrix& lowest = scaled.plain.empty() ? scaled.forms : scaled.plain.front();
    if (lowest.rows() > 0) lowest = prepared_.scaling.whitening.forms_to_whitened(lowest, prepared_.scaling.whitening.mean);
    return scaled;
  }

  RowMatrix ask(const RowMatrix& queries) {
    RowMatrix answers = asking_.all(queries, control_);
    asked_x_ = one_above_other(asked_x_, queries);
    asked_y_ = one_above_other(asked_y_, answers);
    return answers;
  }

  /// Which of these rows the answer so far has wrong: far above rounding.
  std::vector<char> wrong_answers(const RowMatrix& x, const RowMatrix& y) const {
    const RowMatrix residual = y - prepared_.scaling.unscaled(found_.plain).evaluate(x);
    const double spread = prepared_.scaling.label_scale;
    std::vector<char> wrong;
    for (Index i = 0; i < x.rows(); ++i)
      wrong.push_back(!(residual.row(i).cwiseAbs().maxCoeff() <=
                        prepared_.data.wrong * 0.1 * (spread + y.row(i).cwiseAbs().maxCoeff()) + 4 * rounding_));
    return wrong;
  }

  /// Counterexamples: probes that the answer has wrong, their neighbours and the way to right ones join the samples it is finished on.
  void ask_about_rare_units() {
    constexpr int rounds = 8;
    constexpr Index probes = 20000, near = 2000, most_wrong = 400, most_right = 3000, kept = 8000;
    RowMatrix x = gaussian_rows(kept, true), y = gaussian_rows(kept, false);
    const StageClock clock("ask about rare units");
    for (int round = 0; round < rounds && queries_left() > near; ++round) {
      const Network network = prepared_.scaling.unscaled(found_.plain);
      const RowMatrix queries = probes_of(network, std::min(probes, queries_left() - near), gaussian_.law().spread().maxCoeff(), random_);
      const RowMatrix answers = ask(queries);
      const auto wrong = wrong_answers(queries, answers);
      auto off = rows_where(wrong, true), right = rows_where(wrong, false);
      control_.progress("ask about rare units", -1, fmt::format("{} of {} probes are wrong", off.size(), queries.rows()));
      if (off.empty()) break;
      if (std::ssize(off) > most_wrong) off.resize(most_wrong);
      if (std::ssize(right) > most_right) right.resize(most_right);
      const RowMatrix beside = probes_near(queries(off, Eigen::all), queries(right, Eigen::all), near, random_);
      x = one_above_other(one_above_other(one_above_other(x, queries(off, Eigen::all)), queries(right, Eigen::all)), beside);
      y = one_above_other(one_above_other(one_above_other(y, answers(off, Eigen::all)), answers(right, Eigen::all)), ask(beside));
      finish_again(x, y);
    }
  }

  RowMatrix gaussian_rows(Index count, bool inputs) const {
    BlockBuffer<double> buffer;
    const auto block = gaussian_.read(0, std::min(count, gaussian_.samples()), buffer);
    return inputs ? RowMatrix(block.x) : RowMatrix(block.y);
  }

  void finish_again(const RowMatrix& x, const RowMatrix& y) {
    DeepData more = prepared_.data;
    more.x = prepared_.scaling.whitening.whiten(x);
    more.y = (y.rowwise() - prepared_.scaling.label_mean.transpose()) / prepared_.scaling.label_scale;
    constexpr double samples_per_parameter = 40;
    const Finished finished = finish_deep(found_.sign_free, more, found_.most_widths(), samples_per_parameter, random_, control_);
    if (!finished.plain) return;
    found_.plain = finished.plain->model;
    found_.linear = finished.plain->linear;
    found_.sign_free = finished.sign_free;
  }

  void judge(Result& result) {
    const RowMatrix x = one_above_other(gaussian_rows(gaussian_.samples(), true), asked_x_);
    const RowMatrix y = one_above_other(gaussian_rows(gaussian_.samples(), false), asked_y_);
    const MemorySource<double> all(x, y, gaussian_.name());
    result.network = prepared_.scaling.unscaled(found_.plain);
    result.notes.clear();
    judge_deep(all, prepared_, found_, options_.learn, control_, result);
    if (result.certified()) explains_look(asked_within(asking_, gaussian_.law()), control_, result);
    left_is_noise(gaussian_, nullptr, kept_for_asking_again(options_.budget), asking_, control_, result);
    result.notes.push_back(fmt::format(
        "{} queries were Gaussian; {} looked for planes on which the model bends{}; {} looked for units that few see", gaussian_.samples(),
        layers_queries_, asked_.empty() ? "" : fmt::format(" (layers of {})", fmt::join(asked_.widths(), ", ")), asked_x_.rows()));
  }

  Asking& asking_;
  const ExtractOptions& options_;
  const Control& control_;
  QueriedSamples gaussian_;
  RandomStream random_;
  RowMatrix asked_x_, asked_y_;
  AskedLayers asked_;  // of the inputs
  Index layers_queries_ = 0;
  bool looked_ = false;
  double rounding_ = 0;
  PreparedDeepData prepared_;
  DeepSearchOutcome found_;
};

}  // namespace

void extract_deep(Asking& asking, const QueryLaw& law, const ExtractOptions& options, const Control& control, Extraction& extraction) {
  const SingleThreadedBlas single_threaded;
  DeepExtraction work(asking, law, options, control);
  extraction.reused = work.reused();
  work.run(extraction);
}

}  // namespace relucover
