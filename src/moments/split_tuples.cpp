#include "moments/split_tuples.hpp"

namespace relucover {

SplitTuples::SplitTuples(Index dimension, Index order) : lows_(dimension, (order + 1) / 2), highs_(dimension, order / 2) {
  for (Index place = 0; place < highs_.size(); ++place) sorted_.push_back(place);
  const auto least = [&](Index place) { return highs_.order() > 0 ? highs_.tuple(place)[0] : static_cast<int>(dimension) - 1; };
  std::stable_sort(sorted_.begin(), sorted_.end(), [&](Index a, Index b) { return least(a) < least(b); });
  for (Index at = 0; at < highs_.size(); ++at) {
    const Index prefix = packed_size(least(sorted_[static_cast<std::size_t>(at)]) + 1, lows_.order());
    if (groups_.empty() || groups_.back().prefix != prefix) groups_.push_back({at, 0, prefix});
    ++groups_.back().count;
  }
}

void SplitTuples::add(const std::vector<Matrix>& monomials, const Vector& r, Matrix& weighted, Matrix& product) const {
  const Matrix& low = monomials[static_cast<std::size_t>(lows_.order())];
  const Matrix& high = monomials[static_cast<std::size_t>(highs_.order())];
  weighted.resize(high.rows(), high.cols());
  for (Index at = 0; at < high.cols(); ++at) weighted.col(at) = high.col(sorted_[static_cast<std::size_t>(at)]).cwiseProduct(r);
  for (const Group& group : groups_)
    product.block(0, group.first, group.prefix, group.count).noalias() +=
        low.leftCols(group.prefix).transpose() * weighted.middleCols(group.first, group.count);
}

SymmetricTensor SplitTuples::tensor(const Matrix& product) const {
  SymmetricTensor tensor(lows_.dimension(), lows_.order() + highs_.order());
  std::vector<int> tuple(static_cast<std::size_t>(tensor.order));
  for (const Group& group : groups_)
    for (Index at = group.first; at < group.first + group.count; ++at)
      for (Index i = 0; i < group.prefix; ++i) {
        const int* high = highs_.tuple(sorted_[static_cast<std::size_t>(at)]);
        std::copy(high, high + highs_.order(), std::copy(lows_.tuple(i), lows_.tuple(i) + lows_.order(), tuple.begin()));
        tensor.values[PackedIndex::place(tuple.data(), tensor.order)] = product(i, at);
      }
  return tensor;
}

}  // namespace relucover
