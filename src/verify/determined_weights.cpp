#include "verify/determined_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/least_eigen.hpp"
#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"
#include "samples/subsample.hpp"
#include "solve/layered_linearisation.hpp"
#include "solve/layered_sums.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/weight_places.hpp"

namespace relucover {

namespace {

/// Labels that the linear model follows whatever they are (leverage 1), by the parameter that they determine.
struct LoneLabels {
  using Scalar = double;
  const LayeredModel* model;
  const Matrix* root;   // of the Gram matrix, lower
  const Vector* scale;  // of each parameter there
  Vector labels;        // by parameter
  LoneLabels(const LayeredModel& at, const Matrix& root_of, const Vector& scale_of)
      : model(&at), root(&root_of), scale(&scale_of), labels(Vector::Zero(at.parameters())) {}
  void add(const Block<double>& block) {
    constexpr Index part = 256;
    constexpr double alone = 1 - 1e-5;  // others that have a three-hundredth of its effect would tell
    LayeredValues values;
    for (Index first = 0; first < block.rows(); first += part) {
      evaluate(*model, block.x.middleRows(first, std::min(part, block.rows() - first)), values);
      for (Index o = 0; o < model->outputs(); ++o) {
        Matrix effects = scale->asDiagonal() * jacobian_of_output(*model, values, o).transpose();
        root->triangularView<Eigen::Lower>().solveInPlace(effects);
        for (Index i = 0; i < effects.cols(); ++i) {
          if (!(effects.col(i).squaredNorm() > alone)) continue;
          Vector determined = effects.col(i);
          root->triangularView<Eigen::Lower>().transpose().solveInPlace(determined);
          Index most = 0;
          determined.cwiseAbs().maxCoeff(&most);
          labels[most] += 1;
        }
      }
    }
  }
  template <class Visit>
  void fields(Visit& visit) {
    visit(labels);
  }
};

/// On some rows of the samples.
class Determined {
 public:
  Determined(const LayeredModel& model, const MemorySource<double>& samples, const Control& control)
      : model_(model), places_(model), samples_(samples), control_(control) {
    const auto sums = reduce(samples, LayeredGram<double>(model), control);
    gram_ = Matrix(sums.gram.selfadjointView<Eigen::Lower>()) / rows();
    size_ = gram_.diagonal().cwiseSqrt().cwiseMax(1e-300);
    gram_ = size_.cwiseInverse().asDiagonal() * gram_ * size_.cwiseInverse().asDiagonal();
    for_units([&](Index l, Index j) {  // filled in: nothing but a convention
      const Vector direction = size_.cwiseProduct(places_.scaling_of_unit(l, j)).normalized();
      gram_ += direction * direction.transpose();
    });
  }

  DeterminedWeights judge() {
    DeterminedWeights weights;
    const Cholesky cholesky(gram_);
    inverse_ = cholesky.inverse();
    find_free(weights);
    if (!weights.uncertain.empty()) return weights;
    find_lone(cholesky.lower(), weights);
    find_removable(weights);
    return weights;
  }

 private:
  double rows() const { return static_cast<double>(std::max<Index>(samples_.samples(), 1)); }
  template <class Visit>
  void for_units(Visit visit) const {
    for (Index l = 0; l < model_.depth(); ++l)
      for (Index j = 0; j < model_.width(l); ++j) visit(l, j);
  }

  void find_free(DeterminedWeights& weights) const {
    constexpr double regular = 1e-10;
    const SymmetricEigen eigen = too_large_for_dense(model_.parameters()) ? least_eigen(gram_, regular, control_) : symmetric_eigen(gram_);
    // Without all eigenvalues: the largest of the inverse is at most its norm.
    weights.least_eigenvalue = eigen.values.size() > 0 ? eigen.values[0] : inverse_.size() > 0 ? 1 / inverse_.norm() : 0;
    if (weights.least_eigenvalue > regular) return;
    std::set<std::pair<Index, Index>> units;
    for (Index k = 0; k < eigen.values.size() && !(eigen.values[k] > regular); ++k)
      for_units([&](Index l, Index j) {
        const double part = eigen.vectors.col(k).segment(places_.at(l, j, 0), places_.rows(l).cols()).norm();
        if (part > 0.3) units.emplace(l, j);
      });
    for (const auto& [layer, unit] : units)
      weights.uncertain.push_back(unit_of_layer(layer, unit) + " has weights that can change without any effect on the samples");
    if (units.empty()) weights.uncertain.push_back("some weights can change together without any effect on the samples");
  }

  void find_lone(const Matrix& root, DeterminedWeights& weights) const {
    const Vector scale = size_.cwiseInverse() / std::sqrt(rows());
    const LoneLabels lone = reduce(samples_, LoneLabels(model_, root, scale), control_);
    std::set<std::string> places;
    for (Index k = 0; k < lone.labels.size(); ++k)
      if (lone.labels[k] > 0) places.insert(places_.words(k));
    for (const std::string& place : places)
      weights.uncertain.push_back(place + " has a weight that one sample alone determines: no other could contradict it");
  }

  /// The least cost of a step of the linear model that takes all that sees a unit to zero.
  void find_removable(DeterminedWeights& weights) const {
    const Vector scaled = model_.flat().cwiseProduct(size_);
    constexpr double far_above_rounding = 1e-16;
    const double variance = (samples_.y().rowwise() - samples_.y().colwise().mean()).squaredNorm() / rows();
    for_units([&](Index l, Index j) {
      const std::vector<Index> seen = places_.seen_by(l, j);
      const Vector values = scaled(seen);
      const double cost = values.dot(Vector(solve_semidefinite(Matrix(inverse_(seen, seen)), values)));
      if (!(cost > far_above_rounding * variance)) weights.uncertain.push_back(unit_of_layer(l, j) + " can be left out");
    });
  }

  const LayeredModel& model_;
  WeightPlaces places_;
  const MemorySource<double>& samples_;
  const Control& control_;
  Matrix gram_, inverse_;
  Vector size_;
};

}  // namespace

DeterminedWeights determined_weights(const Balanced& network, const SampleSource& source, const Control& control) {
  const Index parameters = network.model.parameters();
  constexpr Index least_rows = 20000, most_parameters = 8000;
  if (parameters > most_parameters)
    return {0, {fmt::format("it has {} weights, more than the {} that are tested for being determined", parameters, most_parameters)}};
  const Index per_parameter = too_large_for_dense(parameters) ? 12 : 60;  // sums of large matrices take minutes
  const Index some = std::min(source.samples(), std::max(least_rows, per_parameter * parameters));
  const auto judged = [&](Index rows) {
    const auto drawn = gather(source, spread_rows(source.samples(), rows, 5), control);
    const auto distinct = gather(drawn, distinct_samples(drawn), control);  // what stands twice says nothing the second time
    const Centred at = centred(network, gather(distinct, rows_off_kinks(network, distinct), control));
    return Determined(at.model, at.samples, control).judge();
  };
  DeterminedWeights weights = judged(some);
  // What some samples leave open all of them may tell.
  constexpr double minutes = 5e12;  // of arithmetic
  const double work = static_cast<double>(source.samples()) * static_cast<double>(parameters) * static_cast<double>(parameters);
  if (!weights.uncertain.empty() && some < source.samples() && work < minutes) weights = judged(source.samples());
  return weights;
}

}  // namespace relucover
