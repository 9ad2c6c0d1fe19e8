// libFuzzer target: any bytes are either a measure of progress, which reads back as it is written, or refused with an Error.
#include <cstdlib>

#include "accepted_or_refused.hpp"
#include "fuzz_model.hpp"
#include "lang/diagnostics.hpp"
#include "lang/expression.hpp"
#include "progress/parse_measure.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  const System& system = fuzz::small_model().system;
  const auto expression = [&](std::string_view text, SourcePoint start, const SourceText& source) {
    Diagnostics diagnostics(source);
    return read_expression(system, text, start, diagnostics);
  };
  const auto read = [&](const SourceText& source) {
    return parse_measure(system, source, expression, ErrorSemantics::stop).text();
  };
  const auto reads_back = [&] {
    const std::string text = read({"input", fuzz::text_of(data, size)});
    if (read({"again", text}) != text) std::abort();
  };
  fuzz::accepted_or_refused(reads_back,
                            {ErrorKind::usage});  // a measure that needs too many bits is no wrong text
  return 0;
}
