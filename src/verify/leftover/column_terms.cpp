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

/// So many terms are looked at: 2 n (functions of the answer + outputs) operations each.
Index affordable(const Matrix& residual, const RoughBasis& basis) {
  constexpr double work = 2e9;
  constexpr Index fewest = 100, most = 5000;
  const Index for_each_row = basis.size() / 2 + 3 * residual.cols() + 10;
  return std::clamp<Index>(static_cast<Index>(work / static_cast<double>(residual.rows() * for_each_row)), fewest, most);
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

/// `write` a term where it is told to.
TermChance best_of(const std::vector<Term>& terms, const std::function<void(const Term&, RoughMatrix::ColXpr)>& write,
                   const Matrix& residual, const RoughBasis& basis, const EvenNoise& even, RandomStream& random, const Control& control) {
  constexpr Index flips = 100;
  const double could_matter = std::max(false_alarms::common, false_alarms::each_of(residual.rows()));
  const auto features = [&](FeatureBlocks& to) {
    for (const Term& term : terms) write(term, to.next());
  };
  return chances_of_best(residual, basis, &even, features, flips, random, control, could_matter);
}

/// Shapes that a column takes in a term; a product of two of them may be of two columns.
constexpr Index shapes = 12;
RoughVector shaped(const RoughMatrix& x, Index column, Index shape) {
  const auto u = x.col(column).array();
  switch (shape) {
    case 0: return u;
    case 1: return u.abs();
    case 2: return u.square();
    case 3: return u.max(0);
    case 4: return u.min(0);
    case 5: return (u > -0.5F).cast<float>();
    case 6: return (u > 0.5F).cast<float>();
    case 7: return (-u.square()).exp();
    case 8: return u / (1 + u.square());
    case 9: return (u <= -0.5F).cast<float>();  // beside the steps above: corners of every orientation
    case 10: return (u <= 0.5F).cast<float>();
    default: return u.cube();
  }
}
constexpr Index alone = -1, as_hump = -2;
/// Humps of one column, of two widths and at many places.
constexpr Index humps = 18;
void write_hump(const RoughMatrix& x, Index column, Index number, RoughMatrix::ColXpr to) {
  const Index place = number / 2 - 4;
  const float middle = 0.45F * static_cast<float>(place), width = number % 2 == 0 ? 0.7F : 0.35F;
  to = (-((x.col(column).array() - middle) / width).square()).exp();
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

void write_product(const RoughMatrix& columns, const RoughMatrix& signs, const Term& term, RoughMatrix::ColXpr to) {
  const RoughMatrix& factors = term[0] > 0 ? columns : signs;
  to = factors.col(term[1]).cwiseProduct(factors.col(term[2]));
  for (Index place = 3; place <= std::abs(term[0]); ++place) to = to.cwiseProduct(factors.col(term[static_cast<std::size_t>(place)]));
}

}  // namespace

ColumnTerms terms_left(const Matrix& x, const Matrix& residual, const RoughBasis& basis, const EvenNoise& even, RandomStream& random,
                       const Control& control) {
  ColumnTerms chances;
  const RoughMatrix columns = standardised(x).cast<float>();
  const Index d = columns.cols(), many = affordable(residual, basis);
  if (d == 0 || x.rows() < 20) return chances;
  RoughMatrix shape_of(x.rows(), d * shapes);
  for (Index one = 0; one < d * shapes; ++one) shape_of.col(one) = shaped(columns, one / shapes, one % shapes);
  const auto write = [&](const Term& term, RoughMatrix::ColXpr to) {  // column and shape in one number
    if (term[1] == as_hump) return write_hump(columns, term[0] / humps, term[0] % humps, to);
    if (term[1] == alone)
      to = shape_of.col(term[0]);
    else
      to = shape_of.col(term[0]).cwiseProduct(shape_of.col(term[1]));
  };
  std::vector<Term> terms;
  for (Index one = 0; one < d * shapes; ++one) {
    terms.push_back({one, alone});
    for (Index other = 0; other < one - one % shapes; ++other) terms.push_back({one, other});
  }
  terms = at_most(many, std::move(terms), random);
  for (Index one = 0; one < d * humps; ++one) terms.push_back({one, as_hump});
  chances.of_two = best_of(terms, write, residual, basis, even, random, control);
  if (d < 3) return chances;
  const RoughMatrix signs = columns.cwiseSign();
  chances.of_three = best_of(
      at_most(many, several_of(d, random), random),
      [&](const Term& term, RoughMatrix::ColXpr to) { write_product(columns, signs, term, to); }, residual, basis, even, random, control);
  return chances;
}

double waves_along(const Matrix& variables, const Matrix& residual, const RoughBasis& basis, RandomStream& random, const Control& control) {
  constexpr float slowest = 1, step = 0.35F;  // a variable of unit deviation is some seven long
  constexpr Index flips = 60, lengths = 120;
  const RoughMatrix along = standardised(variables).cast<float>();
  if (along.cols() == 0 || along.rows() < 20) return 1;
  const Index each = std::clamp<Index>(affordable(residual, basis) / along.cols() / 2, 20, lengths);
  const auto waves = [&](FeatureBlocks& to) {
    for (const auto& variable : along.colwise()) {  // each wave is turned by one step from the one before
      const RoughVector turn_cos = (step * variable).array().cos(), turn_sin = (step * variable).array().sin();
      RoughVector cosine = (slowest * variable).array().cos(), sine = (slowest * variable).array().sin();
      Eigen::Map<const RoughVector> last_cosine(cosine.data(), along.rows()), last_sine(sine.data(), along.rows());
      for (Index k = 0; k < each; ++k) {
        auto next_cosine = to.next(), next_sine = to.next();
        if (k == 0) {
          next_cosine = cosine;
          next_sine = sine;
        } else {  // what was written last stays where it is until after these
          next_cosine = last_cosine.cwiseProduct(turn_cos) - last_sine.cwiseProduct(turn_sin);
          next_sine = last_sine.cwiseProduct(turn_cos) + last_cosine.cwiseProduct(turn_sin);
        }
        new (&last_cosine) Eigen::Map<const RoughVector>(next_cosine.data(), along.rows());
        new (&last_sine) Eigen::Map<const RoughVector>(next_sine.data(), along.rows());
      }
    }
  };
  return chance_of_best(residual, basis, waves, flips, random, control);
}

}  // namespace relucover
