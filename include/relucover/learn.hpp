#pragma once
// The main job: samples in, the network that made them out, with a statement of what is certain.
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relucover/communicator.hpp"
#include "relucover/network.hpp"
#include "relucover/progress.hpp"
#include "relucover/samples.hpp"
#include "relucover/status.hpp"

namespace relucover {

struct LearnOptions {
  /// Hidden units; 0: find out.
  Index units = 0;
  /// Units of each hidden layer, from below, 0 for a width that is to be found out; empty: one hidden layer of `units`.
  std::vector<Index> layers = {};
  /// As many hidden layers as it takes, widths found out; `layers` is empty then.
  bool any_depth = false;
  /// Labels are known to carry rounding alone, and more of them can be had: what leaves more is given up at once, not taken for noise.
  bool noise_free = false;
  /// A name from methods(), or "auto".
  std::string method = "auto";
  /// What the labels went through after the network; none: found out (probabilities are recognised).
  std::optional<Link> link = {};
  std::uint64_t seed = 0;
  /// 0: all cores.
  int threads = 0;
  double time_limit = std::numeric_limits<double>::infinity();
  /// Bounded retries: starts of the search before giving up.
  Index starts = 12;
  /// Settings of one method by name (methods() lists them), such as {"eta1", 0.1}.
  std::map<std::string, double> settings = {};
  Observer* observer = nullptr;
  /// Where the state of the work is kept, every so often and when it is stopped. Empty: nowhere.
  std::string checkpoint = {};
  double seconds_between_checkpoints = 60;
  /// A checkpoint of the same work (data, options, version) to go on from; the answer is the same to the last bit.
  std::string resume = {};
  /// Processes that learn this together, each visiting a part of the data (all can read all of it).
  const Communicator* ranks = nullptr;
  /// Data that can't be read, or hold values that are not finite: DataError is thrown, instead of Status::assumption_failed returned.
  bool throw_on_bad_data = false;

  /// Every violation at once; empty if none.
  std::vector<std::string> problems() const;
};

struct StageRecord {
  std::string stage;
  double seconds = 0;
  Index iterations = 0;
  /// Relative squared residual after the stage: 1 is as good as a constant.
  double residual = 0;
};

/// A method that was tried, and what it said.
struct TriedMethod {
  std::string method, reason;
  double seconds = 0;
  std::string status = {}, said = {};
};

struct Result {
  AnswerStatus status;
  std::string message = "nothing was learned";
  std::string method;         // used
  std::string method_asked;   // asked for
  std::string method_reason;  // why this one
  Index units_asked = 0;      // 0: auto
  Network network;
  /// What the status is about: inputs like these.
  std::string domain;
  Index samples = 0;
  double residual_rms = 0, residual_relative = 0, holdout_rms = 0, noise_estimate = 0;
  /// Some unit's sign is not determined by the data (the function is).
  bool sign_ambiguous = false;
  /// Samples that the answer does not explain, and need not: wrong labels, as far as anybody can tell.
  Index left_out = 0;
  /// With `recovered`: the smallest further unit that these samples would have shown (99% of the time), relative to the smallest
  /// unit found. NaN: not known.
  double detection_limit = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;
  std::vector<StageRecord> stages;
  /// Methods in the order in which they were tried.
  std::vector<TriedMethod> plan;
  /// Things worth knowing, in words: constant columns, merged units, assumptions tested.
  std::vector<std::string> notes;
  /// Named figures of the method, for machines: condition numbers, standard errors, eigenvalue gaps.
  std::map<std::string, double> figures;
  /// Named series for plots: "t2_spectrum", ...
  std::map<std::string, std::vector<double>> series;

  bool usable() const { return status.usable(); }
  bool certified() const { return status.certified(); }
  std::string brief() const;  // one line
  std::string full() const;   // a page
  std::string json() const;   // the object that `relucover learn --json` prints
};

struct MethodInfo {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string, std::string>> settings;  // name, meaning
};
std::vector<MethodInfo> methods();

/// Throws std::invalid_argument for misuse; everything that data can cause is a status.
Result learn(const SampleSource& source, const LearnOptions& options = {});

}  // namespace relucover
