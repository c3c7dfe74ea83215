#pragma once
// Ranks that are threads of one process, for tests of what ranks do together.
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

#include "relucover/communicator.hpp"

namespace relucover::test {

class ThreadRanks {
 public:
  explicit ThreadRanks(int size) : board_(static_cast<std::size_t>(size)), barrier_(size) {}

  /// Runs `work` on every rank and waits for all.
  void run(const std::function<void(const Communicator&)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size(); ++rank) threads.emplace_back([this, rank, &work] { work(Rank(*this, rank)); });
  }

 private:
  class Rank : public Communicator {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size(); }
    std::vector<std::string> all_gather(const std::string& mine) const override {
      all_.board_[static_cast<std::size_t>(rank_)] = mine;
      all_.barrier_.arrive_and_wait();
      std::vector<std::string> seen = all_.board_;
      all_.barrier_.arrive_and_wait();
      return seen;
    }

   private:
    ThreadRanks& all_;
    int rank_;
  };
  int size() const { return static_cast<int>(board_.size()); }
  std::vector<std::string> board_;
  std::barrier<> barrier_;
};

}  // namespace relucover::test
