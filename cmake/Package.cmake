# What `make install` and `make package` give to people: the program, the library, and packages of both.
#
# There are four components. `program` is what everybody needs. `mpi` is the module for several ranks: apart, since it
# needs Open MPI. `library` is for other projects (Library.cmake). `bundle` has the shared libraries that the program
# needs, without those of the C library, and their licences: with it an archive runs where nothing is installed.
#
#   DEB: a package for each of the first three, with dependencies that dpkg-shlibdeps finds
#   TGZ: one archive of program, mpi and bundle

# As a tag that counts for libraries of libraries, too.
foreach(program IN ITEMS tideline tideline-certify)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/tideline")
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()
install(TARGETS tideline tideline-certify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES docs/tideline.1 docs/tideline-certify.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES docs/tideline-answer.schema.json docs/tideline-progress.schema.json docs/tideline-explain-por.schema.json
              docs/tideline-report.schema.json docs/tideline-status.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tideline COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/tideline COMPONENT program)
set(completion apps/tideline/completion)
install(FILES ${completion}/tideline.bash RENAME tideline COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion}/tideline.fish COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Where zsh looks below /usr/local, and where Debian's zsh looks below /usr.
install(CODE "
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(zsh_folder vendor-completions)
  else()
    set(zsh_folder site-functions)
  endif()
  file(INSTALL ${PROJECT_SOURCE_DIR}/${completion}/_tideline
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder}\")
" COMPONENT program)

install(CODE "
  set(programs $<TARGET_FILE:tideline> $<TARGET_FILE:tideline-certify>)
  set(folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/tideline\")
  include(${PROJECT_SOURCE_DIR}/cmake/bundle.cmake)
" COMPONENT bundle EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_NAME tideline)
set(CPACK_PACKAGE_VENDOR "The Tideline authors")
set(CPACK_PACKAGE_CONTACT "The Tideline authors")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${PROJECT_SOURCE_DIR}/cmake/description.txt)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
string(TOLOWER "tideline-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program mpi library)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_archive.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tideline)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS tideline-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME tideline-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tideline (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_DESCRIPTION "searches by several processes, for Tideline")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtideline-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libfmt-dev, libexpat1-dev, libzstd-dev, libgmp-dev")
if(TIDELINE_NATIVE_LIBRARY)
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", libasmjit-dev")
endif()
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "Tideline as a library for other programs")
include(CPack)
