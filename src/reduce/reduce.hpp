#pragma once
// The one way to visit data. Everything that touches all samples is a sum over them.
//
// A reduction is a value with
//   using Scalar = double (or float: the precision it wants blocks in);
//   void add(const Block<Scalar>& block);
//   void fields(auto& visit) { visit(sum, samples); }  (what the blocks are added to)
// Two parts make one by the sum of their fields (reduce/merge.hpp); one that is more than a sum has a
//   void merge(const Reduction& other);
// `reduce` copies the given empty reduction, adds every block to one of the copies and merges these along a binary tree.
// The cut into chunks and the tree depend on the data's size alone, so the answer is the same to the last bit for any
// number of threads and ranks.
#include <memory>
#include <utility>

#include "reduce/merge.hpp"
#include "reduce/parts.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"

namespace relucover {

template <class Reduction>
class PartOf : public Part {
 public:
  explicit PartOf(const Reduction& empty) : value(empty), empty_(empty) {}
  std::unique_ptr<Part> another() const override { return std::make_unique<PartOf>(empty_); }
  void clear() override { value = empty_; }
  void add(const SampleSource& source, Index first, Index rows, Index at_once) override {
    BlockBuffer<typename Reduction::Scalar> buffer;
    for (const Index end = first + rows; first < end; first += at_once)
      value.add(source.read(first, std::min(at_once, end - first), buffer));
  }
  void merge(const Part& other) override { merge_into(value, static_cast<const PartOf&>(other).value); }
  bool packs() const override { return Archivable<Reduction>; }
  std::string packed() const override {
    if constexpr (Archivable<Reduction>) return pack(value);
    return {};
  }
  void unpack_from(std::string_view bytes) override {
    if constexpr (Archivable<Reduction>) unpack(bytes, value);
  }

  Reduction value;

 private:
  const Reduction& empty_;
};

/// Sums `empty` over the samples [begin, end) of the source. With several ranks each adds a part, and all get the sum, if
/// the reduction lists its fields (core/archive.hpp); others are added up by every rank.
template <class Reduction>
Reduction reduce(const SampleSource& source, const Reduction& empty, const Control& control, Index begin, Index end) {
  const auto sum = reduce_parts(source, PartOf<Reduction>(empty), control, begin, end);
  return std::move(static_cast<PartOf<Reduction>&>(*sum).value);
}

template <class Reduction>
Reduction reduce(const SampleSource& source, const Reduction& empty, const Control& control) {
  return reduce(source, empty, control, 0, source.samples());
}

}  // namespace relucover
