#pragma once
// Samples whose labels are what a model leaves of the labels of others. Nothing is stored: labels are computed when read.
#include "samples/views.hpp"
#include "solve/sign_free.hpp"

namespace relucover {

class ResidualSource : public RowRange {
 public:
  /// The source must outlive this.
  ResidualSource(const SampleSource& source, const SignFreeModel& model)
      : RowRange(source, 0, source.samples()), precise_(model), single_(model) {}
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;

 private:
  template <class Real>
  struct Model {
    RowMajor<Real> theta, output, affine;
    explicit Model(const SignFreeModel& model)
        : theta(model.theta.cast<Real>()), output(model.output.cast<Real>()), affine(model.affine.cast<Real>()) {}
    Block<Real> residuals(const Block<Real>& block, BlockBuffer<Real>& buffer) const;
  };
  Model<double> precise_;
  Model<float> single_;
};

}  // namespace relucover
