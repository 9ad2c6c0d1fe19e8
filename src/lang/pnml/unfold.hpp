// Unfolding: a coloured net as a place/transition net of the same behaviour.
//
// A place becomes one place for each colour that an arc or the initial marking names, a transition one for
// each binding of its variables under which its condition holds. The part of a condition that reads the
// variables bound so far is tested as soon as they are bound. What can never be marked or fired however the
// tokens run (a place that is neither marked nor filled by such a transition) is left out; net.place_families
// and net.transition_families say what each coloured node has become.
#pragma once

#include <cstddef>

#include "lang/diagnostics.hpp"
#include "lang/pnml/net.hpp"
#include "lang/pnml/reader.hpp"

namespace tideline::pnml {

/// Unfolds. `most` bounds the places, the transitions and the arcs of the result. Throws Error(input), with
/// places in `source`.
Net unfold(const Net& skeleton, const Colours& colours, const SourceText& source, std::size_t most);

}  // namespace tideline::pnml
