#pragma once
// Problems that are hard on purpose: reductions from satisfiability, pairs of networks that few samples can't tell apart,
// corrupted labels, perturbed inputs (BJW section 3, Lemma 16, Theorem 14; GKLW appendix C).
#include <functional>
#include <optional>

#include "relucover/samples.hpp"

namespace relucover {

/// A formula in conjunctive form: literal +i or -i is variable i (from 1) or its negation; six literals a clause.
struct SixSat {
  Index variables = 0;
  std::vector<std::array<int, 6>> clauses;
  std::vector<std::string> problems() const;
};
/// With every clause also its negated literals: closed under negation of assignments, so reversible (Definition 4 as printed
/// holds for every formula; this is what the reduction needs).
SixSat reversible(SixSat formula);
SixSat random_six_sat(Index variables, Index clauses, std::uint64_t seed);
/// All satisfying assignments, by trying all; at most 24 variables.
std::vector<std::vector<bool>> satisfying_assignments(const SixSat& formula);

/// Samples (x, y) that a network y = relu(w_1·x) + relu(w_2·x) explains exactly if and only if the formula is satisfiable
/// (BJW Proposition 2 and Theorem 2 with fixed output weights). One row per constraint.
MemorySource<double> network_instance(const SixSat& formula);
/// The network that an assignment stands for: exact on the instance if it satisfies the (reversible) formula.
Network network_of_assignment(const SixSat& formula, const std::vector<bool>& assignment);

/// Two networks with condition number 1/a and 1/(2a) that agree wherever |x_1| > 2a |x_2| (Lemma 16, second entry 2a).
std::pair<Network, Network> indistinguishable_pair(double a);

/// A share of all label entries, chosen at random, replaced by values `times` as large as the labels' root mean square.
MemorySource<double> corrupted(const SampleSource& source, double share, double times, std::uint64_t seed);

/// The (Q, λ) perturbation of GKLW appendix C: with probability λ an input is drawn anew from N(0, Q Qᵀ), Q Gaussian.
/// `labels` gives the labels of the new inputs.
MemorySource<double> perturbed_inputs(const SampleSource& source, double lambda, std::uint64_t seed,
                                      const std::function<RowMatrix(const RowMatrix&)>& labels);
/// Every sample with its mirror image: inputs symmetric about 0 whatever they were, where labels for -x can be had.
MemorySource<double> with_mirror_images(const SampleSource& source, const std::function<RowMatrix(const RowMatrix&)>& labels);

}  // namespace relucover
