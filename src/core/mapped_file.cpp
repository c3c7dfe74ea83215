#include "core/mapped_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "core/words_of_error.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

struct Mapping {
  void* address;
  std::size_t size;
  Mapping(void* address_, std::size_t size_) : address(address_), size(size_) {}
  ~Mapping() { ::munmap(address, size); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
};

SharedBytes map_descriptor(int descriptor, std::size_t size, const std::string& name) {
  if (size == 0) return {};
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) throw DataError(name, "", "can't map the file: " + words_of_error(errno), "is there enough address space?");
  auto mapping = std::make_shared<const Mapping>(address, size);
  return {Bytes(static_cast<const std::byte*>(address), size), std::move(mapping)};
}

[[noreturn]] void cant_open(const std::string& name, int error) {
  const char* remedy = error == ENOENT   ? "check the path"
                       : error == EACCES ? "give yourself the right to read it: chmod +r"
                                         : "check that it can be read";
  throw DataError(name, "", "can't be opened: " + words_of_error(error), remedy);
}

/// Bytes as they come, asking `control` in between; 0 at the end.
std::size_t read_some(int descriptor, char* to, std::size_t size, const std::string& name, const Control& control) {
  for (;;) {
    control.check_here();
    constexpr int moment = 100;  // milliseconds
    struct pollfd waiting {
      descriptor, POLLIN, 0
    };
    if (::poll(&waiting, 1, moment) == 0) continue;
    const ssize_t count = ::read(descriptor, to, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN)
      throw DataError(name, "", "can't be read to its end: " + words_of_error(errno), "read it again, or give a file");
  }
}

/// Data is visited more than once: what can be read only once (a pipe) is copied to a file without a name.
SharedBytes spooled(int descriptor, const std::string& name, const Control& control, const LookAtStart& look) {
  constexpr int patience = 10'000;  // milliseconds for somebody to begin to write
  struct pollfd waiting {
    descriptor, POLLIN, 0
  };
  if (::poll(&waiting, 1, patience) == 0)
    throw DataError(name, "", "is a pipe that nobody writes to", "start the program that writes first, or give a file");
  UnnamedFile file(name);
  std::vector<char> buffer(std::size_t{1} << 20);
  constexpr std::size_t start = std::size_t{1} << 16;
  std::size_t held = 0, got = 0;
  do {
    got = read_some(descriptor, buffer.data() + held, buffer.size() - held, name, control);
    held += got;
  } while (got > 0 && held < start);
  if (look) look(std::as_bytes(std::span(buffer.data(), held)));
  file.write(buffer.data(), held);
  while (got > 0) {
    got = read_some(descriptor, buffer.data(), buffer.size(), name, control);
    file.write(buffer.data(), got);
  }
  return file.map();
}

}  // namespace

bool is_stream(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  return kind == std::filesystem::file_type::fifo || kind == std::filesystem::file_type::character ||
         kind == std::filesystem::file_type::socket;
}

SharedBytes map_file(const std::filesystem::path& path, const Control& control, const LookAtStart& look) {
  const std::string name = path.string();
  // Not blocking: opening a named pipe would otherwise wait for a writer that may never come.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) cant_open(name, errno);
  struct stat status {};
  if (::fstat(file.value, &status) != 0) cant_open(name, errno);
  if (S_ISDIR(status.st_mode)) throw DataError(name, "", "is a directory, not a file", "name the files in it");
  if (!S_ISREG(status.st_mode)) return spooled(file.value, name, control, look);
  return map_descriptor(file.value, static_cast<std::size_t>(status.st_size), name);
}

UnnamedFile::UnnamedFile(std::string name) : name_(std::move(name)) {
  std::error_code error;
  folder_ = std::filesystem::temp_directory_path(error);
  if (error)
    throw DataError(
        name_, "",
        fmt::format("needs a temporary folder, and {} is none: {}", folder_.empty() ? "TMPDIR" : folder_.string(), error.message()),
        "set TMPDIR to a folder with room");
  std::string pattern = (folder_ / "relucover-XXXXXX").string();
  descriptor_ = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    throw DataError(name_, "", "can't make a temporary file in " + folder_.string() + ": " + words_of_error(errno),
                    "set TMPDIR to a folder with room");
  ::unlink(pattern.c_str());
}

void UnnamedFile::check_room() {
  struct statvfs disk {};
  if (::fstatvfs(descriptor_, &disk) != 0) return;
  constexpr std::uint64_t most = std::uint64_t{1} << 30, share = 20;
  const std::uint64_t block = disk.f_frsize, reserve = std::min(most, disk.f_blocks / share * block);
  if (disk.f_bavail * block < reserve)
    throw DataError(name_, "",
                    fmt::format("would fill the disk of {}: {} MB of it are stored there, {} MB are left", folder_.string(), size_ >> 20,
                                disk.f_bavail * block >> 20),
                    "set TMPDIR to a folder with room, or check that the stream ends");
  room_checked_at_ = size_;
}

UnnamedFile::~UnnamedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void UnnamedFile::write(const void* bytes, std::size_t size) {
  constexpr std::size_t between_checks = std::size_t{64} << 20;
  if (size_ + size > room_checked_at_ + between_checks) check_room();
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw DataError(name_, "", "can't be stored in " + folder_.string() + ": " + words_of_error(errno),
                      "set TMPDIR to a folder with room, or save without compression (np.savez)");
    at += written;
    size -= static_cast<std::size_t>(written);
    size_ += static_cast<std::size_t>(written);
  }
}

SharedBytes UnnamedFile::map() { return map_descriptor(descriptor_, size_, name_); }

}  // namespace relucover
