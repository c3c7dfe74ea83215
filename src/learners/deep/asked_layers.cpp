#include "learners/deep/asked_layers.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"
#include "learners/deep/asked_signs.hpp"

namespace relucover {

namespace {

RowMatrix before_activation(const RowMatrix& layer, const RowMatrix& z) {
  const Index seen = layer.cols() - 1;
  return (z * layer.leftCols(seen).transpose()).rowwise() + layer.col(seen).transpose();
}

/// Rows such that units are of size 1 on the domain: what the layer above sees has one scale.
void rescale(RowMatrix& layer, const RowMatrix& domain) {
  const RowMatrix u = before_activation(layer, domain);
  for (Index j = 0; j < layer.rows(); ++j) {
    const double size = std::sqrt(u.col(j).squaredNorm() / static_cast<double>(u.rows()));
    if (size > 0) layer.row(j) /= size;
  }
}

/// What is above a layer, asked through the layer.
AskAt above(const AskAt& ask, const RowMatrix& layer) {
  const Index seen = layer.cols() - 1;
  const Matrix inverse = pseudo_inverse(layer.leftCols(seen));
  return [ask, layer, inverse, seen](RowMatrix& values) {
    RowMatrix below = (values.rowwise() - layer.col(seen).transpose()) * inverse.transpose();
    RowMatrix answers = ask(below);
    values = before_activation(layer, below).cwiseMax(0);
    return answers;
  };
}

/// As they are, but for a little that lets every value be moved both ways: below 0 there is nothing to be seen.
RowMatrix values_to_move(const RowMatrix& before, RandomStream& random) {
  constexpr double little = 0.05;
  RowMatrix values = before.cwiseMax(0);
  for (Index i = 0; i < values.rows(); ++i) values.row(i) += little * random.normal_vector(values.cols()).cwiseAbs().transpose();
  return values;
}

/// Whether answers are an affine function of the values of the last of these layers.
bool linear_above(const std::vector<RowMatrix>& layers, const AskAt& ask, const RowMatrix& domain, RandomStream& random) {
  constexpr double rounding = 1e-5;  // float32 answers too
  if (layers.empty()) return false;
  RowMatrix rows(std::min<Index>(domain.rows(), 4 * (layers.back().rows() + 20)), domain.cols());
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) = domain.row(random.below(domain.rows()));
  const RowMatrix answers = ask(rows);
  RowMatrix values = rows;
  for (const RowMatrix& layer : layers) values = before_activation(layer, values).cwiseMax(0);
  Matrix seen(values.rows(), values.cols() + 1);
  seen << values, Vector::Ones(values.rows());
  const Matrix left = answers - seen * minimum_norm_solution(seen, answers);
  return left.norm() < rounding * (answers.rowwise() - answers.colwise().mean()).norm();
}

}  // namespace

std::vector<Index> AskedLayers::widths() const {
  std::vector<Index> all;
  for (const RowMatrix& layer : plain) all.push_back(layer.rows());
  if (forms.rows() > 0) all.push_back(forms.rows());
  return all;
}

AskedLayers asked_layers(const AskAt& ask, const RowMatrix& domain, const AskedLayersOptions& options, RandomStream& random,
                         const Control& control) {
  constexpr std::size_t deepest = 2;  // values of a third layer are bounded by those that the second can have
  AskedLayers found;
  AskAt ask_here = ask;
  RowMatrix rows = domain;
  Index queries = 0;
  while (found.plain.size() < deepest) {
    const std::size_t at = found.plain.size();
    const Index wanted = at < options.widths.size() ? options.widths[at] : 0;
    const BentPlanes planes = bent_planes(ask_here, {rows, options.most_queries - queries, wanted}, random, control);
    queries += planes.queries;
    if (planes.forms.rows() == 0) break;
    const bool last = options.depth_known && at + 1 == options.widths.size(), some_miss = planes.forms.rows() < wanted;
    const auto signs = last || some_miss ? std::nullopt : asked_signs(planes.forms, ask_here, rows, random);
    if (!signs) {
      found.forms = planes.forms;
      break;
    }
    RowMatrix layer = signs->asDiagonal() * planes.forms;
    rescale(layer, rows);
    ask_here = above(ask_here, layer);
    rows = values_to_move(before_activation(layer, rows), random);
    found.plain.push_back(std::move(layer));
  }
  found.complete = !options.depth_known && linear_above(found.plain, ask, domain, random);
  if (found.complete) {  // the last layer stays free to be fitted
    found.forms = std::move(found.plain.back());
    found.plain.pop_back();
  }
  return found;
}

}  // namespace relucover
