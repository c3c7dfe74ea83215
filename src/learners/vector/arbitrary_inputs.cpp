#include "learners/vector/arbitrary_inputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <coin/ClpSimplex.hpp>
#include <numeric>
#include <unordered_set>

#include "core/linear_algebra.hpp"
#include "core/random.hpp"
#include "samples/subsample.hpp"

namespace relucover {

namespace {

using Pattern = std::vector<bool>;

struct LabelledRows {
  RowMatrix x;  // n by d
  Matrix span;  // n by k, orthonormal columns times √n: the row span of the labels
  RowMatrix y;
};

/// Visits all sets of `size` out of `count`, or random ones if they are more than the budget, until `visit` says stop.
template <class Visit>
Index visit_sets(Index count, Index size, const CellOptions& options, const Control& control, Visit visit) {
  double all = 1;
  for (Index i = 0; i < size; ++i) all *= static_cast<double>(count - i) / static_cast<double>(i + 1);
  std::vector<Index> set(static_cast<std::size_t>(size));
  std::iota(set.begin(), set.end(), 0);
  RandomStream random(options.seed, purpose::subsample, 3);
  const bool enumerate = all <= static_cast<double>(options.max_cells);
  for (Index visited = 0; visited < options.max_cells; ++visited) {
    if (visited % 256 == 0) control.check();
    if (!enumerate)
      for (std::size_t i = 0; i < set.size(); ++i) {
        do set[i] = random.below(count);
        while (std::find(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(i), set[i]) !=
               set.begin() + static_cast<std::ptrdiff_t>(i));
      }
    if (visit(set)) return visited + 1;
    if (!enumerate) continue;
    Index at = size - 1;
    while (at >= 0 && set[static_cast<std::size_t>(at)] == count - size + at) --at;
    if (at < 0) return visited + 1;
    ++set[static_cast<std::size_t>(at)];
    for (Index next = at + 1; next < size; ++next) set[static_cast<std::size_t>(next)] = set[static_cast<std::size_t>(next - 1)] + 1;
  }
  return options.max_cells;
}

/// The element of the row span that vanishes on the given samples.
Vector vanishing_on(const Matrix& span, const std::vector<Index>& set) {
  const Index k = span.cols();
  if (set.empty()) return span.col(0);
  return span * orthonormal_basis(span(set, Eigen::all).transpose(), k).col(k - 1);  // the set has k - 1 samples
}

/// Found units: their values on the samples and their weights.
class Found {
 public:
  Found(const LabelledRows& rows, Index wanted) : rows_(rows), wanted_(wanted) {}
  bool complete() const { return static_cast<Index>(weights_.size()) == wanted_; }
  const std::vector<Vector>& values() const { return values_; }
  Index count() const { return static_cast<Index>(weights_.size()); }

  /// `values` must be relu(w·x) for some w, and independent of what was found.
  bool accept(Vector values) {
    const double largest = values.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return false;
    if (values.sum() < 0) values = -values;
    if ((values.array() < -1e-9 * largest).any()) return false;
    std::vector<Index> active;
    for (Index i = 0; i < values.size(); ++i)
      if (values[i] > 1e-9 * largest) active.push_back(i);
    if (static_cast<Index>(active.size()) < rows_.x.cols()) return false;
    const Matrix x = rows_.x(active, Eigen::all);
    const Vector right = values(active);
    const Vector w = least_squares(x, right);
    const Vector drive = rows_.x * w;
    if (!((drive.cwiseMax(0) - values.cwiseMax(0)).norm() < 1e-8 * values.norm())) return false;
    return keep(w, drive.cwiseMax(0));
  }
  bool keep(const Vector& w, const Vector& values) {
    if (!values_.empty()) {
      Matrix before(values.size(), count());
      for (Index i = 0; i < count(); ++i) before.col(i) = values_[static_cast<std::size_t>(i)];
      if ((values - before * least_squares(before, values)).norm() < 1e-7 * values.norm()) return false;
    }
    weights_.push_back(w);
    values_.push_back(values);
    return true;
  }
  Network network() const {
    Network network(rows_.x.cols(), count(), rows_.y.cols());
    Matrix hidden(rows_.x.rows(), count());
    for (Index i = 0; i < count(); ++i) {
      network.W.row(i) = weights_[static_cast<std::size_t>(i)].transpose();
      hidden.col(i) = values_[static_cast<std::size_t>(i)];
    }
    network.A = least_squares(std::move(hidden), rows_.y).transpose();
    return network;
  }

 private:
  const LabelledRows& rows_;
  Index wanted_;
  std::vector<Vector> weights_, values_;
};

/// w with w·x 1_S in the row span of the labels and the signs of S: the null vector of [x 1_S, -span].
bool accept_pattern(const LabelledRows& rows, const Pattern& pattern, Found& found) {
  const Index d = rows.x.cols(), k = rows.span.cols(), n = rows.x.rows();
  Matrix equations(n, d + k);
  equations.rightCols(k) = -rows.span;
  for (Index i = 0; i < n; ++i) equations.row(i).head(d) = (pattern[static_cast<std::size_t>(i)] ? 1.0 : 0.0) * rows.x.row(i);
  if (n < d + k) return false;
  const Svd svd = thin_svd(std::move(equations), SingularVectors::right);
  const Vector& singular = svd.values;
  if (!(singular[d + k - 1] < 1e-10 * singular[0]) || singular[d + k - 2] < 1e-10 * singular[0]) return false;
  const Vector w = svd.right.col(d + k - 1).head(d);
  for (const double sign : {1.0, -1.0}) {
    const Vector drive = sign * rows.x * w;
    bool fits = drive.cwiseAbs().maxCoeff() > 0;
    for (Index i = 0; i < n && fits; ++i)
      fits = pattern[static_cast<std::size_t>(i)] ? drive[i] > 0 : drive[i] < 1e-9 * drive.cwiseAbs().maxCoeff();
    if (fits) return found.keep(sign * w, drive.cwiseMax(0));
  }
  return false;
}

/// `units` 0: as many as the labels' rank.
LabelledRows rows_of(const SampleSource& source, Index& units, const Control& control, const CellOptions& options, std::string& problem) {
  const auto samples = gather(source, 0, std::min(options.samples, source.samples()), control);
  LabelledRows rows{samples.x(), {}, samples.y()};
  const Svd svd = thin_svd(rows.y, SingularVectors::left);
  const Vector& singular = svd.values;
  const Index rank = (singular.array() > 1e-9 * singular[0]).count();
  if (units == 0) units = rank;
  if (rank == 0)
    problem = "all labels are zero";
  else if (rank != units)
    problem =
        fmt::format("the labels have rank {}, {} units were asked for: the row span of relu(W x) is not that of the labels", rank, units);
  else
    rows.span = svd.left.leftCols(rank) * std::sqrt(static_cast<double>(rows.x.rows()));
  return rows;
}

Pattern pattern_of(const Vector& values, double sign) {
  const double floor = 1e-9 * values.cwiseAbs().maxCoeff();
  Pattern pattern(static_cast<std::size_t>(values.size()));
  for (Index i = 0; i < values.size(); ++i) pattern[static_cast<std::size_t>(i)] = sign * values[i] > floor;
  return pattern;
}

void conclude_search(CellSearch& search, const Found& found, Index units, const CellOptions& options) {
  if (found.complete()) {
    search.network = found.network();
    return;
  }
  search.out_of_budget = search.cells >= options.max_cells || search.programs >= options.max_programs;
  search.problem =
      fmt::format("{} of {} units found in {} cells{}", found.count(), units, search.cells, search.out_of_budget ? ", the budget" : "");
}

}  // namespace

CellSearch search_cells(const SampleSource& source, Index asked, const Control& control, const CellOptions& options) {
  CellSearch search;
  Index units = asked;
  const LabelledRows rows = rows_of(source, units, control, options, search.problem);
  if (!search.problem.empty()) return search;
  Found found(rows, units);
  // A row of relu(W x) itself vanishes on the set: it is found at once, whichever of its zeros were drawn.
  search.cells = visit_sets(rows.x.rows(), units - 1, options, control, [&](const std::vector<Index>& set) {
    found.accept(vanishing_on(rows.span, set));
    return found.complete();
  });
  if (!found.complete()) {  // rows with fewer than k - 1 zeros: try the pattern of every cell
    std::unordered_set<Pattern> seen;
    visit_sets(rows.x.rows(), units - 1, options, control, [&](const std::vector<Index>& set) {
      const Vector values = vanishing_on(rows.span, set);
      for (const double sign : {1.0, -1.0}) {
        const Pattern pattern = pattern_of(values, sign);
        if (seen.insert(pattern).second) accept_pattern(rows, pattern, found);
      }
      return found.complete();
    });
  }
  conclude_search(search, found, units, options);
  return search;
}

namespace {

/// The program of BJW Algorithm 1 for one pattern: variables w and z, feasibility only. `extra`: one more row on w, at
/// least 1.
bool feasible(const LabelledRows& rows, const Pattern& pattern, const Vector* extra, Vector& w) {
  const Index d = rows.x.cols(), k = rows.span.cols(), n = rows.x.rows();
  const Index constraints = 2 * n + (extra ? 1 : 0);
  Matrix table = Matrix::Zero(constraints, d + k);
  Vector low = Vector::Constant(constraints, -COIN_DBL_MAX), high = Vector::Constant(constraints, COIN_DBL_MAX);
  for (Index i = 0; i < n; ++i) {
    const bool on = pattern[static_cast<std::size_t>(i)];
    table.row(i).head(d) = rows.x.row(i);
    (on ? low : high)[i] = on ? 1 : 0;
    if (on) table.row(n + i).head(d) = rows.x.row(i);  // f_S(y) = z V'
    table.row(n + i).tail(k) = -rows.span.row(i);
    low[n + i] = high[n + i] = 0;
  }
  if (extra) {
    table.row(2 * n).head(d) = extra->transpose();
    low[2 * n] = 1;
  }
  const Vector least = Vector::Constant(d + k, -COIN_DBL_MAX), most = Vector::Constant(d + k, COIN_DBL_MAX);
  std::vector<int> starts(static_cast<std::size_t>(d + k + 1)), indices(static_cast<std::size_t>(table.size()));
  for (std::size_t j = 0; j < starts.size(); ++j) starts[j] = static_cast<int>(static_cast<Index>(j) * constraints);
  for (std::size_t at = 0; at < indices.size(); ++at) indices[at] = static_cast<int>(static_cast<Index>(at) % constraints);
  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(static_cast<int>(d + k), static_cast<int>(constraints), starts.data(), indices.data(), table.data(), least.data(),
                    most.data(), nullptr, low.data(), high.data());
  model.setPrimalTolerance(1e-9);
  model.setMaximumIterations(20000);
  model.primal();
  if (!model.isProvenOptimal()) return false;
  w = Eigen::Map<const Vector>(model.primalColumnSolution(), d);
  return true;
}

/// All 2n programs of the remark, one after the other, until one is feasible.
bool independent_solution(const LabelledRows& rows, const Pattern& pattern, const Found& found, const CellOptions& options,
                          CellSearch& search, Vector& w) {
  if (found.count() == 0) {
    ++search.programs;
    return feasible(rows, pattern, nullptr, w);
  }
  Matrix before(rows.x.rows(), found.count());
  for (Index i = 0; i < found.count(); ++i) before.col(i) = found.values()[static_cast<std::size_t>(i)];
  const Matrix q = orthonormal_basis(std::move(before));
  Matrix active = rows.x;
  for (Index i = 0; i < active.rows(); ++i)
    if (!pattern[static_cast<std::size_t>(i)]) active.row(i).setZero();
  const Matrix outside = active - q * (q.transpose() * active);  // w·x 1_S minus its projection, row by row
  ++search.programs;
  if (!feasible(rows, pattern, nullptr, w)) return false;  // without the condition there is no solution either
  for (Index t = 0; t < outside.rows() && search.programs < options.max_programs; ++t)
    for (const double sign : {1.0, -1.0}) {
      const Vector extra = sign * outside.row(t).transpose();
      ++search.programs;
      if (feasible(rows, pattern, &extra, w)) return true;
    }
  return false;
}

}  // namespace

CellSearch search_cells_by_linear_programs(const SampleSource& source, Index asked, const Control& control, const CellOptions& options) {
  CellSearch search;
  Index units = asked;
  const LabelledRows rows = rows_of(source, units, control, options, search.problem);
  if (!search.problem.empty()) return search;
  Found found(rows, units);
  std::unordered_set<Pattern> seen;
  search.cells = visit_sets(rows.x.rows(), units - 1, options, control, [&](const std::vector<Index>& set) {
    const Vector values = vanishing_on(rows.span, set);
    for (const double sign : {1.0, -1.0}) {
      const Pattern pattern = pattern_of(values, sign);
      Vector w;
      if (!seen.insert(pattern).second || !independent_solution(rows, pattern, found, options, search, w)) continue;
      found.keep(w, (rows.x * w).cwiseMax(0));
    }
    return found.complete() || search.programs >= options.max_programs;
  });
  conclude_search(search, found, units, options);
  if (found.complete()) {
    const double misfit = (search.network.evaluate(rows.x) - rows.y).norm() / rows.y.norm();
    if (!(misfit < 1e-6)) {
      search.problem = fmt::format("the linear programs accepted patterns that leave {:.1e} of the labels unexplained", misfit);
      search.network = Network();
    }
  }
  return search;
}

}  // namespace relucover
