# Tests that are not GoogleTest executables: style, README, examples, installation, the command line.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# The first Python in the path need not be the one that Debian's packages are for.
foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import numpy, pytest" RESULT_VARIABLE lacks OUTPUT_QUIET ERROR_QUIET)
  if(lacks EQUAL 0)
    set(TEST_PYTHON ${candidate})
    break()
  endif()
endforeach()
if(NOT TEST_PYTHON)
  message(FATAL_ERROR "no Python with numpy and pytest: run scripts/install-packages")
endif()

add_test(NAME style.includes COMMAND ${TEST_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/check-includes)
add_test(NAME style.silence COMMAND ${TEST_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/check-silence)
add_test(NAME style.names COMMAND ${TEST_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/check-names)
add_test(NAME style.checks_can_fail
  COMMAND ${TEST_PYTHON} -m pytest -q -p no:cacheprovider ${CMAKE_CURRENT_LIST_DIR}/style)
set_tests_properties(style.includes style.silence style.names style.checks_can_fail PROPERTIES LABELS style)

# The C++ program of the README, cut out of it, built and run.
set(readme_program ${CMAKE_BINARY_DIR}/readme/main.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md)
execute_process(COMMAND ${TEST_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/readme-program ${CMAKE_SOURCE_DIR}/README.md ${readme_program}
  COMMAND_ERROR_IS_FATAL ANY)
add_executable(readme_program ${readme_program})
target_link_libraries(readme_program PRIVATE relucover::relucover)
if(RELUCOVER_PRECOMPILED)
  target_precompile_headers(readme_program PRIVATE <relucover/relucover.hpp>)
endif()
add_test(NAME readme.program COMMAND readme_program)
set_tests_properties(readme.program PROPERTIES LABELS readme)

# Every example is built and run: a .cpp by itself, a .sh with the program in its path.
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.cpp)
foreach(source ${examples})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE relucover::relucover)
  if(RELUCOVER_PRECOMPILED)
    target_precompile_headers(example_${name} REUSE_FROM readme_program)
  endif()
  add_test(NAME example.${name} COMMAND example_${name})
  set_tests_properties(example.${name} PROPERTIES LABELS example)
endforeach()
file(GLOB walks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.sh)
foreach(script ${walks})
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME example.${name} COMMAND bash ${script})
  set_tests_properties(example.${name} PROPERTIES LABELS example
    ENVIRONMENT "PATH=$<TARGET_FILE_DIR:relucover_cli>:$ENV{PATH}")
endforeach()

# Installs into a clean prefix and builds consumers of the CMake package and of the pkg-config file, who know nothing of sanitizers and coverage.
if(NOT RELUCOVER_SANITIZE AND NOT RELUCOVER_COVERAGE)
  add_test(NAME install.consumers
    COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/install/consumers.sh ${CMAKE_BINARY_DIR} ${readme_program} ${CMAKE_CXX_COMPILER})
  set_tests_properties(install.consumers PROPERTIES LABELS install)
endif()

file(GLOB cli_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cli/test_*.py)
foreach(file ${cli_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "test_" "" name ${name})
  add_test(NAME cli.${name} COMMAND ${TEST_PYTHON} -m pytest -q -p no:cacheprovider ${file})
  set_tests_properties(cli.${name} PROPERTIES LABELS cli
    ENVIRONMENT "RELUCOVER=$<TARGET_FILE:relucover_cli>;FAILING_CALLS=$<TARGET_FILE:failing_calls>;FAILING_ALLOCATIONS=$<TARGET_FILE:failing_allocations>;PYTHONDONTWRITEBYTECODE=1;OPENBLAS_NUM_THREADS=1")
endforeach()
