#include "mcc_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "lang/mcc/mcc.hpp"

namespace tideline::app {

namespace {

constexpr std::array of_files = {
    "ReachabilityCardinality", "ReachabilityFireability", "CTLCardinality", "CTLFireability",
    "LTLCardinality",          "LTLFireability",          "UpperBounds"};

Property of_states(PropertyKind kind, Expr expr) {
  return {.name = "", .kind = kind, .formula = "", .expr = std::move(expr)};
}

Question deadlock(const System&) {
  return {.id = "", .kind = Question::Kind::none, .parts = {of_states(PropertyKind::deadlock, {})}};
}

Question one_safe(const System& system) {
  std::vector<Expr> safe;
  for (SlotId p = 0; p < system.slots.size(); ++p)
    safe.push_back(Expr::binary(Op::le, Expr::load(p), Expr::constant(1)));
  return {.id = "",
          .kind = Question::Kind::all,
          .parts = {of_states(PropertyKind::invariant, balanced(Op::logic_and, std::move(safe), 1))}};
}

Question stable_marking(const System& system) {
  Question question{.id = "", .kind = Question::Kind::any};
  for (SlotId p = 0; p < system.slots.size(); ++p)
    question.parts.push_back(of_states(
        PropertyKind::invariant, Expr::binary(Op::eq, Expr::load(p), Expr::constant(system.initial[p]))));
  return question;
}

Question quasi_liveness(const System& system) {
  Question question{.id = "", .kind = Question::Kind::all};
  for (const Action& t : system.actions) question.parts.push_back(of_states(PropertyKind::reach, t.guard));
  return question;
}

Question liveness(const System& system) {
  Question question{.id = "", .kind = Question::Kind::all, .liveness = true};
  for (const Action& t : system.actions)
    question.parts.push_back({.name = t.label,
                              .kind = PropertyKind::ctl,
                              .formula = "AG EF enabled",
                              .atoms = {{"enabled", t.guard}},
                              .deadlock_paths = DeadlockPaths::maximal});
  return question;
}

Question state_space(const System&) {
  return {.id = "", .kind = Question::Kind::state_space};
}

constexpr std::array<std::pair<std::string_view, Question (*)(const System&)>, 6> of_nets = {{
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
                                            const Model& model) {
  Examination examination;
  if (std::ranges::find(of_files, name) != of_files.end())
    examination.questions =
        questions_of_file((std::filesystem::path(folder) / (name + ".xml")).string(), model.system);
  for (const auto& [of_net, make] : of_nets)
    if (of_net == name) {
      examination.questions.push_back(make(model.system));
      examination.questions.back().id = fmt::format("{}-{}", instance_of(folder), name);
    }
  if (examination.questions.empty()) return std::nullopt;
  for (const Question& question : examination.questions)
    examination.standing.push_back({std::vector<Verdict>(question.parts.size(), Verdict::unknown), false});
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

}  // namespace tideline::app
