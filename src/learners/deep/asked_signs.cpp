#include "learners/deep/asked_signs.hpp"

#include <algorithm>
#include <cmath>

#include "core/linear_algebra.hpp"

namespace relucover {

std::optional<Vector> asked_signs(const RowMatrix& forms, const AskAt& ask, const RowMatrix& domain, RandomStream& random) {
  constexpr Index looks = 24;
  constexpr double step = 3e-4, most_condition = 1e3;
  const Index units = forms.rows(), inputs = forms.cols() - 1;
  if (units == 0 || units > inputs) return std::nullopt;
  const Matrix rows = forms.leftCols(inputs);
  const Vector singular = singular_values(rows);
  if (!(singular[0] < most_condition * singular[units - 1])) return std::nullopt;
  const Matrix alone = pseudo_inverse(rows);  // column j moves unit j and no other
  RowMatrix queries(4 * looks * units, inputs);
  for (Index j = 0; j < units; ++j) {
    const RowMatrix points = points_on_plane(forms.row(j), domain, looks, random);
    for (Index k = 0; k < 4; ++k) {
      const double away = step * (k < 2 ? 1 : -1) * (k % 2 == 0 ? 1 : 2);
      queries.middleRows((4 * j + k) * looks, looks) = points.rowwise() + away * alone.col(j).transpose();
    }
  }
  const RowMatrix answers = ask(queries);
  Vector signs(units);
  for (Index j = 0; j < units; ++j) {
    const auto changes = [&](Index side) -> Vector {
      return (answers.middleRows((4 * j + side + 1) * looks, looks) - answers.middleRows((4 * j + side) * looks, looks)).rowwise().norm();
    };
    const Vector above = changes(0), below = changes(2);
    // On one side something changes in many places (where the layers above let it through), on the other in few: where a value of the
    // layer below is cut off at 0, others move too.
    constexpr double many = 0.2, few = 0.3, much = 3e-3;
    const double largest = std::max(above.maxCoeff(), below.maxCoeff());
    const auto share = [&](const Vector& sizes) { return static_cast<double>((sizes.array() > much * largest).count()) / looks; };
    const double moved_above = share(above), moved_below = share(below), most = std::max(moved_above, moved_below);
    if (!(most >= many && std::min(moved_above, moved_below) <= few * most)) return std::nullopt;
    signs[j] = moved_above > moved_below ? 1 : -1;
  }
  return signs;
}

}  // namespace relucover
