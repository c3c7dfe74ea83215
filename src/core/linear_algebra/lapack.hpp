#pragma once
// What the files of this room share on the way to LAPACK. The LAPACKE_*_work functions are called, with workspace of our own:
// the plain ones look for NaN (not for infinity) in every argument and print when they find no memory.
#include <lapacke.h>

#include <limits>
#include <vector>

#include "core/blas.hpp"
#include "core/linear_algebra.hpp"

namespace relucover::lapack {

inline lapack_int size(Index value) { return static_cast<lapack_int>(value); }
/// Leading dimensions must be positive even where there is nothing to read.
inline lapack_int leading(Index rows) { return size(rows > 0 ? rows : 1); }

inline Matrix no_answer(Index rows, Index columns) { return Matrix::Constant(rows, columns, std::numeric_limits<double>::quiet_NaN()); }

/// Asks `call(work, size)` for the workspace it wants, then calls it with that. True if it succeeded.
template <class Call>
bool with_workspace(Call call) {
  double wanted = 0;
  if (call(&wanted, lapack_int{-1}) != 0) return false;
  std::vector<double> work(static_cast<std::size_t>(wanted) + 1);
  return call(work.data(), static_cast<lapack_int>(wanted)) == 0;
}

/// The same with a workspace of integers beside it.
template <class Call>
bool with_workspaces(Call call) {
  double wanted = 0;
  lapack_int integers_wanted = 0;
  if (call(&wanted, lapack_int{-1}, &integers_wanted, lapack_int{-1}) != 0) return false;
  std::vector<double> work(static_cast<std::size_t>(wanted) + 1);
  std::vector<lapack_int> integers(static_cast<std::size_t>(integers_wanted) + 1);
  return call(work.data(), static_cast<lapack_int>(wanted), integers.data(), integers_wanted) == 0;
}

}  // namespace relucover::lapack
