#include "moments/polynomials.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/linear_algebra.hpp"
#include "moments/hermite.hpp"
#include "moments/split_tuples.hpp"

namespace relucover {

namespace {

/// How often the largest index j occurs in each tuple of the prefix of tuples with indices <= j.
Vector counts_of_last(Index j, Index order) {
  const PackedIndex index(j + 1, order);
  Vector counts(index.size());
  for (Index place = 0; place < index.size(); ++place)
    counts[place] = static_cast<double>(std::count(index.tuple(place), index.tuple(place) + order, static_cast<int>(j)));
  return counts;
}

struct FitSums {
  using Scalar = double;
  const View* view;
  Index degree;
  Matrix gram;  // of the features with the label as the last column; lower triangle
  Index samples = 0;
  FitSums(const View& view_, Index degree_) : view(&view_), degree(degree_) {
    const Index columns = feature_count(view->rows.rows(), degree) + 1;
    gram = Matrix::Zero(columns, columns);
  }
  void add(const Block<double>& block) {
    const Matrix z = view->variables(block);
    const Vector y = view->labels(block);
    const Index step = rows_at_once(gram.rows());
    Matrix joint;
    for (Index first = 0; first < z.rows(); first += step) {
      const Index rows = std::min(step, z.rows() - first);
      const auto features = hermite_features(z.middleRows(first, rows), degree);
      joint.resize(rows, gram.cols());
      Index at = 0;
      for (const Matrix& part : features) {
        joint.middleCols(at, part.cols()) = part;
        at += part.cols();
      }
      joint.col(at) = y.segment(first, rows);
      gram.selfadjointView<Eigen::Lower>().rankUpdate(joint.transpose());
    }
    samples += block.rows();
  }
  void fields(auto& visit) { visit(gram, samples); }
};

struct MomentSums {
  using Scalar = double;
  const View* view;
  const std::vector<MomentRequest>* requests;
  const std::vector<SplitTuples>* splits;  // by order
  Index max_degree = 0, max_half = 0;
  Index samples = 0;
  std::vector<double> squares;
  std::vector<std::vector<Matrix>> products;  // per request, orders k, k-2, ...

  MomentSums(const View& view_, const std::vector<MomentRequest>& requests_, const std::vector<SplitTuples>& splits_)
      : view(&view_), requests(&requests_), splits(&splits_) {
    for (const MomentRequest& request : *requests) {
      max_degree = std::max(max_degree, request.removed.degree);
      max_half = std::max(max_half, (request.order + 1) / 2);
      squares.push_back(0);
      products.emplace_back();
      for (Index order = request.order; order >= 0; order -= 2) products.back().push_back(split(order).empty_product());
    }
  }
  const SplitTuples& split(Index order) const { return (*splits)[static_cast<std::size_t>(order)]; }
  void add(const Block<double>& block) {
    const Matrix z = view->variables(block);
    const Vector y = view->labels(block);
    const Index q = z.cols();
    const Index step = rows_at_once(2 * feature_count(q, max_degree) + 4 * feature_count(q, max_half));
    for (Index first = 0; first < z.rows(); first += step)
      add_rows(z.middleRows(first, std::min(step, z.rows() - first)), y.segment(first, std::min(step, z.rows() - first)));
    samples += block.rows();
  }
  void add_rows(const Matrix& z, const Vector& y) {
    const auto hermites = hermite_features(z, max_degree);
    const auto monomials = monomial_features(z, max_half);
    Matrix weighted;
    for (std::size_t i = 0; i < requests->size(); ++i) {
      const Vector r = y - (*requests)[i].removed.evaluate(hermites);
      squares[i] += r.cwiseAbs2().dot(hermite_tensor_squared_norms(z, (*requests)[i].order));
      Index order = (*requests)[i].order;
      for (Matrix& product : products[i]) {
        split(order).add(monomials, r, weighted, product);
        order -= 2;
      }
    }
  }
  void fields(auto& visit) { visit(samples, squares, products); }
};

/// Coefficient of z^{n-2j} in He_n: (-1)^j n! / (j! (n-2j)! 2^j).
double hermite_coefficient(Index n, Index j) {
  double value = 1;
  for (Index i = 0; i < 2 * j; ++i) value *= static_cast<double>(n - i);
  for (Index i = 1; i <= j; ++i) value /= -2.0 * static_cast<double>(i);
  return value;
}

}  // namespace

std::vector<Matrix> monomial_features(const Matrix& z, Index max_order) {
  std::vector<Matrix> features{Matrix::Ones(z.rows(), 1)};
  for (Index k = 1; k <= max_order; ++k) {
    Matrix next(z.rows(), packed_size(z.cols(), k));
    Index at = 0;
    for (Index j = 0; j < z.cols(); ++j) {
      const Index prefix = packed_size(j + 1, k - 1);
      next.middleCols(at, prefix) = features.back().leftCols(prefix).array().colwise() * z.col(j).array();
      at += prefix;
    }
    features.push_back(std::move(next));
  }
  return features;
}

std::vector<Matrix> hermite_features(const Matrix& z, Index max_order) {
  std::vector<Matrix> features{Matrix::Ones(z.rows(), 1)};
  for (Index k = 1; k <= max_order; ++k) {
    Matrix next(z.rows(), packed_size(z.cols(), k));
    const Matrix& last = features[static_cast<std::size_t>(k - 1)];
    Index at = 0;
    for (Index j = 0; j < z.cols(); ++j) {
      const Index prefix = packed_size(j + 1, k - 1);
      next.middleCols(at, prefix) = last.leftCols(prefix).array().colwise() * z.col(j).array();
      if (k >= 2) {  // He_{c+1} = z He_c - c He_{c-1} where the tuple has j already
        const Index lower = packed_size(j + 1, k - 2);
        const Vector counts = counts_of_last(j, k - 2).array() + 1;
        next.middleCols(at + prefix - lower, lower) -= features[static_cast<std::size_t>(k - 2)].leftCols(lower) * counts.asDiagonal();
      }
      at += prefix;
    }
    features.push_back(std::move(next));
  }
  return features;
}

Vector hermite_tensor_squared_norms(const Matrix& z, Index order) {
  // Mehler: Σ_k t^k |He_k(z)|²/k! = g(t) = (1 - t²)^{-q/2} exp(t|z|²/(1 + t)), so that
  // (1 + t - t² - t³) g' = (q t (1 + t) + |z|² (1 - t)) g, a recurrence for the coefficients g_n.
  const Eigen::ArrayXd radius = z.rowwise().squaredNorm().array();
  const double q = static_cast<double>(z.cols());
  Eigen::ArrayXd current = Eigen::ArrayXd::Ones(z.rows()), before = Eigen::ArrayXd::Zero(z.rows()), before2 = before;
  double factorial = 1;
  for (Index n = 0; n < order; ++n) {
    const double k = static_cast<double>(n);
    Eigen::ArrayXd next = ((radius - k) * current + (q + k - 1 - radius) * before + (q + k - 2) * before2) / (k + 1);
    before2 = std::move(before);
    before = std::move(current);
    current = std::move(next);
    factorial *= k + 1;
  }
  return factorial * current.matrix();
}

Index feature_count(Index dimension, Index max_order) {
  Index count = 0;
  for (Index k = 0; k <= max_order; ++k) count += packed_size(dimension, k);
  return count;
}

Matrix View::variables(const Block<double>& block) const {
  Matrix z = block.x * rows.transpose();
  z.rowwise() += offset.transpose();
  return z;
}

Vector View::labels(const Block<double>& block) const { return block.y * combination; }

Vector Polynomial::evaluate(const std::vector<Matrix>& features) const {
  Vector value = Vector::Zero(features.front().rows());
  Index at = 0;
  for (Index k = 0; k <= degree; ++k) {
    const Matrix& part = features[static_cast<std::size_t>(k)];
    value.noalias() += part * coefficients.segment(at, part.cols());
    at += part.cols();
  }
  return value;
}

std::vector<Polynomial> fit_polynomials(const SampleSource& source, const View& view, Index max_degree, const Control& control) {
  const FitSums sums = reduce(source, FitSums(view, max_degree), control);
  const Matrix gram = sums.gram.selfadjointView<Eigen::Lower>();
  const Index q = view.rows.rows(), label = gram.rows() - 1;
  std::vector<Polynomial> fits;
  for (Index degree = 0; degree <= max_degree; ++degree) {
    const Index size = feature_count(q, degree);
    fits.push_back({q, degree, solve_semidefinite(gram.topLeftCorner(size, size), gram.col(label).head(size))});
  }
  return fits;
}

std::vector<ResidualMoments> residual_moments(const SampleSource& source, const View& view, const std::vector<MomentRequest>& requests,
                                              const Control& control) {
  for (const MomentRequest& request : requests) check_range("order of a moment", request.order, 1, max_tensor_order + 1);
  Index max_order = 0;
  for (const MomentRequest& request : requests) max_order = std::max(max_order, request.order);
  std::vector<SplitTuples> splits;
  for (Index order = 0; order <= max_order; ++order) splits.emplace_back(view.rows.rows(), order);
  const MomentSums sums = reduce(source, MomentSums(view, requests, splits), control);
  const double n = static_cast<double>(std::max<Index>(sums.samples, 1));
  std::vector<ResidualMoments> answers;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ResidualMoments moments;
    Index order = requests[i].order;
    for (const Matrix& product : sums.products[i]) {
      moments.raw.push_back(splits[static_cast<std::size_t>(order)].tensor(product / n));
      order -= 2;
    }
    moments.spread = sums.squares[i] / n;
    answers.push_back(std::move(moments));
  }
  return answers;
}

SymmetricTensor hermite_from_raw(const std::vector<SymmetricTensor>& raw) {
  const Index q = raw.front().dimension, k = raw.front().order;
  SymmetricTensor tensor(q, k);
  const PackedIndex index(q, k);
  for (Index place = 0; place < index.size(); ++place) {
    const int* tuple = index.tuple(place);
    struct Run {
      int coordinate;
      Index count, dropped;
    };
    std::vector<Run> runs;
    for (Index t = 0; t < k; ++t)
      if (runs.empty() || runs.back().coordinate != tuple[t])
        runs.push_back({tuple[t], 1, 0});
      else
        ++runs.back().count;
    double value = 0;
    for (bool more = true; more;) {
      std::vector<int> left;
      double coefficient = 1;
      Index dropped = 0;
      for (const Run& run : runs) {
        coefficient *= hermite_coefficient(run.count, run.dropped);
        dropped += run.dropped;
        left.insert(left.end(), static_cast<std::size_t>(run.count - 2 * run.dropped), run.coordinate);
      }
      value +=
          coefficient * raw[static_cast<std::size_t>(dropped)].values[PackedIndex::place(left.data(), static_cast<Index>(left.size()))];
      more = false;
      for (Run& run : runs) {  // an odometer over how many pairs each coordinate drops
        if (2 * (run.dropped + 1) <= run.count) {
          ++run.dropped;
          more = true;
          break;
        }
        run.dropped = 0;
      }
    }
    tensor.values[place] = value;
  }
  return tensor;
}

}  // namespace relucover
