#include "solve/layered_jacobian.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "solve/layered_linearisation.hpp"
#include "solve/layered_preconditioner.hpp"
#include "solve/layered_sums.hpp"
#include "support/layered_models.hpp"

namespace relucover {
namespace {

struct Shape {
  Index plain_layers;
  std::vector<Index> widths;
  Index outputs;
};
const std::vector<Shape> shapes{{0, {4, 3}, 1},    {2, {4, 3}, 1},    {1, {4, 3}, 1}, {0, {4, 2, 3}, 2}, {3, {4, 2, 3}, 2},
                                {1, {4, 2, 3}, 2}, {2, {4, 2, 3}, 2}, {0, {5, 0}, 1}, {0, {5}, 2}};

/// A model, and samples that another one made.
struct Case {
  LayeredModel model;
  MemorySource<double> samples;
  explicit Case(const Shape& shape, Index rows = 700)
      : model(random_layered(shape.plain_layers, 3, shape.widths, shape.outputs, 1)),
        samples(samples_of_layered(random_layered(shape.plain_layers, 3, shape.widths, shape.outputs, 2), rows, 3)) {
    balance(model);
  }
};

template <class Real>
void expect_products_of_the_gram(const Shape& shape, double tolerance) {
  const Case given(shape);
  const auto sums = reduce(given.samples, LayeredGram<double>(given.model), Control(1));
  const Matrix gram = Matrix(sums.gram.selfadjointView<Eigen::Lower>());
  const Vector at = given.model.flat(), direction = RandomStream(4, purpose::study).normal_vector(at.size());
  const auto weights = layered_rows<Real>(given.model, at), along = layered_rows<Real>(given.model, direction);
  const auto wide = layered_rows<double>(given.model, at);
  LayeredTape<Real> tape(given.samples.samples(), given.model.features());
  const auto gradient = reduce(given.samples, LayeredGradient<Real>(given.model, wide, tape), Control(1));
  EXPECT_LT((gradient.gradient - sums.gradient).norm(), 1e-12 * sums.gradient.norm());
  EXPECT_NEAR(gradient.squares, sums.squares, 1e-12 * sums.squares);
  const LayeredProduct<Real> empty{&given.model, &weights, &tape, &along, Vector::Zero(at.size())};
  const Vector product = reduce(given.samples, empty, Control(1)).product, expected = gram * direction;
  EXPECT_LT((product - expected).norm(), tolerance * expected.norm());
}

TEST(LayeredJacobian, ProductsAreThoseOfTheGramMatrix) {
  for (const Shape& shape : shapes) {
    expect_products_of_the_gram<double>(shape, 1e-12);
    expect_products_of_the_gram<float>(shape, 1e-5);
  }
}

TEST(LayeredJacobian, MomentsHaveTheDiagonalOfTheGramMatrix) {
  for (const Shape& shape : shapes) {
    const Case given(shape);
    const auto sums = reduce(given.samples, LayeredGram<double>(given.model), Control(1));
    const auto wide = layered_rows<double>(given.model, given.model.flat());
    const auto moments = reduce(given.samples, LayeredMoments(given.model, wide), Control(1));
    EXPECT_LT((moments.diagonal - sums.gram.diagonal()).norm(), 1e-12 * moments.diagonal.norm());
  }
}

/// Which unit (outputs after the hidden ones) and which feature a parameter belongs to.
std::vector<std::pair<Index, Index>> places_of(const LayeredModel& model) {
  std::vector<std::pair<Index, Index>> places;
  Index unit = 0;
  for (Index l = 0; l <= model.depth(); ++l)
    for (Index j = 0; j < (l < model.depth() ? model.width(l) : model.outputs()); ++j, ++unit)
      for (Index c = 0; c < model.seen_count(l); ++c) places.emplace_back(unit, model.seen_begin(l) + c);
  return places;
}

TEST(LayeredPreconditioner, InvertsTheKroneckerProductOfWhatEachUnitSees) {
  for (const Shape& shape : shapes) {
    if (shape.plain_layers > 0) continue;  // layer by layer only
    const Case given(shape);
    const auto wide = layered_rows<double>(given.model, given.model.flat());
    const auto moments = reduce(given.samples, LayeredMoments(given.model, wide), Control(1));
    const double n = static_cast<double>(moments.samples);
    const Matrix slopes = Matrix(moments.slopes.selfadjointView<Eigen::Lower>()) / n;
    const Matrix features = Matrix(moments.features.selfadjointView<Eigen::Lower>()) / n;
    const auto places = places_of(given.model);
    const Index size = std::ssize(places);
    Matrix product(size, size);
    for (Index p = 0; p < size; ++p)
      for (Index q = 0; q < size; ++q) {
        const auto& [unit, feature] = places[static_cast<std::size_t>(p)];
        const auto& [other, seen] = places[static_cast<std::size_t>(q)];
        product(p, q) = slopes(unit, other) * features(feature, seen);
      }
    KroneckerPreconditioner preconditioner(given.model, moments);
    preconditioner.damp(0);
    // A unit that no sample bends makes it singular: what is inverted may differ from the step by nothing that the product sees.
    const Vector image = product * RandomStream(5, purpose::study).normal_vector(size);
    EXPECT_LT((product * preconditioner.inverse_times(image) - image).norm(), 1e-4 * image.norm());
  }
}

LayeredStep step_of(const Case& given, LayeredLinearisationOptions options, int threads) {
  const Control control(threads);
  return linearise(given.model, given.samples, options, control)->step(1e-3, control);
}

TEST(LayeredLinearisation, ConjugateGradientsEndAtTheDenseStep) {
  using Way = LayeredLinearisationOptions::Form;
  for (const Shape& shape : shapes) {
    const Case given(shape);
    const auto dense = step_of(given, {.form = Way::dense, .single_precision = false}, 1);
    const auto free = step_of(given, {.form = Way::matrix_free, .single_precision = false, .tolerance = 1e-10, .most_iterations = 500}, 1);
    ASSERT_EQ(dense.path.size(), 1U);
    ASSERT_GT(free.path.size(), 1U);
    EXPECT_LT((free.path.back() - dense.path.back()).norm(), 1e-6 * dense.path.back().norm());
    EXPECT_NEAR(free.predicted, dense.predicted, 1e-6 * dense.predicted);
    const auto single = step_of(given, {.form = Way::matrix_free, .tolerance = 1e-3, .most_iterations = 500}, 1);
    EXPECT_NEAR(single.predicted, dense.predicted, 1e-3 * dense.predicted);
  }
}

TEST(LayeredLinearisation, ThePreconditionerKeepsThemShort) {
  const Case given({0, {20, 12}, 1}, 6000);
  const auto step = step_of(given, {.form = LayeredLinearisationOptions::Form::matrix_free, .tolerance = 0.03, .most_iterations = 500}, 1);
  EXPECT_LT(step.iterations, 30);
}

TEST(LayeredLinearisation, StepsHaveTheSameBytesOnAnyThreads) {
  for (const bool single : {false, true}) {
    const Case given({0, {4, 3}, 1}, 6000);
    const LayeredLinearisationOptions options{.form = LayeredLinearisationOptions::Form::matrix_free, .single_precision = single};
    const auto one = step_of(given, options, 1), two = step_of(given, options, 2);
    EXPECT_EQ(one.path, two.path);
    EXPECT_EQ(one.predicted, two.predicted);
  }
}

TEST(LayeredLinearisation, StopsWhenTheTimeIsOver) {
  const Case given({0, {4, 3}, 1});
  const LayeredLinearisationOptions options{.form = LayeredLinearisationOptions::Form::matrix_free};
  const auto linear = linearise(given.model, given.samples, options, Control(1));
  EXPECT_THROW(linear->step(1e-3, Control(1, 0)), Interrupted);
}

}  // namespace
}  // namespace relucover
