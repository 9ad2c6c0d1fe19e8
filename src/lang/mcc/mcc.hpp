// The property files of the Model Checking Contest: XML to properties over the system of a net.
//
//     <property-set xmlns="http://mcc.lip6.fr/">
//       <property> <id>first</id> <formula> ... </formula> </property> ...
//
// A formula is one of these, and its kind follows from its form:
//   EF s, AG s   s is about one marking: a property of kind reach or invariant
//   CTL          every temporal operator is directly inside a path quantifier
//   LTL          all-paths around a formula without quantifiers
//   place-bound  asks for a number, the most tokens that some places have together; not a Property
// A formula may be both CTL and LTL: then the caller decides. X in deadlocks depends on it, as
// docs/semantics-ctl-ltl.md explains.
//
// LTL and CTL become text in our own syntax, like all formulas; their atoms are passed along as expressions.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostics.hpp"
#include "model/system.hpp"
#include "run/property.hpp"

namespace tideline::mcc {

enum class Logic { ctl, ltl };

/// Asks for the most tokens that these places have together; a place may be listed several times.
struct Bound {
  std::string name;
  std::vector<SlotId> places;
};

struct PropertySet {
  std::vector<Property> properties;
  std::vector<Bound> bounds;
};

/// LTL for a file whose name begins with LTL, as in the contest; else CTL.
Logic logic_of_file(const std::string& path);

/// Reads the properties of a file. `both` is the logic of formulas that belong to both. Throws Error(input).
PropertySet read_property_set(const SourceText& source, const System& system, Logic both);

}  // namespace tideline::mcc
