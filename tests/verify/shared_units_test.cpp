// What outputs that share their units can't explain, though outputs with units of their own could.
#include "verify/leftover/shared_units.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "verify/leftover/features.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {
namespace {

constexpr Index rows_planted = 400, inputs_given = 3, outputs_given = 3;

/// Two units, and what their own parameters and an affine part can do to all outputs, one below the other.
struct Planted {
  Matrix z, forms, outputs, t, tangent, own;
  explicit Planted(RandomStream& random)
      : z(random.normal_matrix(rows_planted, inputs_given)), forms(random.normal_matrix(2, inputs_given + 1)),
        outputs(random.normal_matrix(outputs_given, 2)), t(with_ones(z) * forms.transpose()), tangent(tangent_of(z, t)) {
    constexpr Index width = inputs_given + 1;
    Matrix changes = Matrix::Zero(rows_planted * outputs_given, width * outputs_given + 2 * (width + outputs_given));
    Index next = 0;
    const auto put = [&](Index output, const Vector& values) { changes.col(next).segment(output * rows_planted, rows_planted) = values; };
    for (Index o = 0; o < outputs_given; ++o)
      for (Index i = 0; i < width; ++i, ++next) put(o, tangent.col(i));
    for (Index k = 0; k < 2; ++k) {
      for (Index i = 0; i < width; ++i, ++next)
        for (Index o = 0; o < outputs_given; ++o) put(o, outputs(o, k) * tangent.col((k + 1) * width + i));
      for (Index o = 0; o < outputs_given; ++o, ++next) put(o, t.col(k).cwiseMax(0));
    }
    own = spanning_basis(changes);
  }
  /// What least squares leaves of these labels.
  Matrix left_of(const Matrix& labels) const {
    const Vector stacked = labels.reshaped();
    return (stacked - own * (own.transpose() * stacked)).reshaped(rows_planted, outputs_given);
  }
  double chance(const Matrix& residual, RandomStream& random) const {
    return units_not_shared({tangent, forms, outputs}, residual, RoughBasis::spanning(tangent), random);
  }
};

TEST(SharedUnits, NoiseIsNothing) {
  RandomStream random(1, purpose::study);
  Index below = 0, far_below = 0;
  for (int k = 0; k < 200; ++k) {
    const Planted planted(random);
    const double chance = planted.chance(planted.left_of(random.normal_matrix(rows_planted, outputs_given)), random);
    below += chance < 0.1 ? 1 : 0;
    far_below += chance < 0.01 ? 1 : 0;
  }
  EXPECT_LE(below, 32);     // 20 in the mean
  EXPECT_LE(far_below, 7);  // 2
}

// A unit near one that is there, with other weights: each output for itself could have its unit a little elsewhere.
TEST(SharedUnits, TwoUnitsInPlaceOfOneAreSeen) {
  RandomStream random(2, purpose::study);
  Index seen = 0, planted_units = 0;
  for (int k = 0; k < 40; ++k) {
    const Planted planted(random);
    const Vector form = planted.forms.row(0).transpose() + 0.2 * random.normal_vector(inputs_given + 1);
    const Vector hidden = (with_ones(planted.z) * form).cwiseMax(0), weights = random.normal_vector(outputs_given);
    const auto active = (hidden.array() > 0).count();
    if (std::min(active, rows_planted - active) < rows_planted / 10) continue;  // a few rows tell nothing against flips of their signs
    ++planted_units;
    const Matrix unit = planted.left_of(hidden * weights.transpose());
    const double hidden_from_others = RoughBasis::spanning(planted.tangent).along(unit).norm();
    const Matrix noise = random.normal_matrix(rows_planted, outputs_given);
    seen += planted.chance(planted.left_of(noise + 9 / hidden_from_others * unit), random) < 1e-4 ? 1 : 0;
  }
  EXPECT_GE(planted_units, 20);
  EXPECT_GE(seen, planted_units - 1);
}

TEST(SharedUnits, OneOutputSharesNothing) {
  RandomStream random(3, purpose::study);
  const Planted planted(random);
  const Matrix one = planted.outputs.topRows(1), residual = random.normal_matrix(rows_planted, 1);
  EXPECT_EQ(units_not_shared({planted.tangent, planted.forms, one}, residual, RoughBasis::spanning(planted.tangent), random), 1);
}

}  // namespace
}  // namespace relucover
