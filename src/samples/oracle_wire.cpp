#include "samples/oracle_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "core/npy.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

[[noreturn]] void too_large(const std::string& name) {
  throw DataError(name, "", "answers a batch with more than a gigabyte", "hand over smaller batches, or look at what it writes");
}

class Lines : public Wire {
 public:
  explicit Lines(std::string name) : name_(std::move(name)) {}

  std::string request(const Eigen::Ref<const RowMatrix>& queries) override {
    looked_at_ = lines_ = 0;
    fmt::memory_buffer text;
    for (Index i = 0; i < queries.rows(); ++i)
      for (Index j = 0; j < queries.cols(); ++j)
        fmt::format_to(std::back_inserter(text), "{}{}", queries(i, j), j + 1 < queries.cols() ? ' ' : '\n');
    return fmt::to_string(text);
  }

  bool complete(const std::string& reply, Index queries) override {
    lines_ += std::count(reply.begin() + static_cast<std::ptrdiff_t>(looked_at_), reply.end(), '\n');
    looked_at_ = reply.size();
    if (reply.size() > largest_reply) too_large(name_);
    return lines_ >= queries;
  }

  RowMatrix answers(const std::string& reply, Index queries) const override {
    std::vector<double> all;  // as many as there are: what the first line has says nothing about the room for the rest
    Index row = 0, columns = 0;
    for (std::size_t begin = 0, end; (end = reply.find('\n', begin)) != std::string::npos; begin = end + 1, ++row) {
      const std::vector<double> values = numbers(std::string_view(reply).substr(begin, end - begin));
      if (row == queries) throw DataError(name_, "", "gives more answers than it was asked", "one line for each query");
      if (row == 0) columns = static_cast<Index>(values.size());
      if (static_cast<Index>(values.size()) != columns)
        throw DataError(name_, fmt::format("answer {} of a batch", row + 1),
                        fmt::format("has {} numbers, the one before {}", values.size(), columns), "");
      all.insert(all.end(), values.begin(), values.end());
    }
    return Eigen::Map<const RowMatrix>(all.data(), row, columns);
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
  std::size_t looked_at_ = 0;
  Index lines_ = 0;
};

class Arrays : public Wire {
 public:
  explicit Arrays(std::string name) : name_(std::move(name)) {}

  std::string request(const Eigen::Ref<const RowMatrix>& queries) override {
    const RowMatrix packed = queries;
    std::string bytes = npy_header("<f8", {packed.rows(), packed.cols()});
    bytes.append(reinterpret_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.size()) * sizeof(double));
    return bytes;
  }

  bool complete(const std::string& reply, Index) override {
    const auto wanted = size(reply);
    return wanted && reply.size() >= *wanted;
  }

  RowMatrix answers(const std::string& reply, Index queries) const override {
    const auto wanted = size(reply);
    if (!wanted || reply.size() < *wanted) return {};  // an array that isn't whole answers nothing
    if (reply.size() > *wanted) throw DataError(name_, "", "writes more than one array for each batch", "");
    const SharedBytes bytes{bytes_of(reply), nullptr};
    const NpyArray array = parse_npy(bytes, {name_, "answer"});
    if (array.shape.empty() || array.shape.size() > 2 || array.shape[0] != queries)
      throw DataError(name_, "answer", "has shape " + shape_text(array.shape),
                      fmt::format("expected ({},) or ({}, outputs)", queries, queries));
    const StoredRows rows(array, {name_, "answer"});
    RowMatrix result(rows.rows(), rows.cols());
    rows.copy(0, rows.rows(), result.data());
    return result;
  }

 private:
  /// Bytes of the whole array, once its header has come.
  std::optional<std::size_t> size(const std::string& reply) const {
    const auto wanted = npy_bytes(bytes_of(reply), {name_, "answer"});
    if (wanted.value_or(0) > largest_reply) too_large(name_);
    return wanted;
  }

  static Bytes bytes_of(const std::string& reply) { return std::as_bytes(std::span(reply.data(), reply.size())); }

  std::string name_;
};

}  // namespace

std::unique_ptr<Wire> wire_of(CommandOptions::Protocol protocol, const std::string& name) {
  if (protocol == CommandOptions::Protocol::npy) return std::make_unique<Arrays>(name);
  return std::make_unique<Lines>(name);
}

}  // namespace relucover
