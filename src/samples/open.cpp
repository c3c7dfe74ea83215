#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "relucover/errors.hpp"
#include "samples/files.hpp"

namespace relucover {

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

std::filesystem::path labels_beside(const std::filesystem::path& x) {
  std::string stem = x.stem().string();
  if (!stem.ends_with('x'))
    throw DataError(x.string(), "", "one .npy file holds inputs or labels, not both",
                    "name a pair that ends in x.npy and y.npy, give both files, or use .npz");
  stem.back() = 'y';
  return x.parent_path() / (stem + x.extension().string());
}

namespace {

bool is_archive(Bytes bytes) { return text_of(bytes).starts_with("PK"); }

/// What comes through a pipe has no extension: its first bytes say what it is, before the rest is waited for.
void check_start(Bytes start, const std::string& name) {
  const std::string_view text = text_of(start);
  if (is_archive(start)) return;
  if (text.starts_with("\x89HDF") || text.starts_with("\x93NUMPY"))
    throw DataError(
        name, "",
        text[0] == '\x89' ? "is HDF5, which can't be read from a pipe" : "is one .npy array, which holds inputs or labels, not both",
        "save it to a file first, or send .npz or .csv");
  check_csv_start(start, name);
}

std::unique_ptr<SampleSource> open_stream(const std::filesystem::path& path, const std::string& name, const Control& control) {
  const auto look = [&](Bytes start) { check_start(start, name); };
  const SharedBytes content = map_file(path, control, look);
  if (!is_stream(path)) look(content.bytes.first(std::min<std::size_t>(content.bytes.size(), 1 << 16)));  // standard input from a file
  return is_archive(content.bytes) ? open_npz(content, name, control) : open_csv(content.bytes, name, control);
}

}  // namespace

std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& path, const Control& control) {
  if (path == "-") return open_stream("/dev/stdin", "standard input", control);
  const std::string name = path.string(), extension = extension_of(path);
  if (is_stream(path)) return open_stream(path, name, control);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw DataError(name, "", "is a directory, not a file", "name the files in it, one by one");
  if (extension == ".npz") return open_npz(map_file(path), name, control);
  if (extension == ".csv") {
    const SharedBytes content = map_file(path);
    return open_csv(content.bytes, name, control);
  }
  if (extension == ".h5" || extension == ".hdf5") return open_hdf5(path);
  if (extension == ".npy") {
    const auto labels = labels_beside(path);
    if (std::filesystem::exists(path, ignored) && !std::filesystem::exists(labels, ignored))
      throw DataError(name, "", fmt::format("has no labels beside it: there is no {}", labels.filename().string()),
                      "save the labels under that name, give both files, or use .npz");
    return open_npy_pair(path, labels, control);
  }
  throw DataError(name, "", extension.empty() ? "has no extension" : "has the unknown extension \"" + extension + "\"",
                  "data is .npz, .npy, .h5, .hdf5 or .csv");
}

std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& path) { return open_samples(path, Control()); }

std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& x, const std::filesystem::path& y) {
  return open_samples(x, y, Control());
}

std::unique_ptr<SampleSource> open_samples(const std::filesystem::path& x, const std::filesystem::path& y, const Control& control) {
  for (const auto& path : {x, y})
    if (extension_of(path) != ".npy")
      throw DataError(path.string(), "", "is not a .npy file", "x and y given apart are one .npy file each");
  return open_npy_pair(x, y, control);
}

}  // namespace relucover
