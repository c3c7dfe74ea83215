#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "networks/activation.hpp"
#include "networks/layers.hpp"
#include "relucover/network.hpp"

namespace relucover {

Network::Network(Index inputs, Index units, Index outputs, Activation activation_)
    : activation(activation_), W(Matrix::Zero(units, inputs)), b(Vector::Zero(units)), A(Matrix::Zero(outputs, units)),
      skip(Matrix::Zero(outputs, inputs)), offset(Vector::Zero(outputs)) {}

std::vector<Index> Network::widths() const {
  std::vector<Index> result{units()};
  for (const HiddenLayer& layer : upper) result.push_back(layer.W.rows());
  return result;
}

Index Network::all_units() const {
  Index total = units();
  for (const HiddenLayer& layer : upper) total += layer.W.rows();
  return total;
}

void require_one_hidden_layer(const Network& network, const std::string& who) {
  if (network.deep())
    throw std::invalid_argument(fmt::format("{} is for networks with one hidden layer; this one has {}", who, network.widths().size()));
}

namespace {

// act(from * W + beside * around + b), beside only where there is a path around; BLAS refuses empty matrices.
void apply_layer(const Network& network, const Matrix& W, const Matrix& around, const Vector& b, const RowMatrix& from,
                 const RowMatrix& beside, RowMatrix& to) {
  to = b.transpose().replicate(from.rows(), 1);
  if (W.size() > 0) to.noalias() += from * W.transpose();
  if (around.size() > 0) to.noalias() += beside * around.transpose();
  auto t = to.array();
  apply_in_place(network.activation, t, network.slope);
}

}  // namespace

RowMatrix Network::evaluate(const Eigen::Ref<const RowMatrix>& x) const {
  RowMatrix y(x.rows(), outputs());
  constexpr Index block_rows = 1024;
  for (Index first = 0; first < x.rows(); first += block_rows) {
    const auto rows = x.middleRows(first, std::min(block_rows, x.rows() - first));
    auto out = y.middleRows(first, rows.rows());
    out.noalias() = rows * skip.transpose();
    out.rowwise() += offset.transpose();
    RowMatrix hidden(rows.rows(), units()), below, next;
    if (units() > 0) {  // BLAS refuses empty matrices
      hidden.noalias() = rows * W.transpose();
      hidden.rowwise() += b.transpose();
      auto t = hidden.array();
      apply_in_place(activation, t, slope);
    }
    if (deep()) below = rows;
    for (const HiddenLayer& layer : upper) {
      apply_layer(*this, layer.W, layer.around, layer.b, hidden, below, next);
      std::swap(below, hidden);
      std::swap(hidden, next);
    }
    if (A.size() > 0) out.noalias() += hidden * A.transpose();
    if (around.size() > 0) out.noalias() += below * around.transpose();
  }
  return y;
}

std::vector<std::string> Network::problems() const {
  std::vector<std::string> found;
  const auto expect = [&](const std::string& what, Index actual, Index expected) {
    if (actual != expected) found.push_back(fmt::format("{} is {}, expected {}", what, actual, expected));
  };
  expect("length of b", b.size(), units());
  bool finite = W.allFinite() && b.allFinite() && A.allFinite() && skip.allFinite() && offset.allFinite() && around.allFinite();
  Index below = inputs(), width = units();  // of what the layer below sees, and of the layer below
  for (std::size_t l = 0; l < upper.size(); ++l) {
    const HiddenLayer& layer = upper[l];
    const std::string of = fmt::format(" of hidden layer {}", l + 2);
    expect("columns of W" + of, layer.W.cols(), width);
    expect("length of b" + of, layer.b.size(), layer.W.rows());
    if (layer.around.size() > 0) {
      expect("rows of around" + of, layer.around.rows(), layer.W.rows());
      expect("columns of around" + of, layer.around.cols(), below);
    }
    finite = finite && layer.W.allFinite() && layer.b.allFinite() && layer.around.allFinite();
    below = width;
    width = layer.W.rows();
  }
  expect("columns of A", A.cols(), width);
  expect("rows of skip", skip.rows(), outputs());
  expect("columns of skip", skip.cols(), inputs());
  expect("length of offset", offset.size(), outputs());
  if (around.size() > 0 && !deep()) found.push_back("around is for several hidden layers: with one it is skip");
  if (around.size() > 0 && deep()) {
    expect("rows of around", around.rows(), outputs());
    expect("columns of around", around.cols(), below);
  }
  if (!std::isfinite(slope) || (activation != Activation::leaky && slope != 0)) found.push_back("slope is for leaky units, and finite");
  if (!finite) found.push_back("a weight is NaN or infinite");
  return found;
}

namespace {
double apply_to(const Network& network, double value) {
  Eigen::Array<double, 1, 1> t(value);
  apply_in_place(network.activation, t, network.slope);
  return t[0];
}
}  // namespace

Network canonical(const Network& network) {
  if (network.deep()) return canonical_layers(network);
  const int degree = homogeneity(network.activation);
  Network scaled = network;
  std::vector<Index> kept;
  for (Index i = 0; i < network.units(); ++i) {
    const double norm = network.W.row(i).norm();
    if (network.A.col(i).isZero(0)) continue;
    if (norm == 0) {  // a constant unit is part of the offset
      scaled.offset += network.A.col(i) * apply_to(network, network.b[i]);
      continue;
    }
    if (degree > 0) {
      scaled.W.row(i) /= norm;
      scaled.b[i] /= norm;
      scaled.A.col(i) *= std::pow(norm, degree);
    }
    kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(), [&](Index i, Index j) {
    if (scaled.b[i] != scaled.b[j]) return scaled.b[i] < scaled.b[j];
    const auto wi = scaled.W.row(i), wj = scaled.W.row(j);
    return std::lexicographical_compare(wi.begin(), wi.end(), wj.begin(), wj.end());
  });
  Network result = scaled;
  result.W = Matrix(scaled.W(kept, Eigen::all));
  result.b = Vector(scaled.b(kept));
  result.A = Matrix(scaled.A(Eigen::all, kept));
  return result;
}

}  // namespace relucover
