#include "verify/layered_uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "samples/subsample.hpp"
#include "solve/layered_descent.hpp"
#include "solve/layered_sums.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/tails.hpp"
#include "verify/weight_places.hpp"

namespace relucover {

namespace {

/// Sums over samples, of parameters over `size`.
struct Information {
  Matrix gram, scores;  // Σ JᵀJ, and Σ s sᵀ with s = Jᵀr of a sample
  Vector size;
  Matrix scalings;  // a column for each unit
};

Information information_of(const JudgedLayers& judged) {
  const Index n = judged.answer.rows(), outputs = judged.outputs();
  Matrix jacobian = stacked_jacobian(judged, Matrix::Identity(outputs, outputs));
  Information sums;
  sums.size = jacobian.colwise().norm().transpose().cwiseMax(1e-300);
  jacobian = jacobian * sums.size.cwiseInverse().asDiagonal();
  Matrix scores = Matrix::Zero(n, jacobian.cols());
  for (Index o = 0; o < outputs; ++o) scores += judged.answer.residual.col(o).asDiagonal() * jacobian.middleRows(o * n, n);
  sums.gram = jacobian.transpose() * jacobian;
  sums.scores = scores.transpose() * scores;
  const WeightPlaces places(judged.model);
  sums.scalings.resize(jacobian.cols(), judged.model.units());
  Index column = 0;
  for (Index l = 0; l < judged.depth(); ++l)
    for (Index j = 0; j < judged.model.width(l); ++j)
      sums.scalings.col(column++) = sums.size.cwiseProduct(places.scaling_of_unit(l, j)).normalized();
  return sums;
}

/// The part of a network that ends with the arguments of a layer's units.
LayeredModel up_to(const LayeredModel& model, Index layer) {
  LayeredModel part = model;
  part.theta.resize(static_cast<std::size_t>(layer));
  part.plain_layers = layer;
  part.output = model.rows_of(layer);
  return part;
}

/// What errors of this covariance (over size) do to the argument of each unit of a layer, beyond its scale and over its spread.
Vector argument_errors(const JudgedLayers& judged, Index layer, const Matrix& covariance, const Vector& size) {
  constexpr Index enough = 2000;
  const LayeredModel part = up_to(judged.model, layer);
  const Index rows = std::min(enough, judged.answer.rows());
  LayeredValues values;
  evaluate(part, judged.samples.x().topRows(rows), values);
  Vector errors(part.outputs());
  for (Index j = 0; j < part.outputs(); ++j) {
    const Matrix jacobian = jacobian_of_output(part, values, j) * size.head(part.parameters()).cwiseInverse().asDiagonal();
    const Vector argument = values.predicted.col(j), along = argument.normalized();
    const Matrix beyond_scale = jacobian - along * (along.transpose() * jacobian);
    const double square = (beyond_scale * covariance.topLeftCorner(part.parameters(), part.parameters())).cwiseProduct(beyond_scale).sum();
    const double spread = (argument.array() - argument.mean()).square().sum();
    errors[j] = std::sqrt(std::max(0.0, square) / std::max(spread, 1e-300));
  }
  return errors;
}

/// Errors of parameters with the size of every row held, where scalings are whatever they are.
Matrix with_sizes_held(const JudgedLayers& judged, const Information& sums, const Matrix& covariance) {
  const WeightPlaces places(judged.model);
  const Index units = judged.model.units();
  Matrix held = Matrix::Zero(units, covariance.rows());
  Index row = 0;
  for (Index l = 0; l < judged.depth(); ++l)
    for (Index j = 0; j < judged.model.width(l); ++j, ++row)
      for (Index c = 0; c < places.rows(l).cols(); ++c)
        held(row, places.at(l, j, c)) = places.rows(l)(j, c) / sums.size[places.at(l, j, c)];
  const Matrix into = Matrix::Identity(covariance.rows(), covariance.rows()) - sums.scalings * solve_square(held * sums.scalings, held);
  return into * covariance * into.transpose();
}

/// Both halves fitted from the answer: their difference is what noise makes of it, χ² with as many degrees as there are unknowns.
double chance_of_halves(const JudgedLayers& judged, const Information& sums, std::uint64_t seed, const Control& control) {
  RandomStream random(seed, purpose::judge, 77);
  const auto order = random_rows(judged.answer.rows(), judged.answer.rows(), random);
  const auto middle = order.begin() + judged.answer.rows() / 2;
  const std::vector<Index> rows[] = {{order.begin(), middle}, {middle, order.end()}};
  const DescentOptions options{.most_steps = 25, .slow = 0.02 / static_cast<double>(judged.answer.rows()), .patience = 2};
  Vector fitted[2];
  for (const int half : {0, 1})
    fitted[half] = descend(judged.model, gather(judged.samples, rows[half], control), options, control).model.flat();
  const Vector apart = sums.gram * (fitted[0] - fitted[1]).cwiseProduct(sums.size);
  const Matrix noise = sums.scores + sums.scores.trace() * sums.scalings * sums.scalings.transpose();
  const double statistic = apart.dot(Vector(solve_semidefinite(noise, apart))) / 4;
  const auto freedom = static_cast<double>(judged.model.parameters() - judged.model.units());
  return gamma_tail(freedom, 2 * freedom, statistic);
}

}  // namespace

Vector LayeredUncertainty::all_errors() const { return unit_error.cwiseMax(freedom.cwiseQuotient(strength.cwiseMax(1e-300)).cwiseSqrt()); }

LayeredUncertainty layered_uncertainty(const JudgedLayers& judged, std::uint64_t seed, const Control& control) {
  constexpr double regular = 1e-8;
  LayeredUncertainty known;
  const Information sums = information_of(judged);
  Matrix filled = sums.gram + sums.scalings * sums.scalings.transpose();
  const Vector values = symmetric_eigenvalues(filled);
  if (!values.allFinite() || !(values.minCoeff() > regular * values.maxCoeff())) return known;
  known.determined = true;
  const Matrix half = solve_semidefinite(filled, sums.scores);
  const Matrix covariance = solve_semidefinite(filled, half.transpose());
  const Matrix held = with_sizes_held(judged, sums, covariance);
  const Index units = judged.model.units();
  const WeightPlaces places(judged.model);
  known.unit_error.resize(units);
  known.strength.resize(units);
  known.freedom.resize(units);
  Index at = 0;
  for (Index l = 0; l < judged.depth(); ++l) {
    known.unit_error.segment(at, judged.model.width(l)) = argument_errors(judged, l, covariance, sums.size);
    for (Index j = 0; j < judged.model.width(l); ++j, ++at) {
      const auto seen = places.seen_by(l, j);
      const Vector weights = judged.model.flat()(seen).cwiseProduct(sums.size(seen));
      known.strength[at] = weights.dot(Vector(solve_semidefinite(Matrix(held(seen, seen)), weights)));
      known.freedom[at] = static_cast<double>(seen.size());
    }
  }
  control.check();
  known.halves_chance = chance_of_halves(judged, sums, seed, control);
  return known;
}

}  // namespace relucover
