#pragma once
// Models that can be asked: a function, an ONNX file, another program. For models that you may query.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "relucover/learn.hpp"
#include "relucover/types.hpp"

namespace relucover {

class BlackBox {
 public:
  virtual ~BlackBox() = default;
  virtual std::string name() const = 0;
  /// Answers, one row each, to the first one or more of the queries, in their order: an oracle that breaks half way
  /// gives what it has, and is asked the rest again. Throws DataError when it has nothing and can't go on.
  virtual RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control& control) = 0;
  /// What the model is known to do to its outputs after `ask`: a link to put behind the answer.
  virtual Link link_behind() const { return Link::identity; }
  /// How often it had to be started again.
  virtual Index restarts() const { return 0; }
};

/// Any function of a batch of rows.
std::unique_ptr<BlackBox> callable_oracle(std::function<RowMatrix(const RowMatrix&)> function, std::string name = "callable");
/// A feed-forward ONNX model of any depth, computed in its own precision; `inputs` is set to its number of inputs.
std::unique_ptr<BlackBox> onnx_oracle(const std::filesystem::path& path, Index& inputs);

struct CommandOptions {
  /// lines: numbers separated by spaces, one query a line, one answer a line (spaces or commas).
  /// npy: one .npy array per batch (queries by inputs), one back (queries, or queries by outputs).
  enum class Protocol { lines, npy } protocol = Protocol::lines;
  /// Seconds without a sign of life after which the program is ended and started again.
  double timeout = 60;
  /// Failures in a row, without one answer between them, before giving up.
  Index max_restarts = 5;
};
/// A program that answers on standard output what it reads on standard input, run by the shell.
std::unique_ptr<BlackBox> command_oracle(const std::string& command, const CommandOptions& options = {});

struct ExtractOptions {
  Index inputs = 0;
  /// The most queries that may be asked.
  Index budget = 1'000'000;
  /// Samples of the first attempt; 0: 40 (inputs + 1), at least 1000. Doubled until certified.
  Index first = 0;
  /// Queries that a certified answer must predict before it counts, as far as the budget allows; 0: none. A unit that is
  /// active on a part p of the queries is missed by all of them with probability (1 - p)^fresh.
  Index fresh = 10'000;
  /// Queries handed over at once.
  Index batch = 1024;
  /// Queries are drawn from N(0, scale^2 I), rounded to float32 so that float32 models see them unchanged. 0: the scale is found by
  /// asking, 1 where that will do.
  double scale = 0;
  /// Or from N(center, diag(spread)^2), where somebody knows where the inputs lie. Empty: not so.
  Vector center = {}, spread = {};
  /// Rows that the user has: queries are drawn from a law like theirs (means, covariance, ranges; constant, whole and one-hot columns
  /// stay so), and a certified answer must predict the model at these rows too. Empty: none.
  RowMatrix like = {};
  std::string like_name = "the user";
  /// Look what the model is like before the budget is spent, and stop where no budget would help.
  bool look = true;
  /// Where answers are kept as they come; a later run with the same file, seed and scale starts from them. Empty: nowhere.
  std::filesystem::path spool;
  LearnOptions learn;
  std::vector<std::string> problems() const;
};

struct Extraction {
  Result result;
  Index queries = 0;       // distinct queries answered in this run, each counted once
  Index repeated = 0;      // handed over again because no answer had come
  Index reused = 0;        // answers taken from the spool
  Index restarts = 0;      // of the program that answers
  Index attempts = 0;      // how often the sample was learned from
  std::string looks_like;  // what the model was seen to be, in words
};

/// Asks, learns, doubles the sample until the answer is certified and predicts fresh answers, or the budget is used up.
/// What is learned from depends on the options alone, not on what a spool holds already.
Extraction extract(BlackBox& oracle, const ExtractOptions& options);

}  // namespace relucover
