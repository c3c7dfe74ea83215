#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/atomic_file.hpp"
#include "relucover/errors.hpp"
#include "relucover/session.hpp"
#include "samples/files.hpp"

namespace relucover::cli {

namespace {

/// The same file, or the same place where none is yet.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code none;
  if (std::filesystem::equivalent(one, other, none)) return true;
  const auto place_of = [](const std::filesystem::path& path) {
    std::error_code error;
    const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    return error ? path : place;
  };
  return place_of(one) == place_of(other);
}

void check_output(const Output& output) {
  const auto& [path, extensions] = output;
  const std::string extension = extension_of(path);
  if (!extensions.empty() && std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
    throw DataError(path.string(), "", fmt::format("no format has the extension \"{}\"", extension),
                    fmt::format("name the file with {}", fmt::join(extensions, ", ")));
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw DataError(path.string(), "", "is there already and is not a file", "choose another name");
  const AtomicFile probe(path);  // throws if nothing can be created there; leaves nothing behind
}

}  // namespace

std::vector<std::filesystem::path> files_of(const std::filesystem::path& samples) {
  if (extension_of(samples) != ".npy" || !samples.stem().string().ends_with('x')) return {samples};
  return {samples, labels_beside(samples)};
}

void check_outputs(const std::vector<Output>& outputs, const std::vector<std::filesystem::path>& inputs) {
  std::vector<std::filesystem::path> written;
  for (const Output& output : outputs) {
    if (output.path.empty()) continue;
    for (const auto& path : files_of(output.path)) {
      for (const auto& input : inputs)
        if (same_file(path, input))
          throw DataError(path.string(), "", "is read by this command and would be written over",
                          "choose another name for what is written");
      for (const auto& other : written)
        if (same_file(path, other))
          throw DataError(path.string(), "", "is named for two things that are written", "choose a name for each");
      written.push_back(path);
    }
    check_output(output);
  }
}

void check_different(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::error_code none; std::filesystem::equivalent(files[i], files[j], none))
        throw DataError(files[i], "", "is given twice: its samples would count twice", "name every file once");
}

}  // namespace relucover::cli
