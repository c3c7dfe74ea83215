#include "verify/leftover/column_terms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "verify/leftover/features.hpp"
#include "verify/leftover/flipped_scores.hpp"
#include "verify/leftover/leftover_tests.hpp"

namespace relucover {

namespace {

/// So many terms of n rows are looked at: 2 n (functions of the answer + outputs) operations each.
Index affordable(const Matrix& x, const Matrix& residual, const Matrix& basis) {
  constexpr double work = 2e9;
  constexpr Index fewest = 100, most = 5000;
  const Index for_each_row = basis.cols() / 2 + 3 * residual.cols() + 10;
  return std::clamp<Index>(static_cast<Index>(work / static_cast<double>(x.rows() * for_each_row)), fewest, most);
}

using Term = std::array<Index, 6>;

/// Some of them at random where they are too many.
std::vector<Term> at_most(Index count, std::vector<Term> terms, RandomStream& random) {
  if (static_cast<Index>(terms.size()) <= count) return terms;
  std::vector<Term> some;
  for (const Index place : random_rows(static_cast<Index>(terms.size()), count, random))
    some.push_back(terms[static_cast<std::size_t>(place)]);
  return some;
}

TermChance best_of(const std::vector<Term>& terms, const std::function<Vector(const Term&)>& values, const Matrix& residual,
                   const Matrix& basis, const EvenNoise& even, RandomStream& random, const Control& control) {
  constexpr Index flips = 100, each = 128;
  const auto count = static_cast<Index>(terms.size());
  const auto block = [&](Index number) {
    const Index first = number * each, columns = std::min(each, count - first);
    Matrix features(residual.rows(), columns);
    for (Index j = 0; j < columns; ++j) features.col(j) = values(terms[static_cast<std::size_t>(first + j)]);
    return features;
  };
  const double could_matter = std::max(false_alarms::common, false_alarms::each_of(residual.rows()));
  return chances_of_best(residual, basis, &even, (count + each - 1) / each, block, flips, random, control, could_matter);
}

/// Shapes that a column takes in a term; a product of two of them may be of two columns.
constexpr Index shapes = 12;
Vector shaped(const Matrix& x, Index column, Index shape) {
  const auto u = x.col(column).array();
  switch (shape) {
    case 0: return u;
    case 1: return u.abs();
    case 2: return u.square();
    case 3: return u.max(0);
    case 4: return u.min(0);
    case 5: return (u > -0.5).cast<double>();
    case 6: return (u > 0.5).cast<double>();
    case 7: return (-u.square()).exp();
    case 8: return u / (1 + u.square());
    case 9: return (u <= -0.5).cast<double>();  // beside the steps above: corners of every orientation
    case 10: return (u <= 0.5).cast<double>();
    default: return u.cube();
  }
}
constexpr Index alone = -1, as_hump = -2;
/// Humps of one column, of two widths and at many places.
constexpr Index humps = 18;
Vector hump(const Matrix& x, Index column, Index number) {
  const double middle = 0.45 * static_cast<double>(number / 2 - 4), width = number % 2 == 0 ? 0.7 : 0.35;
  return (-((x.col(column).array() - middle) / width).square()).exp();
}

/// All sets of three or four columns to multiply, and of three to five whose signs are; a part of them where columns are many. First: how
/// many, negative for signs.
std::vector<Term> several_of(Index d, RandomStream& random) {
  constexpr Index few_columns = 12;
  std::vector<Index> columns = random_rows(d, std::min(d, few_columns), random);
  std::vector<Term> terms;
  const auto count = static_cast<unsigned>(columns.size());
  for (unsigned set = 0; set < 1u << count; ++set) {
    const int size = std::popcount(set);
    if (size < 3 || size > 5) continue;
    Term term{};
    for (unsigned j = 0, place = 1; j < count; ++j)
      if (set >> j & 1) term[place++] = columns[j];
    for (const Index kind : {size, -size})
      if (kind <= 4) {
        term[0] = kind;
        terms.push_back(term);
      }
  }
  return terms;
}

Vector product_of(const Matrix& columns, const Matrix& signs, const Term& term) {
  const Matrix& factors = term[0] > 0 ? columns : signs;
  Vector product = factors.col(term[1]);
  for (Index place = 2; place <= std::abs(term[0]); ++place)
    product = product.cwiseProduct(factors.col(term[static_cast<std::size_t>(place)]));
  return product;
}

}  // namespace

ColumnTerms terms_left(const Matrix& x, const Matrix& residual, const Matrix& basis, const EvenNoise& even, RandomStream& random,
                       const Control& control) {
  ColumnTerms chances;
  const Matrix columns = standardised(x);
  const Index d = columns.cols(), many = affordable(columns, residual, basis);
  if (d == 0 || x.rows() < 20) return chances;
  std::vector<Matrix> shape_of;  // of each column
  for (Index j = 0; j < d; ++j) {
    shape_of.emplace_back(x.rows(), shapes);
    for (Index shape = 0; shape < shapes; ++shape) shape_of.back().col(shape) = shaped(columns, j, shape);
  }
  const auto value = [&](const Term& term) -> Vector {  // column and shape in one number
    if (term[1] == as_hump) return hump(columns, term[0] / humps, term[0] % humps);
    const auto first = shape_of[static_cast<std::size_t>(term[0] / shapes)].col(term[0] % shapes);
    if (term[1] == alone) return first;
    return first.cwiseProduct(shape_of[static_cast<std::size_t>(term[1] / shapes)].col(term[1] % shapes));
  };
  std::vector<Term> terms;
  for (Index one = 0; one < d * shapes; ++one) {
    terms.push_back({one, alone});
    for (Index other = 0; other < one - one % shapes; ++other) terms.push_back({one, other});
  }
  terms = at_most(many, std::move(terms), random);
  for (Index one = 0; one < d * humps; ++one) terms.push_back({one, as_hump});
  chances.of_two = best_of(terms, value, residual, basis, even, random, control);
  if (d < 3) return chances;
  const Matrix signs = columns.cwiseSign();
  chances.of_three = best_of(
      at_most(many, several_of(d, random), random), [&](const Term& term) { return product_of(columns, signs, term); }, residual, basis,
      even, random, control);
  return chances;
}

double waves_along(const Matrix& variables, const Matrix& residual, const Matrix& basis, RandomStream& random, const Control& control) {
  constexpr double slowest = 1, step = 0.35;  // a variable of unit deviation is some seven long
  constexpr Index flips = 60, lengths = 120;
  const Matrix along = standardised(variables);
  if (along.cols() == 0 || along.rows() < 20) return 1;
  const Index each = std::clamp<Index>(affordable(along, residual, basis) / along.cols() / 2, 20, lengths);
  const auto waves = [&](Index variable) {
    Matrix features(along.rows(), 2 * each);  // cosines, then sines: each turned by one step from the one before
    const Vector turn_cos = (step * along.col(variable)).array().cos(), turn_sin = (step * along.col(variable)).array().sin();
    auto cosines = features.leftCols(each), sines = features.rightCols(each);
    cosines.col(0) = (slowest * along.col(variable)).array().cos();
    sines.col(0) = (slowest * along.col(variable)).array().sin();
    for (Index k = 1; k < each; ++k) {
      cosines.col(k) = cosines.col(k - 1).cwiseProduct(turn_cos) - sines.col(k - 1).cwiseProduct(turn_sin);
      sines.col(k) = sines.col(k - 1).cwiseProduct(turn_cos) + cosines.col(k - 1).cwiseProduct(turn_sin);
    }
    return features;
  };
  return chance_of_best(residual, basis, along.cols(), waves, flips, random, control);
}

}  // namespace relucover
