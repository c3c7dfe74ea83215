#pragma once
// Processes that learn together: each visits a part of the data, all have the same sums. What an implementation (MPI, a
// cluster's own) must provide.
#include <string>
#include <vector>

namespace relucover {

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Everybody's bytes in the order of ranks. Called by all ranks, in the same order, from one thread.
  virtual std::vector<std::string> all_gather(const std::string& mine) const = 0;
};

}  // namespace relucover
