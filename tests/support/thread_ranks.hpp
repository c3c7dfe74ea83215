#pragma once
// Ranks that are threads of one process, for tests of what ranks do together. They count what they say to each other.
#include <barrier>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "relucover/communicator.hpp"

namespace relucover::test {

enum class RankTalk { gather_only, messages };

/// What one rank sent and received by messages.
struct Traffic {
  long messages = 0;
  long bytes = 0;
};

class ThreadRanks {
 public:
  explicit ThreadRanks(int size, RankTalk talk = RankTalk::gather_only)
      : talk_(talk), board_(static_cast<std::size_t>(size)), traffic_(static_cast<std::size_t>(size)),
        boxes_(static_cast<std::size_t>(size)), barrier_(size) {}

  /// Runs `work` on every rank and waits for all.
  void run(const std::function<void(const Communicator&)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size(); ++rank) threads.emplace_back([this, rank, &work] { work(Rank(*this, rank)); });
  }

  const std::vector<Traffic>& traffic() const { return traffic_; }

 private:
  class Rank : public Communicator {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size(); }
    std::vector<std::string> all_gather(const std::string& mine) const override {
      if (has_messages()) return gathered_by_messages(mine);
      all_.board_[static_cast<std::size_t>(rank_)] = mine;
      all_.barrier_.arrive_and_wait();
      std::vector<std::string> seen = all_.board_;
      all_.barrier_.arrive_and_wait();
      return seen;
    }
    bool has_messages() const override { return all_.talk_ == RankTalk::messages; }
    void send(std::string_view bytes, int to) const override {
      count(bytes.size());
      all_.boxes_[static_cast<std::size_t>(to)].put(rank_, std::string(bytes));
    }
    std::string receive(int from) const override {
      std::string bytes = all_.boxes_[static_cast<std::size_t>(rank_)].take(from);
      count(bytes.size());
      return bytes;
    }

   private:
    void count(std::size_t bytes) const {
      Traffic& mine = all_.traffic_[static_cast<std::size_t>(rank_)];
      ++mine.messages;
      mine.bytes += static_cast<long>(bytes);
    }
    ThreadRanks& all_;
    int rank_;
  };

  /// Messages to one rank. A sender waits until its message is taken, as with MPI's large ones: who waits in circles is found out.
  class Box {
   public:
    void put(int from, std::string bytes) {
      std::unique_lock lock(guard_);
      waiting_[from].push_back(std::move(bytes));
      changed_.notify_all();
      changed_.wait(lock, [&] { return waiting_[from].empty(); });
    }
    std::string take(int from) {
      std::unique_lock lock(guard_);
      changed_.wait(lock, [&] { return !waiting_[from].empty(); });
      std::string bytes = std::move(waiting_[from].front());
      waiting_[from].pop_front();
      changed_.notify_all();
      return bytes;
    }

   private:
    std::mutex guard_;
    std::condition_variable changed_;
    std::map<int, std::deque<std::string>> waiting_;
  };

  int size() const { return static_cast<int>(board_.size()); }
  RankTalk talk_;
  std::vector<std::string> board_;
  std::vector<Traffic> traffic_;
  std::vector<Box> boxes_;
  std::barrier<> barrier_;
};

}  // namespace relucover::test
