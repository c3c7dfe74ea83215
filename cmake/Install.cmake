# make install: the program, the library, its headers, a CMake package, a pkg-config file and shell completion.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What the static library is linked with, by pkg-config name; the test install.consumers fails where this list is too short.
set(RELUCOVER_PARTS tbb fmt libzip zlib clp lapacke openblas)
string(JOIN " " RELUCOVER_PARTS_TEXT ${RELUCOVER_PARTS})
get_target_property(RELUCOVER_LINK_OPTIONS relucover INTERFACE_LINK_OPTIONS)
string(JOIN " " RELUCOVER_MORE_TEXT ${RELUCOVER_LINK_OPTIONS})

install(TARGETS relucover relucover_cli
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
get_property(modules GLOBAL PROPERTY RELUCOVER_MODULES)
foreach(module ${modules})  # where the program looks, beside its bin; those who link the library are told by its packages
  install(TARGETS ${module} LIBRARY DESTINATION lib/relucover)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/relucover DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/relucoverConfig.cmake.in ${CMAKE_BINARY_DIR}/relucoverConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/relucover PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/relucoverConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/relucoverConfig.cmake ${CMAKE_BINARY_DIR}/relucoverConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/relucover)

# The prefix is known when installing, not before (cmake --install --prefix), so the .pc file is written then.
foreach(name PROJECT_VERSION PROJECT_DESCRIPTION CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR RELUCOVER_PARTS_TEXT RELUCOVER_MORE_TEXT)
  install(CODE "set(${name} [==[${${name}}]==])")
endforeach()
install(CODE "set(source_dir [==[${CMAKE_CURRENT_LIST_DIR}]==])\nset(libdir [==[${CMAKE_INSTALL_LIBDIR}]==])")
install(CODE [==[
  configure_file(${source_dir}/relucover.pc.in $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${libdir}/pkgconfig/relucover.pc @ONLY)
]==])
