# The report page: web/ bundled into one HTML file, which becomes a part of the program.
#
# What npm installs and makes lies in the build folder, so that the source folder stays clean. Libraries are
# installed when CMake runs (again only when the lock file changes), and the page is bundled when the program
# is built. Without npm, or without a network for the first installation, the program is built without the
# page, and says so when asked for one.
#
# Sets TIDELINE_PAGE_FILE and TIDELINE_PAGE_LICENCES; empty: no page.

set(TIDELINE_PAGE "" CACHE FILEPATH "A report page that is bundled already; empty: npm bundles it")

set(web ${PROJECT_SOURCE_DIR}/web)
set(web_build ${CMAKE_BINARY_DIR}/web)
set(TIDELINE_PAGE_FILE "")
set(TIDELINE_PAGE_LICENCES "")

# Installs the libraries that the lock file names; `result` is empty, or says why there are none.
function(tideline_page_libraries result)
  find_program(NPM npm)
  if(NOT NPM)
    set(${result} "npm is not installed" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${web}/package-lock.json lock)
  set(stamp ${web_build}/installed)
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
  endif()
  set(${result} "" PARENT_SCOPE)
  if("${installed}" STREQUAL "${lock}")
    return()
  endif()
  message(STATUS "Installing the libraries of the report page")
  file(MAKE_DIRECTORY ${web_build})
  file(COPY ${web}/package.json ${web}/package-lock.json DESTINATION ${web_build})
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --ignore-scripts --prefer-offline --fetch-retries=1
                  WORKING_DIRECTORY ${web_build} RESULT_VARIABLE failed OUTPUT_FILE npm.log ERROR_FILE npm.log TIMEOUT 300)
  if(failed)
    set(${result} "npm could not install its libraries, see ${web_build}/npm.log" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${stamp} ${lock})
endfunction()

if(TIDELINE_PAGE)
  set(TIDELINE_PAGE_FILE ${TIDELINE_PAGE})
  set(TIDELINE_PAGE_LICENCES ${PROJECT_SOURCE_DIR}/LICENSE)
elseif(EXISTS ${web}/package-lock.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${web}/package-lock.json)
  tideline_page_libraries(page_missing)
  if(page_missing)
    # Not a message: make shows only warnings, and this is to be seen.
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "-- No report page (--report): ${page_missing}")
  else()
    set(TIDELINE_PAGE_FILE ${web_build}/dist/page.html)
    set(TIDELINE_PAGE_LICENCES ${web_build}/dist/LICENSES.txt)
    file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${web}/*)
    list(FILTER page_sources EXCLUDE REGEX "/(node_modules|dist)/")
    add_custom_command(
      OUTPUT ${TIDELINE_PAGE_FILE} ${TIDELINE_PAGE_LICENCES}
      DEPENDS ${page_sources} ${web_build}/installed
      COMMAND ${CMAKE_COMMAND} -DFROM=${web} -DTO=${web_build} -P ${PROJECT_SOURCE_DIR}/cmake/copy_page.cmake
      COMMAND ${CMAKE_COMMAND} -E chdir ${web_build} ${NPM} run --silent build
      COMMENT "Bundling the report page" VERBATIM)
    add_custom_target(tideline_page DEPENDS ${TIDELINE_PAGE_FILE} ${TIDELINE_PAGE_LICENCES})
    install(FILES ${TIDELINE_PAGE_LICENCES} DESTINATION ${CMAKE_INSTALL_DATADIR}/tideline RENAME report-licences.txt)
  endif()
endif()
