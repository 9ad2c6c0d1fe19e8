# Writes PTX files as C++ initialisers {words, sweeps, "text"}, without the comments that clang leaves.
set(all "")
foreach(text ${TEXTS})
  string(REGEX REPLACE ".*_([0-9]+)_([01])\\.ptx$" "\\1, \\2" kind ${text})
  file(READ ${text} content)
  string(REGEX REPLACE "\n[ \t]*//[^\n]*" "" content "${content}")
  string(APPEND all "{${kind}, R\"ptx(${content})ptx\"},\n")
endforeach()
file(WRITE ${TO} "${all}")
