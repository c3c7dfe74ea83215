#include "verify/leftover/left_out_unit.hpp"

#include <algorithm>

#include "core/linear_algebra.hpp"
#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

/// `count` of the rows: at random, or the nearest to one of them.
std::vector<Index> some_of(const Matrix& z1, Index count, Index attempt, RandomStream& random) {
  if (attempt >= z1.rows()) return random_rows(z1.rows(), count, random);
  const Vector distance = (z1.rowwise() - z1.row(attempt)).rowwise().squaredNorm();
  auto nearest = order_of(distance);
  nearest.resize(static_cast<std::size_t>(count));
  return nearest;
}

/// On how many of these rows a unit is on, with this sign or the other, that is off at all rows that were kept.
Index only_on(const Vector& there, const Vector& kept) {
  constexpr double touching = 1e-9;
  const double size = touching * there.cwiseAbs().maxCoeff();
  Index most = 0;
  for (const double sign : {1.0, -1.0})
    if (kept.size() == 0 || (sign * kept.array() < size).all()) most = std::max<Index>(most, (sign * there.array() > size).count());
  return most;
}

/// The rows that were left out, and what an affine function may miss at each of them.
struct LeftOut {
  std::vector<Index> rows;
  Matrix z1, residual, allowed;
  explicit LeftOut(const Judged& answer) {
    constexpr double roundings = 256, lost_digits = 1e-9;
    for (Index i = 0; i < answer.rows(); ++i)
      if (!answer.kept[static_cast<std::size_t>(i)]) rows.push_back(i);
    z1 = with_ones(answer.z(rows, Eigen::all));
    residual = answer.residual(rows, Eigen::all);
    allowed = roundings * answer.rounding(rows, Eigen::all) + lost_digits * residual.cwiseAbs();
  }
  Index count() const { return z1.rows(); }
  Index width() const { return z1.cols(); }
};

/// Affine functions (a column for each output) through some of the rows, and which of them each explains, if more than determine it.
template <typename Visit>
void visit_pieces(const LeftOut& left, RandomStream& random, const Visit& visit) {
  constexpr Index most_inputs = 12, most_tries = 1500;
  if (left.count() <= left.width() || left.width() > most_inputs + 1) return;
  for (Index attempt = 0; attempt < left.count() + most_tries; ++attempt) {
    const auto through = some_of(left.z1, left.width(), attempt, random);
    const auto forms = inverse_if_regular(left.z1(through, Eigen::all));
    if (!forms) continue;
    const Matrix piece = *forms * left.residual(through, Eigen::all);
    const Matrix off = (left.z1 * piece - left.residual).cwiseAbs();
    std::vector<Index> explained;
    for (Index i = 0; i < left.count(); ++i)
      if ((off.row(i).array() <= left.allowed.row(i).array()).all()) explained.push_back(i);
    if (static_cast<Index>(explained.size()) > left.width()) visit(piece, explained);
  }
}

/// Labels that were all replaced by one value are off by an affine function wherever the answer is one, and yet accidents.
bool have_one_label(const Matrix& y, const std::vector<Index>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](Index row) { return y.row(row) == y.row(rows.front()); });
}

/// The most rows whose residuals, over the outputs, are multiples of one vector to rounding.
std::vector<Index> multiples_of_one(const LeftOut& left) {
  constexpr Index most_rows = 2000;
  constexpr double clearly = 16;  // times what may be missed
  std::vector<Index> clear, most;
  for (Index i = 0; i < std::min(left.count(), most_rows); ++i)
    if ((left.residual.row(i).array().abs() > clearly * left.allowed.row(i).array()).count() > 1) clear.push_back(i);
  for (const Index first : clear) {
    Index largest = 0;
    const auto direction = left.residual.row(first);
    direction.cwiseAbs().maxCoeff(&largest);
    std::vector<Index> alike;
    for (const Index i : clear) {
      const double factor = left.residual(i, largest) / direction[largest];
      const auto allowed = left.allowed.row(i) + std::abs(factor) * left.allowed.row(first);
      if (((left.residual.row(i) - factor * direction).cwiseAbs().array() <= 2 * allowed.array()).all()) alike.push_back(i);
    }
    if (alike.size() > most.size()) most = std::move(alike);
  }
  return most;
}

}  // namespace

Index explained_by_one_more_unit(const Judged& answer, RandomStream& random) {
  const LeftOut left(answer);
  const Matrix kept = with_ones(answer.z(answer.kept_rows(), Eigen::all));
  Index most = 0;
  visit_pieces(left, random, [&](const Matrix& piece, const std::vector<Index>& explained) {
    if (static_cast<Index>(explained.size()) <= most) return;
    Index largest = 0;
    piece.colwise().norm().maxCoeff(&largest);
    most = std::max(most, only_on(left.z1(explained, Eigen::all) * piece.col(largest), kept * piece.col(largest)));
  });
  return most > left.width() ? most : 0;
}

std::vector<std::vector<Index>> rows_that_err_alike(const Judged& answer, RandomStream& random) {
  const LeftOut left(answer);
  std::vector<Index> on_a_piece;
  const auto rows_of = [&](const std::vector<Index>& places) {
    std::vector<Index> rows;
    for (const Index place : places) rows.push_back(left.rows[static_cast<std::size_t>(place)]);
    return rows;
  };
  visit_pieces(left, random, [&](const Matrix&, const std::vector<Index>& explained) {
    if (explained.size() > on_a_piece.size() && !have_one_label(answer.y, rows_of(explained))) on_a_piece = explained;
  });
  std::vector<std::vector<Index>> groups;
  for (const auto& group : {on_a_piece, multiples_of_one(left)})
    if (group.size() > 1 && group.size() < left.rows.size()) groups.push_back(rows_of(group));
  return groups;
}

}  // namespace relucover
