#include "verify/untested_samples.hpp"

#include <algorithm>
#include <vector>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "samples/subsample.hpp"
#include "verify/distinct_rows.hpp"
#include "verify/gate_parts.hpp"
#include "verify/leftover/features.hpp"
#include "verify/leftover/rough_basis.hpp"

namespace relucover {

namespace {

constexpr double surely_alone = 1 - 1e-9, nearly_alone = 1 - 1e-6, far_from_alone = 1 - 1e-3;

/// How many are alone among these samples.
Index count_alone(const MemorySource<double>& all, const Network& network) {
  const Matrix x = all.x()(distinct_samples(all), Eigen::all);
  const Matrix tangent = tangent_of(whitened(x), (x * network.W.transpose()).rowwise() + network.b.transpose());
  if (RoughBasis::spanning(tangent).leverage().maxCoeff() < far_from_alone) return 0;
  const Vector leverage = leverage_of(spanning_basis(tangent));
  const Index few = (leverage.array() > nearly_alone).count();
  return few > 1 ? few : static_cast<Index>((leverage.array() > surely_alone).count());
}

/// True: each of these samples has far more company among all than one that is alone. What the samples determine is known already, as
/// an inverse C = R R^T: the leverage of a sample with the derivatives j is |R^T j|², which products with random vectors tell well enough.
bool surely_in_company(const MemorySource<double>& some, const SignFreeModel& model, const Uncertainty& known) {
  constexpr Index vectors = 128;
  constexpr double in_company = 0.5;  // a sum of 128 squares is half its expectation once in 1e7 times
  const Cholesky factor(known.inverse);
  if (!factor.definite()) return false;
  RandomStream random(0, purpose::sketch);
  const Matrix along = factor.lower() * random.normal_matrix(factor.lower().cols(), vectors) / std::sqrt(static_cast<double>(vectors));
  const Index inputs = model.inputs(), width = inputs + 1;
  const auto times = [&](const Matrix& forms) -> Matrix { return (some.x() * forms.topRows(inputs)).rowwise() + forms.row(inputs).eval(); };
  Matrix effects = times(along.bottomRows(width));
  const Matrix t = times(model.theta.transpose());
  for (Index i = 0; i < model.units(); ++i) {
    const Vector signs = t.col(i).unaryExpr([&](double v) { return v < 0 ? -model.output(0, i) : model.output(0, i); });
    effects += signs.asDiagonal() * times(along.middleRows(i * width, width));
  }
  return effects.rowwise().squaredNorm().maxCoeff() < in_company;
}

}  // namespace

Index untested_samples(const Claimed& claimed, const Control& control) {
  constexpr Index most_functions = 3000;
  const SampleSource& samples = claimed.samples;
  const Index functions = (claimed.model.units() + 1) * (claimed.model.inputs() + 1);
  if (functions > most_functions) return 0;
  // A part of the samples tells if none is alone there.
  const Index few = std::min(samples.samples(), 3 * functions + 500);
  // These functions are free for each output, which share their units in truth: with several outputs few samples can do.
  if (samples.outputs() > 1 && samples.samples() < 2 * functions) return 0;
  // Copies of a sample are company in sums over all: where there are any, the sums are made anew without them.
  constexpr Index most_to_look_for_copies = Index{1} << 18;
  const bool inverse_is_of_them = claimed.known && claimed.known->inverse.rows() == functions && samples.outputs() == 1 &&
                                  samples.samples() <= most_to_look_for_copies &&
                                  distinct_inputs(samples, samples.samples(), control) == samples.samples();
  // Where some are, more join them, a few times as many at once: who is alone among all stays alone. A piece that none of them lies on
  // has a handful of thousands of samples, fewer than a claim answers for.
  constexpr Index times = 4;
  std::vector<Index> rows;
  for (Index more = few; more < samples.samples() && (more == few || times * more < samples.samples()); more *= times) {
    const auto joining = spread_rows(samples.samples(), more, claimed.seed);
    rows.insert(rows.end(), joining.begin(), joining.end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const auto gathered = gather(samples, rows, control);
    if (inverse_is_of_them && surely_in_company(gathered, claimed.model, *claimed.known)) return 0;
    if (count_alone(gathered, claimed.network) == 0) return 0;
    control.check();
  }
  return count_alone(judged_rows(samples, claimed.network, claimed.seed, control), claimed.network);
}

}  // namespace relucover
