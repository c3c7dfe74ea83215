#pragma once
// What the module with MPI in it gives to the program that loads it.
#include <stdexcept>

#include "relucover/communicator.hpp"

namespace relucover {

/// Thrown where another rank gives no sign of life: there is nobody left to go on with.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class EndableCommunicator : public Communicator {
 public:
  /// How long to wait for another rank.
  virtual void set_patience(double seconds) = 0;
  /// Once, when the work is done on all ranks.
  virtual void end() = 0;
  /// Takes the other ranks down with this one.
  virtual void take_all_down(int code) = 0;
};

inline constexpr const char* mpi_module_file = "relucover_mpi.so";
inline constexpr const char* mpi_module_entry = "relucover_mpi_ranks";
using MpiModuleEntry = EndableCommunicator* (*)();

}  // namespace relucover
