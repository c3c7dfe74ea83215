#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "relucover/errors.hpp"

namespace relucover {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) {  // what it points to is replaced, not the link
    const auto target = std::filesystem::weakly_canonical(path_, ignored);
    if (!ignored) path_ = target;
  }
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) throw DataError(path_.string(), "", "is a directory", "name a file in it");
  // A device or pipe would itself be replaced by the renamed file.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw DataError(path_.string(), "", "is not an ordinary file", "write to a file");
  std::string pattern = path_.string() + ".part-XXXXXX";
  descriptor_ = ::mkostemp(pattern.data(), O_CLOEXEC);
  temporary_ = pattern;
  if (descriptor_ < 0) fail("can't create a file there");
  // mkostemp makes private files; give it the mode that an ordinary new file would have.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_, 0666 & ~mask);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, std::size_t size) {
  write_pieces([&](const char* at, std::size_t left) { return ::write(descriptor_, at, left); }, bytes, size);
}

void AtomicFile::write_at(std::uint64_t offset, const void* bytes, std::size_t size) {
  const auto* start = static_cast<const char*>(bytes);
  write_pieces(
      [&](const char* at, std::size_t left) {
        return ::pwrite(descriptor_, at, left, static_cast<off_t>(offset) + (at - start));
      },
      bytes, size);
}

template <class Write>
void AtomicFile::write_pieces(const Write& write_some, const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write_some(at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("can't write");
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("can't write to disk");
  const int closing = std::exchange(descriptor_, -1);
  if (::close(closing) != 0) fail("can't finish the file");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("can't put the file in place");
  committed_ = true;
}

void AtomicFile::fail(const char* doing) const {
  const int error = errno;
  throw DataError(
      path_.string(), "", std::string(doing) + ": " + std::strerror(error),
      error == ENOSPC ? "free some space or choose another folder" : "check that the folder exists and is writable");
}

void write_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace relucover
