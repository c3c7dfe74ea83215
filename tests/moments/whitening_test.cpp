#include "moments/whitening.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace relucover {
namespace {

RowMatrix mixed_inputs(Index samples, Index inputs, double offset) {
  RandomStream random(3, purpose::study);
  const Matrix mix = random.normal_matrix(inputs, inputs);
  return (random.normal_matrix(samples, inputs) * mix).array() + offset;
}

TEST(InputMoments, EqualTheTwoPassFormulaEvenFarFromZero) {
  const RowMatrix x = mixed_inputs(4099, 5, 1e6);
  RandomStream random(4, purpose::study);
  const RowMatrix y = random.normal_matrix(4099, 2);
  const auto moments = input_moments(MemorySource<double>(x, y), Control(2));
  const Eigen::RowVectorXd mean = x.colwise().mean();
  const RowMatrix centred = x.rowwise() - mean, labels = y.rowwise() - y.colwise().mean();
  EXPECT_EQ(moments.samples, 4099);
  EXPECT_LT((moments.mean.transpose() - mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((moments.covariance - centred.transpose() * centred / 4099).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((moments.cross_covariance - centred.transpose() * labels / 4099).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((moments.label_covariance - labels.transpose() * labels / 4099).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Whitening, MakesInputsStandardAndMapsFormsBothWays) {
  const RowMatrix x = mixed_inputs(3000, 4, 10);
  const RowMatrix y = RowMatrix::Zero(3000, 1);
  const auto moments = input_moments(MemorySource<double>(x, y), Control(1));
  const auto whitening = whitening_of(moments);
  const Matrix z = whitening.whiten(x);
  EXPECT_LT((z.transpose() * z / 3000 - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-10);
  RandomStream random(5, purpose::study);
  const Matrix forms = random.normal_matrix(3, 5);
  const Matrix mapped = whitening.forms_to_inputs(forms);
  const Matrix on_z = (z * forms.leftCols(4).transpose()).rowwise() + forms.col(4).transpose();
  const Matrix on_x = (x * mapped.leftCols(4).transpose()).rowwise() + mapped.col(4).transpose();
  EXPECT_LT((on_z - on_x).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((whitening.forms_to_whitened(mapped, moments.mean) - forms).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Whitening, NamesConstantAndDependentColumns) {
  RowMatrix x = mixed_inputs(2000, 6, 0.3);
  x.col(1).setConstant(0.1);
  x.col(4) = x.col(0);
  x.col(5) = 2 * x.col(2) - x.col(3);
  const auto whitening = whitening_of(input_moments(MemorySource<double>(x, RowMatrix::Zero(2000, 1)), Control(1)));
  EXPECT_EQ(whitening.constant, std::vector<Index>{1});
  EXPECT_EQ(whitening.dependent.size(), 2u);
  EXPECT_EQ(whitening.kept.size(), 3u);
  const Matrix z = whitening.whiten(x);
  EXPECT_LT((z.transpose() * z / 2000 - Matrix::Identity(3, 3)).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace relucover
