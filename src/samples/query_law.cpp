#include "samples/query_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/archive.hpp"
#include "core/linear_algebra.hpp"
#include "core/random.hpp"

namespace relucover {

namespace {

std::string gaussian_words(const Vector& spreads) {
  if ((spreads.array() == spreads[0]).all()) return spreads[0] == 1 ? "N(0, I)" : fmt::format("N(0, {:g}^2 I)", spreads[0]);
  return fmt::format("N(0, D^2) with spreads D from {:.3g} to {:.3g}", spreads.minCoeff(), spreads.maxCoeff());
}

/// Back into [low, high], as by mirrors at both ends.
double reflected(double value, double low, double high) {
  const double width = high - low;
  if (!(width > 0)) return low;
  double at = std::fmod(value - low, 2 * width);
  if (at < 0) at += 2 * width;
  return low + (at > width ? 2 * width - at : at);
}

}  // namespace

QueryLaw::QueryLaw(Vector spreads)
    : center_(Vector::Zero(spreads.size())), spread_(std::move(spreads)),
      kind_(static_cast<std::size_t>(spread_.size()), Column::continuous), words_(gaussian_words(spread_)) {}

QueryLaw::QueryLaw(Vector center, Vector spreads, std::string words) : QueryLaw(std::move(spreads)) {
  center_ = std::move(center);
  words_ = std::move(words);
}

QueryLaw QueryLaw::like(const RowMatrix& rows, std::string name) {
  QueryLaw law;
  law.words_ = fmt::format("the {} rows of {}", rows.rows(), name);
  law.center_ = rows.colwise().mean().transpose();
  const RowMatrix centered = rows.rowwise() - law.center_.transpose();
  law.spread_ = (centered.colwise().squaredNorm() / static_cast<double>(std::max<Index>(1, rows.rows() - 1))).cwiseSqrt().transpose();
  law.low_ = rows.colwise().minCoeff().transpose();
  law.high_ = rows.colwise().maxCoeff().transpose();
  for (Index j = 0; j < rows.cols(); ++j) {
    const bool whole = (rows.col(j).array() == rows.col(j).array().round()).all();
    law.values_.emplace_back();
    if (whole) {
      law.values_.back() = rows.col(j);
      std::sort(law.values_.back().begin(), law.values_.back().end());
    }
    law.kind_.push_back(law.low_[j] == law.high_[j] ? Column::constant : whole ? Column::whole : Column::continuous);
    if (law.kind_.back() == Column::constant) law.spread_[j] = 0;
  }
  law.look_for_one_hot(rows);
  // Shrunk a little towards independent columns: few rows leave directions without any spread.
  const auto samples = static_cast<double>(rows.rows());
  const double shrinkage = std::clamp(static_cast<double>(rows.cols()) / samples, 0.01, 0.5);
  Matrix covariance = centered.transpose() * centered / std::max(1.0, samples - 1);
  const Vector variances = covariance.diagonal();
  covariance *= 1 - shrinkage;
  covariance.diagonal() = variances;
  const SymmetricEigen eigen = symmetric_eigen(covariance);
  law.factor_ = eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  return law;
}

// Columns of 0 and 1, taken together from the left as long as no row has two of them, and complete when every row has one.
void QueryLaw::look_for_one_hot(const RowMatrix& rows) {
  std::vector<Index> group;
  Vector sum = Vector::Zero(rows.rows());
  for (Index j = 0; j < rows.cols(); ++j) {
    const auto column = rows.col(j).array();
    if (kind_[static_cast<std::size_t>(j)] != Column::whole || !((column == 0) || (column == 1)).all()) continue;
    if (((sum + rows.col(j)).array() > 1).any()) {
      group.clear();
      sum.setZero();
    }
    group.push_back(j);
    sum += rows.col(j);
    if (!(sum.array() == 1).all() || group.size() < 2) continue;
    for (const Index member : group) kind_[static_cast<std::size_t>(member)] = Column::one_hot;
    chances_.push_back(center_(group));
    groups_.push_back(std::move(group));
    group.clear();
    sum.setZero();
  }
}

namespace {

/// The value with as large a share of the values below it as a normal variable has below z.
double at_normal(const Vector& sorted, double z) {
  const double share = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return sorted[std::min(sorted.size() - 1, static_cast<Index>(share * static_cast<double>(sorted.size())))];
}

}  // namespace

bool QueryLaw::coarse(Index column) const {
  constexpr double fine_enough = 1e-4;  // of the spread
  return std::abs(center_[column]) * std::numeric_limits<float>::epsilon() > fine_enough * spread_[column];
}

RowMatrix QueryLaw::draw(std::uint64_t seed, std::uint32_t purpose, Index first, Index rows) const {
  RowMatrix x(rows, inputs());
  for (Index i = 0; i < rows; ++i) {
    RandomStream random(seed, purpose, static_cast<std::uint64_t>(first + i));
    if (factor_.size() == 0) {
      for (Index j = 0; j < inputs(); ++j) x(i, j) = as_asked(center_[j] + spread_[j] * random.normal(), j);
      continue;
    }
    const Vector drawn = center_ + factor_ * random.normal_vector(inputs());
    for (Index j = 0; j < inputs(); ++j) {
      switch (kind_[static_cast<std::size_t>(j)]) {
        case Column::constant: x(i, j) = low_[j]; break;
        case Column::whole: x(i, j) = at_normal(values_[static_cast<std::size_t>(j)], (drawn[j] - center_[j]) / spread_[j]); break;
        default: x(i, j) = as_asked(reflected(drawn[j], low_[j], high_[j]), j);
      }
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      double left = random.uniform();
      std::size_t chosen = 0;
      while (chosen + 1 < groups_[g].size() && left > chances_[g][static_cast<Index>(chosen)])
        left -= chances_[g][static_cast<Index>(chosen++)];
      for (std::size_t m = 0; m < groups_[g].size(); ++m) x(i, groups_[g][m]) = m == chosen;
    }
  }
  return x;
}

std::string QueryLaw::fingerprint() const {
  std::vector<double> whole;
  for (const Vector& values : values_) whole.insert(whole.end(), values.begin(), values.end());
  return fmt::format("{:016x}", std::hash<std::string>{}(pack(center_, spread_, low_, high_, factor_, whole)));
}

}  // namespace relucover
