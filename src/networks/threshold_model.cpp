// First layer with thresholds under a polynomial, OR, AND or dense layers.
#include <algorithm>

#include "core/check.hpp"
#include "core/random.hpp"
#include "relucover/threshold.hpp"

namespace relucover {

namespace {

void apply_layer(const DenseLayer& layer, RowMatrix& values) {
  RowMatrix next = values * layer.W.transpose();
  next.rowwise() += layer.b.transpose();
  switch (layer.kind) {
    case DenseLayer::Kind::linear: break;
    case DenseLayer::Kind::relu: next = next.cwiseMax(0); break;
    case DenseLayer::Kind::sigmoid: next = 1 / (1 + (-next.array()).exp()); break;
    case DenseLayer::Kind::tanh: next = next.array().tanh(); break;
  }
  values = std::move(next);
}

Vector evaluate_polynomial(const UpperPart& upper, const RowMatrix& values) {
  Vector total = Vector::Constant(values.rows(), upper.constant);
  const Matrix columns = values;  // products run down columns
  Eigen::ArrayXd product(values.rows());
  for (const Monomial& monomial : upper.monomials) {
    product.setConstant(monomial.coefficient);
    for (const auto& [unit, power] : monomial.factors)
      for (int k = 0; k < power; ++k) product *= columns.col(unit).array();
    total.array() += product;
  }
  return total;
}

Vector evaluate_upper(const UpperPart& upper, RowMatrix values) {
  switch (upper.kind) {
    case UpperPart::Kind::polynomial: return evaluate_polynomial(upper, values);
    case UpperPart::Kind::any: return 1 - (1 - values.array()).rowwise().prod();
    case UpperPart::Kind::all: return values.array().rowwise().prod();
    case UpperPart::Kind::layers:
      for (const DenseLayer& layer : upper.layers) apply_layer(layer, values);
      return values.col(0);
  }
  throw std::invalid_argument("unknown upper part");
}

}  // namespace

RowMatrix ThresholdModel::first_layer(const Eigen::Ref<const RowMatrix>& x) const {
  RowMatrix values = x * W.transpose();
  values.rowwise() -= t.transpose();
  unit.apply(values);
  return values;
}

Vector ThresholdModel::evaluate(const Eigen::Ref<const RowMatrix>& x) const {
  constexpr Index block_rows = 1024;
  Vector y(x.rows());
  for (Index first = 0; first < x.rows(); first += block_rows) {
    const Index rows = std::min(block_rows, x.rows() - first);
    y.segment(first, rows) = evaluate_upper(upper, first_layer(x.middleRows(first, rows)));
  }
  return y;
}

std::vector<std::string> ThresholdModel::problems() const {
  std::vector<std::string> found;
  if (t.size() != units()) found.push_back(fmt::format("length of t is {}, expected {}", t.size(), units()));
  if (!W.allFinite() || !t.allFinite()) found.push_back("a weight or threshold is NaN or infinite");
  for (const Monomial& monomial : upper.monomials)
    for (const auto& [index, power] : monomial.factors)
      if (index < 0 || index >= units() || power < 1)
        found.push_back(
            fmt::format("a monomial has unit {} to the power {}; there are units 0 to {}, powers from 1", index, power, units() - 1));
  if (upper.kind == UpperPart::Kind::layers) {
    Index width = units();
    for (std::size_t i = 0; i < upper.layers.size(); ++i) {
      const DenseLayer& layer = upper.layers[i];
      if (layer.W.cols() != width || layer.b.size() != layer.W.rows())
        found.push_back(fmt::format("upper layer {} is {} by {} with {} biases, expected {} columns", i, layer.W.rows(), layer.W.cols(),
                                    layer.b.size(), width));
      width = layer.W.rows();
    }
    if (width != 1) found.push_back(fmt::format("the last upper layer has {} outputs, expected 1", width));
  }
  return found;
}

std::vector<std::string> PlantedThresholdOptions::problems() const {
  std::vector<std::string> found;
  if (inputs <= 0) found.push_back(fmt::format("inputs is {}, expected at least 1", inputs));
  if (units <= 0) found.push_back(fmt::format("units is {}, expected at least 1", units));
  if (weights != Weights::gaussian && units > inputs)
    found.push_back(fmt::format("{} units in {} inputs can't be independent", units, inputs));
  if (weights == Weights::supports && (support <= 0 || support * units > inputs))
    found.push_back(fmt::format("{} disjoint supports of {} inputs don't fit in {} inputs", units, support, inputs));
  if (!linear_terms && units < 2) found.push_back("products of pairs need two units or more");
  if (upper == UpperPart::Kind::layers && hidden <= 0) found.push_back("hidden must be at least 1");
  if (!std::isfinite(threshold) || !std::isfinite(threshold_high)) found.push_back("a threshold is NaN or infinite");
  return found;
}

namespace {

Matrix planted_rows(const PlantedThresholdOptions& options, RandomStream& random) {
  using Weights = PlantedThresholdOptions::Weights;
  switch (options.weights) {
    case Weights::gaussian: return random.normal_matrix(options.units, options.inputs).rowwise().normalized();
    case Weights::orthonormal: return random_orthonormal(options.inputs, options.units, random).transpose();
    case Weights::mild: {
      const Matrix orthonormal = random_orthonormal(options.inputs, options.units, random).transpose();
      const Matrix shift = random.normal_matrix(options.units, options.inputs).rowwise().normalized();
      return (orthonormal + 0.5 * shift).rowwise().normalized();
    }
    case Weights::supports: {
      std::vector<Index> order(static_cast<std::size_t>(options.inputs));
      for (Index i = 0; i < options.inputs; ++i) order[static_cast<std::size_t>(i)] = i;
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
      Matrix rows = Matrix::Zero(options.units, options.inputs);
      for (Index i = 0; i < options.units * options.support; ++i) rows(i / options.support, order[static_cast<std::size_t>(i)]) = 1;
      return rows;
    }
  }
  throw std::invalid_argument("unknown kind of weights");
}

void plant_polynomial(const PlantedThresholdOptions& options, RandomStream& random, UpperPart& upper) {
  const auto product_coefficient = [&] { return options.product_scale * (options.monotone ? random.uniform() : 2 * random.uniform() - 1); };
  upper.constant = options.constant;
  const auto single_coefficient = [&] { return 0.7 + 0.6 * random.uniform(); };
  if (!options.linear_terms) {
    for (Index i = 0; i < options.units; ++i)
      for (Index j = i + 1; j < options.units; ++j) upper.monomials.push_back({{{i, 1}, {j, 1}}, single_coefficient()});
    return;
  }
  for (Index i = 0; i < options.units; ++i) upper.monomials.push_back({{{i, 1}}, single_coefficient()});
  for (Index i = 0; i < options.units; ++i)
    for (Index j = i + 1; j < options.units; ++j)
      if (random.uniform() < options.pair_probability) upper.monomials.push_back({{{i, 1}, {j, 1}}, product_coefficient()});
  if (options.triples && options.units >= 3)
    for (Index count = 0; count < options.units; ++count) {
      const Index i = random.below(options.units - 2);
      const Index j = i + 1 + random.below(options.units - i - 2);
      const Index k = j + 1 + random.below(options.units - j - 1);
      upper.monomials.push_back({{{i, 1}, {j, 1}, {k, 1}}, product_coefficient()});
    }
  if (options.powers)  // GP B.7
    for (Index i = 0; i < options.units; ++i) {
      upper.monomials.push_back({{{i, 2}}, 1.5 * random.uniform() - 0.5});
      upper.monomials.push_back({{{i, 3}}, 0.6 * random.uniform() - 0.1});
    }
}

void plant_layers(const PlantedThresholdOptions& options, RandomStream& random, UpperPart& upper) {
  const auto fill = [&](Matrix& weights, double low, double high) {
    for (double& weight : weights.reshaped()) weight = options.mixed_signs ? random.normal() : low + (high - low) * random.uniform();
  };
  DenseLayer hidden{options.hidden_kind, Matrix(options.hidden, options.units), Vector(options.hidden)};
  fill(hidden.W, 0.3, 1);
  // ReLU towers: some units are on at rest, so that all activity shows, others turn on later.
  for (double& bias : hidden.b) bias = options.hidden_kind == DenseLayer::Kind::relu ? random.uniform() - 0.5 : -random.uniform();
  DenseLayer output{options.output_kind, Matrix(1, options.hidden), Vector::Constant(1, -0.5)};
  fill(output.W, 0.5, 1.5);
  upper.layers = {hidden, output};
}

}  // namespace

ThresholdModel planted_threshold_model(const PlantedThresholdOptions& options) {
  check_no_problems("planted threshold model", options.problems());
  RandomStream random(options.seed, purpose::network, 1);
  ThresholdModel model;
  model.unit = options.unit;
  model.W = planted_rows(options, random);
  model.t = Vector::Constant(options.units, options.threshold);
  if (options.threshold_high > options.threshold)
    for (double& t : model.t) t += (options.threshold_high - options.threshold) * random.uniform();
  model.upper.kind = options.upper;
  if (options.upper == UpperPart::Kind::polynomial) plant_polynomial(options, random, model.upper);
  if (options.upper == UpperPart::Kind::layers) plant_layers(options, random, model.upper);
  if (options.upper == UpperPart::Kind::all) {  // an intersection that holds near the origin: w.x > -t
    model.t *= -1;
  }
  return model;
}

}  // namespace relucover
