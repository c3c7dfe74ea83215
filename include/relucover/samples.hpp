#pragma once
// Where samples (x, y) come from: memory, files, generators. One interface, visited in blocks, as often as wanted.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "relucover/network.hpp"
#include "relucover/types.hpp"

namespace relucover {

/// Rows `first`, `first + 1`, ... of a source: x has one row per sample and one column per input, y one column per output.
template <class Scalar>
struct Block {
  using View = Eigen::Map<const RowMajor<Scalar>, Eigen::Unaligned, Eigen::OuterStride<>>;
  Index first;
  View x;
  View y;
  Index rows() const { return x.rows(); }
};

/// Room for a block of a source that can't hand out its own memory. Reuse it: it only grows.
template <class Scalar>
struct BlockBuffer {
  RowMajor<Scalar> x;
  RowMajor<Scalar> y;
};

/// A filled buffer as a block.
template <class Scalar>
Block<Scalar> view_of(Index first, const BlockBuffer<Scalar>& buffer);

/// Where a sample came from: a file (or other name) and the row in it, from 0.
struct Origin {
  std::string file;
  Index row;
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual Index samples() const = 0;
  virtual Index inputs() const = 0;
  virtual Index outputs() const = 0;
  /// The precision that inputs and labels were stored in (labels of float32 data carry float32 rounding).
  virtual Precision precision() const { return Precision::float64; }
  /// What to call it in messages: a path, "synthetic", ...
  virtual std::string name() const = 0;
  /// Where to look for a sample, for messages.
  virtual Origin origin(Index sample) const { return {name(), sample}; }
  /// Safe to call from many threads at once, each with its own buffer. The view lives as long as source and buffer.
  virtual Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const = 0;
  virtual Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const;
};

/// Samples in memory, owned (moved in). Row-major n by d and n by l.
template <class Scalar>
class MemorySource : public SampleSource {
 public:
  MemorySource(RowMajor<Scalar> x, RowMajor<Scalar> y, std::string name = "memory");
  Index samples() const override { return x_.rows(); }
  Index inputs() const override { return x_.cols(); }
  Index outputs() const override { return y_.cols(); }
  Precision precision() const override;
  std::string name() const override { return name_; }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;
  const RowMajor<Scalar>& x() const { return x_; }
  const RowMajor<Scalar>& y() const { return y_; }

 private:
  RowMajor<Scalar> x_, y_;
  std::string name_;
};

/// Samples in memory that somebody else owns and keeps alive (no copy).
template <class Scalar>
class BorrowedSource : public SampleSource {
 public:
  /// Rows must be contiguous; `x_stride` and `y_stride` count scalars from row to row.
  BorrowedSource(const Scalar* x, Index x_stride, const Scalar* y, Index y_stride, Index samples, Index inputs, Index outputs,
                 std::string name = "memory");
  Index samples() const override { return samples_; }
  Index inputs() const override { return inputs_; }
  Index outputs() const override { return outputs_; }
  Precision precision() const override;
  std::string name() const override { return name_; }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  Block<float> read(Index first, Index rows, BlockBuffer<float>& buffer) const override;

 private:
  const Scalar *x_, *y_;
  Index x_stride_, y_stride_, samples_, inputs_, outputs_;
  std::string name_;
};

/// What inputs a generator draws.
struct InputDistribution {
  enum class Kind { gaussian, correlated, mixture, uniform, laplace, rademacher, exponential };
  Kind kind = Kind::gaussian;
  /// correlated: condition number of the covariance (a random orthogonal basis, eigenvalues spaced evenly in logarithm).
  double condition = 1;
  /// gaussian: lower Cholesky factor of any covariance; empty for the identity.
  Matrix factor;
  /// "gaussian", "correlated:C", "mixture", ... as on the command line.
  static InputDistribution parse(const std::string& text);
  std::string name() const;
};

struct SyntheticOptions {
  Index samples = 0;
  InputDistribution distribution = {};
  /// Standard deviation of Gaussian label noise.
  double noise = 0;
  std::uint64_t seed = 0;
};

/// Labels of a network on inputs drawn from counter-based streams: sample i is the same whatever is read before it.
std::unique_ptr<SampleSource> synthetic_samples(Network network, const SyntheticOptions& options);

/// What a planted network looks like: unit weight vectors, b = bias * N(0,1), output weights ±U(0.5, 1.5).
struct PlantedOptions {
  Index inputs = 0, units = 0, outputs = 1;
  double bias = 0.7;
  enum class Weights { gaussian, orthonormal, condition } weights = Weights::gaussian;
  double condition = 1;
  std::uint64_t seed = 0;
  std::vector<std::string> problems() const;
};
Network planted_network(const PlantedOptions& options);

/// A deep planted network: rows of W are N(0, 1)/sqrt(fan-in) * 1.4, biases 0.3 N(0,1), output weights and offset N(0,1).
struct DeepPlantedOptions {
  Index inputs = 0;
  std::vector<Index> layers;
  Index outputs = 1;
  std::uint64_t seed = 0;
  std::vector<std::string> problems() const;
};
Network planted_deep_network(const DeepPlantedOptions& options);

/// Opens .npz (arrays x and y), .h5/.hdf5 (datasets x and y) or .csv (header; columns starting with y are labels),
/// by extension; x.npy means the pair x.npy and y.npy. Throws DataError naming file, place and remedy. Arrays that lie in
/// the file as they are needed are mapped, not read: opening takes no time, and check_finite is what looks at the values.
std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& path);
/// x and y apart, each a .npy file.
std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& x, const std::filesystem::path& y);
/// Several sources of the same shape, one after the other.
std::unique_ptr<SampleSource> concatenate(std::vector<std::unique_ptr<SampleSource>> shards);
/// Throws DataError with row and column of the first NaN or infinity.
void check_finite(const SampleSource& source, const class Control& control);
/// Writes a source as .npz, .h5, .csv or (x.npy with y.npy beside it) atomically, in its own precision unless told.
void write_samples(const SampleSource& source, const std::filesystem::path& path, Precision precision, const class Control& control);

}  // namespace relucover
