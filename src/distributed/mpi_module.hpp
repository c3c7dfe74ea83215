#pragma once
// What the module with MPI in it gives to the program that loads it.
#include "relucover/communicator.hpp"

namespace relucover {

class EndableCommunicator : public Communicator {
 public:
  /// Once, when the work is done on all ranks.
  virtual void end() = 0;
  /// Takes the other ranks down with this one.
  virtual void take_all_down(int code) = 0;
};

inline constexpr const char* mpi_module_file = "relucover_mpi.so";
inline constexpr const char* mpi_module_entry = "relucover_mpi_ranks";
using MpiModuleEntry = EndableCommunicator* (*)();

}  // namespace relucover
