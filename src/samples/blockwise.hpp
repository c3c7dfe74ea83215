#pragma once
#include "core/check.hpp"
#include "relucover/samples.hpp"

namespace relucover {

/// A source that reads both precisions by one template, from a range that is checked here:
///   template <class Scalar> Block<Scalar> block(Index first, Index rows, BlockBuffer<Scalar>& buffer) const;
template <class Derived>
class BlockwiseSource : public SampleSource {
 public:
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override { return checked(first, rows, buffer); }
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override { return checked(first, rows, buffer); }

 private:
  template <class Scalar>
  Block<Scalar> checked(Index first, Index rows, BlockBuffer<Scalar>& buffer) const {
    check_range(name(), first, rows, samples());
    return static_cast<const Derived&>(*this).block(first, rows, buffer);
  }
};

}  // namespace relucover
