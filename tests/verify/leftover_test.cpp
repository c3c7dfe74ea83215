// The tests that stand behind `recovered`: each sees what it is for, and chance alone does not set it off.
#include "verify/leftover/leftover_tests.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "support/planted.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/leftover/cells_of_two.hpp"
#include "verify/leftover/column_terms.hpp"
#include "verify/leftover/corners.hpp"
#include "verify/leftover/even_noise.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/flat_rows.hpp"
#include "verify/leftover/flip_tests.hpp"
#include "verify/leftover/left_out_unit.hpp"
#include "verify/leftover/one_more_unit.hpp"
#include "verify/leftover/row_tests.hpp"
#include "verify/leftover/tails.hpp"

namespace relucover {
namespace {

// Reference values: scipy.stats.
TEST(Tails, AgreeWithReference) {
  EXPECT_NEAR(normal_tail(2), 0.022750131948179195, 1e-15);
  EXPECT_NEAR(gamma_tail(5, 10, 15) / 0.010362337915786429, 1, 0.02);  // chi-square, 5 degrees; Wilson-Hilferty is near it
  EXPECT_NEAR(erlang_tail(3, 10), 0.0027693957155115775, 1e-12);
  EXPECT_NEAR(erlang_tail(1, 800), 1e-300, 1e-300);
  EXPECT_NEAR(binomial_tail(20, 0.1, 5), 0.04317449528446339, 1e-12);
  EXPECT_EQ(binomial_tail(20, 0.1, 0), 1);
}

TEST(Tails, OfDrawsAreTheirShareAndBeyondThemSmall) {
  const Vector draws = Vector::LinSpaced(199, 1, 199);
  EXPECT_NEAR(tail_of_draws(draws, 100), 101.0 / 200, 1e-12);
  EXPECT_LT(tail_of_draws(draws, 2000), 1e-6);
  EXPECT_LT(tail_of_maxima(draws, 2000), 1e-6);
}

TEST(Features, BasisIsOrthonormalAndLeavesOutWhatIsDependent) {
  RandomStream random(1, purpose::study);
  Matrix features(50, 5);
  features.leftCols(3) = random.normal_matrix(50, 3);
  features.col(3) = features.col(0) - 2 * features.col(1);
  features.col(4).setZero();
  const Matrix basis = spanning_basis(features);
  ASSERT_EQ(basis.cols(), 3);
  EXPECT_LT((basis.transpose() * basis - Matrix::Identity(3, 3)).norm(), 1e-12);
  EXPECT_LT(orthogonal_to(basis, features).norm(), 1e-10);
}

TEST(Features, WhiteningLeavesOutConstantAndDependentColumns) {
  RandomStream random(2, purpose::study);
  Matrix x(100, 4);
  x.leftCols(2) = random.normal_matrix(100, 2);
  x.col(2) = x.col(0) + x.col(1);
  x.col(3).setConstant(7);
  const Matrix z = whitened(x);
  ASSERT_EQ(z.cols(), 2);
  EXPECT_LT((z.transpose() * z / 100 - Matrix::Identity(2, 2)).norm(), 1e-10);
}

TEST(DistinctRows, CountsInputsAndFindsEqualOnes) {
  RowMatrix x(5, 2), y(5, 1);
  x << 1, 2, 1, 2, 0, 0, -0.0, 0, 3, 4;
  y << 1, 1, 5, 6, 7;
  const MemorySource<double> samples(x, y);
  EXPECT_EQ(distinct_inputs(samples, 100, Control(1)), 3);
  EXPECT_EQ(distinct_inputs(samples, 2, Control(1)), 2);
  EXPECT_EQ(distinct_samples(samples), (std::vector<Index>{0, 2, 3, 4}));
  EXPECT_EQ(rows_of_equal_inputs(x), (std::vector<std::vector<Index>>{{0, 1}, {2, 3}}));
}

struct Noisy {
  Network truth;
  MemorySource<double> samples;
};

/// 4 inputs, 3 units, `noise` of any shape.
template <class Noise>
Noisy noisy(std::uint64_t seed, Index samples, Noise noise) {
  auto planted = test::planted({.inputs = 4, .units = 3, .seed = seed}, {.samples = samples});
  RandomStream random(seed, purpose::study);
  RowMatrix y = planted.samples.y();
  for (Index i = 0; i < y.rows(); ++i) y(i, 0) += noise(random, planted.samples.x().row(i));
  return {planted.truth, MemorySource<double>(planted.samples.x(), y)};
}

LeftoverVerdict verdict_of(const Network& answer, const MemorySource<double>& samples, std::uint64_t seed = 0) {
  const LabelGrid grid = label_grid(samples, Control(1));
  return nothing_left(judged(samples, answer, grid, {}), answer, grid, seed, Control(1));
}

// At the truth nothing is left, whatever the noise looks like: of 25 at most one alarm (0.3% each are in the budget; thousands of such
// cases are in bench/trust/campaign --benign).
TEST(NothingLeft, AtTheTruth) {
  int alarms = 0;
  std::string reasons;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto normal = [](RandomStream& r, const auto&) { return 0.1 * r.normal(); };
    const auto uniform = [](RandomStream& r, const auto&) { return 0.2 * (r.uniform() - 0.5); };
    const auto laplace = [](RandomStream& r, const auto&) { return 0.1 * r.sign() * -std::log(r.uniform()); };
    const auto heavy = [](RandomStream& r, const auto&) { return 0.1 * r.normal() / std::sqrt(0.2 * r.normal_vector(5).squaredNorm()); };
    const auto uneven = [](RandomStream& r, const auto& x) { return 0.1 * std::abs(x[0]) * r.normal(); };
    const auto alarm = [&](const Noisy& data) {
      const std::string refusal = verdict_of(data.truth, data.samples, seed).refusal;
      if (!refusal.empty()) reasons += "\n" + refusal;
      return !refusal.empty();
    };
    alarms += alarm(noisy(seed, 1500, normal)) + alarm(noisy(seed, 1500, uniform)) + alarm(noisy(seed, 1500, laplace)) +
              alarm(noisy(seed, 1500, heavy)) + alarm(noisy(seed, 1500, uneven));
  }
  EXPECT_LE(alarms, 1) << reasons;
}

TEST(NothingLeft, SeesAMissingUnitAMovedOneAndASmoothBend) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto data = noisy(seed, 2000, [](RandomStream& r, const auto&) { return 0.05 * r.normal(); });
    Network fewer(4, 2, 1);
    fewer.W = data.truth.W.topRows(2);
    fewer.b = data.truth.b.head(2);
    fewer.A = data.truth.A.leftCols(2);
    EXPECT_FALSE(verdict_of(fewer, data.samples).refusal.empty()) << seed;
    Network moved = data.truth;
    moved.b[0] += 0.05;
    EXPECT_FALSE(verdict_of(moved, data.samples).refusal.empty()) << seed;
    RowMatrix smooth = data.samples.y();
    const RowMatrix t = (data.samples.x() * data.truth.W.row(0).transpose()).array() + data.truth.b[0];
    for (Index i = 0; i < smooth.rows(); ++i) smooth(i, 0) += data.truth.A(0, 0) * (std::log1p(std::exp(-5 * std::abs(t(i, 0)))) / 5);
    EXPECT_FALSE(verdict_of(data.truth, MemorySource<double>(data.samples.x(), smooth)).refusal.empty()) << seed;
  }
}

TEST(NothingLeft, SeesAUnitThatSixSamplesBend) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto data = noisy(seed, 2000, [](RandomStream& r, const auto&) { return 1e-3 * r.normal(); });
    Vector height = data.samples.x() * Vector::Ones(4).normalized();
    Vector sorted = height;
    std::sort(sorted.begin(), sorted.end());
    RowMatrix y = data.samples.y();
    for (Index i = 0; i < y.rows(); ++i) y(i, 0) += std::max(0.0, height[i] - sorted[y.rows() - 7]);
    seen += !verdict_of(data.truth, MemorySource<double>(data.samples.x(), y)).refusal.empty();
  }
  EXPECT_GE(seen, 9);
}

// More than an accident: which rows are left out must not depend on the inputs.
TEST(LeftOut, ByAccidentOrNot) {
  const auto data = noisy(3, 1000, [](RandomStream&, const auto&) { return 0.0; });
  const LabelGrid grid = label_grid(data.samples, Control(1));
  for (const bool by_accident : {true, false}) {
    RowMatrix y = data.samples.y();
    std::vector<bool> kept(1000, true);
    RandomStream random(9, purpose::study);
    for (Index i = 0; i < 1000; ++i) {
      const bool wrong = by_accident ? random.uniform() < 0.1 : data.samples.x()(i, 0) > 1.2;
      if (!wrong) continue;
      y(i, 0) += 3;
      kept[static_cast<std::size_t>(i)] = false;
    }
    const MemorySource<double> samples(data.samples.x(), y);
    EXPECT_EQ(left_out_by_accident(judged(samples, data.truth, grid, kept), 1).refusal.empty(), by_accident);
  }
}

// Labels that were wrong by accident are left out, and so are rows that a further unit would explain: only the latter speak against the
// answer.
TEST(LeftOut, ExplainedByOneMoreUnit) {
  RandomStream random(5, purpose::study);
  const RowMatrix x = random.normal_matrix(200, 2);
  Network answer(2, 1, 1), truth(2, 2, 1);
  answer.W << 1, 0.3;
  answer.b << 0.2;
  answer.A << 1;
  truth.W << answer.W, 0.4, 1;
  truth.b << answer.b, -2;  // on at a few rows
  truth.A << 1, -0.7;
  for (const bool missing : {false, true}) {
    RowMatrix y = (missing ? truth : answer).evaluate(x);
    std::vector<bool> kept(200, true);
    Index off = 0;
    for (Index i = 0; i < 200; ++i) {
      const bool on = x(i, 0) * 0.4 + x(i, 1) - 2 > 0;
      off += on && missing;
      if (i % 20 == 0) y(i, 0) = 5;
      kept[static_cast<std::size_t>(i)] = i % 20 != 0 && !(on && missing);
    }
    const MemorySource<double> samples(x, y);
    const Index explained = explained_by_one_more_unit(judged(samples, answer, label_grid(samples, Control(1)), kept), random);
    EXPECT_EQ(explained > 0, missing);
    if (missing) {
      EXPECT_NEAR(static_cast<double>(explained), static_cast<double>(off), 2);
    }
  }
}

/// Whether labels of 249 samples, of which a fifth is wrong by chance and left out, are taken for accidents, where `more(x)` is added to
/// both outputs, to the second with the other sign, and rows where it is not zero are left out too.
template <typename More>
bool taken_for_accidents(std::uint64_t seed, const More& more) {
  RandomStream random(seed, purpose::study);
  const Index n = 249;
  const RowMatrix x = random.normal_matrix(n, 2);
  Network answer(2, 1, 2);
  answer.W << 1, 0.3;
  answer.b << 0.2;
  answer.A << 1, 0.6;
  RowMatrix y = answer.evaluate(x);
  std::vector<bool> kept(static_cast<std::size_t>(n), true);
  for (Index i = 0; i < n; ++i) {
    const bool wrong = random.uniform() < 0.2;
    const double added = more(Vector(x.row(i).transpose()), random);
    for (Index o = 0; o < 2; ++o) y(i, o) += wrong ? random.normal() : (o == 0 ? added : -added);
    kept[static_cast<std::size_t>(i)] = !wrong && added == 0;
  }
  const MemorySource<double> samples(x, y);
  return left_out_by_accident(judged(samples, answer, label_grid(samples, Control(1)), kept), seed).refusal.empty();
}

// A hat that few rows feel, among labels that are wrong by accident: all that tells is that the outputs are off together there.
// Two rows may be accidents (the hat of seed 0 has no more): nothing is demanded of them.
TEST(LeftOut, RowsThatAreOffByOneFunctionAreNoAccidents) {
  int accidents = 0, hats = 0, hats_taken = 0, swapped = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    accidents += taken_for_accidents(seed, [](const Vector&, RandomStream&) { return 0.0; });
    int rows_of_hat = 0;
    const bool taken = taken_for_accidents(seed, [&](const Vector& x, RandomStream&) {
      const double hat = std::max(0.0, 0.04 - std::abs(x[1] - 0.5 * x[0] - 0.3));
      rows_of_hat += hat > 0;
      return 20 * hat;
    });
    hats += rows_of_hat > 2;
    hats_taken += rows_of_hat > 2 && taken;
    swapped +=
        taken_for_accidents(seed, [](const Vector&, RandomStream& random) { return random.uniform() < 0.1 ? random.normal() : 0.0; });
  }
  EXPECT_EQ(hats, 9);
  EXPECT_EQ(hats_taken, 0);
  EXPECT_GE(accidents, 9);
  EXPECT_GE(swapped, 9);
}

// What is spread like a wave, or to one side, is no noise that the other tests could tell from a function.
TEST(NothingLeft, WavesAndSkewedNoiseAreNotCalledNoise) {
  const auto wave = noisy(1, 1500, [](RandomStream& r, const auto&) { return 0.05 * std::sin(1e4 * r.uniform()); });
  EXPECT_NE(verdict_of(wave.truth, wave.samples).refusal.find("waves are"), std::string::npos)
      << verdict_of(wave.truth, wave.samples).refusal;
  // Bounded, so that no large residual tells: only the skewness does.
  const auto skewed = noisy(1, 1500, [](RandomStream& r, const auto&) { return 0.2 * (std::sqrt(r.uniform()) - 2.0 / 3); });
  EXPECT_NE(verdict_of(skewed.truth, skewed.samples).refusal.find("skewed"), std::string::npos)
      << verdict_of(skewed.truth, skewed.samples).refusal;
}

/// Chance of the worst 40 of 1000 rows in 4 dimensions, of which the first `hat` lie in a slab of as many rows and the others anywhere.
double chance_of_hat(std::uint64_t seed, std::size_t hat) {
  RandomStream random(seed, purpose::study);
  const Matrix z = random.normal_matrix(1000, 4);
  const auto along = order_of(z * random.normal_vector(4));
  std::vector<Index> order(along.begin() + 400, along.begin() + 400 + static_cast<std::ptrdiff_t>(hat));
  for (const Index row : random_rows(1000, 1000, random))
    if (std::find(order.begin(), order.end(), row) == order.end()) order.push_back(row);
  Vector sign(1000);
  for (double& value : sign) value = random.sign();
  return rows_lie_flat(z, order, 40, sign, random);
}

// A product of columns has next to nothing along any one direction, so no unit and no wave sees it.
TEST(NothingLeft, SeesProductsOfColumns) {
  const int seeds = 8;
  int seen_two = 0, seen_three = 0, alarms = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed), purpose::study);
    const Matrix x = random.normal_matrix(2000, 6), noise = random.normal_matrix(2000, 1);
    const Matrix basis = spanning_basis(tangent_of(x, x.leftCols(2)));
    const auto chances = [&](const Vector& term, double size) {
      const Matrix residual = orthogonal_to(basis, noise + size * term);
      return terms_left(x, residual, basis, even_noise(residual, basis, Vector::Ones(2000)), random);
    };
    const Vector two = x.col(4).cwiseProduct(x.col(5)), three = two.cwiseProduct(x.col(3));
    constexpr double size = 0.16;  // seven standard deviations of its coefficient
    seen_two += chances(two, size).of_two.flipped < false_alarms::common;
    seen_three += chances(three, size).of_three.flipped < false_alarms::each;
    const ColumnTerms nothing = chances(two, 0);
    for (const TermChance& chance : {nothing.of_two, nothing.of_three}) alarms += chance.flipped < 1e-3 || chance.even < 1e-3;
  }
  EXPECT_GE(seen_two, 7);
  EXPECT_GE(seen_three, 7);
  EXPECT_EQ(alarms, 0);
}

TEST(NothingLeft, SeesWavesAlongOneColumnAndSignsOfFour) {
  const int seeds = 6;
  int waves = 0, signs = 0, alarms = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed) + 100, purpose::study);
    const Matrix x = random.normal_matrix(2000, 6), noise = random.normal_matrix(2000, 1);
    const Matrix basis = spanning_basis(tangent_of(x, x.leftCols(2)));
    const Vector wave = (9 * x.col(3)).array().sin(), sign = x.leftCols(4).cwiseSign().rowwise().prod();
    waves += waves_along(x, orthogonal_to(basis, noise + 0.25 * wave), basis, random) < false_alarms::each;
    const Matrix with_sign = orthogonal_to(basis, noise + 0.2 * sign);
    const EvenNoise even = even_noise(with_sign, basis, Vector::Ones(2000));
    signs += terms_left(x, with_sign, basis, even, random).of_three.flipped < false_alarms::each;
    alarms += waves_along(x, orthogonal_to(basis, noise), basis, random) < 1e-3;
  }
  EXPECT_GE(waves, 5);
  EXPECT_GE(signs, 5);
  EXPECT_EQ(alarms, 0);
}

// A few rows far out hold a cube of a column: flips of their signs tell little, that they all err as it says tells much.
TEST(NothingLeft, SeesTermsThatFewRowsHoldWhereNoiseIsEven) {
  const int seeds = 6;
  int seen = 0, seen_by_flips = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed) + 300, purpose::study);
    Matrix x = random.normal_matrix(1000, 3);
    x = x.array() * x.array().abs();
    const Matrix basis = spanning_basis(tangent_of(x, x.leftCols(1)));
    const Vector cube = orthogonal_to(basis, x.col(1).array().cube()).normalized();
    const Matrix residual = orthogonal_to(basis, random.normal_matrix(1000, 1) + 7.5 * cube);
    const TermChance chance = terms_left(x, residual, basis, even_noise(residual, basis, Vector::Ones(1000)), random).of_two;
    seen += chance.even < false_alarms::common;
    seen_by_flips += chance.flipped < false_alarms::common;
  }
  EXPECT_GE(seen, 4);
  EXPECT_LT(seen_by_flips, seen);
}

TEST(NothingLeft, SeesCornersWhereverTheyAre) {
  const int seeds = 8;
  int seen = 0, alarms = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed) + 400, purpose::study);
    const Matrix x = random.normal_matrix(1500, 4), noise = random.normal_matrix(1500, 1);
    const Matrix basis = spanning_basis(tangent_of(x, x.leftCols(2)));
    const double one = random.uniform() - 0.5, other = random.uniform() - 0.5;
    const Vector corner = orthogonal_to(basis, (x.col(1).array() > one && x.col(3).array() < other).cast<double>().matrix()).normalized();
    const auto chance = [&](double deviations) {
      return corners_left(x, even_noise(orthogonal_to(basis, noise + deviations * corner), basis, Vector::Ones(1500)), random);
    };
    seen += chance(8) < false_alarms::each;
    alarms += chance(0) < 1e-3;
  }
  EXPECT_GE(seen, 7);
  EXPECT_EQ(alarms, 0);
}

// Of one input there are few places for a unit: both halves often like the same one, which must not count twice.
TEST(NothingLeft, APlaceThatBothHalvesFindCountsOnce) {
  const int seeds = 120;
  int unlikely = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed) + 500, purpose::study);
    const Matrix z = random.normal_matrix(300, 1);
    const Matrix basis = spanning_basis(tangent_of(z, z));
    unlikely += one_more_unit(z, orthogonal_to(basis, random.normal_matrix(300, 1)), halves_of(basis, random), random).chance < 0.01;
  }
  EXPECT_LE(unlikely, 4);
}

TEST(NothingLeft, SeesFunctionsOfTwoColumnsWhateverTheirShape) {
  const int seeds = 6;
  int boards = 0, waves = 0, alarms = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed) + 200, purpose::study);
    const Matrix x = random.normal_matrix(3000, 6), noise = random.normal_matrix(3000, 1);
    const Vector board = (3 * x.col(1))
                             .unaryExpr([](double v) { return std::cos(std::numbers::pi * std::floor(v)); })
                             .cwiseProduct((3 * x.col(4)).unaryExpr([](double v) { return std::cos(std::numbers::pi * std::floor(v)); }));
    const Vector wave = (3 * x.col(0)).array().sin() * (4 * x.col(2)).array().sin();
    boards += cells_of_two(x, sorted_columns(x), noise + 0.5 * board, random) < false_alarms::each;
    waves += cells_of_two(x, sorted_columns(x), noise + 0.5 * wave, random) < false_alarms::each;
    alarms += cells_of_two(x, sorted_columns(x), noise, random) < 1e-3;
  }
  EXPECT_GE(boards, 5);
  EXPECT_GE(waves, 5);
  EXPECT_EQ(alarms, 0);
}

// Sums of few squares have exponential tails: draws of a gamma variable of shape 1/2, whose tail is known.
TEST(Tails, OfManyDrawsAreNotTooSmall) {
  RandomStream random(5, purpose::study);
  Vector draws(1500);
  for (double& draw : draws) draw = std::pow(random.normal(), 2);
  const double value = 20, truth = 2 * normal_tail(std::sqrt(value));  // 7.7e-6
  EXPECT_GT(tail_of_many_draws(draws, value), 0.5 * truth);
  EXPECT_LT(tail_of_many_draws(draws, value), 20 * truth);
}

TEST(FlatRows, SeesAHatAmongAccidentsAndNothingInAccidents) {
  int seen = 0, alarms = 0;
  constexpr int tries = 10;
  for (std::uint64_t seed = 0; seed < tries; ++seed) {
    seen += chance_of_hat(seed, 20) < 5e-3;
    alarms += chance_of_hat(seed, 0) < 5e-3;
  }
  EXPECT_EQ(seen, tries);
  EXPECT_EQ(alarms, 0);
}

// A handful of rows that no tail reaches: outliers, or a hat that only they feel.
TEST(NothingLeft, FewRowsFarOffAreNotCalledNoise) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto data = noisy(seed, 1500, [](RandomStream& r, const auto&) { return 0.05 * r.normal(); });
    RowMatrix y = data.samples.y();
    for (Index i = 0; i < 5; ++i) y(i, 0) += i % 2 ? 1 : -1;
    EXPECT_FALSE(verdict_of(data.truth, MemorySource<double>(data.samples.x(), y)).refusal.empty()) << seed;
  }
}

TEST(NothingLeft, EqualInputsThatErrTogetherAreSeen) {
  RandomStream random(11, purpose::study);
  Matrix residual(200, 1);
  std::vector<std::vector<Index>> groups;
  for (Index g = 0; g < 100; ++g) {
    const double shared = random.normal();
    residual(2 * g, 0) = shared + 0.3 * random.normal();
    residual(2 * g + 1, 0) = shared + 0.3 * random.normal();
    groups.push_back({2 * g, 2 * g + 1});
  }
  EXPECT_LT(equal_inputs_err_together(residual, groups, random), 1e-4);
  const Matrix independent = random.normal_matrix(200, 1);
  EXPECT_GT(equal_inputs_err_together(independent, groups, random), 1e-3);
}

// A unit of the stated limit's size is found nearly always.
TEST(NothingLeft, DetectionLimitIsWhatItSays) {
  int found = 0, refused = 0;
  constexpr int tries = 8;
  for (std::uint64_t seed = 0; seed < tries; ++seed) {
    auto planted = test::planted({.inputs = 4, .units = 3, .seed = seed}, {.samples = 3000});
    RandomStream random(seed, purpose::study);
    RowMatrix y = planted.samples.y();
    for (double& label : y.reshaped()) label += 0.3 * random.normal();
    const LeftoverVerdict before = verdict_of(planted.truth, MemorySource<double>(planted.samples.x(), y));
    if (!before.refusal.empty()) {
      ++refused;
      continue;
    }
    const double limit = before.detection_limit;
    ASSERT_GT(limit, 0);
    ASSERT_LT(limit, 2);
    const Vector form = random.normal_vector(4).normalized();
    const double bias = 0.5 * random.normal(), size = limit * planted.truth.A.cwiseAbs().minCoeff();
    for (Index i = 0; i < y.rows(); ++i) y(i, 0) += size * std::max(0.0, planted.samples.x().row(i).dot(form) + bias);
    found += !verdict_of(planted.truth, MemorySource<double>(planted.samples.x(), y)).refusal.empty();
  }
  EXPECT_LE(refused, 1);  // one answer in a thousand is refused by chance
  EXPECT_EQ(found, tries - refused);
}

}  // namespace
}  // namespace relucover
