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

# together(TARGET): compiles neighbours as one file: they instantiate the same templates, which is more than half of the work.
# What a file names for itself must then differ from the others' names (scripts/check-names), and a file that was edited takes
# its group along: for those who build once, not for those who edit.
set(RELUCOVER_TOGETHER_BYTES 200000)  # of source in a group, about: the compiler needs 1.5 GB for it; 135000 was not clearly slower (measured apart)
function(together target)
  if(NOT RELUCOVER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(files ${target} SOURCES)
  list(SORT files)
  set(bytes 0)
  foreach(file ${files})
    file(SIZE ${file} size)
    math(EXPR bytes "${bytes} + ${size}")
  endforeach()
  math(EXPR parts "(${bytes} + ${RELUCOVER_TOGETHER_BYTES} / 2) / ${RELUCOVER_TOGETHER_BYTES}")
  if(parts LESS 1)
    set(parts 1)
  endif()
  set(before 0)
  foreach(file ${files})  # in parts of about the same size
    file(SIZE ${file} size)
    math(EXPR part "(2 * ${before} + ${size}) * ${parts} / (2 * ${bytes})")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${target}_${part})
    math(EXPR before "${before} + ${size}")
  endforeach()
endfunction()
