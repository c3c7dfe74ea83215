#include "core/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "relucover/errors.hpp"

namespace relucover {

static_assert(std::endian::native == std::endian::little, "mapped files are little endian");

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr const char* damaged = "the file is damaged or not from numpy: save it again with np.save or np.savez";
constexpr const char* cut_off = "the file is damaged or was cut off: write or copy it again";

[[noreturn]] void fail_at(const Place& place, const std::string& problem, const std::string& remedy) {
  throw DataError(place.file, place.within, problem, remedy);
}

/// Where the header's dictionary lies and where the data starts.
struct NpyFrame {
  std::string_view dictionary;
  std::size_t data_offset;
};

NpyFrame find_header(Bytes bytes, const Place& place) {
  const std::string_view text = text_of(bytes);
  if (text.empty()) fail_at(place, "is empty", cut_off);
  if (text.substr(0, npy_magic.size()) != npy_magic.substr(0, text.size())) fail_at(place, "is not a .npy array", damaged);
  if (text.size() < npy_magic.size() + 4) fail_at(place, fmt::format("ends after {} bytes, inside the header", text.size()), cut_off);
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(std::to_integer<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    fail_at(place, fmt::format("has .npy version {}.{}; versions 1.0, 2.0 and 3.0 are known", version, byte(7)), damaged);
  const std::size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) fail_at(place, fmt::format("ends after {} bytes, inside the header", text.size()), cut_off);
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (text.size() - start < length)
    fail_at(place, fmt::format("has a header of {} bytes, but ends after {}", length, text.size() - start), cut_off);
  return {text.substr(start, length), start + length};
}

/// Reads the one Python dictionary that numpy writes: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const Place& place) : text_(text), place_(place) {}

  struct Content {
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<std::vector<Index>> shape;
  };

  Content parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !content_.descr)
        content_.descr = descr();
      else if (key == "fortran_order" && !content_.fortran)
        content_.fortran = boolean();
      else if (key == "shape" && !content_.shape)
        content_.shape = tuple();
      else
        malformed(fmt::format("unexpected key '{}'", printable(key)));
      if (!accept(',') && peek() != '}') malformed("expected ',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) malformed("something follows the closing '}'");
    if (!content_.descr) malformed("'descr' is missing");
    if (!content_.fortran) malformed("'fortran_order' is missing");
    if (!content_.shape) malformed("'shape' is missing");
    return content_;
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    fail_at(place_, fmt::format(".npy header, character {}: {}", at_ + 1, what), damaged);
  }
  static std::string printable(std::string_view text) {
    std::string safe(text.substr(0, 40));
    for (char& c : safe)
      if (c < ' ' || c > '~') c = '?';
    return safe;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed(fmt::format("expected '{}'", c));
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed("expected a quoted word");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) malformed("a quote is not closed");
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  std::string descr() {
    if (peek() == '[')
      fail_at(place_, "holds records with named fields, not plain numbers",
              "save one plain array, such as np.stack([a[name] for name in a.dtype.names], axis=1)");
    return printable(quoted());
  }
  bool boolean() {
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}})
      if (peek() != '\0' && text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    malformed("expected True or False");
  }
  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(size());
      if (!accept(',') && peek() != ')') malformed("expected ',' or ')'");
    }
    return sizes;
  }
  Index size() {
    peek();
    Index value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) malformed("a size does not fit in 64 bits");
    if (error != std::errc() || value < 0) malformed("expected a size, 0 or more");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }

  std::string_view text_;
  const Place& place_;
  std::size_t at_ = 0;
  Content content_;
};

ElementType element_type(const std::string& descr, const Place& place) {
  const std::string remedy = "convert it before saving: array.astype(np.float64)";
  if (descr.find('O') != std::string::npos) fail_at(place, "has dtype object: Python objects can't be read as numbers", remedy);
  ElementType type;
  std::size_t at = 0;
  const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  if (ordered) type.big_endian = descr[at++] == '>';
  type.kind = at < descr.size() ? descr[at++] : '\0';
  const auto [end, error] = std::from_chars(descr.data() + at, descr.data() + descr.size(), type.size);
  const bool whole = error == std::errc() && end == descr.data() + descr.size();
  const auto sized = [&](std::initializer_list<Index> sizes) {
    return whole && std::find(sizes.begin(), sizes.end(), type.size) != sizes.end();
  };
  const bool known = (type.kind == 'f' && sized({2, 4, 8})) || (type.kind == 'b' && sized({1})) ||
                     ((type.kind == 'i' || type.kind == 'u') && sized({1, 2, 4, 8}));
  if (known) return type;
  constexpr Index longest_text = 1 << 20;
  if (type.kind == 'U' && whole && type.size >= 0 && type.size <= longest_text) {
    type.size *= 4;
    return type;
  }
  fail_at(place, fmt::format("has dtype '{}'; floating point (16, 32 and 64 bits), integers and bool can be read", descr), remedy);
}

/// Bytes that an array of this shape needs; nothing if that number does not fit in 64 bits.
std::optional<std::size_t> bytes_needed(const std::vector<Index>& shape, Index element_size) {
  Index elements = 1;
  // A size of zero makes the array empty however large the others are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const Index size : shape)
    if (__builtin_mul_overflow(elements, size, &elements)) return std::nullopt;
  if (__builtin_mul_overflow(elements, element_size, &elements)) return std::nullopt;
  return static_cast<std::size_t>(elements);
}

}  // namespace

std::string shape_text(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyArray parse_npy(const SharedBytes& content, const Place& place) {
  const NpyFrame frame = find_header(content.bytes, place);
  const HeaderParser::Content header = HeaderParser(frame.dictionary, place).parse();
  NpyArray array;
  array.type = element_type(*header.descr, place);
  array.fortran = *header.fortran;
  array.shape = *header.shape;
  const std::size_t there = content.bytes.size() - frame.data_offset;
  const std::optional<std::size_t> needed = bytes_needed(array.shape, array.type.size);
  if (!needed || *needed > there)
    fail_at(place,
            fmt::format("claims shape {} of {}-byte elements, {} bytes, but {} bytes follow the header", shape_text(array.shape),
                        array.type.size, needed ? fmt::to_string(*needed) : "more than 2^63", there),
            cut_off);
  if (*needed < there)
    fail_at(place, fmt::format("has {} bytes more than shape {} needs", there - *needed, shape_text(array.shape)), damaged);
  array.data = content.part(frame.data_offset, *needed);
  return array;
}

std::optional<std::size_t> npy_bytes(Bytes start, const Place& place) {
  constexpr std::size_t frame_size = 12;  // of all versions but the first, which has at least as much with its dictionary
  constexpr std::size_t longest_header = std::size_t{1} << 16;
  if (start.size() < frame_size) {
    if (!start.empty() && text_of(start).substr(0, npy_magic.size()) != npy_magic.substr(0, start.size()))
      fail_at(place, "is not a .npy array", damaged);
    return std::nullopt;
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(std::to_integer<unsigned char>(start[i])); };
  const bool first_version = byte(6) == 1;
  const std::size_t length = byte(8) | byte(9) << 8 | (first_version ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > longest_header) fail_at(place, fmt::format("has a header of {} bytes", length), damaged);
  if (text_of(start).starts_with(npy_magic) && start.size() < (first_version ? 10 : frame_size) + length) return std::nullopt;
  const NpyFrame frame = find_header(start, place);
  const HeaderParser::Content header = HeaderParser(frame.dictionary, place).parse();
  const auto needed = bytes_needed(*header.shape, element_type(*header.descr, place).size);
  if (!needed) fail_at(place, fmt::format("claims shape {}, more than 2^63 bytes", shape_text(*header.shape)), damaged);
  return frame.data_offset + *needed;
}

std::string npy_header(const std::string& descr, const std::vector<Index>& shape) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape_text(shape));
  constexpr std::size_t alignment = 64, frame = 10;
  const std::size_t total = (frame + dictionary.size() + 1 + alignment - 1) / alignment * alignment;
  dictionary.append(total - frame - dictionary.size() - 1, ' ');
  dictionary.push_back('\n');
  std::string header(npy_magic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace relucover
