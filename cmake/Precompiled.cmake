# Headers that nearly every file reads, parsed once for each set of flags: the library and its kin, the program (CLI11),
# the tests (GoogleTest). A file still includes what it uses, so that it compiles without this (RELUCOVER_PRECOMPILED=OFF).
option(RELUCOVER_PRECOMPILED "Precompile common headers" ON)
# Says how products of matrices are computed: read by every file, or they would be rounded in two ways.
set(RELUCOVER_PRODUCTS ${CMAKE_SOURCE_DIR}/src/core/products.hpp)
# Named by its place below src, so that the compiler cache knows it in every clone.
set(RELUCOVER_COMMON_HEADERS <core/products.hpp> <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional>
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

# together(TARGET): compiles neighbours as one file: they instantiate the same templates, which is more than half of the work.
# What a file names for itself must then differ from the others' names (scripts/check-names), and a file that was edited takes
# its group along: for those who build once, not for those who edit.
set(RELUCOVER_TOGETHER_BYTES 200000)  # of source in a group at most, about: the compiler needs 1.5 GB for it
# work_of(FILE): its bytes, as those of a file of average templates: the certificates' take half as long again (measured).
function(work_of file result)
  get_filename_component(path ${file} ABSOLUTE)  # ninja runs CMake again in the build folder
  file(SIZE ${path} bytes)
  if(file MATCHES "/src/verify/")
    math(EXPR bytes "${bytes} * 3 / 2")
  endif()
  set(${result} ${bytes} PARENT_SCOPE)
endfunction()

function(together target)
  if(NOT RELUCOVER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(files ${target} SOURCES)
  list(SORT files)
  set(whole 0)
  foreach(file ${files})
    work_of(${file} work)
    math(EXPR whole "${whole} + ${work}")
  endforeach()
  math(EXPR parts "(${whole} + ${RELUCOVER_TOGETHER_BYTES} - 1) / ${RELUCOVER_TOGETHER_BYTES}")
  if(parts GREATER 1)  # an even number of them ends together on two cores
    math(EXPR parts "(${parts} + 1) / 2 * 2")
  endif()
  set(before 0)
  foreach(file ${files})  # in parts of about the same work
    work_of(${file} work)
    math(EXPR part "(2 * ${before} + ${work}) * ${parts} / (2 * ${whole})")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${target}_${part})
    math(EXPR before "${before} + ${work}")
  endforeach()
endfunction()
