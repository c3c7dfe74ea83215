#pragma once
// Modules: parts of relucover that stand on a large library of others (HDF5, ONNX, MPI). Each is a file of its own, loaded when
// it is first needed, so that the rest starts without it and runs where that library is not installed.
#include <string>

namespace relucover {

/// Whom the message of a module that can't be loaded is for.
struct ModuleNeed {
  std::string file;    // what the user asked for: a file, or the module
  std::string reason;  // "HDF5 files are read by a module"
  std::string remedy;
};

/// The function called `entry` in a module. The system's loader looks for it where the program, the Python package and those who
/// link the library were told to look when they were linked, and in LD_LIBRARY_PATH. `for_all`: the module's library looks for
/// its symbols among those of the program. Throws DataError.
void* module_entry(const char* module, const char* entry, const ModuleNeed& need, bool for_all = false);

}  // namespace relucover
