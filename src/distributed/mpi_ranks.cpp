// The ranks of an MPI job, as a module that the command line loads when mpirun started it: the program itself needs no
// MPI to be installed.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
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

  std::vector<std::string> all_gather(const std::string& mine) const override { return gathered_by_messages(mine); }
  bool has_messages() const override { return true; }

  void send(std::string_view bytes, int to) const override {
    for (;;) {
      const std::size_t size = std::min(bytes.size(), piece);
      MPI_Request request;
      MPI_Isend(bytes.data(), static_cast<int>(size), MPI_BYTE, to, 0, MPI_COMM_WORLD, &request);
      wait(to, [&](int* done) { MPI_Test(&request, done, MPI_STATUS_IGNORE); });
      if (size < piece) return;
      bytes.remove_prefix(size);
    }
  }

  std::string receive(int from) const override {
    std::string bytes;
    for (;;) {
      MPI_Message message;
      MPI_Status status;
      wait(from, [&](int* done) { MPI_Improbe(from, 0, MPI_COMM_WORLD, done, &message, &status); });
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      const std::size_t before = bytes.size();
      bytes.resize(before + static_cast<std::size_t>(size));
      MPI_Request request;
      MPI_Imrecv(bytes.data() + before, size, MPI_BYTE, &message, &request);
      wait(from, [&](int* done) { MPI_Test(&request, done, MPI_STATUS_IGNORE); });
      if (static_cast<std::size_t>(size) < piece) return bytes;
    }
  }

  void set_patience(double seconds) override { patience_ = seconds; }
  void end() override { MPI_Finalize(); }
  void take_all_down(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  /// Counts are ints. A piece of this size is followed by another, which may be empty.
  static constexpr std::size_t piece = std::size_t{1} << 30;

  /// A rank that is stopped, or whose machine is gone, never answers: MPI itself would wait for ever. Whoever waits longer than a
  /// message takes gives the processor to others: there may be more ranks than cores.
  template <class Ask>
  void wait(int other, const Ask& ask) const {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    auto pause = std::chrono::microseconds(10);
    constexpr auto at_once = std::chrono::microseconds(100), longest_pause = std::chrono::microseconds(1000);
    for (;;) {
      int done = 0;
      ask(&done);
      if (done) return;
      const auto waited = Clock::now() - begin;
      if (waited < at_once) continue;
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 5 / 4, longest_pause);
      if (std::chrono::duration<double>(waited).count() > patience_)
        throw RankLost("rank " + std::to_string(rank_) + " waits for rank " + std::to_string(other) + ", which gives no sign of life for " +
                       std::to_string(static_cast<int>(patience_)) + " s (or waits itself for one that does not)");
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
