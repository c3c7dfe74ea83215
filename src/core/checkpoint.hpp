#pragma once
// The state of long work in a file, so that it can go on after a stop. Work is deterministic, so what is kept is only
// what took long to compute: each long loop asks for a place (in the same order in every run), leaves its state there
// after every round, and begins with what it finds there.
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "relucover/types.hpp"

namespace relucover {

class Checkpoint {
 public:
  /// What the work is, property by property: data, options, version. Only the same work may go on.
  using Identity = std::vector<std::pair<std::string, std::string>>;

  Checkpoint(std::filesystem::path file, Identity identity, double seconds_between);
  /// Takes over what an earlier run left in `file`. Throws DataError if it is not a checkpoint of the same work.
  void resume_from(const std::filesystem::path& file);

  Index next_place() { return next_place_++; }
  /// What was left at a place; nullptr if nothing was.
  const std::string* at(Index place) const;
  /// Leaves state, and writes the file if it is time. A write that fails (a full disk, say) does not stop the work: it is
  /// tried again next time.
  void leave(Index place, std::string state);
  /// Throws DataError if the file could not be written: to be asked before long work.
  void check_writable() const;
  /// Why the last write failed; empty if it did not.
  const std::string& trouble() const { return trouble_; }
  /// Writes the file now.
  void write();
  const std::filesystem::path& file() const { return file_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  Identity identity_;
  Clock::duration between_;
  Clock::time_point last_written_ = Clock::now();
  Index next_place_ = 0;
  std::map<Index, std::string> states_;
  std::string trouble_;
};

}  // namespace relucover
