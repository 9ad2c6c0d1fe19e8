# tideline::tideline: the library for other projects, and the package that find_package(tideline) finds.
#
# It is one archive of all rooms, with the public headers of include/tideline/. The part for a user's own types is
# templates, so the headers of the rooms up to search/ are installed too, under tideline/detail/; on the way their
# includes ("room/header.hpp") are given that folder, so that they cannot clash with a project's own headers.

set(header_rooms model files run exec reduce graph store progress search/core search/sweep search/states search/lassos search/ctl)
set(library_rooms ${header_rooms} lang logic bind trace report symbolic/diagrams symbolic/space symbolic/ctl symbolic/ltl
                  cluster/ranks cluster/states cluster/lassos cluster/sweep gpu certificate/format certificate/writer checking library)
tideline_targets(library_targets ${library_rooms})
tideline_targets(header_targets ${header_rooms})
list(TRANSFORM library_targets REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE library_objects)
list(TRANSFORM header_targets REPLACE "(.+)" "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/rooms/\\1>" OUTPUT_VARIABLE library_doors)

add_library(tideline_archive STATIC ${library_objects})
add_library(tideline::tideline ALIAS tideline_archive)
set_target_properties(tideline_archive PROPERTIES OUTPUT_NAME tideline EXPORT_NAME tideline LINKER_LANGUAGE CXX)
target_compile_features(tideline_archive PUBLIC cxx_std_20)
target_include_directories(tideline_archive PUBLIC ${library_doors} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(tideline_archive SYSTEM PUBLIC $<BUILD_INTERFACE:${XXHASH_INCLUDE_DIR}>)
target_link_libraries(tideline_archive PUBLIC fmt::fmt Threads::Threads EXPAT::EXPAT)
foreach(name IN ITEMS zstd gmpxx gmp)
  string(TOUPPER ${name} variable)
  target_link_libraries(tideline_archive PUBLIC $<BUILD_INTERFACE:${${variable}_LIBRARY}> $<INSTALL_INTERFACE:${name}>)
endforeach()
if(TIDELINE_NATIVE_LIBRARY)
  target_link_libraries(tideline_archive PUBLIC $<BUILD_INTERFACE:${TIDELINE_NATIVE_LIBRARY}> $<INSTALL_INTERFACE:asmjit>)
endif()

install(TARGETS tideline_archive EXPORT tideline ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY include/tideline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
foreach(room IN LISTS header_rooms)
  install(DIRECTORY src/${room}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tideline/detail/${room} COMPONENT library
          FILES_MATCHING PATTERN "*.hpp")
endforeach()
list(JOIN header_rooms | any_room)
install(CODE "
  file(GLOB_RECURSE headers \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/tideline/*.hpp\")
  foreach(header IN LISTS headers)
    file(READ \${header} text)
    string(REGEX REPLACE \"#include \\\"(${any_room})/\" \"#include \\\"tideline/detail/\\\\1/\" text \"\${text}\")
    file(WRITE \${header} \"\${text}\")
  endforeach()
" COMPONENT library)

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tideline)
file(WRITE ${CMAKE_BINARY_DIR}/tidelineConfig.cmake [[
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(EXPAT)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/tidelineTargets.cmake)
]])
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tidelineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tidelineConfig.cmake ${CMAKE_BINARY_DIR}/tidelineConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT library)
install(EXPORT tideline NAMESPACE tideline:: FILE tidelineTargets.cmake DESTINATION ${package_folder} COMPONENT library)
