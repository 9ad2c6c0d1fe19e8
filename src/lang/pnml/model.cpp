#include "lang/pnml/pnml.hpp"
#include "lang/pnml/reader.hpp"
#include "lang/pnml/unfold.hpp"

namespace tideline::pnml {

Net read_net(const SourceText& source, const LoadOptions& options) {
  Reading reading = read_pnml(source);
  if (!reading.colours) return std::move(reading.net);
  return unfold(reading.net, *reading.colours, source, options.most_unfolded);
}

}  // namespace tideline::pnml
