#include "lang/psl/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tideline::psl {

namespace {

class RuleReader {
 public:
  RuleReader(const File& file, const Sides& sides, lts::Labels& labels, Evaluation& evaluation)
      : file_(file), sides_(sides), labels_(labels), evaluation_(evaluation) {}

  void add(const VectorClause& clause, Environment environment) {
    try {
      if (clause.parts.empty())
        for_each_value(file_.nodes, clause, environment, evaluation_, [&](const Environment& inner) {
          for (const VectorClause& vector : clause.vectors) add(vector, inner);
        });
      else
        choose(clause, environment);
    } catch (const NoValue& none) {
      rule_.takers.clear();
      evaluation_.error(none.where, none.message);
    }
  }
  std::vector<lts::Rule> take() { return std::move(rules_); }

 private:
  /// Adds a rule for every way to choose the indices of the parts that rule_ does not have yet.
  void choose(const VectorClause& clause, Environment& environment) {
    if (rule_.takers.size() == clause.parts.size()) return finish(clause, environment);
    const VectorClause::Part& part = clause.parts[rule_.takers.size()];
    const Sides::Place place = place_of(part.component, environment);
    for_each_label(file_.nodes, part.label, environment, evaluation_, [&](const std::string& label) {
      rule_.takers.push_back({place.side, place.component, label_of(part, place.component, label)});
      choose(clause, environment);
      rule_.takers.pop_back();
    });
  }

  void finish(const VectorClause& clause, Environment& environment) {
    for_each_label(file_.nodes, clause.label, environment, evaluation_, [&](const std::string& label) {
      rule_.label = clause.label.internal() ? lts::internal_label : labels_.intern(label);
      rules_.push_back(rule_);
      if (rules_.size() > lts::most_vectors || labels_.size() > most_labels)
        throw Error(ErrorKind::input, {error_at(evaluation_.diagnostics().source(), clause.where,
                                                "there are too many vectors")});
    });
  }

  /// With one side there is nothing to synchronise: 'P || Q sync {...}' was meant for both.
  std::string hint(const Suggestion& suggestion) const {
    return sides_.list.size() == 1 ? "; sync binds tighter than ||, write (... || ...) sync {...}"
                                   : suggestion.text();
  }

  Sides::Place place_of(const Reference& reference, const Environment& environment) const {
    const std::string name = name_of(file_.nodes, reference, environment);
    const SourcePoint where = reference.name.where;
    const auto found = sides_.components.find(name);
    if (found == sides_.components.end()) {
      Suggestion suggestion(name);
      for (const auto& [known, place] : sides_.components) suggestion.offer(known);
      throw NoValue{where, fmt::format("unknown component '{}'{}", abbreviate(name), hint(suggestion))};
    }
    for (const lts::Rule::Taker& other : rule_.takers) {
      if (other.component == found->second.component)
        throw NoValue{where, fmt::format("'{}' can take part only once", abbreviate(name))};
      if (other.side == found->second.side)
        throw NoValue{where,
                      fmt::format("'{}' already synchronises as an earlier part and cannot be another one",
                                  abbreviate(name))};
    }
    return found->second;
  }

  lts::LabelId label_of(const VectorClause::Part& part, ComponentId component, const std::string& text) {
    const lts::LabelId label = labels_.intern(text);
    if (sides_.labels.contains({component, label})) return label;
    Suggestion suggestion(text);
    for (auto i = sides_.labels.lower_bound({component, lts::internal_label});
         i != sides_.labels.end() && i->first == component; ++i)
      suggestion.offer(labels_.name(i->second));
    throw NoValue{part.label.name.where,
                  fmt::format("'{}' takes no action '{}' here{}", abbreviate(part.component.name.text),
                              abbreviate(text), suggestion.text())};
  }

  const File& file_;
  const Sides& sides_;
  lts::Labels& labels_;
  Evaluation& evaluation_;
  lts::Rule rule_;  ///< the one that is being put together
  std::vector<lts::Rule> rules_;
};

}  // namespace

std::vector<lts::Rule> rules_of(const File& file, const Term& sync, const Environment& environment,
                                const Sides& sides, lts::Labels& labels, Evaluation& evaluation) {
  RuleReader reader(file, sides, labels, evaluation);
  for (const VectorClause& clause : sync.vectors) reader.add(clause, environment);
  return reader.take();
}

}  // namespace tideline::psl
