#include "learners/threshold/band_fit.hpp"

#include <algorithm>
#include <limits>

#include "core/linear_algebra.hpp"
#include "learners/threshold/pick.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Samples near unit i's boundary (within 12 s) where every other unit is below -4 s. MATH section 3, second step.
PickRule band_rule(double width) {
  return [=](const RowMatrix& arguments, const Vector&, std::vector<std::pair<Index, Index>>& picked) {
    for (Index i = 0; i < arguments.rows(); ++i) {
      Index above = -1;  // the one unit that is not clearly at rest; -2: more than one
      for (Index j = 0; j < arguments.cols() && above > -2; ++j)
        if (arguments(i, j) >= -4 * width) above = above == -1 ? j : -2;
      if (above == -2) continue;
      for (Index j = 0; j < arguments.cols(); ++j)
        if ((above == -1 || above == j) && std::abs(arguments(i, j)) < 12 * width) picked.emplace_back(i, j);
    }
  };
}

/// Labels that say active although every unit is far below its threshold.
struct CountFlips {
  using Scalar = double;
  const Matrix* W;
  const Vector* t;
  const LabelView* view;
  double distance;
  double far = 0, wrong = 0;
  void add(const Block<double>& block) {
    RowMatrix arguments = block.x * W->transpose();
    arguments.rowwise() -= t->transpose();
    for (Index i = 0; i < block.rows(); ++i) {
      if (arguments.row(i).maxCoeff() > -distance) continue;
      far += 1;
      wrong += (*view)(block.y(i, 0));
    }
  }
  void fields(auto& visit) { visit(far, wrong); }
};

double flipped_share(const SampleSource& source, const LabelView& view, const BandFit& fit, double distance, const BandFitOptions& options,
                     const Control& control) {
  constexpr Index looked_at = 200'000;
  const Index end = options.end < 0 ? source.samples() : options.end;
  const auto counted = reduce(source, CountFlips{.W = &fit.W, .t = &fit.t, .view = &view, .distance = distance}, control, options.begin,
                              std::min(end, options.begin + looked_at));
  return counted.far > 0 ? counted.wrong / counted.far : 0;
}

/// Fisher scoring on Pr[label 1] = flips + (1 - 2 flips) / (1 + e^(-(w.x - t)/s)) with |w| = 1.
void fit_boundary(const PickedSamples& band, double width, double flips, int steps, Eigen::Ref<Vector> boundary) {
  const Index n = band.x.cols();
  Matrix design(band.rows(), n + 1);
  design << band.x, Vector::Ones(band.rows());
  for (int step = 0; step < steps; ++step) {
    const Eigen::ArrayXd z = (design * boundary / width).array().max(-40).min(40);
    const Eigen::ArrayXd logistic = 1 / (1 + (-z).exp());
    const Eigen::ArrayXd p = flips + (1 - 2 * flips) * logistic;
    const Eigen::ArrayXd slope = (1 - 2 * flips) * logistic * (1 - logistic);
    const Eigen::ArrayXd variance = p * (1 - p);
    const Vector gradient = design.transpose() * (slope * (p - band.y.array()) / variance).matrix();
    Matrix information = design.transpose() * (slope.square() / variance).matrix().asDiagonal() * design;
    information.diagonal().array() += 1e-6 * information.trace() / static_cast<double>(n + 1) + 1e-300;
    Vector move = width * solve_semidefinite(std::move(information), gradient);
    if (!move.allFinite()) return;
    const double length = move.norm();
    if (length > 2 * width) move *= 2 * width / length;
    boundary -= move;
    boundary /= boundary.head(n).norm();
    if (length < 1e-3 * width) return;
  }
}

}  // namespace

BandFit band_fit(const SampleSource& source, const LabelView& view, const Matrix& W, const Vector& t, const BandFitOptions& options,
                 const Control& control) {
  BandFit fit{W, t, 0, Vector::Constant(W.rows(), std::numeric_limits<double>::infinity()),
              std::vector<Index>(static_cast<std::size_t>(W.rows()), 0)};
  constexpr double first_guess = 0.02, least = 1e-3;  // wrong labels also come from units that are not yet in place
  fit.flips = first_guess;
  for (const double width : options.widths) {
    double moved = std::numeric_limits<double>::infinity();
    for (int round = 0; round < options.rounds || (round < options.most_rounds && moved > options.still * width); ++round) {
      moved = 0;
      control.progress("boundaries", -1, "");
      const auto bands = pick_samples(source, fit.W, fit.t, view, band_rule(width),
                                      {W.rows(), options.most_per_unit, options.begin, options.end}, control);
      for (Index i = 0; i < W.rows(); ++i) {
        control.check();
        const PickedSamples& band = bands[static_cast<std::size_t>(i)];
        if (band.rows() < 10 * (W.cols() + 1)) continue;
        Vector boundary(W.cols() + 1);
        boundary << fit.W.row(i).transpose(), -fit.t[i];
        fit_boundary(band, width, std::max(fit.flips, least), options.newton_steps, boundary);
        moved = std::max({moved, (fit.W.row(i).transpose() - boundary.head(W.cols())).norm(), std::abs(fit.t[i] + boundary[W.cols()])});
        fit.W.row(i) = boundary.head(W.cols()).transpose();
        fit.t[i] = -boundary[W.cols()];
        fit.width[i] = width;
        fit.band_samples[static_cast<std::size_t>(i)] = band.rows();
      }
    }
    if (width <= 0.05) fit.flips = std::min(0.3, flipped_share(source, view, fit, std::max(4 * width, 0.05), options, control));
  }
  return fit;
}

}  // namespace relucover
