#pragma once
// Samples whose labels are what a model leaves of the labels of others. Nothing is stored: labels are computed when read.
#include "samples/views.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

class ResidualSource : public RowRange {
 public:
  /// Both must outlive this.
  ResidualSource(const SampleSource& source, const SignFreeModel& model) : RowRange(source, 0, source.samples()), model_(model) {}
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;

 private:
  const SignFreeModel& model_;
};

}  // namespace relucover
