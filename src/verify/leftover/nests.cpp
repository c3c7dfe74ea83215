#include "verify/leftover/nests.hpp"

#include <algorithm>
#include <numeric>

#include "verify/leftover/features.hpp"

namespace relucover {

namespace {

class Nests {
 public:
  Nests(const RoughMatrix& z, Index rows_of_nest, RandomStream& random)
      : z_(z), rows_of_nest_(rows_of_nest), random_(random), height_(static_cast<std::size_t>(z.cols())),
        order_(static_cast<std::size_t>(z.cols())) {
    nests_.group.resize(order_.size());
    std::iota(order_.begin(), order_.end(), Index{0});
    split(0, z.cols());
  }
  Grouping take() { return std::move(nests_); }

 private:
  void split(Index first, Index last) {
    if (last - first < 2 * rows_of_nest_) {
      for (Index k = first; k < last; ++k) nests_.group[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])] = nests_.count;
      ++nests_.count;
      return;
    }
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
    split(first, middle);
    split(middle, last);
  }

  const RoughMatrix& z_;  // a column for each row of the data: these are read one by one
  Index rows_of_nest_;
  RandomStream& random_;
  std::vector<float> height_;
  std::vector<Index> order_;
  Grouping nests_;
};

}  // namespace

std::vector<Grouping> nests_of(const Matrix& z, RandomStream& random) {
  constexpr Index trees = 3, sizes[] = {4, 12, 36};
  const RoughMatrix columns = z.transpose().cast<float>();
  std::vector<Grouping> all;
  if (z.cols() == 0) return all;
  for (const Index size : sizes)
    for (Index tree = 0; tree < trees && 2 * size < z.rows(); ++tree) all.push_back(Nests(columns, size, random).take());
  return all;
}

}  // namespace relucover
