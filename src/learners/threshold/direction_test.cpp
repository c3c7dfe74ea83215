#include "learners/threshold/direction_test.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/random.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

struct BandSums {
  using Scalar = double;
  const Matrix* directions;
  double threshold, width;
  bool second;
  Matrix sums;  // directions by bands
  double count = 0;

  void add(const Block<double>& block) {
    count += static_cast<double>(block.rows());
    const Matrix along = block.x * directions->transpose();
    for (Index z = 0; z < along.cols(); ++z)
      for (Index i = 0; i < along.rows(); ++i) {
        // Bands of width 2ε: (t-2ε, t), (t, t+2ε) for δ'; centred at t-2ε, t, t+2ε for δ''.
        const double place = (along(i, z) - threshold) / (2 * width) + (second ? 1.5 : 1.0);
        if (place >= 0 && place < static_cast<double>(sums.cols())) sums(z, static_cast<Index>(place)) += block.y(i, 0);
      }
  }
  void fields(auto& visit) { visit(sums, count); }
};

/// Evenly spread: a circle, or a Fibonacci sphere.
Matrix direction_net(Index inputs, Index count) {
  Matrix net(count, inputs);
  for (Index i = 0; i < count; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    if (inputs == 2) {
      net.row(i) << std::cos(2 * std::numbers::pi * part), std::sin(2 * std::numbers::pi * part);
    } else {
      const double polar = std::acos(1 - 2 * part), around = std::numbers::pi * (1 + std::sqrt(5.0)) * (static_cast<double>(i) + 0.5);
      net.row(i) << std::cos(around) * std::sin(polar), std::sin(around) * std::sin(polar), std::cos(polar);
    }
  }
  return net;
}

double width_of(const UnitFunction& unit, const DirectionTestOptions& options) {
  if (options.width > 0) return options.width;
  return unit.kind == UnitFunction::Kind::step ? 0.1 : 0.15;
}

}  // namespace

Vector direction_scores(const SampleSource& source, const UnitFunction& unit, const Matrix& directions, double threshold, double width,
                        const Control& control) {
  const bool second = unit.kind == UnitFunction::Kind::relu;
  BandSums empty{&directions, threshold, width, second, Matrix::Zero(directions.rows(), second ? 3 : 2)};
  const BandSums bands = reduce(source, empty, control);
  const Matrix density = bands.sums / (2 * width * std::max(bands.count, 1.0));
  if (!second) return density.col(1) - density.col(0);                          // GP Lemma 8
  return (density.col(2) - 2 * density.col(1) + density.col(0)) / (2 * width);  // GP C.1
}

DirectionTest find_directions(const SampleSource& source, const UnitFunction& unit, const DirectionTestOptions& options,
                              const Control& control) {
  if (source.inputs() != 2 && source.inputs() != 3)
    throw std::invalid_argument(fmt::format("{} inputs: a net of directions is for 2 or 3", source.inputs()));
  if (unit.kind != UnitFunction::Kind::step && unit.kind != UnitFunction::Kind::relu)
    throw std::invalid_argument("the direction test is for step and relu units");
  const double width = width_of(unit, options);
  const Matrix net = direction_net(source.inputs(), options.net);
  Vector score = direction_scores(source, unit, net, options.threshold, width, control);
  DirectionTest found{Matrix(options.units, source.inputs()), Vector(options.units)};
  for (Index i = 0; i < options.units; ++i) {
    Index best = 0;
    found.score[i] = score.maxCoeff(&best);
    found.W.row(i) = net.row(best);
    for (Index j = 0; j < net.rows(); ++j)
      if (net.row(j).dot(found.W.row(i)) > std::cos(options.separation)) score[j] = -std::numeric_limits<double>::infinity();
  }
  // Local search: candidates around every direction, all measured in one pass.
  constexpr Index tries = 15;
  RandomStream random(options.seed, purpose::starts);
  for (const double reach : {0.06, 0.03, 0.015, 0.0075}) {
    Matrix candidates(options.units * (tries + 1), source.inputs());
    for (Index i = 0; i < options.units; ++i)
      for (Index k = 0; k <= tries; ++k)
        candidates.row(i * (tries + 1) + k) =
            (found.W.row(i) + (k == 0 ? 0.0 : reach) * random.normal_vector(source.inputs()).transpose()).normalized();
    const Vector measured = direction_scores(source, unit, candidates, options.threshold, width, control);
    for (Index i = 0; i < options.units; ++i) {
      Index best = 0;
      found.score[i] = measured.segment(i * (tries + 1), tries + 1).maxCoeff(&best);
      found.W.row(i) = candidates.row(i * (tries + 1) + best);
    }
  }
  return found;
}

}  // namespace relucover
