# Every third-party part, once; docs/dependencies.md says why each is there.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
find_package(ZLIB REQUIRED)
pkg_check_modules(CLP REQUIRED IMPORTED_TARGET clp)

add_library(relucover_dependencies INTERFACE)
target_compile_definitions(relucover_dependencies INTERFACE EIGEN_USE_BLAS)
target_link_libraries(relucover_dependencies INTERFACE
  TBB::tbb fmt::fmt nlohmann_json::nlohmann_json
  PkgConfig::OPENBLAS PkgConfig::LAPACKE PkgConfig::LIBZIP ZLIB::ZLIB PkgConfig::CLP ${CMAKE_DL_LIBS})

# start_faster(TARGET): a program with the few functions it needs of these inside, where Debian has them as archives;
# the loader would look up 9,000 names of the shared ones at every start, a quarter of the time of `relucover --version`.
function(start_faster target)
  foreach(part lapacke Clp CoinUtils)
    find_library(RELUCOVER_ARCHIVE_${part} lib${part}.a)
    mark_as_advanced(RELUCOVER_ARCHIVE_${part})
    if(RELUCOVER_ARCHIVE_${part})
      target_link_libraries(${target} PRIVATE ${RELUCOVER_ARCHIVE_${part}})
    endif()
  endforeach()
  target_link_options(${target} PRIVATE -Wl,--as-needed)
endfunction()
