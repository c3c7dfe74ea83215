#pragma once
// Progress, cancellation and the time limit of long work. The library never prints: an observer does.
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace relucover {

class Checkpoint;
class Communicator;

/// Told how far the work is; can ask it to stop. Called from the thread that called the library.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `fraction` of this stage done, in [0, 1], or negative where that is unknown.
  virtual void progress(std::string_view stage, double fraction, std::string_view detail) = 0;
  /// Asked often and from any thread.
  virtual bool cancelled() const { return false; }
};

/// Thrown inside the library when work must stop; public functions turn it into a status.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What long work is run with: who watches, until when, on how many threads and processes, and where its state is kept.
class Control {
 public:
  Control() = default;
  explicit Control(int threads, double time_limit_seconds = std::numeric_limits<double>::infinity(), Observer* observer = nullptr);

  int threads() const { return threads_; }
  /// Throws Interrupted if the observer cancelled or the time is over. With several ranks nothing happens here: they
  /// must stop together, which they do in the next sum over data.
  void check() const;
  /// The same for this process alone.
  void check_here() const;
  void progress(std::string_view stage, double fraction, std::string_view detail = {}) const;
  double seconds_left() const;
  /// The same control with less time: for work that may fail and be followed by other work.
  Control with_time_limit(double seconds) const;
  Control with_checkpoint(Checkpoint* checkpoint) const;
  Control with_ranks(const Communicator* ranks) const;
  /// nullptr: no state is kept.
  Checkpoint* checkpoint() const { return checkpoint_; }
  /// nullptr: one process.
  const Communicator* ranks() const { return ranks_; }

 private:
  using Clock = std::chrono::steady_clock;
  int threads_ = 1;
  Clock::time_point deadline_ = Clock::time_point::max();
  Observer* observer_ = nullptr;
  Checkpoint* checkpoint_ = nullptr;
  const Communicator* ranks_ = nullptr;
};

}  // namespace relucover
