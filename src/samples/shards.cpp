#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/check.hpp"
#include "relucover/errors.hpp"
#include "relucover/samples.hpp"
#include "samples/blockwise.hpp"

namespace relucover {

namespace {

class ShardedSource : public BlockwiseSource<ShardedSource> {
 public:
  explicit ShardedSource(std::vector<std::unique_ptr<SampleSource>> shards) : shards_(std::move(shards)), starts_{0} {
    for (const auto& shard : shards_) starts_.push_back(starts_.back() + shard->samples());
  }
  Index samples() const override { return starts_.back(); }
  Index inputs() const override { return shards_.front()->inputs(); }
  Index outputs() const override { return shards_.front()->outputs(); }
  Precision precision() const override {
    const auto narrow = [](const auto& shard) { return shard->precision() == Precision::float32; };
    return std::any_of(shards_.begin(), shards_.end(), narrow) ? Precision::float32 : Precision::float64;
  }
  std::string name() const override { return fmt::format("{} and {} more", shards_.front()->name(), shards_.size() - 1); }
  Origin origin(Index sample) const override {
    const std::size_t shard = shard_of(sample);
    return shards_[shard]->origin(sample - starts_[shard]);
  }
  std::size_t shard_of(Index sample) const {
    return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end() - 1, sample) - starts_.begin()) - 1;
  }

  template <class Scalar>
  Block<Scalar> block(Index first, Index rows, BlockBuffer<Scalar>& buffer) const {
    std::size_t shard = shard_of(first);
    if (first + rows <= starts_[shard + 1]) {  // inside one shard: its own view
      const Block<Scalar> whole = shards_[shard]->read(first - starts_[shard], rows, buffer);
      return {first, whole.x, whole.y};
    }
    buffer.x.resize(rows, inputs());
    buffer.y.resize(rows, outputs());
    BlockBuffer<Scalar> piece_buffer;
    for (Index done = 0; done < rows; ++shard) {
      const Index from = first + done - starts_[shard];
      const Index count = std::min(rows - done, shards_[shard]->samples() - from);
      if (count == 0) continue;
      const Block<Scalar> piece = shards_[shard]->read(from, count, piece_buffer);
      buffer.x.middleRows(done, count) = piece.x;
      buffer.y.middleRows(done, count) = piece.y;
      done += count;
    }
    return view_of(first, buffer);
  }

 private:
  std::vector<std::unique_ptr<SampleSource>> shards_;
  std::vector<Index> starts_;
};

}  // namespace

std::unique_ptr<SampleSource> concatenate(std::vector<std::unique_ptr<SampleSource>> shards) {
  if (shards.empty()) throw std::invalid_argument("no shards to concatenate");
  if (std::find(shards.begin(), shards.end(), nullptr) != shards.end()) throw std::invalid_argument("a shard is null");
  const SampleSource& first = *shards.front();
  for (const auto& shard : shards)
    if (shard->inputs() != first.inputs() || shard->outputs() != first.outputs())
      throw DataError(shard->name(), "",
                      fmt::format("has {} inputs and {} outputs, but {} has {} and {}", shard->inputs(), shard->outputs(), first.name(),
                                  first.inputs(), first.outputs()),
                      "shards need the same columns");
  if (shards.size() == 1) return std::move(shards.front());
  return std::make_unique<ShardedSource>(std::move(shards));
}

}  // namespace relucover
