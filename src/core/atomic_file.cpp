#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "core/words_of_error.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

/// What a name stands for in the end: what a link points to is replaced, not the link, even where nothing is there yet.
std::filesystem::path without_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as many as the kernel follows
  std::error_code none;
  for (int link = 0; std::filesystem::is_symlink(path, none); ++link) {
    if (link == most_links) throw DataError(path.string(), "", "is a link that leads back to itself", "remove it, or choose another name");
    const auto target = std::filesystem::read_symlink(path, none);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(without_links(std::move(path))) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) throw DataError(path_.string(), "", "is a directory", "name a file in it");
  const bool there = std::filesystem::exists(status);
  // A device or pipe would itself be replaced by the renamed file.
  if (there && !std::filesystem::is_regular_file(status)) throw DataError(path_.string(), "", "is not an ordinary file", "write to a file");
  // Renaming asks for the rights of the folder alone; who took away those of the file meant it, root or not.
  using std::filesystem::perms;
  const bool protected_file =
      there && (status.permissions() & (perms::owner_write | perms::group_write | perms::others_write)) == perms::none;
  if (protected_file || (there && ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0))
    throw DataError(path_.string(), "", "is there already and is protected against writing", "chmod +w it, or choose another name");
  open_temporary();
  if (there) ::fchmod(descriptor_, static_cast<mode_t>(status.permissions()) & 0777);  // private files stay private
}

/// The name is complete before there is a file of that name: whatever fails, nothing is left behind.
void AtomicFile::open_temporary() {
  static std::atomic<unsigned> count = 0;
  constexpr int most_tries = 1000;  // names that a process with our number left behind when it was killed
  for (int tried = 0; descriptor_ < 0 && tried < most_tries; ++tried) {
    temporary_ = fmt::format("{}.part-{}-{}", path_.string(), ::getpid(), count++);
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) break;
  }
  if (descriptor_ < 0) fail("can't create a file there");
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
  write_pieces([&](const char* at, std::size_t left) { return ::pwrite(descriptor_, at, left, static_cast<off_t>(offset) + (at - start)); },
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
  throw DataError(path_.string(), "", std::string(doing) + ": " + words_of_error(error),
                  error == ENOSPC ? "free some space or choose another folder" : "check that the folder exists and is writable");
}

void write_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace relucover
