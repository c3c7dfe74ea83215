#pragma once
// Samples whose first and second moments are known, so that nobody after the first needs a pass for them.
#include "moments/whitening.hpp"
#include "samples/views.hpp"

namespace relucover {

class MeasuredSource : public RowRange {
 public:
  MeasuredSource(const SampleSource& source, InputMoments moments) : RowRange(source, 0, source.samples()), moments_(std::move(moments)) {}
  const InputMoments& moments() const { return moments_; }

 private:
  InputMoments moments_;
};

}  // namespace relucover
