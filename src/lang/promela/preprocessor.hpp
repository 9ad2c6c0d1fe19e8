// Preprocessor: macros, conditions and included files, as users of Promela know them from C.
//
// Reads `#define` (with and without arguments, # and ##), `#undef`, `#include "file"`, `#if` `#ifdef` `#ifndef` `#elif`
// `#else` `#endif`, `#error`, and lines joined by a backslash; comments vanish. The result is a list of tokens, and one
// source text in which the included files lie where they were included: places are places in that text, and
// SourceText::parts says which file and line they are in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/lang.hpp"
#include "lang/promela/tokens.hpp"

namespace tideline::promela {

/// A macro without arguments, as it is at the end of the text: properties may use its name.
struct PlainMacro {
  std::string name;
  std::vector<Token> body;
};

struct Preprocessed {
  std::vector<Token> tokens;  ///< without an end token
  std::vector<PlainMacro> macros;
  std::vector<std::string> unused_defines;  ///< those given from outside that the text never asks for
};

/// Reads the text of a file; throws Error.
using FileReader = std::function<SourceText(const std::string& path)>;

/// `source` has the model's own text and name; it is replaced by the text with included files in it.
/// `diagnostics` is about `source`. Errors are recorded, not thrown. `defines` are macros given from outside, which the
/// text cannot define again.
Preprocessed preprocess(SourceText& source, Diagnostics& diagnostics, const FileReader& read,
                        const std::vector<Define>& defines);

}  // namespace tideline::promela
