// The ranks of an MPI job, as a module that the command line loads when mpirun started it: the program itself needs no
// MPI to be installed.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdint>

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
      MPI_Bcast(&size, 1, MPI_UINT64_T, from, MPI_COMM_WORLD);
      bytes.resize(size);
      constexpr std::uint64_t piece = std::uint64_t{1} << 30;  // counts are ints
      for (std::uint64_t at = 0; at < size; at += piece)
        MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(piece, size - at)), MPI_BYTE, from, MPI_COMM_WORLD);
    }
    return all;
  }

  void end() override { MPI_Finalize(); }
  void take_all_down(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace

}  // namespace relucover

extern "C" relucover::EndableCommunicator* relucover_mpi_ranks() {
  static relucover::MpiRanks ranks;
  return &ranks;
}
