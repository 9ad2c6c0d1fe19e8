# Installs the library into a folder of its own, builds the examples against it, and runs them.
#   cmake -DBUILD=<build folder> -DSOURCE=<source folder> -DCXX=<compiler> -DFLAGS=<its flags> -P install_test.cmake
set(folder ${BUILD}/tests/install)
set(ENV{DESTDIR} "")
file(REMOVE_RECURSE ${folder})
foreach(command IN ITEMS
    "${CMAKE_COMMAND};--install;${BUILD};--component;library;--prefix;${folder}/prefix"
    "${CMAKE_COMMAND};-S;${SOURCE}/examples/stop_and_wait;-B;${folder}/build;-DCMAKE_PREFIX_PATH=${folder}/prefix;-DCMAKE_CXX_COMPILER=${CXX};-DCMAKE_CXX_FLAGS=${FLAGS}"
    "${CMAKE_COMMAND};--build;${folder}/build"
    "${CMAKE_COMMAND};-S;${SOURCE}/examples/check_model;-B;${folder}/check;-DCMAKE_PREFIX_PATH=${folder}/prefix;-DCMAKE_CXX_COMPILER=${CXX};-DCMAKE_CXX_FLAGS=${FLAGS}"
    "${CMAKE_COMMAND};--build;${folder}/check"
    "${folder}/build/stop_and_wait;22;2")
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
endforeach()
if(NOT output MATCHES "7944 states, 22419 edges")
  message(FATAL_ERROR "unexpected answer: ${output}")
endif()
# Some of the properties are meant to be violated.
execute_process(COMMAND ${folder}/check/check_model ${SOURCE}/models/peterson3.dve OUTPUT_VARIABLE output)
if(NOT output MATCHES "mutex: holds")
  message(FATAL_ERROR "unexpected answer: ${output}")
endif()
