// What `auto` does with vector outputs, and labels that are wrong or whose noise has heavy tails.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "learners/choose.hpp"
#include "learners/vector/learners.hpp"
#include "samples/hard_instances.hpp"
#include "samples/subsample.hpp"
#include "vector/planted.hpp"
#include "verify/label_outliers.hpp"

namespace relucover {
namespace {

const Control one_thread(1);

double largest_error(const Network& truth, const Result& result) {
  const Comparison errors = compare(truth, result.network);
  if (errors.units_matched != truth.units() || result.network.units() != truth.units()) return 10;
  return std::max({errors.max_weight_error, errors.max_bias_error, errors.max_output_error});
}

std::vector<std::string> names(const std::vector<Choice>& plan) {
  std::vector<std::string> all;
  for (const auto& choice : plan) all.push_back(choice.method);
  return all;
}

TEST(LabelOutliers, AreCountedByEntryAndBySample) {
  RandomStream random(1, purpose::study);
  RowMatrix y = random.normal_matrix(1000, 3);
  for (Index i = 0; i < 50; ++i) y(i, 1) = 1e3;
  y(0, 2) = -1e3;
  const LabelOutliers found = label_outliers(y, 20);
  EXPECT_DOUBLE_EQ(found.entries, 51.0 / 3000);
  EXPECT_DOUBLE_EQ(found.samples, 50.0 / 1000);
  EXPECT_GT(label_distances(y)[0], 500);
  EXPECT_LT(label_distances(y)[60], 10);
}

TEST(LabelOutliers, AnOutputThatIsMostlyZeroHasNone) {
  RowMatrix y = RowMatrix::Zero(100, 1);
  y.topRows(40).setConstant(3);
  EXPECT_EQ(label_outliers(y, 20).entries, 0);
}

TEST(Choice, SymmetricInputsAndSeveralOutputsCallForPureNeurons) {
  const Planted planted = planted_vector({8, 4, 5, 2, 2}, of_samples(2000, "mixture"), 1);
  EXPECT_EQ(names(choose_methods(*planted.source, {}, one_thread)), std::vector<std::string>{"prune"});
  const auto plan = choose_by_moments(*planted.source, {}, one_thread);
  // The last one is for noisy labels, which may hide the number of units from a search that must find out.
  ASSERT_EQ(names(plan), (std::vector<std::string>{"pure-neuron", "prune"}));
  EXPECT_NE(plan[0].reason.find("rank 4"), std::string::npos) << plan[0].reason;
  EXPECT_EQ(plan[1].units, 4);
  EXPECT_EQ(names(choose_by_moments(*planted.source, {.units = 4}, one_thread)), std::vector<std::string>{"pure-neuron"});
}

TEST(Choice, OtherDataGoToTheEngine) {
  const Planted lopsided = planted_vector({8, 4, 5}, of_samples(3000, "exponential"), 1);
  const Planted scalar = planted_vector({8, 4, 1}, of_samples(3000), 1);
  const Planted few = planted_vector({20, 4, 5}, of_samples(150), 1);
  for (const auto* planted : {&lopsided, &scalar, &few})
    EXPECT_EQ(names(choose_methods(*planted->source, {}, one_thread)), std::vector<std::string>{"prune"});
}

TEST(Choice, WrongEntriesAreSeen) {
  const Planted planted = planted_vector({8, 3, 12}, of_samples(3000), 1);
  const auto plan = choose_methods(corrupted(*planted.source, 0.05, 100, 1), {}, one_thread);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"prune", "corrupted-labels", "robust"}));
}

TEST(Auto, IsExactThroughWrongEntriesWithoutKnowingTheUnits) {
  const Planted planted = planted_vector({8, 3, 20, 2, 2}, of_samples(2000), 2);
  const Result result = learn(corrupted(*planted.source, 0.05, 100, 3), {.threads = 2});
  EXPECT_EQ(result.status, Status::exact) << result.message;
  EXPECT_EQ(result.method, "corrupted-labels");
  EXPECT_LE(largest_error(planted.truth, result), 1e-9);
  EXPECT_NEAR(result.figures.at("corrupted_share"), 0.05, 0.01);
}

TEST(Auto, IsExactWhereATenthOfScalarLabelsAreWrong) {
  const Network truth = planted_network({.inputs = 6, .units = 3, .seed = 4});
  const auto source = synthetic_samples(truth, {.samples = 3000, .seed = 4});
  const Result result = learn(corrupted(*source, 0.1, 100, 5), {.units = 3, .threads = 2});
  EXPECT_EQ(result.method, "robust");
  EXPECT_EQ(result.status, Status::exact) << result.message;
  EXPECT_LE(largest_error(truth, result), 1e-9);
}

TEST(Robust, HeavyTailsCostLittle) {
  const Network truth = planted_network({.inputs = 6, .units = 3, .outputs = 2, .seed = 6});
  const auto source = synthetic_samples(truth, {.samples = 8000, .seed = 6});
  const MemorySource<double> clean = gather(*source, 0, 8000, one_thread);
  RandomStream random(7, purpose::study);
  RowMatrix y = clean.y();
  for (Index i = 0; i < y.rows(); ++i)  // Cauchy: no mean, no variance
    y.row(i) += 0.05 / random.normal() * random.normal_vector(2).transpose();
  const MemorySource<double> noisy(clean.x(), y);
  const Result robust = learn(noisy, {.units = 3, .method = "robust", .threads = 2});
  ASSERT_TRUE(robust.usable()) << robust.message;
  EXPECT_LE(largest_error(truth, robust), 0.05) << robust.message;
  const Result squares = learn(noisy, {.units = 3, .method = "prune", .threads = 2, .starts = 1});
  EXPECT_FALSE(squares.certified()) << squares.message;
}

}  // namespace
}  // namespace relucover
