#include "lang/pnml/pnml.hpp"
#include "lang/pnml/reader.hpp"
#include "lang/pnml/unfold.hpp"

namespace tideline::pnml {

Net read_net(const SourceText& source, const LoadOptions& options, std::vector<Diagnostic>* warnings) {
  Reading reading = read_pnml(source);
  if (warnings) *warnings = std::move(reading.warnings);
  Net net = reading.colours ? unfold(reading.net, *reading.colours, source, options.most_unfolded)
                            : std::move(reading.net);
  if (net.places.empty()) {
    Diagnostics diagnostics(source);
    diagnostics.error({}, "the net has no places, and so no markings");
    diagnostics.throw_if_errors();
  }
  return net;
}

}  // namespace tideline::pnml
