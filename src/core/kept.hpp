#pragma once
// The place of one long loop in the checkpoint, if there is one.
#include "core/archive.hpp"
#include "core/checkpoint.hpp"
#include "relucover/progress.hpp"

namespace relucover {

/// `State` is all that the loop's next round depends on; it lists its fields (core/archive.hpp).
template <class State>
class Kept {
 public:
  explicit Kept(const Control& control) : checkpoint_(control.checkpoint()), place_(checkpoint_ ? checkpoint_->next_place() : 0) {}
  /// True if an earlier run left something here.
  bool restore(State& state) const {
    const std::string* bytes = checkpoint_ ? checkpoint_->at(place_) : nullptr;
    if (bytes != nullptr) unpack(*bytes, state);
    return bytes != nullptr;
  }
  void keep(const State& state) const {
    if (checkpoint_) checkpoint_->leave(place_, pack(state));
  }

 private:
  Checkpoint* checkpoint_;
  Index place_;
};

}  // namespace relucover
