# Writes PTX files as C++ initialisers {words, "text"}, without the comments that clang leaves.
set(all "")
foreach(text ${TEXTS})
  string(REGEX REPLACE ".*_([0-9]+)\\.ptx$" "\\1" words ${text})
  file(READ ${text} content)
  string(REGEX REPLACE "\n[ \t]*//[^\n]*" "" content "${content}")
  string(APPEND all "{${words}, R\"ptx(${content})ptx\"},\n")
endforeach()
file(WRITE ${TO} "${all}")
