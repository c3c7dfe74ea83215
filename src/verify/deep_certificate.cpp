#include "verify/deep_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/least_eigen.hpp"
#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "samples/subsample.hpp"
#include "solve/layered_linearisation.hpp"
#include "solve/layered_sums.hpp"
#include "verify/distinct_rows.hpp"

namespace relucover {

namespace {

/// Relative, of one operation, in the precision of the labels.
double unit_rounding(const LabelGrid& grid) {
  return grid.float32 && !grid.rounded() ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                         : std::numeric_limits<double>::epsilon();
}

/// What a single sample may be off by: every layer rounds its sums, and the next ones pass that on.
double rounding_share(const LabelGrid& grid, Index layers) {
  constexpr double roundings = 2;
  return roundings * unit_rounding(grid) * static_cast<double>(layers + 1);
}

/// The model (plain) computed in single precision: how far off that is shows what its roundings amount to, in any precision.
RowMajor<float> predicted_in_single(const LayeredModel& model, const Eigen::Ref<const RowMatrix>& x) {
  const auto layer = [](const RowMatrix& rows, const RowMajor<float>& below) -> RowMajor<float> {
    const RowMajor<float> weights = rows.cast<float>();
    const Index inputs = weights.cols() - 1;
    return (below * weights.leftCols(inputs).transpose()).rowwise() + weights.col(inputs).transpose();
  };
  RowMajor<float> values = x.cast<float>();
  for (const RowMatrix& rows : model.theta) values = layer(rows, values).cwiseMax(0.0F);
  return layer(model.output, values);
}

/// Roundings cancel: over all samples they stay far below what one may be off by. Times what one evaluation is off by, labels in double
/// precision reach .2 to 1.8 (the answer has roundings of its own), also with inputs and labels far from zero; cast to single precision .1
/// to .5, computed in it .7 to 1.
double most_rounding(const LabelGrid& grid) { return grid.float32 && !grid.rounded() ? 2 : 3; }

/// Unknowns, and as many equations as it takes to tell the network from others: twice that, and more where labels carry few bits than a
/// search over the sides that samples can stand on could make up.
struct Equations {
  Index unknowns = 0, needed = 0, there = 0;
};
Equations equations_for(const LayeredModel& model, const SampleSource& source, const LabelGrid& grid, const Control& control) {
  Equations count;
  count.unknowns = model.parameters() - model.units();
  const double sides = std::log2(static_cast<double>(std::max<Index>(2, source.samples()))) * static_cast<double>(model.parameters());
  constexpr double least_bits = 40;
  count.needed =
      std::max(2 * count.unknowns, count.unknowns + static_cast<Index>(std::ceil((least_bits + sides) / std::max(grid.bits(), 1e-3))));
  count.there = source.outputs() * distinct_inputs(source, count.needed / source.outputs() + 1, control);
  return count;
}

LayeredModel absolute(LayeredModel model) {
  for (RowMatrix& layer : model.theta) layer = layer.cwiseAbs();
  model.output = model.output.cwiseAbs();
  return model;
}

/// Residuals against what rounding allows, and where samples lie at each unit's kink.
struct Looked {
  using Scalar = double;
  const LayeredModel* model;
  const LayeredModel* magnitudes;  // with the absolute values of all weights: sums of what is added up
  double share;                    // of the magnitudes that rounding may amount to
  Index wrong = 0, samples = 0;
  double worst = 0, squares = 0, rounding_squares = 0, label_squares = 0;
  std::vector<Vector> on, kink;  // samples for which a unit is on; on the kink, to rounding

  Looked(const LayeredModel& of, const LayeredModel& absolute_of, double rounding_share)
      : model(&of), magnitudes(&absolute_of), share(rounding_share) {
    for (Index l = 0; l < of.depth(); ++l) {
      on.push_back(Vector::Zero(of.width(l)));
      kink.push_back(Vector::Zero(of.width(l)));
    }
  }
  void add(const Block<double>& block) {
    constexpr Index part = 512;
    LayeredValues values, sums;
    for (Index first = 0; first < block.rows(); first += part) {
      const Index rows = std::min(part, block.rows() - first);
      evaluate(*model, block.x.middleRows(first, rows), values);
      evaluate(*magnitudes, block.x.middleRows(first, rows).cwiseAbs(), sums);
      const RowMatrix residual = block.y.middleRows(first, rows) - values.predicted;
      squares += residual.squaredNorm();
      rounding_squares += (predicted_in_single(*model, block.x.middleRows(first, rows)).cast<double>() - values.predicted).squaredNorm();
      label_squares += block.y.middleRows(first, rows).squaredNorm();
      const RowMatrix allowed = share * sums.predicted;
      for (Index i = 0; i < rows; ++i) {
        const double ratio = residual.row(i).cwiseAbs().cwiseQuotient(allowed.row(i)).maxCoeff();
        wrong += !(ratio <= 1);
        worst = std::max(worst, ratio);
      }
      for (std::size_t l = 0; l < on.size(); ++l) {
        const Index layer = static_cast<Index>(l), width = model->width(layer);
        on[l] += values.slope[l].colwise().sum().transpose();
        const RowMatrix u = values.features.middleCols(model->seen_begin(layer), model->seen_count(layer)) * model->theta[l].transpose();
        const auto size = sums.features.middleCols(magnitudes->values_at(layer), width);
        kink[l] += (u.cwiseAbs().array() <= 1e-12 * size.array()).cast<double>().matrix().colwise().sum().transpose();
      }
    }
    samples += block.rows();
  }
  void merge(const Looked& other) {
    wrong += other.wrong;
    samples += other.samples;
    worst = std::max(worst, other.worst);
    squares += other.squares;
    rounding_squares += other.rounding_squares;
    label_squares += other.label_squares;
    for (std::size_t l = 0; l < on.size(); ++l) {
      on[l] += other.on[l];
      kink[l] += other.kink[l];
    }
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(wrong, samples, worst, squares, rounding_squares, label_squares, on, kink);
  }
};

std::string named(Index layer, Index unit) { return fmt::format("unit {} of layer {}", unit, layer + 1); }

/// Units without enough samples on one side of the kink. A side must overdetermine the unit's row.
void judge_sides(const LayeredModel& model, const Looked& looked, DeepCertificate& certificate) {
  const double n = static_cast<double>(looked.samples);
  for (Index l = 0; l < model.depth(); ++l)
    for (Index j = 0; j < model.width(l); ++j) {
      const double on = looked.on[static_cast<std::size_t>(l)][j], off = n - on;
      const double needed = 2 * static_cast<double>(model.seen_count(l));
      if (on == 0)
        certificate.uncertain.push_back(named(l, j) + " is off at every sample: it can be left out");
      else if (off == 0)
        certificate.uncertain.push_back(named(l, j) + " is on at every sample: it is linear there, and its row is a convention");
      else if (std::min(on, off) < needed)
        certificate.uncertain.push_back(fmt::format("{} is {} at only {:.0f} of {:.0f} samples ({:.0f} would do)", named(l, j),
                                                    on < off ? "on" : "off", std::min(on, off), n, needed));
      else if (looked.kink[static_cast<std::size_t>(l)][j] > 0.01 * n)
        certificate.uncertain.push_back(named(l, j) + " sits on its kink at many samples: where the kink is, is a convention");
    }
}

/// Parameter number of (row, column) of a layer, and the unit a parameter belongs to.
struct Places {
  explicit Places(const LayeredModel& of) : model(of) {
    Index at = 0;
    for (const RowMatrix& layer : of.theta) {
      begin.push_back(at);
      at += layer.size();
    }
    begin.push_back(at);
  }
  const RowMatrix& rows(Index layer) const { return layer < model.depth() ? model.theta[static_cast<std::size_t>(layer)] : model.output; }
  Index at(Index layer, Index row, Index column) const {
    return begin[static_cast<std::size_t>(layer)] + row * rows(layer).cols() + column;
  }
  const LayeredModel& model;
  std::vector<Index> begin;
};

/// The direction in which a unit's row grows and what sees it shrinks.
Vector scaling_of_unit(const Places& places, Index layer, Index unit, Index parameters) {
  Vector direction = Vector::Zero(parameters);
  const RowMatrix& own = places.rows(layer);
  for (Index c = 0; c < own.cols(); ++c) direction[places.at(layer, unit, c)] = own(unit, c);
  const RowMatrix& above = places.rows(layer + 1);
  for (Index r = 0; r < above.rows(); ++r) direction[places.at(layer + 1, r, unit)] = -above(r, unit);
  return direction;
}

/// The Gram matrix over the sizes of parameters' effects, with the scalings of units filled in; and what it says.
void judge_gram(const LayeredModel& model, const SampleSource& source, const Control& control, DeepCertificate& certificate) {
  const Index parameters = model.parameters();
  constexpr Index least_rows = 20000;
  constexpr Index most_parameters = 8000;
  if (parameters > most_parameters) {
    certificate.uncertain.push_back(
        fmt::format("it has {} weights, more than the {} that are tested for being determined", parameters, most_parameters));
    return;
  }
  const bool large = too_large_for_dense(parameters);
  const Index per_parameter = large ? 12 : 60;  // sums of large matrices take minutes
  const Index rows = std::min(source.samples(), std::max(least_rows, per_parameter * parameters));
  const auto some = gather(source, spread_rows(source.samples(), rows, 5), control);
  const auto sums = reduce(some, LayeredGram<double>(model), control);
  Matrix gram = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / static_cast<double>(some.samples());
  const Vector size = gram.diagonal().cwiseSqrt().cwiseMax(1e-300);
  gram = size.cwiseInverse().asDiagonal() * gram * size.cwiseInverse().asDiagonal();
  const Places places(model);
  for (Index l = 0; l < model.depth(); ++l)
    for (Index j = 0; j < model.width(l); ++j) {
      const Vector direction = size.cwiseProduct(scaling_of_unit(places, l, j, parameters)).normalized();
      gram += direction * direction.transpose();
    }
  constexpr double regular = 1e-10;
  const SymmetricEigen eigen = large ? least_eigen(gram, regular, control) : symmetric_eigen(gram);
  const Matrix inverse = Cholesky(gram).inverse();
  // Without all eigenvalues: the largest of the inverse is at most its norm.
  certificate.least_eigenvalue = eigen.values.size() > 0 ? eigen.values[0] : inverse.size() > 0 ? 1 / inverse.norm() : 0;
  std::set<std::pair<Index, Index>> units;
  for (Index k = 0; k < eigen.values.size() && !(eigen.values[k] > regular); ++k)
    for (Index l = 0; l < model.depth(); ++l)
      for (Index j = 0; j < model.width(l); ++j) {
        const double part = eigen.vectors.col(k).segment(places.at(l, j, 0), places.rows(l).cols()).norm();
        if (part > 0.3) units.emplace(l, j);
      }
  for (const auto& [layer, unit] : units)
    certificate.uncertain.push_back(named(layer, unit) + " has weights that can change without any effect on the samples");
  if (!(certificate.least_eigenvalue > regular)) {
    if (units.empty()) certificate.uncertain.push_back("some weights can change together without any effect on the samples");
    return;
  }
  // The least cost of a step of the linear model that takes all that sees a unit to zero.
  const Vector scaled = model.flat().cwiseProduct(size);
  constexpr double far_above_rounding = 1e-16;
  const double variance =
      sums.samples > 0 ? (some.y().rowwise() - some.y().colwise().mean()).squaredNorm() / static_cast<double>(sums.samples) : 1;
  for (Index l = 0; l < model.depth(); ++l)
    for (Index j = 0; j < model.width(l); ++j) {
      std::vector<Index> seen;
      for (Index r = 0; r < places.rows(l + 1).rows(); ++r) seen.push_back(places.at(l + 1, r, j));
      const Vector values = scaled(seen);
      const double cost = values.dot(Vector(solve_semidefinite(Matrix(inverse(seen, seen)), values)));
      if (!(cost > far_above_rounding * variance)) certificate.uncertain.push_back(named(l, j) + " can be left out");
    }
}

}  // namespace

DeepCertificate certify_deep(const SampleSource& source, const Network& network, const LabelGrid& grid, const Control& control) {
  DeepCertificate certificate;
  const LayeredModel model = plain_model(network), magnitudes = absolute(model);
  const Looked looked = reduce(source, Looked(model, magnitudes, rounding_share(grid, model.depth())), control);
  certificate.wrong = looked.wrong;
  certificate.worst = looked.worst;
  certificate.fits = looked.wrong == 0 && looked.samples > 0;
  judge_sides(model, looked, certificate);
  if (!certificate.fits) {
    certificate.reason = fmt::format("{} of {} samples are off by more than rounding", looked.wrong, looked.samples);
    return certificate;
  }
  const double single = static_cast<double>(std::numeric_limits<float>::epsilon());
  const double once = looked.rounding_squares / (single * single) + looked.label_squares / 12;  // of sums, and of the labels as stored
  certificate.rounding = std::sqrt(looked.squares / std::max(once, 1e-300)) / unit_rounding(grid);
  if (!(certificate.rounding <= most_rounding(grid))) {
    certificate.fits = false;
    certificate.reason = fmt::format(
        "no sample is off by more than rounding may be, but all together by {:.2g} times what it amounts to: there is noise, or something "
        "that is no network",
        certificate.rounding);
    return certificate;
  }
  const Equations count = equations_for(model, source, grid, control);
  certificate.unknowns = count.unknowns;
  if (count.there < count.needed) {
    certificate.reason = fmt::format(
        "the function is exact on the data, but {} equations from distinct inputs for {} unknowns are too few to tell "
        "this network from others that fit: {} are needed",
        count.there, count.unknowns, count.needed);
    return certificate;
  }
  if (certificate.uncertain.empty()) judge_gram(model, source, control, certificate);
  if (!certificate.uncertain.empty()) {
    certificate.reason = "the function is exact on all samples, but " + certificate.uncertain.front();
    if (certificate.uncertain.size() > 1) certificate.reason += fmt::format(", and {} more such units", certificate.uncertain.size() - 1);
    return certificate;
  }
  certificate.given = true;
  certificate.reason = fmt::format(
      "all {} samples are matched to rounding, held-out ones too; every one of the {} units is bent by enough samples, "
      "no weight can change (least eigenvalue {:.1e}) and no unit can go",
      looked.samples, model.units(), certificate.least_eigenvalue);
  return certificate;
}

}  // namespace relucover
