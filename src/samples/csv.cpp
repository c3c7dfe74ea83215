#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "relucover/errors.hpp"
#include "samples/files.hpp"

namespace relucover {

namespace {

using Text = std::string_view;

Text trimmed(Text field) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!field.empty() && blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && blank(field.back())) field.remove_suffix(1);
  return field;
}

Text unquoted(Text field) {
  field = trimmed(field);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = trimmed(field.substr(1, field.size() - 2));
  return field;
}

std::string printable(Text field) {
  std::string safe(field.substr(0, 40));
  for (char& c : safe)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  return field.size() > 40 ? safe + "..." : safe;
}

/// Cuts off what lies before the next `separator` (all of it if there is none).
Text next_piece(Text& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const Text piece = rest.substr(0, end);
  rest.remove_prefix(end == Text::npos ? rest.size() : end + 1);
  return piece;
}

bool parse_number(Text field, double& value) {
  if (!field.empty() && field.front() == '+') field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || end != field.data() + field.size()) return false;
  if (error == std::errc()) return true;
  // Beyond the range of double: strtod tells too small (which is 0 or near it) from too large.
  value = std::strtod(std::string(field).c_str(), nullptr);
  return error == std::errc::result_out_of_range && std::isfinite(value);
}

class CsvParser {
 public:
  CsvParser(Text text, const std::string& name, const Control& control) : rest_(text), name_(name), control_(control) {
    constexpr Text byte_order_mark = "\xef\xbb\xbf";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
    while (!rest_.empty() && (rest_.back() == '\n' || rest_.back() == '\r' || rest_.back() == ' ')) rest_.remove_suffix(1);
  }

  /// The header, if all of it is there.
  void check_start() {
    if (rest_.find('\0') != Text::npos) fail(1, 0, "is not text", "send .npz or .csv");
    if (rest_.find('\n') != Text::npos) read_header();
  }

  std::unique_ptr<SampleSource> parse() {
    read_all();
    return std::make_unique<MemorySource<double>>(std::move(x_), std::move(y_), name_);
  }

  RowMatrix inputs_alone() {
    needs_labels_ = false;
    read_all();
    return std::move(x_);
  }

 private:
  void read_all() {
    if (rest_.empty()) fail(1, 0, "is empty", "it needs a header line and one line per sample");
    read_header();
    if (rest_.empty()) fail(1, 0, "has a header but no samples", "add one line per sample");
    const Index lines = static_cast<Index>(std::count(rest_.begin(), rest_.end(), '\n')) + 1;
    // A well-formed line has a character and a separator per column: a file with more lines than that is ragged, and
    // found to be so before the room runs out.
    const Index room = std::min(lines, static_cast<Index>(rest_.size()) / columns() + 1);
    x_.resize(room, inputs_);
    y_.resize(room, columns() - inputs_);
    Index row = 0;
    constexpr Index rows_between_checks = 4096;
    while (!rest_.empty()) {
      if (row % rows_between_checks == 0) control_.check_here();
      read_row(row++);
    }
    if (row != room) changed(row + 1);
  }

  [[noreturn]] void fail(Index line, Index column, const std::string& problem, const std::string& remedy) const {
    throw DataError(fmt::format("{}:{}{}", name_, line, column > 0 ? fmt::format(":{}", column) : ""), "", problem, remedy);
  }
  [[noreturn]] void changed(Index line) const {
    fail(line, 0, "the number of lines changed while reading", "is somebody writing the file?");
  }
  Index columns() const { return static_cast<Index>(is_label_.size()); }

  /// Labels start with y; where there need be none, a name that merely begins so (yaw) is an input's.
  bool is_label_name(Text column) const {
    if (column.empty() || (column.front() != 'y' && column.front() != 'Y')) return false;
    return needs_labels_ || column.size() == 1 || column[1] == '_' || (column[1] >= '0' && column[1] <= '9');
  }

  void read_header() {
    Text header = next_piece(rest_, '\n');
    for (const char candidate : {',', ';', '\t'})
      if (header.find(candidate) != Text::npos) {
        separator_ = candidate;
        break;
      }
    bool all_numbers = true;
    Index unnamed = 0;
    for (bool more = true; more;) {
      more = header.find(separator_) != Text::npos;
      const Text column = unquoted(next_piece(header, separator_));
      double ignored;
      all_numbers = all_numbers && parse_number(column, ignored);
      if (column.empty() && unnamed == 0) unnamed = columns() + 1;
      is_label_.push_back(is_label_name(column));
    }
    const Index labels = static_cast<Index>(std::count(is_label_.begin(), is_label_.end(), true));
    inputs_ = columns() - labels;
    if (unnamed > 0)
      fail(1, unnamed, "a column has no name", "name every column; pandas leaves out its index with to_csv(..., index=False)");
    const std::string remedy = "the first line names the columns; labels start with y: x1,x2,y";
    if (all_numbers) fail(1, 0, "has numbers where the header should be", remedy);
    if (labels == 0 && needs_labels_) fail(1, 0, "no column starts with y, so there are no labels", remedy);
    if (inputs_ == 0) fail(1, 0, "every column starts with y, so there are no inputs", remedy);
  }

  void read_row(Index row) {
    const Index line_number = row + 2;
    Text line = next_piece(rest_, '\n');
    if (row == x_.rows()) changed(line_number);
    const Index fields = static_cast<Index>(std::count(line.begin(), line.end(), separator_)) + 1;
    if (fields != columns())
      fail(line_number, 0,
           trimmed(line).empty() ? "is an empty line" : fmt::format("has {} fields, but the header has {}", fields, columns()),
           "every line needs as many fields as the header");
    Index input = 0, label = 0;
    for (Index column = 0; column < fields; ++column) {
      double value = 0;
      const Text field = unquoted(next_piece(line, separator_));
      if (!parse_number(field, value)) not_a_number(line_number, column + 1, field);
      if (is_label_[static_cast<std::size_t>(column)])
        y_(row, label++) = value;
      else
        x_(row, input++) = value;
    }
  }

  [[noreturn]] void not_a_number(Index line, Index column, Text field) const {
    if (field.empty()) fail(line, column, "is empty", "fill in the missing value or remove the line");
    const bool range = field.find_first_not_of("0123456789.eE+-") == Text::npos && field.find_first_of("eE") != Text::npos;
    fail(line, column, fmt::format("\"{}\" is not a number{}", printable(field), range ? " that fits in a double" : ""),
         "every field below the header must be a number such as -1.5e-3");
  }

  Text rest_;
  const std::string& name_;
  const Control& control_;
  char separator_ = ',';
  bool needs_labels_ = true;
  std::vector<char> is_label_;
  Index inputs_ = 0;
  RowMatrix x_, y_;
};

}  // namespace

void check_csv_start(Bytes start, const std::string& name) { CsvParser(text_of(start), name, Control()).check_start(); }

RowMatrix csv_inputs(Bytes content, const std::string& name) { return CsvParser(text_of(content), name, Control()).inputs_alone(); }

std::unique_ptr<SampleSource> open_csv(Bytes content, const std::string& name, const Control& control) {
  return CsvParser(text_of(content), name, control).parse();
}

}  // namespace relucover
