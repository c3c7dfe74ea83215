#pragma once
// Samples that an oracle answers: drawn from counter-based streams, kept in memory and in a file as they come.
#include <optional>

#include "core/random.hpp"
#include "relucover/oracle.hpp"
#include "relucover/samples.hpp"
#include "samples/asking.hpp"
#include "samples/query_law.hpp"

namespace relucover {

/// A file that answers are added to, one batch at a time, each on disk before the next is asked.
class AnswerSpool {
 public:
  AnswerSpool() = default;  // keeps nothing
  AnswerSpool(std::filesystem::path path, const QueryLaw& law, std::uint64_t seed);
  ~AnswerSpool();
  AnswerSpool(const AnswerSpool&) = delete;
  AnswerSpool& operator=(const AnswerSpool&) = delete;

  /// Answers of an earlier run (0 by 0 if there are none). A last one that is cut short is dropped.
  RowMatrix read();
  /// The Gaussian that answers in this file were asked for; none: no such file, or another law.
  static std::optional<QueryLaw> gaussian_in(const std::filesystem::path& path);
  void append(const Eigen::Ref<const RowMatrix>& answers);

 private:
  struct Header {
    Index inputs, outputs;
    std::uint64_t seed;
    std::string law;
    Vector spreads;  // empty: not a Gaussian
  };
  Header parsed(std::string_view line) const;
  void start(Index outputs);
  void write(const void* bytes, std::size_t size);
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;
  std::filesystem::path path_;
  Index inputs_ = 0;
  std::uint64_t seed_ = 0;
  std::string law_;
  Vector spreads_;
  int descriptor_ = -1;
  bool has_header_ = false;
};

class QueriedSamples : public SampleSource {
 public:
  QueriedSamples(Asking& asking, QueryLaw law, const ExtractOptions& options);
  Index samples() const override { return samples_; }
  Index inputs() const override { return inputs_; }
  Index outputs() const override { return y_.cols(); }
  /// float32 when every answer so far is a float32 number: then they carry its rounding.
  Precision precision() const override { return all_float32_ ? Precision::float32 : Precision::float64; }
  std::string name() const override { return "answers of " + asking_.oracle().name(); }
  Block<double> read(Index first, Index rows, BlockBuffer<double>& buffer) const override;
  using SampleSource::read;

  /// Asks until there are `samples`. Not while somebody reads.
  void grow(Index samples, const Control& control);
  const QueryLaw& law() const { return law_; }
  Index reused() const { return reused_; }

 private:
  RowMatrix drawn(Index first, Index rows) const { return law_.draw(seed_, purpose::queries, first, rows); }
  void keep(const RowMatrix& x, const Eigen::Ref<const RowMatrix>& answers);
  Asking& asking_;
  QueryLaw law_;
  Index inputs_, samples_ = 0;
  std::uint64_t seed_;
  AnswerSpool spool_;
  RowMatrix x_, y_;  // more rows than samples_: room to grow
  bool all_float32_ = true;
  Index reused_ = 0;
};

}  // namespace relucover
