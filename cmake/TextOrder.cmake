# Where functions lie in the program.
#
# The system maps code from its file in windows of 64 KiB, wherever a function is called, and all of a window counts as
# memory of the process. A check calls a tenth of the program, here and there: in the order of the compiler's files that
# touches half of the windows. So what checks call lies together, by a list (text_order.txt) that scripts/text-order makes
# from what a few of them call. It need be neither complete nor up to date: what it does not name lies with all others.
#
# Each function has a section of its own for this, and those that nothing refers to are left out.

# The GNU linker, that is: others read its scripts differently.
set(can_order_text FALSE)
if(CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_NAME STREQUAL Linux
   AND NOT "${CMAKE_CXX_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld=(gold|lld|mold)")
  set(can_order_text TRUE)
  add_compile_options(-ffunction-sections)
endif()

# tideline_order_text(TARGET): an executable.
function(tideline_order_text target)
  if(NOT can_order_text)
    return()
  endif()
  set(list ${PROJECT_SOURCE_DIR}/cmake/text_order.txt)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} names REGEX "^[^#]")
  list(TRANSFORM names REPLACE "(.+)" "    *(.text.\\1 .text.\\1.*)")
  list(JOIN names "\n" sections)
  set(script ${CMAKE_BINARY_DIR}/text_order.ld)
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT "SECTIONS\n{\n  .text.called :\n  {\n@sections@\n  }\n}\nINSERT BEFORE .text;\n")
  target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,-T,${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
