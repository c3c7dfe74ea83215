# Headers that nearly every file reads, parsed once for each set of flags: the library and its kin, the program (CLI11),
# the tests (GoogleTest). A file still includes what it uses, so that it compiles without this (RELUCOVER_PRECOMPILED=OFF).
option(RELUCOVER_PRECOMPILED "Precompile common headers" ON)
set(RELUCOVER_COMMON_HEADERS <Eigen/Core> <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits>
  <map> <memory> <numeric> <optional> <string> <string_view> <utility> <vector>)

# precompile(TARGET [MORE...]): the common headers and these, for a target with flags of its own.
function(precompile target)
  if(RELUCOVER_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE ${RELUCOVER_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# reuse_precompiled(TARGET FROM): what was precompiled for FROM, which must have the same flags.
function(reuse_precompiled target from)
  if(RELUCOVER_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
