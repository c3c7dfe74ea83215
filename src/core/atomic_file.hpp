#pragma once
// Files that are either whole or not there: written under a temporary name in the same folder, then renamed.
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace relucover {

class AtomicFile {
 public:
  /// Opens a temporary file beside `path`; throws DataError if that can't be done.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  // removes the temporary file unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// At a place of its own, whatever was written before.
  void write_at(std::uint64_t offset, const void* bytes, std::size_t size);
  /// Where to write for libraries that want a path themselves.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// Flushes to disk and renames. Throws DataError (a full disk, say); then nothing is left behind.
  void commit();

 private:
  void open_temporary();
  [[noreturn]] void fail(const char* doing) const;
  template <class Write>
  void write_pieces(const Write& write_some, const void* bytes, std::size_t size);
  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
};

void write_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace relucover
