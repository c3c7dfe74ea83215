#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>

#include "core/zip.hpp"

namespace relucover {

namespace {

constexpr std::uint64_t alignment = 64;
constexpr std::uint64_t in_extra = 0xffffffff;  // "the number is in the zip64 extra field"

/// Little-endian numbers one after the other.
class Record {
 public:
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  Record& zeros(std::uint64_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    return *this;
  }
  std::string bytes_;
};

// Fields that local header and directory entry share (APPNOTE 4.3.7, 4.3.12): no compression, 1 January 1980, so that
// the same data gives the same bytes.
void common_fields(Record& record, std::uint32_t checksum, std::uint64_t size, bool wide) {
  constexpr std::uint64_t version_with_zip64 = 45, first_day = 0x21;
  record.u16(version_with_zip64).u16(0).u16(0).u16(0).u16(first_day).u32(checksum);
  record.u32(wide ? in_extra : size).u32(wide ? in_extra : size);
}

bool needs_zip64(std::uint64_t value) { return value >= in_extra; }

/// Padding goes into an extra field of the kind that Android's zipalign uses: id, size, alignment, zeros.
std::string local_header(const std::string& name, std::uint64_t size, std::uint32_t checksum, std::uint64_t offset) {
  constexpr std::uint64_t smallest_padding = 6;
  const bool wide = needs_zip64(size);
  const std::uint64_t plain = 30 + name.size() + (wide ? 20 : 0);
  std::uint64_t padding = (alignment - (offset + plain) % alignment) % alignment;
  if (padding > 0 && padding < smallest_padding) padding += alignment;
  Record record;
  record.u32(0x04034b50);
  common_fields(record, checksum, size, wide);
  record.u16(name.size()).u16((wide ? 20 : 0) + padding).text(name);
  if (wide) record.u16(1).u16(16).u64(size).u64(size);
  if (padding > 0) record.u16(0xd935).u16(padding - 4).u16(alignment).zeros(padding - smallest_padding);
  return record.bytes();
}

}  // namespace

ZipWriter::ZipWriter(const std::filesystem::path& path, const std::vector<Member>& members) : file_(path) {
  std::uint64_t at = 0;
  for (const Member& member : members) {
    const std::uint64_t data = at + local_header(member.name, member.size, 0, at).size();
    entries_.push_back({member.name, member.size, at, data, 0, 0});
    at = data + member.size;
  }
}

void ZipWriter::append(std::size_t member, const void* bytes, std::size_t size) {
  Entry& entry = entries_.at(member);
  if (size > entry.size - entry.written) throw std::logic_error("more bytes than announced for " + entry.name);
  file_.write_at(entry.data_offset + entry.written, bytes, size);
  entry.checksum = static_cast<std::uint32_t>(crc32_z(entry.checksum, static_cast<const Bytef*>(bytes), size));
  entry.written += size;
}

void ZipWriter::commit() {
  Record directory;
  std::uint64_t end = 0;
  for (const Entry& entry : entries_) {
    if (entry.written != entry.size) throw std::logic_error("fewer bytes than announced for " + entry.name);
    const std::string header = local_header(entry.name, entry.size, entry.checksum, entry.header_offset);
    file_.write_at(entry.header_offset, header.data(), header.size());
    const bool wide = needs_zip64(entry.size), far = needs_zip64(entry.header_offset);
    const std::uint64_t extra = (wide ? 16 : 0) + (far ? 8 : 0);
    constexpr std::uint64_t made_by = 3 << 8 | 45, ordinary_file = 0100644ull << 16;
    directory.u32(0x02014b50).u16(made_by);
    common_fields(directory, entry.checksum, entry.size, wide);
    directory.u16(entry.name.size()).u16(extra > 0 ? extra + 4 : 0).u16(0).u16(0).u16(0).u32(ordinary_file);
    directory.u32(far ? in_extra : entry.header_offset).text(entry.name);
    if (extra > 0) directory.u16(1).u16(extra);
    if (wide) directory.u64(entry.size).u64(entry.size);
    if (far) directory.u64(entry.header_offset);
    end = entry.data_offset + entry.size;
  }
  const std::uint64_t size = directory.bytes().size(), count = entries_.size();
  const bool far = needs_zip64(end);
  if (far) {
    directory.u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0).u64(count).u64(count).u64(size).u64(end);
    directory.u32(0x07064b50).u32(0).u64(end + size).u32(1);
  }
  directory.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count).u32(size).u32(far ? in_extra : end).u16(0);
  file_.write_at(end, directory.bytes().data(), directory.bytes().size());
  file_.commit();
}

}  // namespace relucover
