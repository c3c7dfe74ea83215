#pragma once
// Every small problem there is: few inputs, units, outputs and samples, labels of every kind, for every method; and a judge of what
// is claimed about them that knows how the labels were made.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/random.hpp"
#include "relucover/relucover.hpp"

namespace relucover::test {

enum class Labels { constant, linear, one_kink, network, zero_one, random, repeated_rows };
inline constexpr std::array label_kinds = {Labels::constant, Labels::linear, Labels::one_kink,     Labels::network,
                                           Labels::zero_one, Labels::random, Labels::repeated_rows};
inline constexpr std::array label_names = {"constant", "linear", "one kink", "network", "0/1", "random", "repeated rows"};

struct SmallCase {
  Index inputs = 1, units = 0, outputs = 1, samples = 1;  // units 0: find out
  Labels labels = Labels::linear;
  std::string method = "auto";
  std::string name() const {
    return fmt::format("inputs {} units {} outputs {} samples {} labels {} method {}", inputs, units, outputs, samples,
                       label_names[static_cast<std::size_t>(labels)], method);
  }
};

struct SmallProblem {
  RowMatrix x, y;
  /// The function that made the labels; none where no network of the size did.
  std::optional<Network> truth;
};

inline SmallProblem problem_of(const SmallCase& small) {
  RandomStream random(static_cast<std::uint64_t>(small.inputs + 10 * small.outputs + 100 * small.samples), purpose::study,
                      static_cast<std::uint64_t>(small.labels));
  const Index n = small.samples, d = small.inputs, l = small.outputs;
  SmallProblem problem{random.normal_matrix(n, d), RowMatrix::Zero(n, l), std::nullopt};
  const auto made_by = [&](Network network) {
    problem.y = network.evaluate(problem.x);
    problem.truth = std::move(network);
  };
  switch (small.labels) {
    case Labels::constant: problem.y.rowwise() += random.normal_vector(l).transpose(); break;
    case Labels::linear: {
      Network network(d, 0, l);
      network.skip = random.normal_matrix(l, d);
      network.offset = random.normal_vector(l);
      made_by(std::move(network));
      break;
    }
    case Labels::one_kink:
    case Labels::network: {
      const Index units = small.labels == Labels::one_kink ? 1 : std::max<Index>(small.units, 2);
      made_by(planted_network({.inputs = d, .units = units, .outputs = l, .seed = static_cast<std::uint64_t>(n)}));
      break;
    }
    case Labels::zero_one:
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < l; ++j) problem.y(i, j) = random.normal() > 0;
      break;
    case Labels::random: problem.y = random.normal_matrix(n, l); break;
    case Labels::repeated_rows: {
      const Index distinct = std::max<Index>(1, std::min<Index>(n, d + 2));
      problem.y = random.normal_matrix(n, l);
      for (Index i = distinct; i < n; ++i) {
        problem.x.row(i) = problem.x.row(i % distinct);
        problem.y.row(i) = problem.y.row(i % distinct);
      }
      break;
    }
  }
  return problem;
}

/// Why a certified answer is wrong; empty if it is not.
inline std::string false_claim(const SmallCase& small, const SmallProblem& problem, const Result& result) {
  if (!result.certified()) return {};
  if (result.network.inputs() != small.inputs || result.network.outputs() != small.outputs) return "the network has another shape";
  if (!problem.truth) return "no network made these labels";
  RandomStream random(1, purpose::study, 99);
  // Between samples: of what lies beyond them nothing is said.
  RowMatrix fresh(200, small.inputs);
  for (Index i = 0; i < fresh.rows(); ++i) {
    const double share = random.uniform();
    fresh.row(i) = share * problem.x.row(random.below(small.samples)) + (1 - share) * problem.x.row(random.below(small.samples));
  }
  const RowMatrix truth = problem.truth->evaluate(fresh), answer = result.network.evaluate(fresh);
  const double scale = std::sqrt(truth.squaredNorm() / static_cast<double>(truth.size()));
  const double allowed = result.status == Status::exact ? 1e-6 * scale : 1e-6 * scale + 10 * result.noise_estimate;
  const Index wrong = ((truth - answer).cwiseAbs().rowwise().maxCoeff().array() > allowed).count();
  return wrong > fresh.rows() / 20 ? fmt::format("{} of {} inputs between samples are answered wrongly", wrong, fresh.rows())
                                   : std::string();
}

struct SmallOutcome {
  std::string trouble;  // empty: none
  Status status = Status::numerical_failure;
  double seconds = 0;
};

inline SmallOutcome outcome_of(const SmallCase& small, double time_limit = 20) {
  const SmallProblem problem = problem_of(small);
  SmallOutcome outcome;
  try {
    const Result result = learn(MemorySource<double>(problem.x, problem.y),
                                {.units = small.units, .method = small.method, .threads = 1, .time_limit = time_limit, .starts = 3});
    outcome.status = result.status;
    outcome.seconds = result.seconds;
    outcome.trouble = false_claim(small, problem, result);
    if (!outcome.trouble.empty())
      outcome.trouble = fmt::format("false claim: {} ({}; {})", outcome.trouble, name_of(result.status), result.message);
    if (result.usable() && result.network.inputs() != small.inputs)
      outcome.trouble = "usable, but the network has another number of inputs";
    if (result.usable() && !result.network.evaluate(problem.x).allFinite())
      outcome.trouble = "usable, but the network's values are not finite";
    if (result.message.empty()) outcome.trouble = "no message";
  } catch (const std::exception& error) {
    outcome.trouble = fmt::format("throws: {}", error.what());
  }
  return outcome;
}

/// All of them, in a fixed order: method by method.
template <class Visit>
void for_all_small_cases(Visit visit) {
  for (const MethodInfo& method : methods())
    for (const Labels labels : label_kinds)
      for (Index inputs = 1; inputs <= 3; ++inputs)
        for (Index units = 0; units <= 4; ++units)
          for (Index outputs = 1; outputs <= 3; ++outputs)
            for (Index samples = 1; samples <= 30; ++samples)
              if (units == 0 || method.name != "deep") visit(SmallCase{inputs, units, outputs, samples, labels, method.name});
}

}  // namespace relucover::test
