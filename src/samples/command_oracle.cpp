#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/child_process.hpp"
#include "core/npy.hpp"
#include "relucover/errors.hpp"
#include "relucover/oracle.hpp"

namespace relucover {

namespace {

/// How a batch is written and read. Answers may be fewer than queries when the program broke half way.
struct Wire {
  virtual ~Wire() = default;
  virtual std::string request(const Eigen::Ref<const RowMatrix>& queries) const = 0;
  virtual bool complete(const std::string& reply, Index queries) const = 0;
  virtual RowMatrix answers(const std::string& reply, Index queries) const = 0;
};

class Lines : public Wire {
 public:
  explicit Lines(std::string name) : name_(std::move(name)) {}

  std::string request(const Eigen::Ref<const RowMatrix>& queries) const override {
    fmt::memory_buffer text;
    for (Index i = 0; i < queries.rows(); ++i)
      for (Index j = 0; j < queries.cols(); ++j)
        fmt::format_to(std::back_inserter(text), "{}{}", queries(i, j), j + 1 < queries.cols() ? ' ' : '\n');
    return fmt::to_string(text);
  }

  bool complete(const std::string& reply, Index queries) const override {
    return std::count(reply.begin(), reply.end(), '\n') >= queries;
  }

  RowMatrix answers(const std::string& reply, Index queries) const override {
    RowMatrix result;
    Index row = 0;
    for (std::size_t begin = 0, end; (end = reply.find('\n', begin)) != std::string::npos; begin = end + 1, ++row) {
      const std::vector<double> values = numbers(std::string_view(reply).substr(begin, end - begin));
      if (row == queries) throw DataError(name_, "", "gives more answers than it was asked", "one line for each query");
      if (row == 0) result.resize(queries, static_cast<Index>(values.size()));
      if (static_cast<Index>(values.size()) != result.cols())
        throw DataError(name_, fmt::format("answer {} of a batch", row + 1),
                        fmt::format("has {} numbers, the one before {}", values.size(), result.cols()), "");
      for (Index j = 0; j < result.cols(); ++j) result(row, j) = values[static_cast<std::size_t>(j)];
    }
    return result.topRows(row);
  }

 private:
  std::vector<double> numbers(std::string_view line) const {
    std::vector<double> values;
    const std::string_view separators = " ,;\t\r[]()";
    for (std::size_t at = line.find_first_not_of(separators); at != std::string_view::npos;) {
      const char* first = line.data() + at;
      if (*first == '+') ++first;
      double value = 0;
      const auto [stopped, error] = std::from_chars(first, line.data() + line.size(), value);
      const std::size_t next = static_cast<std::size_t>(stopped - line.data());
      if (error != std::errc() || (next < line.size() && separators.find(line[next]) == std::string_view::npos))
        throw DataError(name_, "", fmt::format("answers \"{}\"", line.substr(0, 80)), "expected numbers, one line for each query");
      values.push_back(value);
      at = line.find_first_not_of(separators, next);
    }
    if (values.empty()) throw DataError(name_, "", "answers with an empty line", "one line for each query");
    return values;
  }

  std::string name_;
};

class Arrays : public Wire {
 public:
  explicit Arrays(std::string name) : name_(std::move(name)) {}

  std::string request(const Eigen::Ref<const RowMatrix>& queries) const override {
    const RowMatrix packed = queries;
    std::string bytes = npy_header("<f8", {packed.rows(), packed.cols()});
    bytes.append(reinterpret_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.size()) * sizeof(double));
    return bytes;
  }

  bool complete(const std::string& reply, Index) const override {
    const auto wanted = size(reply);
    return wanted && reply.size() >= *wanted;
  }

  RowMatrix answers(const std::string& reply, Index queries) const override {
    const auto wanted = size(reply);
    if (!wanted || reply.size() < *wanted) return {};  // an array that isn't whole answers nothing
    if (reply.size() > *wanted) throw DataError(name_, "", "writes more than one array for each batch", "");
    const SharedBytes bytes{std::as_bytes(std::span(reply.data(), reply.size())), nullptr};
    const NpyArray array = parse_npy(bytes, {name_, "answer"});
    if (array.shape.empty() || array.shape.size() > 2 || array.shape[0] != queries)
      throw DataError(name_, "answer", "has shape " + shape_text(array.shape),
                      fmt::format("expected ({},) or ({}, outputs)", queries, queries));
    const StoredRows rows(array);
    RowMatrix result(rows.rows(), rows.cols());
    rows.copy(0, rows.rows(), result.data());
    return result;
  }

 private:
  /// Bytes of the whole array, once its header has come.
  std::optional<std::size_t> size(const std::string& reply) const {
    constexpr std::size_t prefix = 10;
    if (reply.size() < prefix) return std::nullopt;
    if (reply.compare(0, 6, "\x93NUMPY") != 0)
      throw DataError(name_, "", "answers with something that isn't an .npy array", "numpy.save(sys.stdout.buffer, answers)");
    const bool wide = reply[6] != 1;  // versions 2 and 3 have four bytes of length
    std::size_t length = static_cast<unsigned char>(reply[8]) | static_cast<std::size_t>(static_cast<unsigned char>(reply[9])) << 8;
    if (wide) {
      if (reply.size() < prefix + 2) return std::nullopt;
      length |= static_cast<std::size_t>(static_cast<unsigned char>(reply[10])) << 16 |
                static_cast<std::size_t>(static_cast<unsigned char>(reply[11])) << 24;
    }
    const std::size_t data = prefix + (wide ? 2 : 0) + length;
    if (reply.size() < data) return std::nullopt;
    const std::string header = reply.substr(0, data);
    const auto fail = [&] { throw DataError(name_, "answer", "has a header that isn't understood", "numpy.save writes a good one"); };
    const std::size_t descr = header.find("'descr': '"), shape = header.find("'shape': (");
    if (descr == std::string::npos || shape == std::string::npos) fail();
    std::size_t total = 0;
    const char* at = header.data() + descr + std::strlen("'descr': '") + 2;  // after byte order and kind
    if (std::from_chars(at, header.data() + header.size(), total).ec != std::errc()) fail();
    constexpr std::size_t largest = std::size_t(1) << 40;
    at = header.data() + shape + std::strlen("'shape': (");
    for (std::size_t factor = 0; *at != ')';) {
      const auto [stopped, error] = std::from_chars(at, header.data() + header.size(), factor);
      if (error != std::errc() || (factor > 0 && total > largest / factor)) fail();
      total *= factor;
      at = stopped;
      while (*at == ',' || *at == ' ') ++at;
    }
    return data + total;
  }

  std::string name_;
};

class CommandOracle : public BlackBox {
 public:
  CommandOracle(std::string command, const CommandOptions& options)
      : command_(std::move(command)), options_(options) {
    if (options.protocol == CommandOptions::Protocol::npy) wire_ = std::make_unique<Arrays>(command_);
    else wire_ = std::make_unique<Lines>(command_);
  }
  std::string name() const override { return command_; }
  Index restarts() const override { return restarts_; }

  RowMatrix ask(const Eigen::Ref<const RowMatrix>& queries, const Control& control) override {
    const std::string request = wire_->request(queries);
    for (Index failures = 0;; ++failures) {
      const bool again = !child_ && started_;
      if (!child_) child_ = std::make_unique<ChildProcess>(command_);
      restarts_ += again;
      started_ = true;
      std::string reply;
      const auto outcome = child_->exchange(
          request, reply, [&](const std::string& so_far) { return wire_->complete(so_far, queries.rows()); },
          options_.timeout, control);
      if (outcome != ChildProcess::Outcome::complete) child_.reset();
      const RowMatrix answers = wire_->answers(reply, queries.rows());
      if (answers.rows() > 0) return answers;
      if (failures == options_.max_restarts)
        throw DataError(command_, "",
                        outcome == ChildProcess::Outcome::stalled
                            ? fmt::format("gave no sign of life for {} s, {} times in a row", options_.timeout, failures + 1)
                            : fmt::format("ended without an answer, {} times in a row", failures + 1),
                        "try it in a shell");
    }
  }

 private:
  std::string command_;
  CommandOptions options_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<ChildProcess> child_;
  bool started_ = false;
  Index restarts_ = 0;
};

}  // namespace

std::unique_ptr<BlackBox> command_oracle(const std::string& command, const CommandOptions& options) {
  std::vector<std::string> problems;
  if (command.empty()) problems.push_back("the command is empty");
  if (!(options.timeout > 0)) problems.push_back("timeout must be positive");
  if (options.max_restarts < 0) problems.push_back("max_restarts must not be negative");
  check_no_problems("oracle command", problems);
  return std::make_unique<CommandOracle>(command, options);
}

}  // namespace relucover
