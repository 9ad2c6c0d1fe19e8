// What a check writes, and where: its answer as text, JSON and JUnit XML, and its runs as files of their own.
#pragma once

#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "report/answer.hpp"
#include "trace/palette.hpp"

namespace tideline {

/// Files that are wanted; empty: not wanted, "-": on standard output.
struct OutputRequest {
  std::string trace_file = {};  ///< runs in ITF, see trace_files()
  std::string json_file = {};
  std::string junit_file = {};
};

/// A file, or "-" for standard output, and what goes there.
struct Output {
  std::string file;
  std::string text;
};

/// For each result of the answer the files its runs go to. A single run goes to FILE, several to FILE-NAME with
/// FILE's extension, each name once: the second run of a property to FILE-NAME-2.
std::vector<std::vector<std::string>> trace_files(const std::string& file, const Answer& answer);

struct RenderOptions {
  bool text = true;                              ///< text for people is wanted, on standard output
  bool quiet = false, full = false;              ///< of that text, see TextOptions
  ErrorSemantics errors = ErrorSemantics::stop;  ///< by which the runs were replayed
  Palette palette = {};                          ///< of standard output
};

/// Everything that is wanted. Runs that the budget does not suffice for are left out of the answer, too.
std::vector<Output> render_outputs(const OutputRequest& request, const RenderOptions& options,
                                   const Model& model, Answer& answer, Budget& budget);

}  // namespace tideline
