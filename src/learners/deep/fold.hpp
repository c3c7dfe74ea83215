#pragma once
// A linear part of the last hidden layer that is no unit of its own, but comes from units taken by their wrong side.
#include <optional>

#include "learners/deep/plain_form.hpp"

namespace relucover {

/// The last hidden layer without its one linear unit D(h), if units turned around explain it. a relu(u) = a u + a relu(-u), so turning the
/// units i with t_i = 1 leaves the linear part E = D + sum t_i a_i u_i. One unit j may be known on its rare side R only: it takes all of E,
/// if E is constant on R. None: no such signs fit the samples to `exact`.
std::optional<LayeredModel> with_linear_unit_folded(const PlainForm& plain, const MemorySource<double>& samples, double exact,
                                                    const Control& control);

}  // namespace relucover
