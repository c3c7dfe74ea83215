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

}  // namespace

Index explained_by_one_more_unit(const Judged& answer, RandomStream& random) {
  constexpr Index most_inputs = 12, most_tries = 1500;
  constexpr double roundings = 256, lost_digits = 1e-9;
  std::vector<Index> out;
  for (Index i = 0; i < answer.rows(); ++i)
    if (!answer.kept[static_cast<std::size_t>(i)]) out.push_back(i);
  const Index width = answer.z.cols() + 1, rows = static_cast<Index>(out.size());
  if (rows <= width || width > most_inputs + 1) return 0;
  Matrix all(answer.rows(), width);
  all << answer.z, Vector::Ones(answer.rows());
  const Matrix z1 = all(out, Eigen::all), kept = all(answer.kept_rows(), Eigen::all);
  const Matrix residual = answer.residual(out, Eigen::all);
  const Matrix allowed = roundings * answer.rounding(out, Eigen::all) + lost_digits * residual.cwiseAbs();
  Index most = 0;
  for (Index attempt = 0; attempt < rows + most_tries; ++attempt) {
    const auto through = some_of(z1, width, attempt, random);
    const auto forms = inverse_if_regular(z1(through, Eigen::all));
    if (!forms) continue;
    const Matrix piece = *forms * residual(through, Eigen::all);  // an affine function for each output
    const Matrix off = (z1 * piece - residual).cwiseAbs();
    std::vector<Index> explained;
    for (Index i = 0; i < rows; ++i)
      if ((off.row(i).array() <= allowed.row(i).array()).all()) explained.push_back(i);
    if (static_cast<Index>(explained.size()) <= std::max(width, most)) continue;
    Index largest = 0;
    piece.colwise().norm().maxCoeff(&largest);
    most = std::max(most, only_on(z1(explained, Eigen::all) * piece.col(largest), kept * piece.col(largest)));
  }
  return most > width ? most : 0;
}

}  // namespace relucover
