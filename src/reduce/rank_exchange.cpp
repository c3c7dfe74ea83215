#include "reduce/rank_exchange.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "core/archive.hpp"

namespace relucover {

namespace {

std::string words_of(std::exception_ptr trouble) {
  try {
    std::rethrow_exception(std::move(trouble));
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an error without words";
  }
}

/// A part on its way: the sum of some chunks, or the words of whoever could not add them.
struct Partial {
  std::unique_ptr<Part> sum;
  std::string trouble;
};

/// Bytes of a partial: which of the two it is says the last one, so that a large sum is written once.
std::string message_of(const Partial& partial) {
  std::string bytes = partial.sum ? partial.sum->packed() : partial.trouble;
  bytes.push_back(partial.sum ? '+' : '!');
  return bytes;
}

Partial partial_of(std::string_view message, Recycled& recycled) {
  const std::string_view content = message.substr(0, message.size() - 1);
  if (message.back() == '!') return {nullptr, std::string(content)};
  Partial partial{recycled.take(), {}};
  partial.sum->unpack_from(content);
  return partial;
}

void merge(Partial& into, Partial other, Recycled& recycled) {
  if (!into.sum) return;  // the first to have trouble is the one that is told about
  if (!other.sum) {
    into = std::move(other);
    return;
  }
  into.sum->merge(*other.sum);
  recycled.give(std::move(other.sum));
}

/// Sums travel to the rank that has the first chunk of a node: from the right child's to the left child's. All ranks walk the tree in
/// the same order, each where it has something, so nobody waits for somebody who waits for it.
class UpTheTree {
 public:
  UpTheTree(const Communicator& ranks, const RankShares& shares, std::vector<Partial> mine, Recycled& recycled)
      : ranks_(ranks), shares_(shares), share_(shares.of(ranks.rank())), mine_(std::move(mine)), recycled_(recycled) {}

  /// The sum of a node, where this rank has its first chunk; nothing on other ranks.
  Partial sum(const ChunkNode& node) {
    if (node.last <= share_.first || node.first >= share_.last) return {};
    if (share_.first <= node.first && node.last <= share_.last) return std::move(mine_[next_++]);
    Partial left = sum(node.left()), right = sum(node.right());
    const int to = shares_.owner(node.first), from = shares_.owner(node.middle()), here = ranks_.rank();
    if (to == from) {
      if (here == to) merge(left, std::move(right), recycled_);
    } else if (here == from) {
      ranks_.send(message_of(right), to);
      if (right.sum) recycled_.give(std::move(right.sum));
    } else if (here == to) {
      merge(left, partial_of(ranks_.receive(from), recycled_), recycled_);
    }
    return left;
  }

 private:
  const Communicator& ranks_;
  const RankShares& shares_;
  ChunkNode share_;
  std::vector<Partial> mine_;
  std::size_t next_ = 0;
  Recycled& recycled_;
};

/// Ranks without chunks (where ranks are more than chunks) can be told to stop too: they say so to the rank with chunks before them,
/// along a binomial tree of their own.
std::string first_trouble_of_idle(const Communicator& ranks, const RankShares& shares, std::string trouble) {
  const int here = ranks.rank(), first = shares.owner_before(here + 1);
  const int place = here - first;
  for (int step = 1; (place & step) == 0 && shares.idle(here + step, first); step *= 2) {
    const std::string theirs = ranks.receive(here + step);
    if (trouble.empty()) trouble = theirs;
  }
  if (place > 0) ranks.send(trouble, here - (place & -place));
  return trouble;
}

Partial by_messages(const Communicator& ranks, const RankShares& shares, std::vector<Partial> mine, const std::string& own_trouble,
                    Recycled& recycled) {
  const std::string trouble = first_trouble_of_idle(ranks, shares, own_trouble);
  if (!trouble.empty())
    for (Partial& partial : mine) partial = {nullptr, trouble};
  Partial sum = UpTheTree(ranks, shares, std::move(mine), recycled).sum(shares.root());
  const std::string message = ranks.broadcast(ranks.rank() == 0 ? message_of(sum) : std::string());
  return ranks.rank() == 0 ? std::move(sum) : partial_of(message, recycled);
}

/// For communicators that have nothing else: everybody's bytes to everybody, and the same merging on all ranks.
Partial by_gathering(const Communicator& ranks, const RankShares& shares, const std::vector<Partial>& mine, const std::string& own_trouble,
                     Recycled& recycled) {
  std::vector<std::string> messages;
  for (const Partial& partial : mine) messages.push_back(message_of(partial));
  const auto everybody = ranks.all_gather(pack(own_trouble, messages));
  std::vector<std::string> in_order;  // nodes of rank after rank: the order in which the tree meets them
  for (const std::string& bytes : everybody) {
    std::string trouble;
    std::vector<std::string> theirs;
    unpack(bytes, trouble, theirs);
    if (!trouble.empty()) return {nullptr, trouble};
    std::move(theirs.begin(), theirs.end(), std::back_inserter(in_order));
  }
  std::size_t next = 0;
  const auto sum = [&](const auto& self, const ChunkNode& node) -> Partial {
    if (shares.owner(node.first) == shares.owner(node.last - 1)) return partial_of(in_order[next++], recycled);
    Partial left = self(self, node.left());
    merge(left, self(self, node.right()), recycled);
    return left;
  };
  return sum(sum, shares.root());
}

}  // namespace

std::unique_ptr<Part> sum_over_ranks(const Communicator& ranks, const RankShares& shares, RankWork mine, Recycled& recycled) {
  const std::string trouble = mine.trouble ? fmt::format("rank {} stopped: {}", ranks.rank(), words_of(mine.trouble)) : std::string();
  std::vector<Partial> partials(shares.nodes_of(ranks.rank()).size());
  if (!mine.trouble)
    for (std::size_t k = 0; k < partials.size(); ++k) partials[k].sum = std::move(mine.parts[k]);
  Partial sum = ranks.has_messages() ? by_messages(ranks, shares, std::move(partials), trouble, recycled)
                                     : by_gathering(ranks, shares, partials, trouble, recycled);
  if (mine.trouble) std::rethrow_exception(mine.trouble);
  if (!sum.sum) throw Interrupted(sum.trouble);
  return std::move(sum.sum);
}

}  // namespace relucover
