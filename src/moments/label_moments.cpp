#include "moments/label_moments.hpp"

#include <cmath>
#include <numbers>

#include "reduce/reduce.hpp"

namespace relucover {

namespace {

/// Columns z_a z_b for a <= b.
Matrix pair_products(const Matrix& z) {
  const Index q = z.cols();
  Matrix products(z.rows(), q * (q + 1) / 2);
  for (Index b = 0; b < q; ++b)
    for (Index a = 0; a <= b; ++a) products.col(pair_index(a, b)) = z.col(a).cwiseProduct(z.col(b));
  return products;
}

double equal(Index a, Index b) { return a == b ? 1 : 0; }

/// An expansion as plain polynomial coefficients on packed pairs, to be evaluated by matrix products.
struct PackedPolynomial {
  const Matrix* basis = nullptr;
  double constant = 0;
  Vector linear, quadratic;  // q; pairs
  Matrix cubic, quartic;     // q by pairs; pairs by pairs

  explicit PackedPolynomial(const HermiteExpansion& expansion) : basis(&expansion.basis) {
    const LabelMoments& m = expansion.moments;
    const Index q = m.size(), pairs = q * (q + 1) / 2;
    Matrix trace4 = Matrix::Zero(q, q);  // T_4(., ., I)
    for (Index c = 0; c < q; ++c)
      for (Index b = 0; b < q; ++b)
        for (Index a = 0; a <= b; ++a) {
          trace4(a, b) += m.t4(pair_index(a, b), pair_index(c, c));
          if (a < b) trace4(b, a) = trace4(a, b);
        }
    constant = m.t0 - m.t2.trace() / 2 + trace4.trace() / 8;
    linear = m.t1;
    for (Index c = 0; c < q; ++c) linear[c] -= m.t3[static_cast<std::size_t>(c)].trace() / 2;
    const Matrix square = m.t2 / 2 - trace4 / 4;
    quadratic.resize(pairs);
    cubic.resize(q, pairs);
    quartic = m.t4 / 24;
    for (Index b = 0; b < q; ++b)
      for (Index a = 0; a <= b; ++a) {
        const double times = a == b ? 1 : 2;  // of the pair in the whole tensor
        const Index ab = pair_index(a, b);
        quadratic[ab] = times * square(a, b);
        for (Index c = 0; c < q; ++c) cubic(c, ab) = times * m.t3[static_cast<std::size_t>(c)](a, b) / 6;
        quartic.row(ab) *= times;
        quartic.col(ab) *= times;
      }
  }

  Vector evaluate(const Block<double>& block) const {
    const Matrix z = block.x * *basis;
    const Matrix products = pair_products(z);
    Matrix inner = products * quartic;
    inner.noalias() += z * cubic;
    inner.rowwise() += quadratic.transpose();
    Vector value = inner.cwiseProduct(products).rowwise().sum();
    value.noalias() += z * linear;
    value.array() += constant;
    return value;
  }
};

/// Raw moments Σ g z^{⊗k} as weighted Gram matrices of monomials.
struct RawMoments {
  using Scalar = double;
  const LabelFunction* label;
  const PackedPolynomial* known;  // subtracted from the label; may be null
  const Matrix* basis;
  int order;
  double m0 = 0, square = 0;
  Index samples = 0;
  Vector m1;
  Matrix m2, m3, m4;  // m3: q by pairs, m4: pairs by pairs

  RawMoments(const LabelFunction& g, const PackedPolynomial* polynomial, const Matrix& b, int k)
      : label(&g), known(polynomial), basis(&b), order(k) {
    const Index q = b.cols(), pairs = q * (q + 1) / 2;
    m1 = Vector::Zero(q);
    m2 = Matrix::Zero(q, q);
    if (order >= 3) m3 = Matrix::Zero(q, pairs);
    if (order >= 4) m4 = Matrix::Zero(pairs, pairs);
  }

  void add(const Block<double>& block) {
    samples += block.rows();
    Vector g(block.rows());
    for (Index i = 0; i < block.rows(); ++i) g[i] = (*label)(block.y(i, 0));
    if (known) {
      g -= known->evaluate(block);
      return add_rows(block.x * *basis, g);
    }
    std::vector<Index> kept;
    for (Index i = 0; i < block.rows(); ++i)
      if (g[i] != 0) kept.push_back(i);
    if (!kept.empty()) add_rows(block.x(kept, Eigen::all) * *basis, g(kept));
  }

  void add_rows(const Matrix& z, const Vector& g) {
    const Matrix weighted = g.asDiagonal() * z;
    m0 += g.sum();
    square += g.squaredNorm();
    m1 += z.transpose() * g;
    m2.noalias() += z.transpose() * weighted;
    if (order < 3) return;
    const Matrix products = pair_products(z);
    m3.noalias() += weighted.transpose() * products;
    if (order < 4) return;
    const Matrix weighted_products = g.asDiagonal() * products;
    m4.noalias() += products.transpose() * weighted_products;
  }

  void fields(auto& visit) { visit(m0, square, samples, m1, m2, m3, m4); }
};

/// T_3 = M_3 - sym(M_1 ⊗ I)
std::vector<Matrix> third_order(const Matrix& m3, const Vector& m1) {
  const Index q = m1.size();
  std::vector<Matrix> slices(static_cast<std::size_t>(q), Matrix(q, q));
  for (Index c = 0; c < q; ++c)
    for (Index a = 0; a < q; ++a)
      for (Index b = 0; b < q; ++b)
        slices[static_cast<std::size_t>(c)](a, b) =
            m3(c, pair_index(std::min(a, b), std::max(a, b))) - m1[a] * equal(b, c) - m1[b] * equal(a, c) - m1[c] * equal(a, b);
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
              -(equal(a, b) * m2(c, d) + equal(a, c) * m2(b, d) + equal(a, d) * m2(b, c) + equal(b, c) * m2(a, d) + equal(b, d) * m2(a, c) +
                equal(c, d) * m2(a, b)) +
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

namespace {

LabelMoments finished_moments(const RawMoments& raw, int order) {
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

/// Adds the tensors of an expansion seen from another basis: every index is multiplied by `turn` (new by old).
void add_turned(const LabelMoments& old, const Matrix& turn, int order, LabelMoments& moments) {
  moments.t0 += old.t0;
  moments.t1 += turn * old.t1;
  moments.t2 += turn * old.t2 * turn.transpose();
  const Index q = turn.rows(), p = turn.cols();
  for (Index c = 0; order >= 3 && c < q; ++c) {
    Matrix mixed = Matrix::Zero(p, p);
    for (Index k = 0; k < p; ++k) mixed += turn(c, k) * old.t3[static_cast<std::size_t>(k)];
    moments.t3[static_cast<std::size_t>(c)] += turn * mixed * turn.transpose();
  }
  if (order < 4) return;
  // Packed pair (a, b) of the new basis as a combination of packed pairs of the old one.
  Matrix pairs(q * (q + 1) / 2, p * (p + 1) / 2);
  for (Index b = 0; b < q; ++b)
    for (Index a = 0; a <= b; ++a)
      for (Index l = 0; l < p; ++l)
        for (Index k = 0; k <= l; ++k)
          pairs(pair_index(a, b), pair_index(k, l)) = k == l ? turn(a, k) * turn(b, k) : turn(a, k) * turn(b, l) + turn(a, l) * turn(b, k);
  moments.t4 += pairs * old.t4 * pairs.transpose();
}

}  // namespace

LabelMoments label_moments(const SampleSource& source, const LabelFunction& label, const Matrix& basis, int order, const Control& control,
                           const SampleRange& range) {
  const Index end = range.end < 0 ? source.samples() : range.end;
  return finished_moments(reduce(source, RawMoments(label, nullptr, basis, order), control, range.begin, end), order);
}

LabelMoments refined_moments(const SampleSource& source, const LabelFunction& label, const HermiteExpansion& expansion, const Matrix& basis,
                             int order, const Control& control, const SampleRange& range) {
  const Index end = range.end < 0 ? source.samples() : range.end;
  const PackedPolynomial known(expansion);
  LabelMoments moments = finished_moments(reduce(source, RawMoments(label, &known, basis, order), control, range.begin, end), order);
  add_turned(expansion.moments, basis.transpose() * expansion.basis, order, moments);
  return moments;
}

}  // namespace relucover
