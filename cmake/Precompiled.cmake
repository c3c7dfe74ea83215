# Headers that nearly every file reads, parsed once for each set of flags: the library and its kin, the program (CLI11),
# the tests (GoogleTest). A file still includes what it uses, so that it compiles without this (RELUCOVER_PRECOMPILED=OFF).
option(RELUCOVER_PRECOMPILED "Precompile common headers" ON)
# Says how products of matrices are computed: read by every file, or they would be rounded in two ways.
set(RELUCOVER_PRODUCTS ${CMAKE_SOURCE_DIR}/src/core/products.hpp)
set(RELUCOVER_COMMON_HEADERS ${RELUCOVER_PRODUCTS} <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional>
  <limits> <map> <memory> <numeric> <optional> <string> <string_view> <utility> <vector>)

# precompile(TARGET [MORE...]): the common headers and these, for a target with flags of its own.
function(precompile target)
  if(RELUCOVER_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE ${RELUCOVER_COMMON_HEADERS} ${ARGN})
  else()
    target_compile_options(${target} PRIVATE -include ${RELUCOVER_PRODUCTS})
  endif()
endfunction()

# reuse_precompiled(TARGET FROM): what was precompiled for FROM, which must have the same flags.
function(reuse_precompiled target from)
  if(RELUCOVER_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${from})
  else()
    target_compile_options(${target} PRIVATE -include ${RELUCOVER_PRODUCTS})
  endif()
endfunction()

# together(TARGET FILES): compiles so many files as one: neighbours instantiate the same templates, which is half of the work.
# What a file names for itself must then differ from its neighbours' names. A file that was edited takes its group along, which
# is why the preset for development compiles each alone.
option(RELUCOVER_TOGETHER "Compile neighbouring files together" ON)
function(together target files)
  if(RELUCOVER_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()
