#include "solve/layered_preconditioner.hpp"

#include <algorithm>

namespace relucover {

namespace {

/// Units or features may be alike: enough to factorise, too little to matter.
Matrix damped_moments(const Matrix& moments, double damping) {
  constexpr double little = 1e-7;
  Matrix regular = moments;
  const double mean = std::max(moments.diagonal().mean(), 1e-300);
  regular.diagonal() += (damping + little) * moments.diagonal().cwiseMax(1e-3 * mean);
  return regular;
}

}  // namespace

KroneckerPreconditioner::KroneckerPreconditioner(const LayeredModel& model, const LayeredMoments& moments)
    : model_(model), slopes_(moments.slopes / static_cast<double>(std::max<Index>(moments.samples, 1))),
      features_(moments.features / static_cast<double>(std::max<Index>(moments.samples, 1))) {
  const Index depth = model.depth(), all = model.units() + model.outputs();
  Index unit = 0;
  for (Index l = 0; l <= depth; ++l) {
    const Index width = l < depth ? model.width(l) : model.outputs();
    const Index first = l <= model.plain_layers ? model.seen_begin(l) : model.values_at(l - 1);
    levels_.push_back({unit, l < model.plain_layers ? width : all - unit, first, model.values_at(l) - first, {}});
    unit += width;
  }
}

void KroneckerPreconditioner::damp(double damping) {
  for (Level& level : levels_)
    level.slopes = Cholesky(damped_moments(slopes_.block(level.first_unit, level.first_unit, level.units, level.units), damping));
  lower_.clear();
  const auto lower_of = [&](Index first, Index count) {
    return Cholesky(damped_moments(features_.block(first, first, count, count), damping)).lower();
  };
  for (Index l = 0; l < model_.plain_layers; ++l) lower_.push_back(lower_of(model_.seen_begin(l), model_.seen_count(l)));
  const Matrix lower = lower_of(model_.seen_begin(model_.depth()), model_.seen_count(model_.depth()));
  for (Index l = model_.plain_layers; l <= model_.depth(); ++l)
    lower_.push_back(lower.topLeftCorner(model_.seen_count(l), model_.seen_count(l)));
}

Vector KroneckerPreconditioner::inverse_times(const Vector& flat) const {
  const LayeredRows<double> rows = layered_rows<double>(model_, flat);
  Matrix spread = Matrix::Zero(model_.features(), model_.units() + model_.outputs());  // a column for each unit
  Index unit = 0;
  for (Index l = 0; l <= model_.depth(); ++l) {
    const RowMatrix& layer = rows[static_cast<std::size_t>(l)];
    if (layer.size() > 0)
      spread.block(model_.seen_begin(l), unit, layer.cols(), layer.rows()) =
          solve_lower(lower_[static_cast<std::size_t>(l)], layer.transpose());
    unit += layer.rows();
  }
  for (const Level& level : levels_) {
    if (level.count == 0 || level.units == 0) continue;
    auto part = spread.block(level.first, level.first_unit, level.count, level.units);
    part = level.slopes.solve(part.transpose()).transpose();
  }
  Vector result(flat.size());
  Index at = 0;
  unit = 0;
  for (Index l = 0; l <= model_.depth(); ++l) {
    const RowMatrix& layer = rows[static_cast<std::size_t>(l)];
    if (layer.size() > 0)
      Eigen::Map<Matrix>(result.data() + at, layer.cols(), layer.rows()) =
          solve_lower_transposed(lower_[static_cast<std::size_t>(l)], spread.block(model_.seen_begin(l), unit, layer.cols(), layer.rows()));
    at += layer.size();
    unit += layer.rows();
  }
  return result;
}

}  // namespace relucover
