// Rules: the vectors that `sync` lists, over the sides of a composition.
//
// A side is what `||` or `forall` puts in parallel: a process, or a term that is already composed. A part of
// a vector names one of the components in it, and means all the steps of the side with that label in which
// the component takes part. So two components of one side cannot be two parts of a vector: how they
// synchronise is fixed inside the side.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/lts/composition.hpp"
#include "lang/psl/component.hpp"

namespace tideline::psl {

struct Sides {
  struct Place {
    std::size_t side = 0;
    ComponentId component = 0;
  };
  std::vector<lts::Composite> list{};
  std::map<std::string, Place> components{};
  std::set<std::pair<ComponentId, lts::LabelId>> labels{};  ///< which it takes, as its side shows them
};

/// The rules of a term `... sync {...}`. Errors are recorded.
std::vector<lts::Rule> rules_of(const File& file, const Term& sync, const Environment& environment,
                                const Sides& sides, lts::Labels& labels, Evaluation& evaluation);

}  // namespace tideline::psl
