#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/zip.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

constexpr const char* damaged_archive = "the archive is damaged or was cut off: write or copy it again";

/// Little-endian numbers at any place; reading past the end gives nothing rather than garbage.
class LittleEndian {
 public:
  explicit LittleEndian(Bytes bytes) : bytes_(bytes) {}
  std::optional<std::uint64_t> number(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at, size);
    return value;
  }
  std::uint64_t number_or(std::uint64_t at, std::uint64_t size, std::uint64_t otherwise) const {
    return number(at, size).value_or(otherwise);
  }
  bool text_is(std::uint64_t at, const std::string& text) const {
    return at <= bytes_.size() && bytes_.size() - at >= text.size() && std::memcmp(bytes_.data() + at, text.data(), text.size()) == 0;
  }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  Bytes bytes_;
};

struct Directory {
  std::uint64_t start, entries;
};

// Zip format, sections 4.3.14 to 4.3.16 of its specification (APPNOTE): the directory is found from the file's end.
std::optional<Directory> find_directory(const LittleEndian& file) {
  constexpr std::uint64_t end_record = 22, longest_comment = 0xffff, locator = 20;
  if (file.size() < end_record) return std::nullopt;
  const std::uint64_t last = file.size() - end_record;
  for (std::uint64_t back = 0; back <= std::min(last, longest_comment); ++back) {
    const std::uint64_t at = last - back;
    if (file.number(at, 4) != 0x06054b50) continue;
    if (at >= locator && file.number(at - locator, 4) == 0x07064b50) {
      const std::uint64_t wide = file.number_or(at - locator + 8, 8, file.size());
      if (file.number(wide, 4) != 0x06064b50) return std::nullopt;
      return Directory{file.number_or(wide + 48, 8, file.size()), file.number_or(wide + 32, 8, 0)};
    }
    return Directory{file.number_or(at + 16, 4, file.size()), file.number_or(at + 10, 2, 0)};
  }
  return std::nullopt;
}

/// Offset of the local header, from a directory entry; in the zip64 extra field (4.5.3) if it does not fit in 32 bits.
std::optional<std::uint64_t> header_offset(const LittleEndian& file, std::uint64_t entry, std::uint64_t extra, std::uint64_t extra_size) {
  constexpr std::uint64_t in_extra = 0xffffffff;
  const auto narrow = file.number(entry + 42, 4);
  if (narrow != in_extra) return narrow;
  std::uint64_t skipped = 0;
  if (file.number(entry + 24, 4) == in_extra) skipped += 8;
  if (file.number(entry + 20, 4) == in_extra) skipped += 8;
  for (std::uint64_t at = extra; at + 4 <= extra + extra_size; at += 4 + file.number_or(at + 2, 2, 0xffff))
    if (file.number(at, 2) == 1) return file.number(at + 4 + skipped, 8);
  return std::nullopt;
}

/// Where the data of a stored member starts. Nothing wherever the archive is unusual: libzip then decides.
std::optional<std::uint64_t> stored_data_offset(const LittleEndian& file, const std::string& member) {
  const std::optional<Directory> directory = find_directory(file);
  if (!directory) return std::nullopt;
  std::uint64_t at = directory->start;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    if (file.number(at, 4) != 0x02014b50) return std::nullopt;
    const std::uint64_t name_size = file.number_or(at + 28, 2, 0), extra_size = file.number_or(at + 30, 2, 0);
    if (name_size == member.size() && file.text_is(at + 46, member)) {
      const auto header = header_offset(file, at, at + 46 + name_size, extra_size);
      if (!header || file.number(*header, 4) != 0x04034b50 || !file.text_is(*header + 30, member)) return std::nullopt;
      return *header + 30 + file.number_or(*header + 26, 2, 0) + file.number_or(*header + 28, 2, 0);
    }
    at += 46 + name_size + extra_size + file.number_or(at + 32, 2, 0);
  }
  return std::nullopt;
}

/// Reads a member's stream to its end, piece by piece.
template <class Sink>
void unpack_entry(zip_t* archive, std::uint64_t index, const std::string& name, const std::string& member, std::uint64_t size,
                  const Control& control, const Sink& sink) {
  const auto fail = [&](const std::string& why) {
    throw DataError(name, "member " + member, "can't be unpacked: " + why, damaged_archive);
  };
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> stream(zip_fopen_index(archive, index, 0), zip_fclose);
  if (!stream) fail(zip_strerror(archive));
  std::vector<std::byte> piece(1 << 20);
  std::uint64_t done = 0;
  for (;;) {
    control.check_here();
    const zip_int64_t got = zip_fread(stream.get(), piece.data(), piece.size());
    if (got < 0) fail(zip_file_strerror(stream.get()));
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
    if (done > size) fail("it is longer than the archive says");
    sink(piece.data(), static_cast<std::size_t>(got));
  }
  if (done != size) fail(fmt::format("it ends after {} of {} bytes", done, size));
}

}  // namespace

ZipReader::ZipReader(SharedBytes content, std::string name) : content_(std::move(content)), name_(std::move(name)) {
  if (content_.bytes.empty()) throw DataError(name_, "", "is empty", damaged_archive);
  zip_error_t error;
  zip_error_init(&error);
  std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> source(
      zip_source_buffer_create(content_.bytes.data(), content_.bytes.size(), 0, &error), zip_source_free);
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY, &error) : nullptr, zip_discard);
  if (archive) (void)source.release();  // it belongs to the archive now
  const std::unique_ptr<zip_error_t, void (*)(zip_error_t*)> ended(&error, zip_error_fini);
  if (!archive) throw DataError(name_, "", std::string("is not a zip archive of arrays: ") + zip_error_strerror(&error), damaged_archive);
  archive_ = std::move(archive);
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> result;
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i)
    if (const char* name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW)) result.emplace_back(name);
  return result;
}

bool ZipReader::contains(const std::string& member) const { return zip_name_locate(archive_.get(), member.c_str(), ZIP_FL_ENC_RAW) >= 0; }

SharedBytes ZipReader::read(const std::string& member, const Control& control, std::uint64_t memory) const {
  const zip_int64_t index = zip_name_locate(archive_.get(), member.c_str(), ZIP_FL_ENC_RAW);
  zip_stat_t status;
  zip_stat_init(&status);
  constexpr zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (index < 0 || zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(index), 0, &status) != 0 || (status.valid & wanted) != wanted)
    throw DataError(name_, "member " + member, "can't be found", damaged_archive);
  if (status.encryption_method != ZIP_EM_NONE) throw DataError(name_, "member " + member, "is encrypted", "save it without a password");
  if (status.comp_method == ZIP_CM_STORE && status.size == status.comp_size) {
    const auto offset = stored_data_offset(LittleEndian(content_.bytes), member);
    if (offset && *offset <= content_.bytes.size() && content_.bytes.size() - *offset >= status.size)
      return content_.part(*offset, status.size);
  }
  if (status.size <= memory) {
    auto unpacked = std::make_shared<std::vector<std::byte>>();
    unpack_entry(archive_.get(), static_cast<zip_uint64_t>(index), name_, member, status.size, control,
                 [&](const std::byte* bytes, std::size_t size) { unpacked->insert(unpacked->end(), bytes, bytes + size); });
    return {Bytes(*unpacked), unpacked};
  }
  UnnamedFile spool(name_);
  unpack_entry(archive_.get(), static_cast<zip_uint64_t>(index), name_, member, status.size, control,
               [&](const std::byte* bytes, std::size_t size) { spool.write(bytes, size); });
  return spool.map();
}

}  // namespace relucover
