#include "verify/leftover/parts.hpp"

#include <algorithm>

#include "verify/leftover/features.hpp"

namespace relucover {

Cells parts_of(const Eigen::Ref<const Vector>& variable, const Eigen::Ref<const Vector>& sorted, Index parts) {
  Eigen::ArrayXd beyond = Eigen::ArrayXd::Zero(variable.size());  // so many bounds
  for (Index part = 1; part < parts; ++part) beyond += (variable.array() >= sorted[part * sorted.size() / parts]).cast<double>();
  Cells cells(static_cast<std::size_t>(variable.size()));
  for (Index i = 0; i < variable.size(); ++i) cells[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(beyond[i]);
  return cells;
}

std::vector<std::pair<Index, Index>> some_pairs(Index variables, Index most, RandomStream& random) {
  std::vector<std::pair<Index, Index>> all, some;
  for (Index one = 0; one < variables; ++one)
    for (Index other = 0; other < one; ++other) all.emplace_back(one, other);
  if (static_cast<Index>(all.size()) <= most) return all;
  for (const Index place : random_rows(static_cast<Index>(all.size()), most, random)) some.push_back(all[static_cast<std::size_t>(place)]);
  return some;
}

}  // namespace relucover
