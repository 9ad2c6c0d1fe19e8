#include "lang/psl/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "lang/lts/bisimulation.hpp"
#include "lang/lts/product.hpp"
#include "lang/psl/rules.hpp"

namespace tideline::psl {

namespace {

using lts::Composite;
using lts::LabelId;

constexpr std::size_t most_components = 10'000;

std::string_view family_of(std::string_view label) {
  return label.substr(0, label.find('['));
}

/// Of labels: "send" for send[0] and send[1].
using Families = std::set<std::string, std::less<>>;

/// What `as` and `minimised` request for the term before them.
struct Request {
  const Reference* name = nullptr;
  bool minimised = false;
};

class Composer {
 public:
  Composer(const File& file, const LoadOptions& options, Diagnostics& diagnostics)
      : file_(file), evaluation_(diagnostics, options.most_local_states), diagnostics_(diagnostics) {
    network_.labels = lts::Labels(options.internal_action);
  }

  lts::Network run() {
    Composite whole = term(file_.system, {});
    diagnostics_.throw_if_errors();
    if (network_.components.empty()) refuse(file_.terms[file_.system].where, "the system has no process");
    network_.vectors = std::move(whole.vectors);
    warn_about_unused();
    warn_about_lonely_labels();
    return std::move(network_);
  }

 private:
  Composite term(TermId id, const Environment& environment, Request request = {});
  Environment arguments_of(const Term& t, const Environment& environment);
  Composite instance(const Term& t, const Environment& environment, const Request& request);
  bool claim(const std::string& name, SourcePoint where, std::string_view what);
  Composite process(const Term& t, const Environment& parameters, std::string name, bool minimised);
  Composite component(lts::NetworkComponent built, std::vector<LabelId> alphabet, Families declared);
  Composite minimised(TermId id, const Environment& environment, const Request& request);
  Composite complete(lts::Parallel result, SourcePoint where);
  template <class Visit>
  void for_each_side(const Term& t, const Environment& environment, Visit&& visit);
  Composite sync(const Term& t, const Environment& environment);
  void gather(TermId id, const Environment& environment, Sides& sides);
  Composite hide(const Term& t, Environment environment);
  Composite rename(const Term& t, Environment environment);
  void check_parameters(const std::vector<Parameter>& parameters, const Reference& reference,
                        const Environment& values);
  void warn_about_unused();
  void warn_about_lonely_labels();
  [[noreturn]] void refuse(SourcePoint where, std::string message) {
    throw Error(ErrorKind::input, {error_at(diagnostics_.source(), where, std::move(message))});
  }

  const File& file_;
  Evaluation evaluation_;
  Diagnostics& diagnostics_;
  lts::Network network_;
  std::set<std::string> names_;  ///< of components
  std::set<std::uint32_t> used_processes_;
  std::vector<Families> declares_;  ///< of each component: the families of labels that it declares
  std::set<LabelId> renamed_;       ///< old and new names of labels
};

Composite Composer::term(TermId id, const Environment& environment, Request request) {
  const Term& t = file_.terms[id];
  evaluation_.step(t.where);
  try {
    if (request.minimised && !t.is_process() && !(t.kind == Term::Kind::as && request.name == nullptr))
      return minimised(id, environment, request);
    switch (t.kind) {
      case Term::Kind::instance:
        return instance(t, environment, request);
      case Term::Kind::parallel:
      case Term::Kind::forall: {
        std::vector<Composite> sides;
        for_each_side(t, environment,
                      [&](TermId side, const Environment& inner) { sides.push_back(term(side, inner)); });
        return complete(lts::parallel(sides), t.where);
      }
      case Term::Kind::hide:
        return hide(t, environment);
      case Term::Kind::rename:
        return rename(t, environment);
      case Term::Kind::sync:
        return sync(t, environment);
      case Term::Kind::as:
        request.name = &t.reference;
        return term(t.terms[0], environment, request);
      case Term::Kind::minimised:
        request.minimised = true;
        return term(t.terms[0], environment, request);
    }
  } catch (const NoValue& none) {
    evaluation_.error(none.where, none.message);
  }
  return {};
}

/// Calls visit(term, environment) for what `||` or `forall` puts in parallel.
template <class Visit>
void Composer::for_each_side(const Term& t, const Environment& environment, Visit&& visit) {
  if (t.kind == Term::Kind::parallel) {
    for (const TermId side : t.terms) visit(side, environment);
    return;
  }
  for_each_value(file_.nodes, t, environment, evaluation_,
                 [&](const Environment& inner) { visit(t.terms[0], inner); });
}

Composite Composer::complete(lts::Parallel result, SourcePoint where) {
  if (!result.complete)
    refuse(where, fmt::format("'{}' can be taken together in more than {} ways",
                              network_.labels.name(result.exploding), lts::most_vectors));
  return std::move(result.composite);
}

void Composer::check_parameters(const std::vector<Parameter>& parameters, const Reference& reference,
                                const Environment& values) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Bounds bounds = evaluate(file_.nodes, parameters[i].range, values);
    if (!bounds.contains(values[i]))
      throw NoValue{file_.nodes[reference.args[i]].where,
                    fmt::format("'{}' of '{}' is in {}..{}, but gets {} here", parameters[i].name.text,
                                reference.name.text, bounds.low, bounds.high, values[i])};
  }
}

/// Of an instance; they are in their ranges.
Environment Composer::arguments_of(const Term& t, const Environment& environment) {
  Environment arguments = evaluate(file_.nodes, t.reference.args, environment);
  check_parameters(t.is_network ? file_.networks[t.reference.target].parameters
                                : file_.processes[t.reference.target].parameters,
                   t.reference, arguments);
  return arguments;
}

Composite Composer::instance(const Term& t, const Environment& environment, const Request& request) {
  const Environment arguments = arguments_of(t, environment);
  if (t.is_network) return term(file_.networks[t.reference.target].term, arguments);
  const Reference& called = request.name == nullptr ? t.reference : *request.name;
  std::string name = name_of(file_.nodes, called, environment);
  if (!claim(name, called.name.where, t.reference.name.text)) return {};
  if (network_.components.size() >= most_components)
    refuse(t.where, fmt::format("the system has more than {} components", most_components));
  return process(t, arguments, std::move(name), request.minimised);
}

/// Takes the name for `what` if it is free; whether it was.
bool Composer::claim(const std::string& name, SourcePoint where, std::string_view what) {
  if (names_.insert(name).second) return true;
  evaluation_.error(where, fmt::format("two components are called '{}'; '{} as NAME' gives one another name",
                                       abbreviate(name), abbreviate(what)));
  return false;
}

/// State names of a quotient: those of all members.
void merge(lts::NetworkComponent& component) {
  lts::Quotient quotient = lts::minimise(component.lts);
  std::vector<std::vector<std::string>> members(quotient.lts.states);
  for (lts::StateId s = 0; s < component.state_names.size(); ++s)
    members[quotient.class_of[s]].push_back(component.state_names[s]);
  component.state_names.clear();
  // In a state that stands for several, the process may stay if it may in all of them.
  std::vector<bool> may_end(quotient.lts.states, true);
  for (lts::StateId s = 0; s < component.may_end.size(); ++s)
    if (!component.may_end[s]) may_end[quotient.class_of[s]] = false;
  component.may_end = std::move(may_end);
  for (const auto& names : members) {
    std::string text = names[0];
    for (std::size_t i = 1; i < names.size(); ++i) text += ", " + names[i];
    component.state_names.push_back(names.size() == 1 ? text : "{" + text + "}");
  }
  for (lts::StateValues& values : component.values) {
    std::vector<std::int64_t> merged(quotient.lts.states, -1);
    for (lts::StateId s = 0; s < values.values.size(); ++s)
      if (members[quotient.class_of[s]].size() == 1) merged[quotient.class_of[s]] = values.values[s];
    values.values = std::move(merged);
  }
  component.lts = std::move(quotient.lts);
}

Composite Composer::process(const Term& t, const Environment& parameters, std::string name, bool minimised) {
  const ProcessClause& clause = file_.processes[t.reference.target];
  used_processes_.insert(t.reference.target);
  lts::NetworkComponent built = build_component(file_, clause, std::move(name), parameters, evaluation_);
  if (minimised && !diagnostics_.has_errors()) merge(built);
  std::vector<LabelId> alphabet;
  Families declared;
  for (const Label& label : clause.alphabet) {
    declared.emplace(label.name.text);
    Environment environment = parameters;
    for_each_label(file_.nodes, label, environment, evaluation_, [&](const std::string& text) {
      alphabet.push_back(network_.labels.intern(text));
      if (network_.labels.size() > most_labels) refuse(label.name.where, "there are too many labels");
    });
  }
  return component(std::move(built), std::move(alphabet), std::move(declared));
}

/// Adds a component to the network.
Composite Composer::component(lts::NetworkComponent built, std::vector<LabelId> alphabet, Families declared) {
  std::vector<LabelId> names{lts::internal_label};
  for (LabelId l = 1; l < built.lts.labels.size(); ++l)
    names.push_back(network_.labels.intern(built.lts.labels.name(l)));
  if (network_.labels.size() > most_labels) refuse(built.where, "there are too many labels");
  const auto id = static_cast<ComponentId>(network_.components.size());
  network_.components.push_back(std::move(built));
  Composite composite = lts::alone(id, names, std::move(alphabet));
  declares_.push_back(std::move(declared));
  return composite;
}

/// A composition that is built on its own: the smallest component that is strongly bisimilar.
Composite Composer::minimised(TermId id, const Environment& environment, const Request& request) {
  const Term& t = file_.terms[id];
  const Reference& called = request.name == nullptr ? t.reference : *request.name;
  std::string name = name_of(file_.nodes, called, environment);
  const auto first = static_cast<ComponentId>(network_.components.size());
  std::set<std::string> outside = std::exchange(names_, {});
  Composite inner = term(id, environment);
  names_ = std::move(outside);
  if (diagnostics_.has_errors()) return {};
  if (network_.components.size() == first) refuse(t.where, "there is no process to minimise");

  std::vector<const lts::Lts*> parts;
  for (ComponentId c = first; c < network_.components.size(); ++c)
    parts.push_back(&network_.components[c].lts);
  for (lts::SyncVector& vector : inner.vectors)
    for (lts::Part& part : vector.parts) part.component -= first;
  const lts::Product whole = lts::product(parts, inner.vectors, network_.labels,
                                          {.states = evaluation_.most_states(),
                                           .transitions = evaluation_.most_transitions(),
                                           .tries = evaluation_.most_steps()});
  if (!whole.exceeded.empty())
    refuse(t.where, fmt::format("'{}' alone has more than {} {}, too many to be minimised", abbreviate(name),
                                whole.limit, whole.exceeded));
  Families declared;
  for (ComponentId c = first; c < declares_.size(); ++c) declared.merge(declares_[c]);
  network_.components.resize(first);
  declares_.resize(first);
  if (!claim(name, called.name.where, t.kind == Term::Kind::instance ? t.reference.name.text : "(...)"))
    return {};
  return component({.name = std::move(name), .lts = lts::minimise(whole.lts).lts, .where = t.where},
                   std::move(inner.alphabet), std::move(declared));
}

/// Labels by their beginnings: "send" and "send[1]" both stand for "send[1][2]".
class Prefixes {
 public:
  void add(const std::string& pattern) { images_[pattern]; }
  void add(const std::string& pattern, const std::string& image) { images_[pattern].push_back(image); }

  /// visit(pattern, images, rest of the label) for every pattern that the label begins with.
  template <class Visit>
  void match(std::string_view label, Visit&& visit) {
    for (std::size_t end = 0; end <= label.size(); ++end) {
      if (end < label.size() && label[end] != '[') continue;
      const auto found = images_.find(std::string(label.substr(0, end)));
      if (found == images_.end()) continue;
      used_.insert(found->first);
      visit(found->second, label.substr(end));
    }
  }

  /// A pattern that matched nothing, unless another of the same family did.
  const std::string* useless() const {
    std::set<std::string_view> families;
    for (const std::string& pattern : used_) families.insert(family_of(pattern));
    for (const auto& [pattern, images] : images_)
      if (!families.contains(family_of(pattern))) return &pattern;
    return nullptr;
  }

 private:
  std::map<std::string, std::vector<std::string>> images_;
  std::set<std::string> used_;
};

Composite Composer::hide(const Term& t, Environment environment) {
  Composite inner = term(t.terms[0], environment);
  Prefixes prefixes;
  for (const Label& label : t.labels)
    for_each_label(file_.nodes, label, environment, evaluation_,
                   [&](const std::string& text) { prefixes.add(text); });
  std::set<LabelId> hidden;
  for (const LabelId label : inner.alphabet)
    prefixes.match(network_.labels.name(label), [&](const auto&, std::string_view) { hidden.insert(label); });
  if (const std::string* useless = prefixes.useless())
    diagnostics_.warning(t.where, fmt::format("there is no label '{}' to hide", abbreviate(*useless)));
  return lts::hidden(std::move(inner), [&](LabelId label) { return hidden.contains(label); });
}

Composite Composer::rename(const Term& t, Environment environment) {
  Composite inner = term(t.terms[0], environment);
  Prefixes prefixes;
  for (const auto& rule : t.renames)
    for_each_label(file_.nodes, rule.first, environment, evaluation_, [&](const std::string& old) {
      Environment with = environment;
      for_each_label(file_.nodes, rule.second, with, evaluation_,
                     [&](const std::string& fresh) { prefixes.add(old, fresh); });
    });
  std::map<LabelId, std::vector<LabelId>> images;
  for (const LabelId label : inner.alphabet) {
    const std::string name = network_.labels.name(label);
    prefixes.match(name, [&](const std::vector<std::string>& fresh, std::string_view rest) {
      for (const std::string& text : fresh) {
        evaluation_.step(t.where);
        images[label].push_back(network_.labels.intern(text + std::string(rest)));
        renamed_.insert({label, images[label].back()});
      }
    });
  }
  if (const std::string* useless = prefixes.useless())
    diagnostics_.warning(t.where, fmt::format("there is no label '{}' to rename", abbreviate(*useless)));
  Composite result = lts::renamed(std::move(inner), [&](LabelId label) {
    const auto found = images.find(label);
    return found == images.end() ? std::vector<LabelId>{} : found->second;
  });
  if (result.vectors.size() > lts::most_vectors || network_.labels.size() > most_labels)
    refuse(t.where, "there are too many labels after renaming");
  return result;
}

// --- Synchronisation vectors ----------------------------------------------------------------------------

/// The sides of `sync` are those of all `||` and `forall` below it, also in networks.
void Composer::gather(TermId id, const Environment& environment, Sides& sides) {
  const Term& t = file_.terms[id];
  evaluation_.step(t.where);
  if (t.kind == Term::Kind::parallel || t.kind == Term::Kind::forall) {
    for_each_side(t, environment, [&](TermId side, const Environment& inner) { gather(side, inner, sides); });
  } else if (t.kind == Term::Kind::instance && t.is_network) {
    gather(file_.networks[t.reference.target].term, arguments_of(t, environment), sides);
  } else {
    const auto first = static_cast<ComponentId>(network_.components.size());
    sides.list.push_back(term(id, environment));
    for (ComponentId c = first; c < network_.components.size(); ++c)
      sides.components.emplace(network_.components[c].name, Sides::Place{sides.list.size() - 1, c});
    for (const lts::SyncVector& vector : sides.list.back().vectors) {
      if (vector.label == lts::internal_label) continue;
      for (const lts::Part& part : vector.parts) sides.labels.emplace(part.component, vector.label);
    }
  }
}

Composite Composer::sync(const Term& t, const Environment& environment) {
  Sides sides;
  gather(t.terms[0], environment, sides);
  if (diagnostics_.has_errors()) return {};
  return complete(
      lts::synchronised(sides.list, rules_of(file_, t, environment, sides, network_.labels, evaluation_)),
      t.where);
}

// --- Remarks --------------------------------------------------------------------------------------------

void Composer::warn_about_unused() {
  for (std::uint32_t p = 0; p < file_.processes.size(); ++p) {
    const ProcessClause& process = file_.processes[p];
    if (!used_processes_.contains(p)) {
      diagnostics_.warning(process.name.where, fmt::format("process '{}' is not part of the system",
                                                           abbreviate(process.name.text)));
      continue;
    }
    // Choices of a process lie between that of its first state and that of the next process.
    const ChoiceId begin = process.states.front().choice;
    const ChoiceId end = p + 1 < file_.processes.size() ? file_.processes[p + 1].states.front().choice
                                                        : static_cast<ChoiceId>(file_.choices.size());
    for (ChoiceId c = begin; c < end; ++c)
      for (const Alternative& a : file_.choices[c].alternatives)
        if (!a.happens && a.label && !a.label->internal())
          diagnostics_.warning(
              a.label->name.where,
              fmt::format("no '{}' in the system ever takes this action", abbreviate(process.name.text)));
  }
}

/// Whether one may be a misspelling of the other: not send1 and send2, which are numbered, and not
/// send and sendAck.
bool may_be_a_slip(std::string_view a, std::string_view b) {
  const auto without_digits = [](std::string_view text) {
    std::string rest;
    std::ranges::copy_if(text, std::back_inserter(rest), [](char c) { return c < '0' || c > '9'; });
    return rest;
  };
  const auto [shorter, longer] = std::minmax({a.size(), b.size()});
  return longer - shorter <= 2 && without_digits(a) != without_digits(b);
}

/// A label that one component takes alone although there are others like it: rarely intended, unless a
/// declaration or a renaming gave it this name on purpose.
void Composer::warn_about_lonely_labels() {
  std::map<LabelId, std::set<ComponentId>> takers;
  std::set<LabelId> shared;
  for (const lts::SyncVector& vector : network_.vectors) {
    if (vector.label == lts::internal_label) continue;
    for (const lts::Part& part : vector.parts) takers[vector.label].insert(part.component);
    if (vector.parts.size() > 1) shared.insert(vector.label);
  }
  std::map<std::string_view, std::set<ComponentId>> families;
  std::set<std::pair<ComponentId, std::string_view>> shares;  // components that share a label of the family
  for (const auto& [label, who] : takers) {
    const std::string_view family = family_of(network_.labels.name(label));
    families[family].insert(who.begin(), who.end());
    if (shared.contains(label))
      for (const ComponentId c : who) shares.emplace(c, family);
  }
  std::set<std::pair<ComponentId, std::string_view>> warned;
  for (const auto& [label, who] : takers) {
    const std::string& name = network_.labels.name(label);
    const std::string_view family = family_of(name);
    const ComponentId c = *who.begin();
    const bool intended = declares_[c].contains(family) || renamed_.contains(label);
    if (intended || who.size() > 1 || shared.contains(label) || !warned.emplace(c, family).second) continue;
    const lts::NetworkComponent& component = network_.components[c];
    Suggestion suggestion(family);
    for (const auto& [other, components] : families)
      if (!components.contains(c) && may_be_a_slip(other, family)) suggestion.offer(other);
    const char* cure = "declare it by 'alphabet' in its process";
    if (shares.contains({c, family}))
      diagnostics_.warning(
          component.where,
          fmt::format("'{}' takes '{}' alone, while other labels '{}[...]' of it are shared; if "
                      "that is intended, {}",
                      component.name, name, family, cure));
    else if (families[family].size() == 1 && !suggestion.text().empty())
      diagnostics_.warning(component.where, fmt::format("'{}' takes '{}' alone{} If not, {}", component.name,
                                                        name, suggestion.text(), cure));
  }
}

}  // namespace

lts::Network compose(const File& file, const LoadOptions& options, Diagnostics& diagnostics) {
  return Composer(file, options, diagnostics).run();
}

}  // namespace tideline::psl
