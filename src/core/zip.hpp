#pragma once
// Zip archives of arrays (.npz): members that are not compressed are mapped in place, new archives are written so that
// theirs can be.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/atomic_file.hpp"
#include "core/mapped_file.hpp"

struct zip;  // an archive, as libzip has it

namespace relucover {

class ZipReader {
 public:
  /// `name` goes into messages. Throws DataError if this is no zip archive.
  ZipReader(SharedBytes content, std::string name);

  std::vector<std::string> names() const;
  bool contains(const std::string& member) const;
  /// The member's bytes: mapped if stored, else unpacked into memory or, where larger than `memory`, an unnamed file.
  SharedBytes read(const std::string& member, const Control& control = {}, std::uint64_t memory = 256 << 20) const;

 private:
  SharedBytes content_;
  std::string name_;
  std::shared_ptr<::zip> archive_;
};

/// Writes members of known sizes side by side without compression, each aligned to 64 bytes, in any interleaving.
class ZipWriter {
 public:
  struct Member {
    std::string name;
    std::uint64_t size;
  };
  ZipWriter(const std::filesystem::path& path, const std::vector<Member>& members);
  /// Continues the given member.
  void append(std::size_t member, const void* bytes, std::size_t size);
  /// Writes the directory and puts the file in place; every member must be complete.
  void commit();

 private:
  struct Entry {
    std::string name;
    std::uint64_t size, header_offset, data_offset, written;
    std::uint32_t checksum;
  };
  AtomicFile file_;
  std::vector<Entry> entries_;
};

}  // namespace relucover
