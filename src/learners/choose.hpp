#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relucover/learn.hpp"

namespace relucover {

struct Choice {
  std::string method;
  std::string reason;
  /// Where the number of units was not given: this many; 0: the method finds out.
  Index units = 0;
  /// Added to the seed, for another beginning.
  std::uint64_t later_seed = 0;
  /// At most so many starts; 0: as many as were asked for.
  Index starts = 0;
  /// Settings of the method.
  std::map<std::string, double> settings = {};
};

/// What `--method auto` means for these samples: methods in the order to try them, until one has a certificate. One of
/// them takes any data.
std::vector<Choice> choose_methods(const SampleSource& source, const LearnOptions& options, const Control& control);

/// A part of the samples in memory, enough to tell which assumptions hold.
MemorySource<double> looked_at(const SampleSource& source, const LearnOptions& options, const Control& control);

/// What the leftover of an answer that was not certified suggests to try, if anything.
std::optional<Choice> choose_after(const Result& tried, Index samples);

}  // namespace relucover
