#include "networks/feed_forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/check.hpp"
#include "networks/activation.hpp"

namespace relucover {

namespace {

/// A model's weights in the precision it computes in.
template <class Scalar>
struct CastStep {
  RowMajor<Scalar> transposed;  // inputs by outputs
  RowMajor<Scalar> constant;    // one row
};

template <class Scalar>
void run_block(const FeedForward& model, const std::vector<CastStep<Scalar>>& cast, std::vector<RowMajor<Scalar>>& values) {
  for (std::size_t s = 0; s < model.steps.size(); ++s) {
    const FeedForward::Step& step = model.steps[s];
    const RowMajor<Scalar>& from = values[static_cast<std::size_t>(step.from)];
    RowMajor<Scalar>& to = values[s + 1];
    switch (step.kind) {
      case FeedForward::Kind::affine:
        to.noalias() = from * cast[s].transposed;
        if (cast[s].constant.size() > 0) to.rowwise() += cast[s].constant.row(0);
        break;
      case FeedForward::Kind::add: to = from + values[static_cast<std::size_t>(step.other)]; break;
      case FeedForward::Kind::tanh: to = from.array().tanh().matrix(); break;
      case FeedForward::Kind::activation: {
        to = from;
        auto t = to.array();
        if (step.activation == Activation::leaky)
          to = (from.array().max(Scalar(0)) + from.array().min(Scalar(0)).rowwise() * cast[s].constant.array().row(0)).matrix();
        else
          apply_in_place(step.activation, t);
        break;
      }
    }
  }
}

template <class Scalar>
RowMatrix evaluate_as(const FeedForward& model, const Eigen::Ref<const RowMatrix>& x) {
  std::vector<CastStep<Scalar>> cast(model.steps.size());
  for (std::size_t s = 0; s < model.steps.size(); ++s) {
    if (model.steps[s].kind == FeedForward::Kind::affine) cast[s].transposed = model.steps[s].weights.transpose().template cast<Scalar>();
    cast[s].constant = model.steps[s].constant.transpose().template cast<Scalar>();
  }
  constexpr Index block_rows = 1024;
  RowMatrix y(x.rows(), model.outputs());
  std::vector<RowMajor<Scalar>> values(model.steps.size() + 1);
  for (Index first = 0; first < x.rows(); first += block_rows) {
    const Index rows = std::min(block_rows, x.rows() - first);
    values[0] = x.middleRows(first, rows).template cast<Scalar>();
    run_block(model, cast, values);
    y.middleRows(first, rows) = values.back().template cast<double>();
  }
  return y;
}

/// A value as units_part h + input_part x + constant, h the hidden units found so far. An absent part is empty, so that
/// nothing is ever added to a weight that should stay as it is.
struct Affine {
  Matrix units_part, input_part;
  Vector constant;
  Index first_unit = 0;   // units_part starts at this unit
  bool identity = false;  // the value is its one part, unchanged
};

Matrix sum_of(const Matrix& a, const Matrix& b) { return a.size() == 0 ? b : b.size() == 0 ? a : Matrix(a + b); }
Vector sum_of(const Vector& a, const Vector& b) { return a.size() == 0 ? b : b.size() == 0 ? a : Vector(a + b); }

/// The units part with one column per unit found.
Matrix widened(const Affine& value, Index rows, Index units) {
  Matrix wide = Matrix::Zero(rows, units);
  if (value.units_part.size() > 0) wide.middleCols(value.first_unit, value.units_part.cols()) = value.units_part;
  return wide;
}

Affine through(const FeedForward::Step& step, const Affine& from) {
  Affine to;
  to.first_unit = from.first_unit;
  const auto product = [&](const Matrix& part) {
    return part.size() == 0 ? Matrix() : from.identity ? step.weights : Matrix(step.weights * part);
  };
  to.units_part = product(from.units_part);
  to.input_part = product(from.input_part);
  to.constant = from.constant.size() == 0 ? step.constant : sum_of(Vector(step.weights * from.constant), step.constant);
  return to;
}

Affine sum_of(const Affine& a, const Affine& b, Index rows, Index units) {
  Affine sum;
  if (a.units_part.size() > 0 && b.units_part.size() > 0) {
    sum.units_part = widened(a, rows, units) + widened(b, rows, units);
  } else {
    sum.units_part = a.units_part.size() > 0 ? a.units_part : b.units_part;
    sum.first_unit = a.units_part.size() > 0 ? a.first_unit : b.first_unit;
  }
  sum.input_part = sum_of(a.input_part, b.input_part);
  sum.constant = sum_of(a.constant, b.constant);
  return sum;
}

}  // namespace

Index FeedForward::width(Index index) const {
  if (index == 0) return inputs;
  const Step& step = steps[static_cast<std::size_t>(index - 1)];
  return step.kind == Kind::affine ? step.weights.rows() : width(step.from);
}

Index FeedForward::outputs() const { return width(static_cast<Index>(steps.size())); }

RowMatrix FeedForward::evaluate(const Eigen::Ref<const RowMatrix>& x) const {
  check_equal("columns of x", x.cols(), inputs);
  return precision == Precision::float32 ? evaluate_as<float>(*this, x) : evaluate_as<double>(*this, x);
}

FeedForward feed_forward(const Network& network) {
  using Kind = FeedForward::Kind;
  FeedForward model;
  model.inputs = network.inputs();
  model.link = network.link;
  const auto slopes = [&](Index units) {
    return network.activation == Activation::leaky ? Vector::Constant(units, network.slope) : Vector();
  };
  model.steps.push_back({.kind = Kind::affine, .from = 0, .weights = network.W, .constant = network.b});
  model.steps.push_back(
      {.kind = Kind::activation, .from = 1, .weights = {}, .constant = slopes(network.units()), .activation = network.activation});
  const auto last = [&] { return static_cast<Index>(model.steps.size()); };
  const auto affine = [&](Index from, const Matrix& weights, const Vector& constant) {
    model.steps.push_back({.kind = Kind::affine, .from = from, .weights = weights, .constant = constant});
    return last();
  };
  const auto sum = [&](Index one, Index other) {
    model.steps.push_back({.kind = Kind::add, .from = one, .other = other, .weights = {}, .constant = {}});
    return last();
  };
  Index below = 0, hidden = last();
  for (const HiddenLayer& layer : network.upper) {
    Index value = affine(hidden, layer.W, layer.b);
    if (layer.around.size() > 0) value = sum(value, affine(below, layer.around, {}));
    model.steps.push_back(
        {.kind = Kind::activation, .from = value, .weights = {}, .constant = slopes(layer.W.rows()), .activation = network.activation});
    below = hidden;
    hidden = last();
  }
  Index value = affine(hidden, network.A, network.offset);
  if (network.around.size() > 0) value = sum(value, affine(below, network.around, {}));
  if (!network.skip.isZero(0)) sum(value, affine(0, network.skip, {}));
  return model;
}

Network one_hidden_layer(const FeedForward& model) {
  using Kind = FeedForward::Kind;
  Matrix W(0, model.inputs);
  Vector b;
  bool have_activation = false;
  Activation activation = Activation::relu;
  double slope = 0;
  std::vector<Affine> values(model.steps.size() + 1);
  values[0].input_part = Matrix::Identity(model.inputs, model.inputs);
  values[0].identity = true;
  for (std::size_t s = 0; s < model.steps.size(); ++s) {
    const FeedForward::Step& step = model.steps[s];
    const Affine& from = values[static_cast<std::size_t>(step.from)];
    const Index rows = model.width(static_cast<Index>(s) + 1);
    if (step.kind == Kind::affine) {
      values[s + 1] = through(step, from);
    } else if (step.kind == Kind::add) {
      values[s + 1] = sum_of(from, values[static_cast<std::size_t>(step.other)], rows, W.rows());
    } else {
      if (step.kind == Kind::tanh) throw std::invalid_argument("it has tanh units, which a network here can't have");
      if (from.units_part.size() > 0) throw std::invalid_argument("it has more than one hidden layer");
      const bool leaky = step.activation == Activation::leaky;
      const bool one_slope = leaky && (step.constant.array() == step.constant[0]).all();
      if (have_activation && leaky && one_slope && activation == step.activation && slope != step.constant[0])
        throw std::invalid_argument("it has leaky units of two kinds");
      if (leaky && one_slope) slope = step.constant[0];
      const Activation kind = leaky && !one_slope ? Activation::relu : step.activation;
      if (have_activation && activation != kind) throw std::invalid_argument("it has two kinds of activation");
      activation = kind;
      have_activation = true;
      const Index units = W.rows();
      W.conservativeResize(units + rows, Eigen::NoChange);
      b.conservativeResize(units + rows);
      if (from.input_part.size() > 0)
        W.bottomRows(rows) = from.input_part;
      else
        W.bottomRows(rows).setZero();
      if (from.constant.size() > 0)
        b.tail(rows) = from.constant;
      else
        b.tail(rows).setZero();
      values[s + 1].units_part = Matrix::Identity(rows, rows);
      values[s + 1].first_unit = units;
      values[s + 1].identity = true;
      if (leaky && !one_slope) {  // (1 - s) relu(u) + s u
        const Vector& slopes = step.constant;
        values[s + 1].identity = false;
        values[s + 1].units_part = Matrix((1 - slopes.array()).matrix().asDiagonal());
        values[s + 1].input_part = slopes.asDiagonal() * W.bottomRows(rows);
        values[s + 1].constant = slopes.cwiseProduct(b.tail(rows));
      }
    }
  }
  const Affine& last = values.back();
  Network network(model.inputs, W.rows(), model.outputs(), activation);
  network.link = model.link;
  network.W = W;
  network.b = b;
  network.A = widened(last, model.outputs(), W.rows());
  if (activation == Activation::leaky) network.slope = slope;
  if (last.input_part.size() > 0) network.skip = last.input_part;
  if (last.constant.size() > 0) network.offset = last.constant;
  return network;
}

}  // namespace relucover
