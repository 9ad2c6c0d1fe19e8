#include "checking/contest/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "lang/lang.hpp"
#include "lang/mcc/mcc.hpp"

namespace tideline::contest {

namespace {

constexpr std::array of_files = {
    "ReachabilityCardinality", "ReachabilityFireability", "CTLCardinality", "CTLFireability",
    "LTLCardinality",          "LTLFireability",          "UpperBounds"};

Property of_states(PropertyKind kind, Expr expr) {
  return {.name = "", .kind = kind, .formula = "", .expr = std::move(expr)};
}

/// The nodes of the net as it was written, each with what it became.
template <class Nodes>
std::vector<std::vector<std::uint32_t>> members(const Nodes& nodes,
                                                const std::vector<pnml::Family>& families) {
  std::vector<std::vector<std::uint32_t>> result;
  for (const pnml::Family& family : families) result.push_back(family.members);
  if (families.empty())
    for (std::uint32_t i = 0; i < nodes.size(); ++i) result.push_back({i});
  return result;
}

/// The tokens of each place.
std::vector<Expr> places_of(const pnml::Net& net) {
  std::vector<Expr> places;
  for (const auto& slots : members(net.places, net.place_families)) {
    std::vector<Expr> loads;
    for (const SlotId slot : slots) loads.push_back(Expr::load(slot));
    places.push_back(balanced(Op::add, std::move(loads), 0));
  }
  return places;
}

/// Where one of these actions is enabled.
Expr enabled(const System& system, const std::vector<ActionId>& actions) {
  std::vector<Expr> guards;
  for (const ActionId action : actions) guards.push_back(system.actions[action].guard);
  return balanced(Op::logic_or, std::move(guards), 0);
}

Question deadlock(const pnml::Net&, const System&) {
  return {.id = "", .kind = Question::Kind::none, .parts = {of_states(PropertyKind::deadlock, {})}};
}

Question one_safe(const pnml::Net& net, const System&) {
  std::vector<Expr> safe;
  for (Expr& tokens : places_of(net))
    safe.push_back(Expr::binary(Op::le, std::move(tokens), Expr::constant(1)));
  return {.id = "",
          .kind = Question::Kind::all,
          .parts = {of_states(PropertyKind::invariant, balanced(Op::logic_and, std::move(safe), 1))}};
}

Question stable_marking(const pnml::Net& net, const System& system) {
  Question question{.id = "", .kind = Question::Kind::any};
  const auto slots = members(net.places, net.place_families);
  std::vector<Expr> places = places_of(net);
  for (std::size_t p = 0; p < places.size(); ++p) {
    std::int64_t initial = 0;
    for (const SlotId slot : slots[p]) initial += system.initial[slot];
    question.parts.push_back(of_states(PropertyKind::invariant,
                                       Expr::binary(Op::eq, std::move(places[p]), Expr::constant(initial))));
  }
  return question;
}

Question quasi_liveness(const pnml::Net& net, const System& system) {
  Question question{.id = "", .kind = Question::Kind::all};
  for (const auto& actions : members(net.transitions, net.transition_families))
    question.parts.push_back(of_states(PropertyKind::reach, enabled(system, actions)));
  return question;
}

Question liveness(const pnml::Net& net, const System& system) {
  Question question{
      .id = "", .kind = Question::Kind::all, .live = members(net.transitions, net.transition_families)};
  for (const auto& actions : question.live)
    question.parts.push_back({.name = "",
                              .kind = PropertyKind::ctl,
                              .formula = "AG EF enabled",
                              .atoms = {{"enabled", enabled(system, actions)}},
                              .deadlock_paths = DeadlockPaths::maximal});
  return question;
}

Question state_space(const pnml::Net&, const System&) {
  return {.id = "", .kind = Question::Kind::state_space};
}

constexpr std::array<std::pair<std::string_view, Question (*)(const pnml::Net&, const System&)>, 6> of_nets =
    {{
        {"ReachabilityDeadlock", deadlock},
        {"OneSafe", one_safe},
        {"StableMarking", stable_marking},
        {"QuasiLiveness", quasi_liveness},
        {"Liveness", liveness},
        {"StateSpace", state_space},
    }};

std::vector<Question> questions_of_file(const std::string& path, const System& system) {
  mcc::PropertySet set = mcc::read_property_set(read_source(path), system, mcc::logic_of_file(path));
  std::vector<Question> questions;
  for (Property& property : set.properties) {
    Question question{.id = property.name};
    question.parts.push_back(std::move(property));
    questions.push_back(std::move(question));
  }
  for (mcc::Bound& bound : set.bounds)
    questions.push_back(
        {.id = std::move(bound.name), .kind = Question::Kind::bound, .places = std::move(bound.places)});
  return questions;
}

}  // namespace

std::optional<Examination> read_examination(const std::string& folder, const std::string& name,
                                            const pnml::Net& net, const System& system) {
  Examination examination;
  if (std::ranges::find(of_files, name) != of_files.end())
    examination.questions =
        questions_of_file((std::filesystem::path(folder) / (name + ".xml")).string(), system);
  for (const auto& [of_net, make] : of_nets)
    if (of_net == name) {
      examination.questions.push_back(make(net, system));
      examination.questions.back().id = fmt::format("{}-{}", instance_of(folder), name);
    }
  if (examination.questions.empty()) return std::nullopt;
  for (const Question& question : examination.questions)
    examination.status.push_back({std::vector<Verdict>(question.parts.size(), Verdict::unknown), false});
  return examination;
}

std::string instance_of(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Verdict answer_of(Question::Kind kind, const std::vector<Verdict>& parts) {
  const auto has = [&](Verdict v) { return std::ranges::find(parts, v) != parts.end(); };
  const bool universal = kind == Question::Kind::all;
  // What one part alone decides, and what it takes all of them for.
  if (has(universal ? Verdict::violated : Verdict::holds))
    return kind == Question::Kind::any ? Verdict::holds : Verdict::violated;
  if (has(Verdict::unknown)) return Verdict::unknown;
  return kind == Question::Kind::any ? Verdict::violated : Verdict::holds;
}

}  // namespace tideline::contest
