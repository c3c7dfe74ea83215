#include "verify/leftover/nests.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

constexpr Index sizes[] = {4, 12, 36};  // rows of a nest, at least

/// One tree, and its nests of each size.
class Nests {
 public:
  Nests(const RoughMatrix& z, RandomStream& random)
      : z_(z), random_(random), height_(static_cast<std::size_t>(z.cols())), order_(static_cast<std::size_t>(z.cols())) {
    std::iota(order_.begin(), order_.end(), Index{0});
    for (Grouping& nests : of_size_) nests.group.resize(order_.size());
    split(0, z.cols(), std::size(of_size_));
  }
  void take(std::vector<Grouping>& all) {
    for (Grouping& nests : of_size_)
      if (nests.count > 1) all.push_back(std::move(nests));
  }

 private:
  /// Those of the first `open` sizes are not yet found.
  void split(Index first, Index last, std::size_t open) {
    for (; open > 0 && last - first < 2 * sizes[open - 1]; --open) {
      Grouping& nests = of_size_[open - 1];
      for (Index k = first; k < last; ++k) nests.group[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])] = nests.count;
      ++nests.count;
    }
    if (open == 0) return;
    const RoughVector direction = random_.normal_vector(z_.rows()).cast<float>();
    for (Index k = first; k < last; ++k) {
      const Index row = order_[static_cast<std::size_t>(k)];
      height_[static_cast<std::size_t>(row)] = z_.col(row).dot(direction);
    }
    const Index middle = first + (last - first) / 2;
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last, [&](Index a, Index b) {
      const float at = height_[static_cast<std::size_t>(a)], there = height_[static_cast<std::size_t>(b)];
      return at != there ? at < there : a < b;
    });
    split(first, middle, open);
    split(middle, last, open);
  }

  const RoughMatrix& z_;  // a column for each row of the data: these are read one by one
  RandomStream& random_;
  std::vector<float> height_;
  std::vector<Index> order_;
  Grouping of_size_[std::size(sizes)];
};

}  // namespace

std::vector<Grouping> nests_of(const Matrix& z, RandomStream& random) {
  constexpr Index trees = 3;
  const RoughMatrix columns = z.transpose().cast<float>();
  std::vector<Grouping> all;
  if (z.cols() == 0) return all;
  for (Index tree = 0; tree < trees; ++tree) Nests(columns, random).take(all);
  return all;
}

}  // namespace relucover
