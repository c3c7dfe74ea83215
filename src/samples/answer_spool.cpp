#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/format_version.hpp"
#include "core/json_document.hpp"
#include "core/words_of_error.hpp"
#include "relucover/errors.hpp"
#include "samples/queried_samples.hpp"

namespace relucover {

// One line of JSON that says what was asked, then the answers as float64 rows.

namespace {
constexpr const char* spool_format = "relucover-answers";
constexpr int spool_version = 2;  // 1 had the scale of a Gaussian instead of a law
}  // namespace

AnswerSpool::AnswerSpool(std::filesystem::path path, const QueryLaw& law, std::uint64_t seed)
    : path_(std::move(path)), inputs_(law.inputs()), seed_(seed), law_(law.fingerprint()),
      spreads_(law.gaussian() ? law.spread() : Vector()) {
  if (path_.empty()) return;
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("can't be opened: " + words_of_error(errno), "check that the folder exists");
  // Two runs would write answers between each other's. The lock goes with the descriptor, however the program ends.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    fail("is in use by another run", "wait for its end, or name another file");
  }
}

AnswerSpool::~AnswerSpool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AnswerSpool::fail(const std::string& problem, const std::string& remedy) const {
  throw DataError(path_.string(), "", problem, remedy);
}

RowMatrix AnswerSpool::read() {
  if (descriptor_ < 0) return {};
  struct stat info = {};
  if (::fstat(descriptor_, &info) != 0) fail("can't be read", "");
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t got = ::pread(descriptor_, content.data() + at, content.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("can't be read", "");
    at += static_cast<std::size_t>(got);
  }
  const std::size_t line = content.find('\n');
  if (content.empty() || line == std::string::npos) {  // nothing, or a header cut short: no answer was kept
    if (!content.empty() && !content.starts_with("{\"format\":\"" + std::string(spool_format)))
      fail("isn't a file of answers", "choose another name");
    if (::ftruncate(descriptor_, 0) != 0) fail("can't be cut", "");
    return {};
  }
  const Header header = parsed(std::string_view(content).substr(0, line));
  if (header.inputs != inputs_ || header.seed != seed_ || header.law != law_)
    fail(fmt::format("holds answers to other queries (inputs {}, seed {}, law {})", header.inputs, header.seed, header.law),
         "use the same inputs, seed, scale and rows to be like, or another file");
  const Index outputs = header.outputs;
  const std::size_t row_bytes = static_cast<std::size_t>(outputs) * sizeof(double);
  const std::size_t rows = (content.size() - line - 1) / row_bytes;
  const std::size_t whole = line + 1 + rows * row_bytes;
  if (::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0) fail("can't be cut", "");
  if (::lseek(descriptor_, 0, SEEK_END) < 0) fail("can't be added to", "");
  has_header_ = true;
  RowMatrix answers(static_cast<Index>(rows), outputs);
  if (rows > 0) std::memcpy(answers.data(), content.data() + line + 1, rows * row_bytes);
  return answers;
}

AnswerSpool::Header AnswerSpool::parsed(std::string_view line) const {
  std::optional<JsonDocument> document;
  try {
    document.emplace(line);
  } catch (const nlohmann::json::exception&) {
    fail("isn't a file of answers", "choose another name");
  }
  const nlohmann::json& object = document->value();
  if (!document->says("format", spool_format)) fail("isn't a file of answers", "choose another name");
  const auto number = [&]<class Number>(const char* key, Number) {
    std::optional<Number> value;
    if (object.contains(key)) {
      if constexpr (std::is_integral_v<Number>)
        value = whole_number<Number>(object[key]);
      else if (object[key].is_number())
        value = object[key].template get<Number>();
    }
    if (!value) fail("has a damaged header", "choose another name");
    return *value;
  };
  const int version = number("version", int());
  if (version != spool_version && version != 1) {
    const VersionProblem wrong = version_problem(version, spool_version);
    fail("its version " + wrong.problem, wrong.remedy);
  }
  constexpr Index most_outputs = Index{1} << 32;
  Header header{number("inputs", Index()), number("outputs", Index()), number("seed", std::uint64_t()), "", {}};
  constexpr Index most_inputs = Index{1} << 24;
  if (version == 1) {
    if (header.inputs < 1 || header.inputs > most_inputs) fail("has a damaged header", "choose another name");
    header.spreads = Vector::Constant(header.inputs, number("scale", double()));
    header.law = QueryLaw(header.spreads).fingerprint();
  } else {
    if (!object.contains("law") || !object["law"].is_string()) fail("has a damaged header", "choose another name");
    header.law = object["law"].get<std::string>();
    if (object.contains("spreads")) {
      const auto& list = object["spreads"];
      if (!list.is_array() || std::ssize(list) != header.inputs) fail("has a damaged header", "choose another name");
      header.spreads.resize(header.inputs);
      for (Index j = 0; j < header.inputs; ++j) {
        const auto& spread = list[static_cast<std::size_t>(j)];
        header.spreads[j] = spread.is_number() ? spread.get<double>() : -1;
        if (!(header.spreads[j] > 0)) fail("has a damaged header", "choose another name");
      }
    }
  }
  if (header.outputs < 1 || header.outputs > most_outputs) fail("has a damaged header", "choose another name");
  return header;
}

std::optional<QueryLaw> AnswerSpool::gaussian_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (path.empty() || !file || !std::getline(file, line) || file.eof()) return std::nullopt;
  AnswerSpool named;
  named.path_ = path;
  const Header header = named.parsed(line);
  if (header.spreads.size() == 0) return std::nullopt;
  return QueryLaw(header.spreads);
}

void AnswerSpool::start(Index outputs) {
  // Text, and no tree of JSON: core/json_document.hpp says why.
  std::string line = fmt::format(R"({{"format":"{}","version":{},"inputs":{},"outputs":{},"seed":{},"law":{})", spool_format, spool_version,
                                 inputs_, outputs, seed_, nlohmann::json(law_).dump());
  for (Index j = 0; j < spreads_.size(); ++j) line += (j == 0 ? R"(,"spreads":[)" : ",") + nlohmann::json(spreads_[j]).dump();
  line += spreads_.size() > 0 ? "]}\n" : "}\n";
  write(line.data(), line.size());
  has_header_ = true;
}

void AnswerSpool::append(const Eigen::Ref<const RowMatrix>& answers) {
  if (descriptor_ < 0) return;
  if (!has_header_) start(answers.cols());
  const RowMatrix packed = answers;
  write(packed.data(), static_cast<std::size_t>(packed.size()) * sizeof(double));
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) fail("can't be written to disk", "");
}

void AnswerSpool::write(const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("can't be written: " + words_of_error(errno), "free some space");
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace relucover
