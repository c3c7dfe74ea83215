#include "verify/deep_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reduce/reduce.hpp"
#include "solve/layered.hpp"
#include "verify/determined_weights.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/weight_places.hpp"

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

/// Residuals against what rounding allows, and where samples lie at each unit's kink.
struct Looked {
  using Scalar = double;
  const Balanced* scaled;
  const LayeredModel* model;
  double share;  // of the magnitudes that rounding may amount to
  Index wrong = 0, samples = 0;
  double worst = 0, squares = 0, rounding_squares = 0, label_squares = 0;
  std::vector<Vector> on, kink, on_kink;  // samples for which a unit is on; on the kink, to rounding; and both

  Looked(const Balanced& of, double rounding_share) : scaled(&of), model(&of.model), share(rounding_share) {
    for (Index l = 0; l < model->depth(); ++l)
      for (auto* counts : {&on, &kink, &on_kink}) counts->push_back(Vector::Zero(model->width(l)));
  }
  void add(const Block<double>& block) {
    constexpr Index part = 512;
    LayeredValues values, sums;
    for (Index first = 0; first < block.rows(); first += part) {
      const Index rows = std::min(part, block.rows() - first);
      const RowMatrix x = scaled->inputs(block.x.middleRows(first, rows)), y = scaled->labels(block.y.middleRows(first, rows));
      evaluate(*model, x, values);
      evaluate(scaled->magnitudes, x.cwiseAbs(), sums);
      const RowMatrix residual = y - values.predicted;
      squares += residual.squaredNorm();
      rounding_squares += (predicted_in_single(*model, x).cast<double>() - values.predicted).squaredNorm();
      label_squares += y.squaredNorm();
      const RowMatrix allowed = share * sums.predicted;
      for (Index i = 0; i < rows; ++i) {
        const double ratio = residual.row(i).cwiseAbs().cwiseQuotient(allowed.row(i)).maxCoeff();
        wrong += !(ratio <= 1);
        worst = std::max(worst, ratio);
      }
      for (std::size_t l = 0; l < on.size(); ++l) {
        const Matrix kinked = at_kinks(*scaled, static_cast<Index>(l), values, sums).matrix();
        on[l] += values.slope[l].colwise().sum().transpose();
        kink[l] += kinked.colwise().sum().transpose();
        on_kink[l] += kinked.cwiseProduct(values.slope[l]).colwise().sum().transpose();
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
      on_kink[l] += other.on_kink[l];
    }
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(wrong, samples, worst, squares, rounding_squares, label_squares, on, kink, on_kink);
  }
};

/// Units without enough samples on one side of the kink. A side must overdetermine the unit's row.
void judge_sides(const LayeredModel& model, const Looked& looked, DeepCertificate& certificate) {
  const double n = static_cast<double>(looked.samples);
  for (Index l = 0; l < model.depth(); ++l)
    for (Index j = 0; j < model.width(l); ++j) {
      const std::size_t at = static_cast<std::size_t>(l);
      const double kink = looked.kink[at][j], on = looked.on[at][j] - looked.on_kink[at][j], off = n - kink - on;
      const double needed = 2 * static_cast<double>(model.seen_count(l));
      if (kink > 0 && std::min(on, off) < needed)
        certificate.uncertain.push_back(
            fmt::format("{} sits on its kink at {:.0f} of {:.0f} samples and is {} at {:.0f} alone: where the "
                        "kink is, is a convention",
                        unit_of_layer(l, j), kink, n, on < off ? "on" : "off", std::min(on, off)));
      else if (on == 0)
        certificate.uncertain.push_back(unit_of_layer(l, j) + " is off at every sample: it can be left out");
      else if (off == 0)
        certificate.uncertain.push_back(unit_of_layer(l, j) + " is on at every sample: it is linear there, and its row is a convention");
      else if (std::min(on, off) < needed)
        certificate.uncertain.push_back(fmt::format("{} is {} at only {:.0f} of {:.0f} samples ({:.0f} would do)", unit_of_layer(l, j),
                                                    on < off ? "on" : "off", std::min(on, off), n, needed));
    }
}

}  // namespace

DeepCertificate certify_deep(const SampleSource& source, const Network& network, const LabelGrid& grid, const Control& control) {
  DeepCertificate certificate;
  const Balanced scaled = balanced(plain_model(network), source);
  const LayeredModel& model = scaled.model;
  const Looked looked = reduce(source, Looked(scaled, rounding_share(grid, model.depth())), control);
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
  if (certificate.uncertain.empty()) {
    DeterminedWeights weights = determined_weights(scaled, source, control);
    certificate.least_eigenvalue = weights.least_eigenvalue;
    certificate.uncertain = std::move(weights.uncertain);
  }
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
