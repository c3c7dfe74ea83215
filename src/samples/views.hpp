#pragma once
// Parts of a source, without copies where the source hands out its own memory.
#include <vector>

#include "relucover/samples.hpp"

namespace relucover {

/// Rows [begin, end) of a source that somebody else keeps alive.
class RowRange : public SampleSource {
 public:
  RowRange(const SampleSource& source, Index begin, Index end);
  Index samples() const override { return end_ - begin_; }
  Index inputs() const override { return source_.inputs(); }
  Index outputs() const override { return source_.outputs(); }
  Precision precision() const override { return source_.precision(); }
  std::string name() const override { return source_.name(); }
  Origin origin(Index sample) const override { return source_.origin(begin_ + sample); }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;

 private:
  const SampleSource& source_;
  Index begin_, end_;
};

/// Chosen input columns, in the given order, of a source that somebody else keeps alive. Neighbouring columns are a
/// view.
class SelectedColumns : public RowRange {
 public:
  SelectedColumns(const SampleSource& source, std::vector<Index> columns);
  Index inputs() const override { return static_cast<Index>(columns_.size()); }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;

 private:
  template <class Scalar>
  Block<Scalar> block(Index first, Index rows, BlockBuffer<Scalar>& buffer) const;
  std::vector<Index> columns_;
  bool neighbours_;
};

/// Labels of a source that somebody else keeps alive, output by output times `scale`: powers of two change no digit of them.
class ScaledOutputs : public RowRange {
 public:
  ScaledOutputs(const SampleSource& source, Vector scale);
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;

 private:
  Vector scale_;
};

}  // namespace relucover
