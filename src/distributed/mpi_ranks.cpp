// The ranks of an MPI job, as a module that the command line loads when mpirun started it: the program itself needs no
// MPI to be installed.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "distributed/mpi_module.hpp"

namespace relucover {

namespace {

class MpiRanks : public EndableCommunicator {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> all_gather(const std::string& mine) const override {
    std::vector<std::string> all(static_cast<std::size_t>(size_));
    for (int from = 0; from < size_; ++from) {
      std::string& bytes = all[static_cast<std::size_t>(from)];
      if (from == rank_) bytes = mine;
      std::uint64_t size = bytes.size();
      broadcast(&size, 1, MPI_UINT64_T, from);
      bytes.resize(size);
      constexpr std::uint64_t piece = std::uint64_t{1} << 30;  // counts are ints
      for (std::uint64_t at = 0; at < size; at += piece)
        broadcast(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_BYTE, from);
    }
    return all;
  }

  void set_patience(double seconds) override { patience_ = seconds; }
  void end() override { MPI_Finalize(); }
  void take_all_down(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  /// A rank that is stopped, or whose machine is gone, never answers: MPI itself would wait for ever.
  void broadcast(void* data, int count, MPI_Datatype type, int from) const {
    using Clock = std::chrono::steady_clock;
    MPI_Request request;
    MPI_Ibcast(data, count, type, from, MPI_COMM_WORLD, &request);
    const auto begin = Clock::now();
    constexpr int asked_at_once = 10'000;  // before giving the processor to others
    for (int asked = 0, done = 0;; ++asked) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) return;
      if (asked < asked_at_once) continue;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (std::chrono::duration<double>(Clock::now() - begin).count() > patience_)
        throw RankLost("rank " + std::to_string(from) + (from == rank_ ? " waits for another that gives" : " gives") + " no sign of life for " +
                       std::to_string(static_cast<int>(patience_)) + " s");
    }
  }

  int rank_ = 0, size_ = 1;
  double patience_ = 600;
};

}  // namespace

}  // namespace relucover

extern "C" relucover::EndableCommunicator* relucover_mpi_ranks() {
  static relucover::MpiRanks ranks;
  return &ranks;
}
