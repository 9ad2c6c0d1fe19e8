# Copies the sources of the report page to the build folder: cmake -DFROM=web -DTO=build/web -P copy_page.cmake
# What is not there any more is removed; libraries and the bundle stay.
file(GLOB old RELATIVE ${TO} ${TO}/*)
list(REMOVE_ITEM old node_modules dist installed npm.log)
foreach(name IN LISTS old)
  file(REMOVE_RECURSE ${TO}/${name})
endforeach()
file(COPY ${FROM}/ DESTINATION ${TO} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
