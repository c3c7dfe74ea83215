#include "relucover/progress.hpp"

#include <algorithm>
#include <thread>

#include "relucover/communicator.hpp"

namespace relucover {

Control::Control(int threads, double time_limit_seconds, Observer* observer)
    : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))), observer_(observer) {
  *this = with_time_limit(time_limit_seconds);
}

void Control::check() const {
  if (ranks_ == nullptr) check_here();
}

void Control::check_here() const {
  if (observer_ && observer_->cancelled()) throw Interrupted("cancelled");
  if (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) throw Interrupted("time limit reached");
}

void Control::progress(std::string_view stage, double fraction, std::string_view detail) const {
  if (observer_) observer_->progress(stage, fraction, detail);
}

double Control::seconds_left() const {
  if (deadline_ == Clock::time_point::max()) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(deadline_ - Clock::now()).count();
}

Control Control::with_time_limit(double seconds) const {
  constexpr double practically_never = 1e9;
  Control limited = *this;
  if (seconds < practically_never) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    limited.deadline_ = std::min(deadline_, until);
  }
  return limited;
}

Control Control::with_checkpoint(Checkpoint* checkpoint) const {
  Control kept = *this;
  kept.checkpoint_ = checkpoint;
  return kept;
}

Control Control::with_ranks(const Communicator* ranks) const {
  Control together = *this;
  together.ranks_ = ranks != nullptr && ranks->size() > 1 ? ranks : nullptr;
  return together;
}

}  // namespace relucover
