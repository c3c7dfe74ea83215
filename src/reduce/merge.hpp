#pragma once
// What two parts of a reduction make together: the sum, field by field, unless a type says otherwise by a `merge` of its own.
#include <type_traits>
#include <vector>

#include "core/archive.hpp"

namespace relucover {

template <class T>
void merge_into(std::vector<T>& into, const std::vector<T>& other);

template <class T>
void merge_into(T& into, const T& other) {
  if constexpr (requires { into.merge(other); }) {
    into.merge(other);
  } else if constexpr (Archivable<T>) {
    auto visit_theirs = [&into](const auto&... theirs) {
      auto visit_mine = [&](auto&... mine) { (merge_into(mine, theirs), ...); };
      into.fields(visit_mine);
    };
    const_cast<T&>(other).fields(visit_theirs);  // fields only visits
  } else if constexpr (DenseMatrix<T>) {
    if (into.size() == 0)
      into = other;  // sized by its first block, and has none yet
    else if (other.size() != 0)
      into += other;
  } else {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "say how these merge");
    into += other;
  }
}

template <class T>
void merge_into(std::vector<T>& into, const std::vector<T>& other) {
  for (std::size_t i = 0; i < into.size(); ++i) merge_into(into[i], other[i]);
}

}  // namespace relucover
