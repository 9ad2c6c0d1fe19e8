// A place/transition net as data, between the text and the System. Structural analyses work on it.
//
// A marking gives each place a number of tokens. A transition t is enabled in a marking m when
//   - m(p) >= weight for every arc of t.consumes and of t.tests
//   - m(p) <  weight for every arc of t.inhibitors
// and firing it takes the tokens of t.consumes away, empties the places of t.resets, and then adds the tokens
// of t.produces. Lists of arcs are sorted by place and name a place once; `normalise` makes them so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/error.hpp"

namespace tideline::pnml {

using PlaceId = std::uint32_t;
using TransitionId = std::uint32_t;

/// More tokens than that in an initial marking or at an arc are refused, and more in a place are
/// a model error.
inline constexpr std::int64_t most_tokens = 2'147'483'647;

struct Arc {
  PlaceId place = 0;
  std::uint32_t weight = 1;
  bool operator==(const Arc&) const = default;
};

struct Place {
  std::string id;
  std::string name = {};  ///< for people; empty when it is the id
  std::uint32_t initial = 0;
  SourcePoint where = {};
};

struct Transition {
  std::string id;
  std::string name = {};  ///< for people; empty when it is the id
  std::vector<Arc> consumes = {};
  std::vector<Arc> produces = {};
  std::vector<Arc> tests = {};
  std::vector<Arc> inhibitors = {};
  std::vector<PlaceId> resets = {};
  SourcePoint where = {};
};

/// What a coloured place or transition became when the net was unfolded.
struct Family {
  std::string name;                    ///< its id in the coloured net
  std::vector<std::uint32_t> members;  ///< places or transitions
};

/// Places of a net of which at most one is marked, with one token, when the net is unit-safe (see NUPN).
struct Unit {
  std::string id;
  std::vector<PlaceId> places;
};

struct Net {
  std::string id;
  std::vector<Place> places = {};
  std::vector<Transition> transitions = {};
  bool safe = false;  ///< the file claims that no place ever has more than one token
  std::vector<Unit> units = {};
  std::vector<Family> place_families = {};  ///< of an unfolded net
  std::vector<Family> transition_families = {};
};

/// Sorts the arcs of a transition by place and adds up those between the same nodes; of several tests the
/// largest counts, of several inhibitors the smallest. False when a sum is beyond most_tokens.
bool normalise(Transition& transition);

/// The net as PNML.
std::string to_pnml(const Net& net);

}  // namespace tideline::pnml
