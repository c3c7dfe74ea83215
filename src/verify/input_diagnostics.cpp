#include "verify/input_diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "moments/whitening.hpp"
#include "reduce/reduce.hpp"
#include "verify/normal_statistics.hpp"

namespace relucover {

namespace {

/// What the second pass needs from the first.
struct SecondPassFrame {
  InputMoments moments;
  Whitening whitening;
  Matrix affine;      // z to the affine fit of y - mean, q by l
  Matrix mix;         // labels to the few residuals that T_2 looks at, l by r
  Matrix directions;  // q by s: the columns, standardised, then random directions
  Vector shift;       // what centring took from each direction
  std::vector<std::pair<Index, Index>> look_alike;
};

constexpr Index most_residuals = 8;

std::vector<std::pair<Index, Index>> look_alikes(const InputMoments& moments, const Whitening& whitening) {
  std::vector<std::pair<Index, Index>> pairs;
  constexpr double alike = 1 - 1e-9;
  const Matrix& c = moments.covariance;
  const auto alike_columns = [&](Index i, Index j) { return c(i, j) >= alike * std::sqrt(c(i, i) * c(j, j)); };
  for (const Index j : whitening.dependent)
    for (Index i = 0; i < whitening.inputs; ++i) {
      const bool both_dependent = std::find(whitening.dependent.begin(), whitening.dependent.end(), i) != whitening.dependent.end();
      if (i == j || c(i, i) <= 0 || (both_dependent && i > j) || !alike_columns(i, j)) continue;
      pairs.emplace_back(std::min(i, j), std::max(i, j));
    }
  return pairs;
}

SecondPassFrame frame_of(const SampleSource& source, const DiagnosticsOptions& options, const Control& control) {
  SecondPassFrame frame;
  frame.moments = input_moments(source, control);
  frame.whitening = whitening_of(frame.moments);
  frame.look_alike = look_alikes(frame.moments, frame.whitening);
  const Index q = frame.whitening.size(), l = source.outputs();
  frame.affine = solve_lower(frame.whitening.factor, frame.moments.cross_covariance(frame.whitening.kept, Eigen::all));
  const Vector left = (frame.moments.label_covariance.diagonal().transpose() - frame.affine.colwise().squaredNorm()).transpose();
  const Vector weight = left.unaryExpr([](double v) { return v > 0 ? 1 / std::sqrt(v) : 0.0; });
  RandomStream random(options.seed, purpose::sketch);
  const Matrix choice = l <= most_residuals ? Matrix(Matrix::Identity(l, l))
                                            : Matrix(random.normal_matrix(l, most_residuals) / std::sqrt(static_cast<double>(l)));
  frame.mix = weight.asDiagonal() * choice;
  // Column j, standardised, is the row j of the factor scaled to length 1, applied to z.
  frame.directions.resize(q, q + (q > 1 ? options.projections : 0));
  if (q > 0) frame.directions.leftCols(q) = frame.whitening.factor.transpose().colwise().normalized();
  for (Index j = q; j < frame.directions.cols(); ++j) frame.directions.col(j) = random.normal_vector(q).normalized();
  frame.shift = frame.directions.transpose() * solve_lower(frame.whitening.factor, frame.whitening.mean);
  return frame;
}

/// Powers of directions, T_2 of the affine fit's residuals, and columns that are equal.
struct ShapeSums {
  using Scalar = double;
  const SecondPassFrame* frame;
  Vector third, fourth, odd1, odd2, odd3, odd6;  // centred t^3, t^4; with its mean u, u^2, u^3, u^6
  double squared_norms = 0;                      // |z|^4
  Matrix t2;                                     // r z z', one below the other
  Vector t2_spread;                              // r^2 |z|^4
  std::vector<Index> unequal;                    // blocks in which columns that look alike differ

  explicit ShapeSums(const SecondPassFrame& of)
      : frame(&of), third(Vector::Zero(of.directions.cols())), fourth(third), odd1(third), odd2(third), odd3(third), odd6(third),
        t2(Matrix::Zero(of.directions.rows() * of.mix.cols(), of.directions.rows())), t2_spread(Vector::Zero(of.mix.cols())),
        unequal(of.look_alike.size(), 0) {}

  void add(const Block<double>& block) {
    const Matrix z = frame->whitening.whiten(block.x);
    add_shape(z);
    add_t2(z, block.y);
    for (std::size_t i = 0; i < unequal.size(); ++i) {
      const auto [one, other] = frame->look_alike[i];
      if (unequal[i] == 0 && (block.x.col(one).array() != block.x.col(other).array()).any()) ++unequal[i];
    }
  }
  void add_shape(const Matrix& z) {
    const Eigen::ArrayXXd t = z * frame->directions;
    const Eigen::ArrayXXd t3 = t.cube(), u = t.rowwise() + frame->shift.transpose().array(), u3 = u.cube();
    third += t3.colwise().sum().matrix().transpose();
    fourth += (t3 * t).colwise().sum().matrix().transpose();
    odd1 += u.colwise().sum().matrix().transpose();
    odd2 += u.square().colwise().sum().matrix().transpose();
    odd3 += u3.colwise().sum().matrix().transpose();
    odd6 += u3.square().colwise().sum().matrix().transpose();
    squared_norms += z.rowwise().squaredNorm().squaredNorm();
  }
  template <class Labels>
  void add_t2(const Matrix& z, const Labels& y) {
    const Index q = z.cols();
    const Matrix residual = ((y.rowwise() - frame->moments.label_mean.transpose()) - z * frame->affine) * frame->mix;
    const Vector fourth_norms = z.rowwise().squaredNorm().cwiseAbs2();
    for (Index j = 0; j < residual.cols(); ++j) {
      t2.middleRows(j * q, q).noalias() += z.transpose() * (residual.col(j).asDiagonal() * z);
      t2_spread[j] += residual.col(j).cwiseAbs2().dot(fourth_norms);
    }
  }
  void fields(auto& visit) { visit(third, fourth, odd1, odd2, odd3, odd6, squared_norms, t2, t2_spread, unequal); }
};

/// Collects statistics and keeps the worst.
class TestOf {
 public:
  void add(double z, const std::string& name) {
    ++count_;
    if (std::isnan(z)) return;
    if (std::abs(z) <= std::abs(test_.worst_z)) return;
    test_.worst_z = z;
    test_.worst = name;
  }
  Test finish(double level) {
    test_.threshold = two_sided_threshold(level / static_cast<double>(std::max<Index>(count_, 1)));
    test_.passed = count_ > 0 && std::abs(test_.worst_z) <= test_.threshold;
    return test_;
  }

 private:
  Test test_;
  Index count_ = 0;
};

std::string direction_name(const SecondPassFrame& frame, Index j) {
  const Index q = frame.whitening.size();
  return j < q ? fmt::format("column {}", frame.whitening.kept[static_cast<std::size_t>(j)]) : fmt::format("projection {}", j - q);
}

Test too_few() { return {.passed = false, .worst = fmt::format("too few samples to tell (fewer than {})", fewest_for_normality)}; }

Test gaussian_test(const SecondPassFrame& frame, const ShapeSums& sums, double level) {
  const double n = static_cast<double>(frame.moments.samples), q = static_cast<double>(frame.whitening.size());
  if (frame.moments.samples < fewest_for_normality) return too_few();
  TestOf test;
  for (Index j = 0; j < sums.third.size(); ++j) {
    test.add(skewness_z(sums.third[j] / n, n), "skewness of " + direction_name(frame, j));
    test.add(kurtosis_z(sums.fourth[j] / n, n), "kurtosis of " + direction_name(frame, j));
  }
  constexpr double enough_per_input = 20;  // for the normal approximation of Mardia's statistic
  if (q > 1 && n >= enough_per_input * q)
    test.add((sums.squared_norms / n - q * (q + 2) * (n - 1) / (n + 1)) / std::sqrt(8 * q * (q + 2) / n), "Mardia's kurtosis");
  return test.finish(level);
}

Test symmetry_test(const SecondPassFrame& frame, const ShapeSums& sums, double level) {
  if (frame.moments.samples < fewest_for_normality) return too_few();
  TestOf test;
  for (Index j = 0; j < sums.odd1.size(); ++j) {
    test.add(sums.odd1[j] / std::sqrt(sums.odd2[j]), "mean of " + direction_name(frame, j));
    test.add(sums.odd3[j] / std::sqrt(sums.odd6[j]), "third moment of " + direction_name(frame, j));
  }
  return test.finish(level);
}

/// Mean 0 and covariance I within five standard errors of every entry.
void look_at_covariance(const SecondPassFrame& frame, const ShapeSums& sums, InputDiagnostics& found) {
  const Index d = frame.whitening.inputs, q = frame.whitening.size();
  const double n = static_cast<double>(frame.moments.samples);
  const Matrix distance = (frame.moments.covariance - Matrix::Identity(d, d)).cwiseAbs();
  found.distance_from_identity = distance.size() ? distance.maxCoeff() : 0;
  for (Index i = 0; i < d; ++i)
    if (const double variance = frame.moments.covariance(i, i); variance > 0)
      found.largest_mean = std::max(found.largest_mean, std::abs(frame.moments.mean[i]) / std::sqrt(variance));
  constexpr double errors = 5;
  const double heaviest = q > 0 ? std::max(1.0, sums.fourth.head(q).maxCoeff() / n - 1) : 1;  // var(x^2) where var(x) = 1
  found.whitened =
      q == d && found.largest_mean <= errors / std::sqrt(n) && found.distance_from_identity <= errors * std::sqrt(heaviest / n);
}

void look_at_labels(const SecondPassFrame& frame, InputDiagnostics& found) {
  const Matrix& covariance = frame.moments.label_covariance;
  const double total = covariance.trace();
  found.affine_fit_residual = total > 0 ? std::max(0.0, (total - frame.affine.squaredNorm()) / total) : 0;
  const Vector spectrum = symmetric_eigenvalues(covariance);
  constexpr double rounding = 1e-12;  // of sums over many samples, relative
  found.label_rank = total > 0 ? (spectrum.array() > rounding * spectrum.maxCoeff()).count() : 0;
}

/// The directions that T_2 shows: its leading right singular vectors.
Matrix look_at_t2(const SecondPassFrame& frame, const ShapeSums& sums, const DiagnosticsOptions& options, InputDiagnostics& found) {
  const Index q = frame.whitening.size(), residuals = frame.mix.cols();
  if (q == 0) return Matrix(0, 0);
  const double n = static_cast<double>(frame.moments.samples);
  const Svd svd = thin_svd(sums.t2 / n, SingularVectors::right);
  found.t2_spectrum.assign(svd.values.begin(), svd.values.end());
  // Entries r z_i z_j have variance E[r^2 |z|^4] / (q (q + 2)); the edge of a random matrix of such entries.
  const double dimension = static_cast<double>(q);
  const double entry = std::sqrt(sums.t2_spread.mean() / n / (dimension * (dimension + 2)) / n);
  found.t2_noise_edge = entry * (std::sqrt(dimension) + std::sqrt(dimension * static_cast<double>(residuals)));
  const Index shown = (svd.values.array() > options.edge_margin * found.t2_noise_edge).count();
  if (found.gaussian.passed) found.units_at_least = shown;
  return svd.right.leftCols(shown);
}

/// Least squares of y on 1, z and random ReLUs.
struct FeatureFit {
  const Whitening* whitening;
  Matrix forms;  // rows (w, b) on z
  Matrix features(const Block<double>& block) const {
    const Matrix z = whitening->whiten(block.x);
    Matrix all(z.rows(), 1 + z.cols() + forms.rows());
    all.col(0).setOnes();
    all.middleCols(1, z.cols()) = z;
    all.rightCols(forms.rows()) = ((z * forms.leftCols(z.cols()).transpose()).rowwise() + forms.col(z.cols()).transpose()).cwiseMax(0.0);
    return all;
  }
};

struct FeatureSums {
  using Scalar = double;
  const FeatureFit* fit;
  const Vector* label_mean;
  Matrix gram, right;
  void add(const Block<double>& block) {
    const Matrix all = fit->features(block);
    if (gram.size() == 0) {
      gram = Matrix::Zero(all.cols(), all.cols());
      right = Matrix::Zero(all.cols(), block.y.cols());
    }
    gram.selfadjointView<Eigen::Lower>().rankUpdate(all.transpose());
    right.noalias() += all.transpose() * (block.y.rowwise() - label_mean->transpose());
  }
  void fields(auto& visit) { visit(gram, right); }
};

struct HeldOutSums {
  using Scalar = double;
  const FeatureFit* fit;
  const Vector* label_mean;
  const Matrix* weights;
  double squared = 0;
  void add(const Block<double>& block) {
    squared += ((block.y.rowwise() - label_mean->transpose()) - fit->features(block) * *weights).squaredNorm();
  }
  void fields(auto& visit) { visit(squared); }
};

/// Any function of x that is fitted on some samples and judged on others bounds the noise from above.
double noise_bound(const SampleSource& source, const SecondPassFrame& frame, const Matrix& subspace, const DiagnosticsOptions& options,
                   const Control& control) {
  const Index n = source.samples(), q = frame.whitening.size();
  const Index train = n - std::max<Index>(n / 5, 1);
  const Index count = std::min(options.features, train / 4 - q - 1);
  if (count < 1) return std::sqrt(frame.moments.label_covariance.diagonal().mean());
  FeatureFit fit{&frame.whitening, Matrix(count, q + 1)};
  RandomStream random(options.seed, purpose::sketch, 1);
  for (Index i = 0; i < count; ++i) {
    const Vector w = subspace.cols() > 0 ? Vector(subspace * random.normal_vector(subspace.cols())) : random.normal_vector(q);
    fit.forms.row(i).head(q) = w.normalized().transpose();
    fit.forms(i, q) = random.normal();
  }
  constexpr Index per_feature = 100;  // more samples do not make the fit better
  const Index used = std::min(train, per_feature * (count + q + 1));
  FeatureSums sums = reduce(source, FeatureSums{&fit, &frame.moments.label_mean, {}, {}}, control, 0, used);
  sums.gram.diagonal().array() += 1e-9 * sums.gram.diagonal().mean();
  const Matrix weights = solve_semidefinite(std::move(sums.gram), sums.right);
  const double squared = reduce(source, HeldOutSums{&fit, &frame.moments.label_mean, &weights}, control, train, n).squared;
  return std::sqrt(squared / static_cast<double>((n - train) * source.outputs()));
}

}  // namespace

Test gaussian_inputs(const SampleSource& source, const DiagnosticsOptions& options, const Control& control) {
  const SecondPassFrame frame = frame_of(source, options, control);
  return gaussian_test(frame, reduce(source, ShapeSums(frame), control), options.level);
}

InputDiagnostics diagnose(const SampleSource& source, const DiagnosticsOptions& options, const Control& control) {
  if (source.samples() < 2)
    throw std::invalid_argument(fmt::format("{}: {} samples, expected at least 2", source.name(), source.samples()));
  InputDiagnostics found;
  found.samples = source.samples();
  found.inputs = source.inputs();
  found.outputs = source.outputs();
  control.progress("mean and covariance", -1);
  const SecondPassFrame frame = frame_of(source, options, control);
  control.progress("shape of the inputs", -1);
  const ShapeSums sums = reduce(source, ShapeSums(frame), control);
  found.constant_columns = frame.whitening.constant;
  found.dependent_columns = frame.whitening.dependent;
  found.covariance_condition = frame.whitening.condition();
  for (std::size_t i = 0; i < frame.look_alike.size(); ++i)
    if (sums.unequal[i] == 0) found.duplicated_columns.push_back(frame.look_alike[i]);
  look_at_covariance(frame, sums, found);
  found.gaussian = gaussian_test(frame, sums, options.level);
  found.symmetric = symmetry_test(frame, sums, options.level);
  look_at_labels(frame, found);
  control.progress("labels", -1);
  found.grid = label_grid(source, control);
  const Matrix subspace = look_at_t2(frame, sums, options, found);
  control.progress("noise", -1);
  found.noise_at_most = noise_bound(source, frame, subspace, options, control);
  return found;
}

}  // namespace relucover
