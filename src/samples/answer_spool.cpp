#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "relucover/errors.hpp"
#include "samples/queried_samples.hpp"

namespace relucover {

// One line of JSON that says what was asked, then the answers as float64 rows.

namespace {
constexpr const char* format_name = "relucover-answers";
constexpr int format_version = 1;
}  // namespace

AnswerSpool::AnswerSpool(std::filesystem::path path, Index inputs, std::uint64_t seed, double scale)
    : path_(std::move(path)), inputs_(inputs), seed_(seed), scale_(scale) {
  if (path_.empty()) return;
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::string("can't be opened: ") + std::strerror(errno), "check that the folder exists");
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
    if (!content.empty() && !content.starts_with("{\"format\":\"" + std::string(format_name)))
      fail("isn't a file of answers", "choose another name");
    if (::ftruncate(descriptor_, 0) != 0) fail("can't be cut", "");
    return {};
  }
  const auto header = nlohmann::json::parse(content.substr(0, line), nullptr, false);
  if (!header.is_object() || header.value("format", "") != format_name)
    fail("isn't a file of answers", "choose another name");
  if (header.value("version", 0) != format_version) fail("was written by another version", "choose another name");
  if (header.value("inputs", Index(-1)) != inputs_ || header.value("seed", std::uint64_t(0)) != seed_ ||
      header.value("scale", 0.0) != scale_)
    fail(fmt::format("holds answers to other queries (inputs {}, seed {}, scale {})", header.value("inputs", Index(-1)),
                     header.value("seed", std::uint64_t(0)), header.value("scale", 0.0)),
         "use the same inputs, seed and scale, or another file");
  const Index outputs = header.value("outputs", Index(0));
  if (outputs < 1) fail("has a damaged header", "choose another name");
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

void AnswerSpool::start(Index outputs) {
  const nlohmann::ordered_json header = {{"format", format_name}, {"version", format_version}, {"inputs", inputs_},
                                         {"outputs", outputs},    {"seed", seed_},             {"scale", scale_}};
  const std::string line = header.dump() + "\n";
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
    if (written < 0) fail(std::string("can't be written: ") + std::strerror(errno), "free some space");
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace relucover
