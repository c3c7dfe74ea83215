#include "relucover/power_sums.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/random.hpp"
#include "moments/summed_moments.hpp"
#include "relucover/errors.hpp"
#include "samples/views.hpp"

namespace relucover {
namespace {

std::unique_ptr<SampleSource> planted(Index samples, std::uint64_t seed, Index outputs = 1) {
  const Network truth = planted_network({.inputs = 5, .units = 3, .outputs = outputs, .seed = 7});
  return synthetic_samples(truth, {.samples = samples, .seed = seed});
}

double mean_product(const SampleSource& source, const std::vector<int>& tuple, bool with_label) {
  double sum = 0;
  BlockBuffer<double> buffer;
  const auto all = source.read(0, source.samples(), buffer);
  for (Index i = 0; i < source.samples(); ++i) {
    double product = with_label ? all.y(i, 0) : 1;
    for (const int j : tuple) product *= j == 0 ? 1 : all.x(i, j - 1);
    sum += product;
  }
  return sum;
}

TEST(PowerSums, AreSumsOfProducts) {
  const auto source = planted(300, 1);
  const PowerSums sums = power_sums(*source, 3, Control(2));
  EXPECT_EQ(sums.input_order, 4);
  SymmetricTensor inputs(6, 4), labels(6, 3);
  inputs.values = sums.of_inputs;
  labels.values = sums.of_labels.col(0);
  for (const auto& tuple : std::vector<std::vector<int>>{{0, 0, 0, 0}, {0, 0, 2, 5}, {1, 1, 4, 4}, {3, 3, 3, 3}})
    EXPECT_NEAR(inputs.at(tuple), mean_product(*source, tuple, false), 1e-10);
  for (const auto& tuple : std::vector<std::vector<int>>{{0, 0, 0}, {0, 1, 2}, {5, 5, 5}})
    EXPECT_NEAR(labels.at(tuple), mean_product(*source, tuple, true), 1e-10);
}

TEST(PowerSums, OfPartsAddUpToThoseOfTheWhole) {
  const auto source = planted(1000, 2, 2);
  const PowerSums whole = power_sums(*source, 4, Control(1));
  PowerSums total = power_sums(RowRange(*source, 0, 300), 4, Control(1));
  add_power_sums(total, power_sums(RowRange(*source, 300, 1000), 4, Control(1)));
  EXPECT_EQ(total.samples, whole.samples);
  EXPECT_LT((total.of_inputs - whole.of_inputs).norm(), 1e-13 * whole.of_inputs.norm());
  EXPECT_LT((total.of_labels - whole.of_labels).norm(), 1e-13 * whole.of_labels.norm());
  EXPECT_LT((total.label_products - whole.label_products).norm(), 1e-13 * whole.label_products.norm());
  EXPECT_THROW(add_power_sums(total, power_sums(*planted(10, 1), 4, Control(1))), std::invalid_argument);
  EXPECT_THROW(add_power_sums(total, power_sums(*source, 3, Control(1))), std::invalid_argument);
}

TEST(PowerSums, AreReadBackAsWritten) {
  const auto path = std::filesystem::temp_directory_path() / "relucover_power_sums_test.moments";
  const PowerSums sums = power_sums(*planted(100, 3), 2, Control(1));
  write_power_sums(sums, path);
  const PowerSums again = read_power_sums(path);
  std::filesystem::remove(path);
  EXPECT_EQ(again.samples, sums.samples);
  EXPECT_EQ(again.of_inputs, sums.of_inputs);
  EXPECT_EQ(again.of_labels, sums.of_labels);
  EXPECT_THROW(read_power_sums(path), DataError);
}

TEST(PowerSums, RefuseWhatNoMemoryHolds) {
  const Network wide(3000, 1, 1);
  EXPECT_THROW(power_sums(*synthetic_samples(wide, {.samples = 10}), 4, Control(1)), std::invalid_argument);
}

TEST(SummedMoments, MapTensorsSlotBySlot) {
  RandomStream random(1, purpose::study);
  const Vector v = random.normal_vector(4);
  Matrix map(3, 4);
  for (double& value : map.reshaped()) value = random.normal();
  SymmetricTensor power(4, 3), image(3, 3);
  add_power(power, 2, v);
  add_power(image, 2, map * v);
  EXPECT_LT((mapped(power, map).values - image.values).norm(), 1e-12 * image.values.norm());
}

TEST(SummedMoments, AreThoseOfTheSamples) {
  // To order 3 both ways have the same control variates, so they give the same numbers.
  const auto source = planted(5000, 4);
  const InputMoments inputs = input_moments(*source, Control(1));
  const EstimatedMoments direct(*source, inputs, whitening_of(inputs), Vector::Ones(1));
  const SummedMoments summed(power_sums(*source, 4, Control(1)));
  EXPECT_LT((direct.second_moment(Control(1)) - summed.second_moment(Control(1))).norm(), 1e-11);
  const Matrix directions = Matrix::Identity(5, 5).topRows(2);
  const HermiteMoments a = direct.moments(directions, 3, Control(1)), b = summed.moments(directions, 3, Control(1));
  for (std::size_t k = 0; k <= 3; ++k) {
    EXPECT_LT((a.tensors[k].values - b.tensors[k].values).norm(), 1e-11) << "order " << k;
    EXPECT_LT(b.noise[k], 3 * a.noise[k]) << "order " << k;
    EXPECT_GT(b.noise[k], a.noise[k] / 3) << "order " << k;
  }
  EXPECT_THROW(summed.moments(directions, 5, Control(1)), std::invalid_argument);
  EXPECT_LT(std::abs(summed.fourth_moment_score()), 4);
}

}  // namespace
}  // namespace relucover
