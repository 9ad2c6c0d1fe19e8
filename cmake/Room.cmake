# A room is a folder under src/: one static library whose headers are included as "room/header.hpp".
#
# Each room has an include folder of its own that holds a single link to the room. A room that does not
# name another among its DEPENDS (directly or through them) has no include path to it: a forbidden include
# does not compile.

add_library(tideline_flags INTERFACE)
target_compile_options(tideline_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-sign-conversion)
if(TIDELINE_WERROR)
  target_compile_options(tideline_flags INTERFACE -Werror)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A type with members from an unnamed namespace is suspicious in a header; here sources are included, too.
  target_compile_options(tideline_flags INTERFACE -Wno-subobject-linkage)
endif()
if(TIDELINE_SANITIZE)
  add_compile_options(-fsanitize=${TIDELINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TIDELINE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # False alarms of GCC 12 about code that sanitizers have changed; release builds have these warnings.
    target_compile_options(tideline_flags INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  endif()
endif()

# tideline_room(NAME [COLD] [DEPENDS rooms...] [LIBRARIES external targets...]): the sources under src/NAME, without
# tests. COLD: what it does takes no time, so the compiler need not take much either. Such a room may not contain
# functions from headers that searches call for every state (tests/cold_rooms.py).
# A room may lie within another, "search/states": then it has dependencies of its own.
function(tideline_room name)
  cmake_parse_arguments(ROOM "COLD" "" "DEPENDS;LIBRARIES" ${ARGN})
  tideline_targets(target ${name})
  tideline_targets(doors_to ${ROOM_DEPENDS})
  set(door ${CMAKE_BINARY_DIR}/rooms/${target})
  get_filename_component(above ${door}/${name} DIRECTORY)
  file(MAKE_DIRECTORY ${above})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${door}/${name} SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${door})
    if(ROOM_COLD)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
      set_property(GLOBAL APPEND PROPERTY TIDELINE_COLD_ROOMS ${target})
    endif()
    target_link_libraries(${target} PUBLIC ${doors_to} ${ROOM_LIBRARIES} PRIVATE tideline_flags)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${door})
    target_link_libraries(${target} INTERFACE ${doors_to} ${ROOM_LIBRARIES})
  endif()
endfunction()

# The targets of rooms.
function(tideline_targets result)
  string(REPLACE "/" "_" targets "${ARGN}")
  list(TRANSFORM targets PREPEND tideline_)
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# Seconds after which a test is stopped and has failed. They are for tests that hang: most take less than a second,
# long ones a few minutes. Sanitizers make everything several times slower.
set(TIDELINE_TEST_SECONDS 300)
set(TIDELINE_LONG_TEST_SECONDS 1200)
if(TIDELINE_SANITIZE)
  set(TIDELINE_TEST_SECONDS 1500)
  set(TIDELINE_LONG_TEST_SECONDS 6000)
endif()

# Headers of the standard library and of test libraries that most tests include.
function(tideline_test_headers)
  if(TARGET tideline_test_headers)
    return()
  endif()
  set(empty ${CMAKE_BINARY_DIR}/test_headers.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(tideline_test_headers OBJECT ${empty})
  target_precompile_headers(tideline_test_headers PRIVATE <algorithm> <functional> <map> <memory> <random> <set> <string>
                                                          <vector> <gtest/gtest.h> <rapidcheck/gtest.h>)
  target_compile_options(tideline_test_headers PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(tideline_test_headers PRIVATE tideline_flags GTest::gtest_main rapidcheck)
endfunction()

# tideline_test(NAME SOURCES a_test.cpp ... DEPENDS rooms... [LIBRARIES ...]): one GoogleTest program.
function(tideline_test name)
  if(NOT TIDELINE_TESTS)
    return()
  endif()
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
  tideline_targets(rooms ${TEST_DEPENDS})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE tideline_flags ${rooms} ${TEST_LIBRARIES} GTest::gtest_main
                                        rapidcheck)
  # The test framework is compiled once for all tests; the code under test is optimised in its own library.
  tideline_test_headers()
  target_precompile_headers(${name} REUSE_FROM tideline_test_headers)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 NO_PRETTY_VALUES
                       PROPERTIES TIMEOUT ${TIDELINE_TEST_SECONDS})
endfunction()

# tideline_command_test(NAME [LONG] COMMAND command...): a test that runs a command; LONG when it may take minutes.
function(tideline_command_test name)
  cmake_parse_arguments(TEST "LONG" "" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${TEST_COMMAND} COMMAND_EXPAND_LISTS)
  if(TEST_LONG)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${TIDELINE_LONG_TEST_SECONDS})
  else()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${TIDELINE_TEST_SECONDS})
  endif()
endfunction()
