#include "samples/hard_instances.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "samples/subsample.hpp"

namespace relucover {

std::vector<std::string> SixSat::problems() const {
  std::vector<std::string> found;
  if (variables < 1) found.push_back("a formula needs a variable");
  for (const auto& clause : clauses)
    for (const int literal : clause)
      if (literal == 0 || std::abs(literal) > variables)
        found.push_back(fmt::format("literal {} is not one of {} variables", literal, variables));
  return found;
}

SixSat reversible(SixSat formula) {
  const auto given = formula.clauses;
  for (auto clause : given) {
    for (int& literal : clause) literal = -literal;
    formula.clauses.push_back(clause);
  }
  return formula;
}

SixSat random_six_sat(Index variables, Index clauses, std::uint64_t seed) {
  check_positive("variables", variables);
  RandomStream random(seed, purpose::network, 6);
  SixSat formula{variables, {}};
  for (Index c = 0; c < clauses; ++c) {
    std::array<int, 6> clause;
    for (int& literal : clause) literal = static_cast<int>(random.sign()) * static_cast<int>(1 + random.below(variables));
    formula.clauses.push_back(clause);
  }
  return formula;
}

std::vector<std::vector<bool>> satisfying_assignments(const SixSat& formula) {
  check_no_problems("formula", formula.problems());
  if (formula.variables > 24)
    throw std::invalid_argument(fmt::format("{} variables are too many to try all assignments", formula.variables));
  std::vector<std::vector<bool>> found;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << formula.variables); ++bits) {
    const auto holds = [&](int literal) { return ((bits >> (std::abs(literal) - 1)) & 1) == (literal > 0 ? 1u : 0u); };
    bool satisfied = true;
    for (const auto& clause : formula.clauses) satisfied = satisfied && std::any_of(clause.begin(), clause.end(), holds);
    if (!satisfied) continue;
    std::vector<bool> assignment(static_cast<std::size_t>(formula.variables));
    for (std::size_t i = 0; i < assignment.size(); ++i) assignment[i] = (bits >> i) & 1;
    found.push_back(std::move(assignment));
  }
  return found;
}

MemorySource<double> network_instance(const SixSat& formula) {
  check_no_problems("formula", formula.problems());
  const Index v = formula.variables, d = v + 2, zeros = static_cast<Index>(formula.clauses.size());
  const Index ones = 2 * v + 5;
  RowMatrix x = RowMatrix::Zero(zeros + ones, d), y = RowMatrix::Zero(zeros + ones, 1);
  y.bottomRows(ones).setOnes();
  for (Index c = 0; c < zeros; ++c) {  // Σ ± x_i >= -5, with x_{v+1} + x_{v+2} = 1/2 for the constant
    for (const int literal : formula.clauses[static_cast<std::size_t>(c)]) x(c, std::abs(literal) - 1) -= literal > 0 ? 1 : -1;
    x(c, v) = x(c, v + 1) = -10;
  }
  Index row = zeros;
  for (Index i = 0; i < v; ++i) {
    x(row++, i) = 1;
    x(row++, i) = -1;
  }
  for (const Index i : {v, v + 1}) {
    x(row++, i) = 1;
    x(row++, i) = -2;
  }
  x(row, v) = x(row, v + 1) = 1;
  return {std::move(x), std::move(y), "satisfiability"};
}

Network network_of_assignment(const SixSat& formula, const std::vector<bool>& assignment) {
  check_equal("length of the assignment", static_cast<Index>(assignment.size()), formula.variables);
  const Index v = formula.variables;
  Network network(v + 2, 2, 1);
  for (Index i = 0; i < v; ++i) {
    network.W(0, i) = assignment[static_cast<std::size_t>(i)] ? 1 : -1;
    network.W(1, i) = -network.W(0, i);
  }
  network.W(0, v) = network.W(1, v + 1) = 1;
  network.W(0, v + 1) = network.W(1, v) = -0.5;
  network.A.setOnes();
  return network;
}

std::pair<Network, Network> indistinguishable_pair(double a) {
  if (!(a > 0) || !(a <= 0.5)) throw std::invalid_argument(fmt::format("a is {}, expected a number in (0, 1/2]", a));
  const auto with_slope = [](double slope) {
    Network network(2, 2, 1);
    const double norm = std::sqrt(1 + slope * slope);
    network.W << 1 / norm, slope / norm, 1 / norm, -slope / norm;
    network.A << norm / 2, norm / 2;
    return network;
  };
  return {with_slope(a), with_slope(2 * a)};
}

MemorySource<double> corrupted(const SampleSource& source, double share, double times, std::uint64_t seed) {
  if (!(share >= 0) || !(share <= 1)) throw std::invalid_argument("the share of corrupted entries must be in [0, 1]");
  const auto given = gather(source, 0, source.samples(), Control(1));
  RowMatrix y = given.y();
  const double scale = times * std::sqrt(y.squaredNorm() / static_cast<double>(std::max<Index>(y.size(), 1)));
  for (Index i = 0; i < y.rows(); ++i) {
    RandomStream random(seed, purpose::noise, static_cast<std::uint64_t>(i) + (std::uint64_t{1} << 40));
    for (Index j = 0; j < y.cols(); ++j) {
      const double hit = random.uniform(), value = random.normal();
      if (hit < share) y(i, j) = scale * value;
    }
  }
  return {given.x(), std::move(y), source.name()};
}

MemorySource<double> perturbed_inputs(const SampleSource& source, double lambda, std::uint64_t seed,
                                      const std::function<RowMatrix(const RowMatrix&)>& labels) {
  if (!(lambda >= 0) || !(lambda <= 1)) throw std::invalid_argument("lambda must be in [0, 1]");
  const auto given = gather(source, 0, source.samples(), Control(1));
  RowMatrix x = given.x();
  RandomStream shape(seed, purpose::covariance, 1);
  const Matrix q = shape.normal_matrix(x.cols(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    RandomStream random(seed, purpose::inputs, static_cast<std::uint64_t>(i) + (std::uint64_t{1} << 40));
    if (random.uniform() < lambda) x.row(i) = (q * random.normal_vector(x.cols())).transpose();
  }
  RowMatrix y = labels(x);
  return {std::move(x), std::move(y), source.name()};
}

MemorySource<double> with_mirror_images(const SampleSource& source, const std::function<RowMatrix(const RowMatrix&)>& labels) {
  const auto given = gather(source, 0, source.samples(), Control(1));
  const RowMatrix mirrored = -given.x();
  RowMatrix x(2 * given.samples(), source.inputs()), y(2 * given.samples(), source.outputs());
  x << given.x(), mirrored;
  y << given.y(), labels(mirrored);
  return {std::move(x), std::move(y), source.name()};
}

}  // namespace relucover
