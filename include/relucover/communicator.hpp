#pragma once
// Processes that learn together: each visits a part of the data, all have the same sums. What an implementation (MPI, a
// cluster's own) must provide.
#include <string>
#include <string_view>
#include <vector>

namespace relucover {

/// `rank`, `size` and `all_gather` are enough. With `send` and `receive` (and `has_messages` true) sums travel between neighbours of
/// a tree instead: log2(size) messages for each rank, not everybody's bytes to everybody. All are called from one thread, by all
/// ranks in an order in which even sends that wait for their receiver never wait for each other.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Everybody's bytes in the order of ranks. Called by all ranks.
  virtual std::vector<std::string> all_gather(const std::string& mine) const = 0;

  /// Whether this one has `send` and `receive`.
  virtual bool has_messages() const { return false; }
  /// Bytes from one rank to another arrive in the order in which they were sent.
  virtual void send(std::string_view bytes, int to) const;
  virtual std::string receive(int from) const;
  /// The bytes of the first rank, on all ranks (what others give is not looked at). By messages along a binomial tree, or by `all_gather`.
  virtual std::string broadcast(std::string bytes) const;

 protected:
  /// `all_gather` for those who have messages: up a binomial tree, and the whole back down.
  std::vector<std::string> gathered_by_messages(const std::string& mine) const;
};

}  // namespace relucover
