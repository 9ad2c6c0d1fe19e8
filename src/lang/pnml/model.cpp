#include "lang/pnml/pnml.hpp"
#include "lang/pnml/reader.hpp"

namespace tideline::pnml {

Net read_net(const SourceText& source, const LoadOptions&) {
  Reading reading = read_pnml(source);
  if (reading.colours) throw Error(ErrorKind::input, "coloured nets are not read yet");
  return std::move(reading.net);
}

}  // namespace tideline::pnml
