#include "networks/layers.hpp"

#include <algorithm>
#include <cmath>

#include "networks/activation.hpp"

namespace relucover {

std::vector<AffineMap> maps_of(const Network& network) {
  std::vector<AffineMap> maps{{network.W, network.b, {}}};
  for (const HiddenLayer& layer : network.upper) maps.push_back({layer.W, layer.b, layer.around});
  maps.push_back({network.A, network.offset, network.around});
  return maps;
}

Network network_of(const std::vector<AffineMap>& maps, const Network& like) {
  Network network;
  network.activation = like.activation;
  network.skip = like.skip;
  network.W = maps.front().W;
  network.b = maps.front().b;
  for (std::size_t l = 1; l + 1 < maps.size(); ++l) network.upper.push_back({maps[l].W, maps[l].b, maps[l].around});
  network.A = maps.back().W;
  network.offset = maps.back().b;
  network.around = maps.back().around;
  return network;
}

namespace {

/// Keeps these units of hidden layer l, in this order: rows of its own map, columns of the maps that see it.
void select_units(std::vector<AffineMap>& maps, std::size_t l, const std::vector<Index>& kept) {
  maps[l].W = Matrix(maps[l].W(kept, Eigen::all));
  maps[l].b = Vector(maps[l].b(kept));
  if (maps[l].around.size() > 0) maps[l].around = Matrix(maps[l].around(kept, Eigen::all));
  maps[l + 1].W = Matrix(maps[l + 1].W(Eigen::all, kept));
  if (l + 2 < maps.size() && maps[l + 2].around.size() > 0) maps[l + 2].around = Matrix(maps[l + 2].around(Eigen::all, kept));
}

bool is_used(const std::vector<AffineMap>& maps, std::size_t l, Index unit) {
  const bool around = l + 2 < maps.size() && maps[l + 2].around.size() > 0 && !maps[l + 2].around.col(unit).isZero(0);
  return around || !maps[l + 1].W.col(unit).isZero(0);
}

double weight_norm(const AffineMap& map, Index unit) {
  const double direct = map.W.row(unit).norm();
  return map.around.size() > 0 ? std::hypot(direct, map.around.row(unit).norm()) : direct;
}

void scale_unit(std::vector<AffineMap>& maps, std::size_t l, Index unit, double norm, int degree) {
  maps[l].W.row(unit) /= norm;
  maps[l].b[unit] /= norm;
  if (maps[l].around.size() > 0) maps[l].around.row(unit) /= norm;
  const double up = std::pow(norm, degree);
  maps[l + 1].W.col(unit) *= up;
  if (l + 2 < maps.size() && maps[l + 2].around.size() > 0) maps[l + 2].around.col(unit) *= up;
}

/// A constant unit is part of the constants above.
void fold_constant(std::vector<AffineMap>& maps, std::size_t l, Index unit, double value) {
  maps[l + 1].b += value * maps[l + 1].W.col(unit);
  if (l + 2 < maps.size() && maps[l + 2].around.size() > 0) maps[l + 2].b += value * maps[l + 2].around.col(unit);
}

}  // namespace

Network canonical_layers(const Network& network) {
  std::vector<AffineMap> maps = maps_of(network);
  for (std::size_t l = maps.size() - 1; l-- > 0;) {  // from above: what only a dropped unit used is dropped too
    std::vector<Index> kept;
    for (Index i = 0; i < maps[l].W.rows(); ++i)
      if (is_used(maps, l, i)) kept.push_back(i);
    select_units(maps, l, kept);
  }
  const int degree = homogeneity(network.activation);
  for (std::size_t l = 0; l + 1 < maps.size(); ++l) {
    std::vector<Index> kept;
    for (Index i = 0; i < maps[l].W.rows(); ++i) {
      const double norm = weight_norm(maps[l], i);
      if (norm == 0) {
        fold_constant(maps, l, i, apply(network.activation, maps[l].b[i]));
        continue;
      }
      if (degree > 0) scale_unit(maps, l, i, norm, degree);
      kept.push_back(i);
    }
    std::sort(kept.begin(), kept.end(), [&](Index i, Index j) {
      if (maps[l].b[i] != maps[l].b[j]) return maps[l].b[i] < maps[l].b[j];
      const auto wi = maps[l].W.row(i), wj = maps[l].W.row(j);
      return std::lexicographical_compare(wi.begin(), wi.end(), wj.begin(), wj.end());
    });
    select_units(maps, l, kept);
  }
  return network_of(maps, network);
}

}  // namespace relucover
