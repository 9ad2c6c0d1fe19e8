# Copies the shared libraries that `programs` need into `folder`, with their licences. Those of the C library stay
# outside: they belong to the system that the program runs on.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
     POST_EXCLUDE_REGEXES "/(ld-linux[^/]*|libc|libm|libdl|libpthread|librt)\\.so[^/]*$")
foreach(library IN LISTS libraries)
  file(INSTALL ${library} DESTINATION "${folder}" FOLLOW_SYMLINK_CHAIN)
  get_filename_component(name ${library} NAME)
  execute_process(COMMAND dpkg-query --search */${name} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX MATCH "^[^:]+" package "${owner}")
  if(package AND EXISTS /usr/share/doc/${package}/copyright)
    configure_file(/usr/share/doc/${package}/copyright "$ENV{DESTDIR}${folder}/licences/${package}" COPYONLY)
  endif()
endforeach()
