#pragma once
// Where queries are drawn from: a Gaussian, or a law like rows that a user has.
#include <cstdint>
#include <string>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

class QueryLaw {
 public:
  /// N(0, diag(spreads)^2).
  explicit QueryLaw(Vector spreads);
  /// N(center, diag(spreads)^2). `words`: what to call it.
  QueryLaw(Vector center, Vector spreads, std::string words);
  /// Means, covariance and ranges of the rows. Columns that are constant stay so, columns of whole numbers stay whole, and columns that
  /// are 0 or 1 with one of them 1 in every row (one-hot) stay one-hot. `name`: what to call the rows.
  static QueryLaw like(const RowMatrix& rows, std::string name);

  Index inputs() const { return spread_.size(); }
  /// Queries first, first + 1, ...: each depends on seed and number alone. All are as_asked.
  RowMatrix draw(std::uint64_t seed, std::uint32_t purpose, Index first, Index rows) const;
  /// A float32 number, so that float32 models see it unchanged, but for columns so far out that these are too coarse for their spread.
  double as_asked(double value, Index column) const { return coarse(column) ? value : static_cast<float>(value); }
  /// Whether float32 numbers are too far apart in a column.
  bool coarse(Index column) const;
  const Vector& center() const { return center_; }
  /// Of each column; 0 where it is constant.
  const Vector& spread() const { return spread_; }
  /// Whether a column can be moved a little.
  bool moves(Index column) const { return kind_[static_cast<std::size_t>(column)] == Column::continuous; }
  /// "N(0, I)", "the 178 rows of wine.npz": a domain to name.
  const std::string& words() const { return words_; }
  /// Drawn from a Gaussian about 0 with its spreads alone.
  bool gaussian() const { return factor_.size() == 0 && center_.isZero(0); }
  /// Differs between laws that draw different queries.
  std::string fingerprint() const;

 private:
  enum class Column { continuous, whole, one_hot, constant };
  QueryLaw() = default;
  void look_for_one_hot(const RowMatrix& rows);
  Vector center_, spread_, low_, high_;
  std::vector<Column> kind_;
  std::vector<Vector> values_;              // of columns of whole numbers, sorted: each is drawn as often as it stands there
  Matrix factor_;                           // of the covariance; empty: the spreads
  std::vector<std::vector<Index>> groups_;  // one-hot columns that belong together
  std::vector<Vector> chances_;             // of each group
  std::string words_;
};

}  // namespace relucover
