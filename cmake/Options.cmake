# Compile options of everything that is built here, as one interface target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# The products run in OpenBLAS and Eigen vectorises by itself: -O3 would only double the build time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_program(CCACHE ccache)
if(CCACHE)
  # ccache keeps objects made with precompiled headers only if macros defined after those, and times, may be ignored.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(relucover_options INTERFACE)
target_compile_options(relucover_options INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
  -Wno-maybe-uninitialized -Wno-uninitialized)  # GCC 12 warns inside its own AVX-512 header
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(relucover_options INTERFACE -fpch-preprocess)  # lets ccache see which precompiled header was read
  target_compile_options(relucover_options INTERFACE --param=ggc-min-heapsize=524288)  # collects garbage above 512 MB only: 8% of the time
endif()
if(NOT RELUCOVER_TOGETHER)  # where a neighbour's names would be warned about
  target_compile_options(relucover_options INTERFACE -Wshadow)
endif()
if(RELUCOVER_WARNINGS_AS_ERRORS)
  target_compile_options(relucover_options INTERFACE -Werror)
endif()
if(RELUCOVER_NATIVE)
  target_compile_options(relucover_options INTERFACE -march=native)
endif()
# Contracting a*b+c into one instruction differently in two places would break bit-identical answers across builds of one file.
target_compile_options(relucover_options INTERFACE -ffp-contract=off)
if(RELUCOVER_SANITIZE)
  # A report ends the program, or no test would notice.
  target_compile_options(relucover_options INTERFACE -fsanitize=${RELUCOVER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(NOT RELUCOVER_FUZZ)
    # Null pointers are seen by the address sanitizer, and vectors that are not aligned end the program by themselves. These two checks take
    # a third of the compiler's time and half of the code; fuzzed readers, which look at bytes anywhere, have them.
    target_compile_options(relucover_options INTERFACE -fno-sanitize=null,alignment)
  endif()
  # Sanitizers open modules in the name of the program, which then needs the older kind of search path.
  target_link_options(relucover_options INTERFACE -fsanitize=${RELUCOVER_SANITIZE} -Wl,--disable-new-dtags)
endif()
if(RELUCOVER_COVERAGE)
  target_compile_options(relucover_options INTERFACE --coverage)
  target_link_options(relucover_options INTERFACE --coverage)
endif()
