// XXH3, in line: for checksums of files, and for keys that are longer than a few words. States have a hash of their own
// (hash.hpp).
#pragma once

#define XXH_INLINE_ALL
#define XXH_FORCE_MEMORY_ACCESS 1  // reads that the compiler takes for what they are, and does put in line
#include <xxhash.h>
