// An answer that was written with `--json` and is read again, to be shown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/property.hpp"
#include "trace/itf.hpp"

namespace tideline {

/// A run in an answer.
struct AnswerRun {
  std::size_t property = 0;  ///< index into the properties of the answer
  std::size_t number = 0;    ///< among the runs of the property: 0 is its `trace`, others are in `traces`
  std::string name;          ///< for people: that of the property, with the number where there are several
  Verdict verdict = Verdict::unknown;
  ItfTrace trace;
};

struct SavedAnswer {
  std::string file;                       ///< for messages
  std::string text;                       ///< JSON
  std::string model;                      ///< its path, as the user gave it then
  std::vector<std::string> defines = {};  ///< values of the model's constants that were given
  std::vector<std::string> properties;    ///< their names
  std::vector<AnswerRun> runs;
};

/// Whether a text is rather an answer than a trace; it may still not be a good one.
bool looks_like_answer(std::string_view text);

/// `file` is what messages call it. Throws Error(input).
SavedAnswer read_answer(const std::string& text, const std::string& file);

/// The answer for a page: in place of each run its index among the runs of the page, or nothing. `run_of` is
/// parallel to answer.runs.
std::string page_answer(const SavedAnswer& answer, const std::vector<std::optional<std::size_t>>& run_of);

/// The sentences of the page.
std::vector<std::string> page_notes(const SavedAnswer& answer);

}  // namespace tideline
