#include "moments/label_moments.hpp"

#include <cmath>
#include <numbers>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Raw moments Σ g z^{⊗k} as weighted Gram matrices of monomials.
struct RawMoments {
  using Scalar = double;
  const std::function<double(double)>* label;
  const Matrix* basis;
  int order;
  double m0 = 0, square = 0;
  Index samples = 0;
  Vector m1;
  Matrix m2, m3, m4;  // m3: q by pairs, m4: pairs by pairs

  RawMoments(const std::function<double(double)>& g, const Matrix& b, int k) : label(&g), basis(&b), order(k) {
    const Index q = b.cols(), pairs = q * (q + 1) / 2;
    m1 = Vector::Zero(q);
    m2 = Matrix::Zero(q, q);
    if (order >= 3) m3 = Matrix::Zero(q, pairs);
    if (order >= 4) m4 = Matrix::Zero(pairs, pairs);
  }

  void add(const Block<double>& block) {
    samples += block.rows();
    std::vector<Index> kept;
    std::vector<double> values;
    for (Index i = 0; i < block.rows(); ++i) {
      const double g = (*label)(block.y(i, 0));
      if (g == 0) continue;
      kept.push_back(i);
      values.push_back(g);
    }
    if (kept.empty()) return;
    const Eigen::Map<const Vector> g(values.data(), static_cast<Index>(values.size()));
    const Matrix z = block.x(kept, Eigen::all) * *basis;
    const Matrix weighted = g.asDiagonal() * z;
    m0 += g.sum();
    square += g.squaredNorm();
    m1 += z.transpose() * g;
    m2.noalias() += z.transpose() * weighted;
    if (order < 3) return;
    Matrix products(z.rows(), m3.cols());
    for (Index b = 0; b < z.cols(); ++b)
      for (Index a = 0; a <= b; ++a) products.col(pair_index(a, b)) = z.col(a).cwiseProduct(z.col(b));
    m3.noalias() += weighted.transpose() * products;
    if (order < 4) return;
    const Matrix weighted_products = g.asDiagonal() * products;
    m4.noalias() += products.transpose() * weighted_products;
  }

  void merge(const RawMoments& other) {
    m0 += other.m0;
    square += other.square;
    samples += other.samples;
    m1 += other.m1;
    m2 += other.m2;
    if (order >= 3) m3 += other.m3;
    if (order >= 4) m4 += other.m4;
  }
};

double equal(Index a, Index b) { return a == b ? 1 : 0; }

/// T_3 = M_3 - sym(M_1 ⊗ I)
std::vector<Matrix> third_order(const Matrix& m3, const Vector& m1) {
  const Index q = m1.size();
  std::vector<Matrix> slices(static_cast<std::size_t>(q), Matrix(q, q));
  for (Index c = 0; c < q; ++c)
    for (Index a = 0; a < q; ++a)
      for (Index b = 0; b < q; ++b)
        slices[static_cast<std::size_t>(c)](a, b) = m3(c, pair_index(std::min(a, b), std::max(a, b))) - m1[a] * equal(b, c) -
                                                    m1[b] * equal(a, c) - m1[c] * equal(a, b);
  return slices;
}

/// T_4 = M_4 - sym(M_2 ⊗ I) + M_0 sym(I ⊗ I)
Matrix fourth_order(const Matrix& m4, const Matrix& m2, double m0) {
  const Index q = m2.rows();
  Matrix t4 = m4;
  for (Index b = 0; b < q; ++b)
    for (Index a = 0; a <= b; ++a)
      for (Index d = 0; d < q; ++d)
        for (Index c = 0; c <= d; ++c)
          t4(pair_index(a, b), pair_index(c, d)) +=
              -(equal(a, b) * m2(c, d) + equal(a, c) * m2(b, d) + equal(a, d) * m2(b, c) + equal(b, c) * m2(a, d) +
                equal(b, d) * m2(a, c) + equal(c, d) * m2(a, b)) +
              m0 * (equal(a, b) * equal(c, d) + equal(a, c) * equal(b, d) + equal(a, d) * equal(b, c));
  return t4;
}

}  // namespace

std::vector<Matrix> LabelMoments::t4_slices() const {
  const Index q = size();
  std::vector<Matrix> slices;
  for (Index d = 0; d < q; ++d)
    for (Index c = 0; c <= d; ++c) {
      Matrix slice(q, q);
      for (Index b = 0; b < q; ++b)
        for (Index a = 0; a <= b; ++a) slice(a, b) = slice(b, a) = t4(pair_index(a, b), pair_index(c, d));
      slices.push_back(c == d ? slice : Matrix(std::numbers::sqrt2 * slice));
    }
  return slices;
}

Matrix LabelMoments::t4_square() const {
  const Index q = size();
  const auto pair = [](Index a, Index b) { return pair_index(std::min(a, b), std::max(a, b)); };
  Matrix square(q * q, q * q);
  for (Index d = 0; d < q; ++d)
    for (Index c = 0; c < q; ++c)
      for (Index b = 0; b < q; ++b)
        for (Index a = 0; a < q; ++a) square(b * q + a, d * q + c) = t4(pair(a, b), pair(c, d));
  return square;
}

LabelMoments label_moments(const SampleSource& source, const std::function<double(double)>& label, const Matrix& basis,
                           int order, const Control& control, Index begin, Index end) {
  const RawMoments raw =
      reduce(source, RawMoments(label, basis, order), control, begin, end < 0 ? source.samples() : end);
  const double scale = 1 / static_cast<double>(std::max<Index>(raw.samples, 1));
  LabelMoments moments;
  moments.samples = raw.samples;
  moments.t0 = scale * raw.m0;
  moments.mean_square = scale * raw.square;
  moments.t1 = scale * raw.m1;
  const Matrix m2 = 0.5 * scale * (raw.m2 + raw.m2.transpose());
  moments.t2 = m2 - moments.t0 * Matrix::Identity(m2.rows(), m2.cols());
  if (order >= 3) moments.t3 = third_order(scale * raw.m3, moments.t1);
  if (order >= 4) moments.t4 = fourth_order(0.5 * scale * (raw.m4 + raw.m4.transpose()), m2, moments.t0);
  return moments;
}

}  // namespace relucover
