#include "learners/threshold/product_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "reduce/reduce.hpp"

namespace relucover {

namespace {

void extend(Index units, int left, Index from, bool repeat, std::vector<std::pair<Index, int>>& product, Products& all) {
  all.push_back(product);
  if (left == 0) return;
  for (Index i = from; i < units; ++i) {
    if (!product.empty() && product.back().first == i) {
      ++product.back().second;
      extend(units, left - 1, i, repeat, product, all);
      --product.back().second;
    } else {
      product.emplace_back(i, 1);
      extend(units, left - 1, repeat ? i : i + 1, repeat, product, all);
      product.pop_back();
    }
  }
}

struct Samples {
  RowMatrix x;
  Vector y;
};

Samples read_samples(const SampleSource& source, Index begin, Index count) {
  BlockBuffer<double> buffer;
  const auto block = source.read(begin, std::min(count, source.samples() - begin), buffer);
  return {block.x, block.y.col(0)};
}

double spread_of(const Vector& y) {
  const double mean = y.mean();
  return std::sqrt((y.array() - mean).square().mean());
}

/// u'(a) from the value u(a) and a; only units with a derivative are fitted here.
Matrix derivative(const UnitFunction& unit, const Matrix& arguments, const Matrix& values) {
  using Kind = UnitFunction::Kind;
  switch (unit.kind) {
    case Kind::sigmoid: return values.array() * (1 - values.array());
    case Kind::relu: return (arguments.array() > 0).cast<double>();
    case Kind::exponential: return unit.parameter * values.array();
    case Kind::abs: return arguments.array().sign();
    case Kind::cosine: return -unit.parameter * (unit.parameter * arguments.array()).sin();
    case Kind::gaussian: return -2 * arguments.array() * values.array();
    case Kind::power: return unit.parameter * arguments.array().unaryExpr([&](double a) { return std::pow(a, unit.parameter - 1); });
    case Kind::step: break;
  }
  throw std::invalid_argument("product fits need a unit with a derivative");
}

/// The eliminated problem at one (W, t).
struct EliminatedProducts {
  Matrix arguments, values, columns, basis;  // basis: orthonormal columns spanning the products
  Vector coefficients, residual;
};

EliminatedProducts eliminate(const Samples& data, const UnitFunction& unit, const Matrix& W, const Vector& t, const Products& products) {
  EliminatedProducts e;
  e.arguments = data.x * W.transpose();
  e.arguments.rowwise() -= t.transpose();
  RowMatrix values = e.arguments;
  unit.apply(values);
  e.values = values;
  e.columns = product_columns(e.values, products);
  const Vector scale = e.columns.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const PivotedQr qr(e.columns * scale.asDiagonal());
  e.basis = qr.basis();
  Vector solution = qr.solve(data.y);
  solution += qr.solve(data.y - e.columns * scale.cwiseProduct(solution));
  e.coefficients = scale.cwiseProduct(solution);
  e.residual = data.y - e.columns * e.coefficients;
  return e;
}

/// dP/dX_j for every unit, one column each.
Matrix upper_slopes(const EliminatedProducts& e, const Products& products) {
  Matrix slopes = Matrix::Zero(e.values.rows(), e.values.cols());
  Eigen::ArrayXd product(e.values.rows());
  for (std::size_t k = 0; k < products.size(); ++k)
    for (const auto& [unit, power] : products[k]) {
      product.setConstant(power * e.coefficients[static_cast<Index>(k)]);
      for (const auto& [other, times] : products[k])
        for (int r = 0; r < (other == unit ? times - 1 : times); ++r) product *= e.values.col(other).array();
      slopes.col(unit).array() += product;
    }
  return slopes;
}

/// Jacobian of f by (w_j, t_j) for all units, with the span of the products projected out (Kaufman).
Matrix projected_jacobian(const Samples& data, const UnitFunction& unit, const EliminatedProducts& e, const Products& products) {
  const Index n = data.x.cols(), units = e.values.cols();
  const Matrix slopes = upper_slopes(e, products).cwiseProduct(derivative(unit, e.arguments, e.values));
  Matrix jacobian(data.x.rows(), units * (n + 1));
  for (Index j = 0; j < units; ++j) {
    jacobian.middleCols(j * (n + 1), n) = slopes.col(j).asDiagonal() * data.x;
    jacobian.col(j * (n + 1) + n) = -slopes.col(j);
  }
  jacobian -= e.basis * (e.basis.transpose() * jacobian);
  return jacobian;
}

UpperPart polynomial_of(const Products& products, const Vector& coefficients) {
  UpperPart upper;
  for (std::size_t k = 0; k < products.size(); ++k) {
    const double coefficient = coefficients[static_cast<Index>(k)];
    if (products[k].empty())
      upper.constant = coefficient;
    else
      upper.monomials.push_back({products[k], coefficient});
  }
  return upper;
}

/// Where P is not quite such a polynomial, products that are active in few samples would follow what is left over, and
/// say nonsense elsewhere. So coefficients get a prior as wide as those of single units or pairs are large, against the variance
/// of what is left over: (A^T A + σ²/τ²) c = A^T y.
Vector held_back(const Matrix& columns, const Vector& y, const Products& products, Vector coefficients) {
  const auto mean_square = [&](std::size_t units) {
    double squares = 0, count = 0;
    for (std::size_t k = 0; k < products.size(); ++k) {
      if (products[k].size() != units) continue;
      squares += coefficients[static_cast<Index>(k)] * coefficients[static_cast<Index>(k)];
      count += 1;
    }
    return squares / std::max(count, 1.0);
  };
  const double wide = std::max(mean_square(1), mean_square(2));  // τ²; there may be no linear terms
  if (!(wide > 0)) return coefficients;
  const Matrix gram = columns.transpose() * columns;
  const Vector right = columns.transpose() * y;
  for (int round = 0; round < 3; ++round) {
    const double left =
        (y - columns * coefficients).squaredNorm() / static_cast<double>(std::max<Index>(1, y.size() - columns.cols()));  // σ²
    Matrix damped = gram;
    damped.diagonal().array() += left / wide;
    coefficients = solve_semidefinite(std::move(damped), right);
  }
  return coefficients;
}

}  // namespace

Products products_of_units(Index units, int degree) {
  Products all;
  std::vector<std::pair<Index, int>> product;
  extend(units, degree, 0, false, product, all);
  return all;
}

Products monomials_of_units(Index units, int degree) {
  Products all;
  std::vector<std::pair<Index, int>> product;
  extend(units, degree, 0, true, product, all);
  return all;
}

Matrix product_columns(const Matrix& values, const Products& products) {
  Matrix columns = Matrix::Ones(values.rows(), static_cast<Index>(products.size()));
  for (std::size_t k = 0; k < products.size(); ++k)
    for (const auto& [unit, power] : products[k])
      for (int r = 0; r < power; ++r) columns.col(static_cast<Index>(k)).array() *= values.col(unit).array();
  return columns;
}

ProductFit product_fit(const SampleSource& source, const UnitFunction& unit, const Matrix& W_start, const Vector& t_start,
                       const ProductFitOptions& options, const Control& control) {
  const Samples data = read_samples(source, 0, options.samples);
  const Products products = products_of_units(W_start.rows(), options.degree);
  const Index n = W_start.cols(), units = W_start.rows();
  const double spread = spread_of(data.y);
  Matrix W = W_start;
  Vector t = t_start;
  EliminatedProducts e = eliminate(data, unit, W, t, products);
  ProductFit fit;
  fit.samples = data.y.size();
  fit.unknowns = units * (n + 1) + static_cast<Index>(products.size());
  double damping = 1e-3;
  std::vector<double> history = {e.residual.norm()};
  for (; fit.iterations < options.max_iterations; ++fit.iterations) {
    control.check();
    const Matrix jacobian = projected_jacobian(data, unit, e, products);
    const Matrix gram = jacobian.transpose() * jacobian;
    const Vector gradient = jacobian.transpose() * e.residual;
    fit.condition = scaled_condition(gram);
    bool accepted = false;
    for (int attempt = 0; attempt < 10 && !accepted; ++attempt) {
      Matrix damped = gram;
      damped.diagonal() += damping * gram.diagonal() + Vector::Constant(gram.rows(), 1e-14 * gram.diagonal().maxCoeff());
      const Vector step = solve_semidefinite(std::move(damped), gradient);
      const Matrix moved = step.reshaped(n + 1, units).transpose();
      Matrix W_new = W + moved.leftCols(n);
      Vector t_new = t + moved.col(n);
      const Vector norms = W_new.rowwise().norm();
      W_new = norms.cwiseInverse().asDiagonal() * W_new;  // |w| = 1
      if (unit.kind == UnitFunction::Kind::relu || unit.kind == UnitFunction::Kind::abs) t_new = t_new.cwiseQuotient(norms);
      EliminatedProducts next = eliminate(data, unit, W_new, t_new, products);
      accepted = next.residual.squaredNorm() < e.residual.squaredNorm();
      damping = accepted ? std::max(damping / 5, 1e-12) : damping * 5;
      if (accepted) {
        W = std::move(W_new);
        t = std::move(t_new);
        e = std::move(next);
      }
    }
    if (!accepted) break;
    history.push_back(e.residual.norm());
    if (history.back() <= options.residual_tolerance * spread * std::sqrt(static_cast<double>(fit.samples))) break;
    if (history.size() > 8 && history[history.size() - 8] < (1 + 1e-6) * history.back()) break;
  }
  fit.model = {unit, W, t, polynomial_of(products, e.coefficients)};
  fit.residual_relative = e.residual.norm() / std::sqrt(static_cast<double>(fit.samples)) / spread;
  return fit;
}

UpperFit fit_upper_polynomial(const SampleSource& source, const ThresholdModel& first_layer, const Products& products, Index begin,
                              Index samples, const Control& control) {
  control.check();
  const Samples data = read_samples(source, begin, samples);
  const Matrix columns = product_columns(first_layer.first_layer(data.x), products);
  std::vector<Index> used;
  Products kept;
  constexpr Index few = 10;
  UpperFit fit;
  for (Index k = 0; k < columns.cols(); ++k) {
    const Index active = (columns.col(k).array() != 0).count();
    if (active < few) fit.unseen.push_back(products[static_cast<std::size_t>(k)]);
    if (active == 0) continue;
    used.push_back(k);
    kept.push_back(products[static_cast<std::size_t>(k)]);
  }
  const Matrix active = columns(Eigen::all, used);
  const Vector scale = active.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const PivotedQr qr(active * scale.asDiagonal());
  Vector solution = qr.solve(data.y);
  solution += qr.solve(data.y - active * scale.cwiseProduct(solution));
  Vector coefficients = scale.cwiseProduct(solution);
  const double spread = spread_of(data.y);
  constexpr double exact = 1e-9;
  if ((data.y - active * coefficients).norm() > exact * spread * std::sqrt(static_cast<double>(data.y.size())))
    coefficients = held_back(active, data.y, kept, coefficients);
  fit.upper = polynomial_of(kept, coefficients);
  fit.undetermined = columns.cols() - qr.rank();
  fit.residual_relative = (data.y - active * coefficients).norm() / std::sqrt(static_cast<double>(data.y.size())) / spread;
  return fit;
}

}  // namespace relucover
