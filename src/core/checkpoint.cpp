#include "core/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/archive.hpp"
#include "core/atomic_file.hpp"
#include "core/format_version.hpp"
#include "core/words_of_error.hpp"
#include "relucover/errors.hpp"

namespace relucover {

namespace {

constexpr int checkpoint_version = 1;
constexpr std::string_view format_words = "relucover checkpoint ";
const std::string magic = fmt::format("{}{}\n", format_words, checkpoint_version);

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

[[noreturn]] void refuse_checkpoint(const std::filesystem::path& file, const std::string& problem) {
  throw DataError(file.string(), "", problem, "name the checkpoint of this work, or begin anew without --resume");
}

/// Identity, places, states: behind the magic words and a check sum.
std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code none;
  if (!stream || !std::filesystem::is_regular_file(file, none))
    throw DataError(file.string(), "", fmt::format("can't be read: {}", words_of_error(errno ? errno : EINVAL)), "check the name");
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (!bytes.starts_with(magic)) {
    int found = 0;
    if (bytes.starts_with(format_words)) std::from_chars(bytes.data() + format_words.size(), bytes.data() + bytes.size(), found);
    if (found > checkpoint_version)
      throw DataError(file.string(), "version", version_problem(found, checkpoint_version).problem, "update relucover");
    refuse_checkpoint(file, "is not a checkpoint");
  }
  std::uint64_t sum = 0;
  if (bytes.size() < magic.size() + sizeof sum) refuse_checkpoint(file, "ends too early");
  std::memcpy(&sum, bytes.data() + magic.size(), sizeof sum);
  bytes.erase(0, magic.size() + sizeof sum);
  if (fnv1a(bytes) != sum) refuse_checkpoint(file, "is damaged (the check sum differs)");
  return bytes;
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path file, Identity identity, double seconds_between)
    : file_(std::move(file)), identity_(std::move(identity)),
      between_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_between))) {}

void Checkpoint::resume_from(const std::filesystem::path& file) {
  const std::string content = content_of(file);
  std::vector<std::string> names, values, states;
  std::vector<Index> places;
  try {
    unpack(content, names, values, places, states);
  } catch (const std::runtime_error& error) {
    refuse_checkpoint(file, error.what());
  }
  if (names.size() != values.size() || places.size() != states.size()) refuse_checkpoint(file, "is damaged");
  const std::size_t both = std::min(names.size(), identity_.size());
  for (std::size_t i = 0; i < both; ++i)
    if (names[i] != identity_[i].first || values[i] != identity_[i].second)
      refuse_checkpoint(file, fmt::format("was made for other work: {} was {}, here {} is {}", names[i], values[i], identity_[i].first,
                                          identity_[i].second));
  if (names.size() < identity_.size())
    refuse_checkpoint(
        file, fmt::format("was made by an earlier version: it says nothing of {}, here {}", identity_[both].first, identity_[both].second));
  if (names.size() > both) refuse_checkpoint(file, fmt::format("was made for other work: {} was {}", names[both], values[both]));
  for (std::size_t i = 0; i < places.size(); ++i) states_[places[i]] = std::move(states[i]);
}

const std::string* Checkpoint::at(Index place) const {
  const auto found = states_.find(place);
  return found == states_.end() ? nullptr : &found->second;
}

void Checkpoint::leave(Index place, std::string state) {
  states_[place] = std::move(state);
  if (Clock::now() - last_written_ < between_) return;
  try {
    write();
    trouble_.clear();
  } catch (const DataError& error) {
    trouble_ = error.what();
    last_written_ = Clock::now();
  }
}

void Checkpoint::check_writable() const {
  if (!file_.empty()) const AtomicFile probe(file_);  // leaves nothing behind
}

void Checkpoint::write() {
  if (file_.empty()) return;
  std::vector<std::string> names, values, states;
  std::vector<Index> places;
  for (const auto& [name, value] : identity_) {
    names.push_back(name);
    values.push_back(value);
  }
  for (const auto& [place, state] : states_) {
    places.push_back(place);
    states.push_back(state);
  }
  const std::string content = pack(names, values, places, states);
  const std::uint64_t sum = fnv1a(content);
  AtomicFile out(file_);
  out.write(magic);
  out.write(&sum, sizeof sum);
  out.write(content);
  out.commit();
  last_written_ = Clock::now();
}

}  // namespace relucover
