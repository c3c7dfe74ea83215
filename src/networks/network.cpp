#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "networks/activation.hpp"
#include "relucover/network.hpp"

namespace relucover {

Network::Network(Index inputs, Index units, Index outputs, Activation activation_)
    : activation(activation_),
      W(Matrix::Zero(units, inputs)),
      b(Vector::Zero(units)),
      A(Matrix::Zero(outputs, units)),
      skip(Matrix::Zero(outputs, inputs)),
      offset(Vector::Zero(outputs)) {}

RowMatrix Network::evaluate(const Eigen::Ref<const RowMatrix>& x) const {
  RowMatrix y(x.rows(), outputs());
  constexpr Index block_rows = 1024;
  for (Index first = 0; first < x.rows(); first += block_rows) {
    const auto rows = x.middleRows(first, std::min(block_rows, x.rows() - first));
    auto out = y.middleRows(first, rows.rows());
    out.noalias() = rows * skip.transpose();
    out.rowwise() += offset.transpose();
    if (units() == 0) continue;  // BLAS refuses empty matrices
    RowMatrix hidden = rows * W.transpose();
    hidden.rowwise() += b.transpose();
    auto t = hidden.array();
    apply_in_place(activation, t);
    out.noalias() += hidden * A.transpose();
  }
  return y;
}

std::vector<std::string> Network::problems() const {
  std::vector<std::string> found;
  const auto expect = [&](const char* what, Index actual, Index expected) {
    if (actual != expected) found.push_back(fmt::format("{} is {}, expected {}", what, actual, expected));
  };
  expect("length of b", b.size(), units());
  expect("columns of A", A.cols(), units());
  expect("rows of skip", skip.rows(), outputs());
  expect("columns of skip", skip.cols(), inputs());
  expect("length of offset", offset.size(), outputs());
  if (!(W.allFinite() && b.allFinite() && A.allFinite() && skip.allFinite() && offset.allFinite()))
    found.push_back("a weight is NaN or infinite");
  return found;
}

Network canonical(const Network& network) {
  const int degree = homogeneity(network.activation);
  Network scaled = network;
  std::vector<Index> kept;
  for (Index i = 0; i < network.units(); ++i) {
    const double norm = network.W.row(i).norm();
    if (network.A.col(i).isZero(0)) continue;
    if (norm == 0) {  // a constant unit is part of the offset
      scaled.offset += network.A.col(i) * apply(network.activation, network.b[i]);
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
