#include "learners/hermite/hidden_units.hpp"

#include <gtest/gtest.h>

#include "relucover/samples.hpp"

namespace relucover {
namespace {

struct Data {
  Network truth;
  std::unique_ptr<SampleSource> source;
  Whitening whitening;
};
Data planted(double first_bias, double second_bias) {
  Data data{planted_network({.inputs = 5, .units = 4, .seed = 2}), nullptr, {}};
  data.truth.b[0] = first_bias;
  data.truth.b[1] = second_bias;
  data.source = synthetic_samples(data.truth, {.samples = 20000, .seed = 2});
  data.whitening = whitening_of(input_moments(*data.source, Control(1)));
  return data;
}

/// The truth without units 0 and 1, and with the linear function that unit 0 is.
Network what_data_show(const Network& truth) {
  Network shown(truth.inputs(), 2, 1);
  shown.W = truth.W.bottomRows(2);
  shown.b = truth.b.tail(2);
  shown.A = truth.A.rightCols(2);
  shown.skip = truth.A(0, 0) * truth.W.row(0);
  shown.offset[0] = truth.A(0, 0) * truth.b[0];
  return shown;
}

TEST(HiddenUnits, AreCountedAsLinearAndZeroAndTheBiasOfTheLinearOneIsBounded) {
  const Data data = planted(5, -5);
  const auto hidden = find_hidden_units(*data.source, sign_free(what_data_show(data.truth)), data.whitening, 4, 1e-12, Control(1));
  EXPECT_EQ(hidden.separated, 2);
  EXPECT_EQ(hidden.hidden, 2);
  EXPECT_EQ(hidden.linear, 1);
  EXPECT_EQ(hidden.zero, 1);
  EXPECT_GE(hidden.linear_bias, hidden.largest_bias_seen);
  EXPECT_LE(hidden.linear_bias, 5.1);  // the truth's, or that of other signs with which a unit is linear on the data too
  EXPECT_GE(hidden.samples_for_linear, 20000);
  Result result;
  report_hidden_units(hidden, 20000, result);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("2 units could not be separated"), std::string::npos) << result.notes[0];
}

TEST(HiddenUnits, ThereAreNoneInACompleteAnswer) {
  const Data data = planted(0.5, -0.5);
  const auto hidden = find_hidden_units(*data.source, sign_free(data.truth), data.whitening, 4, 1e-12, Control(1));
  EXPECT_EQ(hidden.separated, 4);
  EXPECT_EQ(hidden.hidden, 0);
  Result result;
  report_hidden_units(hidden, 20000, result);
  EXPECT_TRUE(result.notes.empty());
}

}  // namespace
}  // namespace relucover
