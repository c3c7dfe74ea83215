#pragma once
// Bytes of files without reading them: the kernel pages them in and out, so data may be larger than memory.
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "relucover/progress.hpp"

namespace relucover {

using Bytes = std::span<const std::byte>;

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Bytes and whoever keeps them alive.
struct SharedBytes {
  Bytes bytes;
  std::shared_ptr<const void> owner;

  SharedBytes part(std::size_t offset, std::size_t size) const { return {bytes.subspan(offset, size), owner}; }
};

/// Told the beginning of a stream (64 KiB, or all of it) before the rest is copied; throws if that can't be the right thing.
using LookAtStart = std::function<void(Bytes)>;

/// The whole file, mapped for reading; a pipe is first copied to a file without a name, as long as `control` lets it. Throws
/// DataError: not there, a directory, not readable, a pipe without a writer, no room for a copy.
SharedBytes map_file(const std::filesystem::path& path, const Control& control = {}, const LookAtStart& look = {});

/// Whether it can be read only once: a pipe, a terminal, a socket.
bool is_stream(const std::filesystem::path& path);

/// A file without a name in the temporary folder, for what is too large for memory; gone with its last user. It never takes the
/// last 5% of the disk (the last GiB of large ones): who sends without end must not stop everybody else.
class UnnamedFile {
 public:
  /// `name` goes into messages: the file for whose content the room is needed.
  explicit UnnamedFile(std::string name);
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  void write(const void* bytes, std::size_t size);
  /// What was written, mapped.
  SharedBytes map();

 private:
  void check_room();
  std::string name_;
  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::size_t size_ = 0, room_checked_at_ = 0;
};

}  // namespace relucover
