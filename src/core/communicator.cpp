#include "relucover/communicator.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "core/archive.hpp"

namespace relucover {

namespace {
/// In a binomial tree rank r is below r without its lowest bit, and above r + 1, r + 2, r + 4, ... less than that bit.
int reach(int rank, int size) {
  int step = 1;
  while (step < size && (rank & step) == 0) step *= 2;
  return step;
}
}  // namespace

void Communicator::send(std::string_view, int) const { throw std::logic_error("this communicator has no messages"); }
std::string Communicator::receive(int) const { throw std::logic_error("this communicator has no messages"); }

std::string Communicator::broadcast(std::string bytes) const {
  if (!has_messages()) return std::move(all_gather(rank() == 0 ? bytes : std::string()).front());
  const int own = reach(rank(), size());
  if (rank() > 0) bytes = receive(rank() - own);
  for (int step = own / 2; step > 0; step /= 2)  // the largest part of the tree first
    if (rank() + step < size()) send(bytes, rank() + step);
  return bytes;
}

std::vector<std::string> Communicator::gathered_by_messages(const std::string& mine) const {
  const int own = reach(rank(), size());
  std::vector<std::string> seen = {mine};
  for (int step = 1; step < own && rank() + step < size(); step *= 2) {
    std::vector<std::string> theirs;
    unpack(receive(rank() + step), theirs);
    std::move(theirs.begin(), theirs.end(), std::back_inserter(seen));
  }
  if (rank() > 0) send(pack(seen), rank() - own);
  std::vector<std::string> all;
  unpack(broadcast(rank() == 0 ? pack(seen) : std::string()), all);
  return all;
}

}  // namespace relucover
