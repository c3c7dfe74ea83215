# Parts that stand on a large library of others, as files that are loaded when needed (src/core/module.hpp). One whose library
# is not installed is left out: what needs it says so when it is asked for.

# add_module(NAME LIBRARY... SOURCES FILE...)
function(add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "SOURCES")
  add_library(${name} MODULE ${given_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE relucover relucover_options relucover_dependencies ${given_UNPARSED_ARGUMENTS})
  reuse_precompiled(${name} relucover_engine)
  together(${name})
  # What it needs of the library is in it, and not for others to see.
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  set_property(GLOBAL APPEND PROPERTY RELUCOVER_MODULES ${name})
endfunction()

find_package(MPI COMPONENTS C)
if(MPI_C_FOUND)
  add_module(relucover_mpi MPI::MPI_C SOURCES src/distributed/mpi_ranks.cpp)
endif()

find_package(HDF5 COMPONENTS C)
if(HDF5_FOUND)
  add_module(relucover_hdf5 hdf5::hdf5 SOURCES src/samples/hdf5.cpp)
endif()

find_package(Protobuf)
find_package(ONNX QUIET)
if(Protobuf_FOUND AND ONNX_FOUND)
  add_module(relucover_onnx onnx_proto SOURCES src/networks/network_onnx.cpp src/networks/network_to_onnx.cpp
             src/networks/threshold_onnx.cpp src/networks/threshold_from_onnx.cpp)
endif()

get_property(modules GLOBAL PROPERTY RELUCOVER_MODULES)
add_custom_target(relucover_modules DEPENDS ${modules})
message(STATUS "Modules: ${modules}")
