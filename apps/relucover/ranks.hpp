#pragma once
// Started by mpirun: the processes of the job, through the module that has MPI in it.
#include <string>

#include "relucover/relucover.hpp"

namespace relucover::cli {

/// This process among those that the launcher started, from what it left in the environment; size 1 without a launcher.
struct LaunchedRank {
  int rank = 0, size = 1;
};
LaunchedRank launched_rank();

/// Joins the job. nullptr where there is one process only. Throws DataError if the module is not there.
const Communicator* join_ranks(double patience);
/// Throws DataError if some rank opened other data than the first: their sums would mean nothing.
void check_same_data(const SampleSource& source, const Control& control);
/// Leaves the job in order.
void leave_ranks();
/// Ends all ranks, if there are others. A rank other than the first waits a little: what all ran into, the first says.
void abort_ranks(int code);
/// If signals to stop arrive and this rank is still stuck a moment later (another one may have died), say so and end.
void end_when_stuck(const std::string& checkpoint);

}  // namespace relucover::cli
