#pragma once
// Does a set of bad rows depend on the inputs? Accidents do not. Sign flips can't see a handful of rows; places can.
#include <vector>

#include "core/random.hpp"
#include "relucover/types.hpp"
#include "verify/leftover/judged.hpp"

namespace relucover {

/// p-values: 1 where the test says nothing.
struct RowPlaces {
  double mean = 1;        // Hotelling's T² of the mean input of the worst rows, against random rows
  double kink = 1;        // they lie close to the answer's kinks
  double neighbours = 1;  // their nearest neighbours are among them
};
/// `order`: rows, worst first; the first m of them are looked at, for each m of `counts`. `nearness` may be empty.
RowPlaces places_of_rows(const Matrix& z, const Vector& nearness, const std::vector<Index>& order, const std::vector<Index>& counts,
                         RandomStream& random);

/// Chance that a mask (1: wrong; a column for each output, or one for whole rows) goes with the answer's tangent functions
/// and |z| as it does: against permuted rows.
double mask_depends_on_inputs(const Matrix& mask, const Judged& answer, RandomStream& random);

}  // namespace relucover
