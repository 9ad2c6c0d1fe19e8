#include "lang/lts/composition.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tideline::lts {

namespace {

template <class Element>
void sort_unique(std::vector<Element>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// The vectors of one side by their labels.
using ByLabel = std::map<LabelId, std::vector<const SyncVector*>>;

SyncVector joined(LabelId label, const std::vector<const SyncVector*>& choice) {
  SyncVector vector{.label = label};
  for (const SyncVector* part : choice)
    vector.parts.insert(vector.parts.end(), part->parts.begin(), part->parts.end());
  std::sort(vector.parts.begin(), vector.parts.end(),
            [](const Part& a, const Part& b) { return a.component < b.component; });
  return vector;
}

/// Sorts the vectors of the sides by their labels; internal ones go straight into the result.
std::vector<ByLabel> by_label_of(const std::vector<Composite>& sides, Parallel& result) {
  std::vector<ByLabel> by_label(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i)
    for (const SyncVector& vector : sides[i].vectors) {
      if (vector.label == internal_label)
        result.composite.vectors.push_back(vector);
      else
        by_label[i][vector.label].push_back(&vector);
    }
  return by_label;
}

/// Adds a vector for every way to take one element of each row, as long as there are not too many.
void add_choices(LabelId label, const std::vector<std::vector<const SyncVector*>>& rows, Parallel& result) {
  std::vector<std::size_t> at(rows.size(), 0);
  std::vector<const SyncVector*> choice(rows.size());
  for (;;) {
    for (std::size_t i = 0; i < rows.size(); ++i) choice[i] = rows[i][at[i]];
    result.composite.vectors.push_back(joined(label, choice));
    if (result.composite.vectors.size() > most_vectors) {
      result.complete = false;
      result.exploding = label;
      return;
    }
    std::size_t i = 0;
    while (i < rows.size() && ++at[i] == rows[i].size()) at[i++] = 0;
    if (i == rows.size()) return;
  }
}

}  // namespace

bool takes_part(ComponentId component, const SyncVector& vector) {
  return std::any_of(vector.parts.begin(), vector.parts.end(),
                     [&](const Part& part) { return part.component == component; });
}

Composite alone(ComponentId component, const std::vector<LabelId>& names, std::vector<LabelId> alphabet) {
  Composite result{.alphabet = std::move(alphabet)};
  for (LabelId local = 0; local < names.size(); ++local) {
    result.vectors.push_back({names[local], {{component, local}}});
    if (names[local] != internal_label) result.alphabet.push_back(names[local]);
  }
  sort_unique(result.alphabet);
  return result;
}

Parallel parallel(const std::vector<Composite>& sides) {
  Parallel result;
  const std::vector<ByLabel> by_label = by_label_of(sides, result);
  std::map<LabelId, std::vector<std::size_t>> sides_of;
  for (std::size_t i = 0; i < sides.size(); ++i)
    for (const LabelId label : sides[i].alphabet) sides_of[label].push_back(i);
  for (const auto& [label, takers] : sides_of) {
    result.composite.alphabet.push_back(label);
    std::vector<std::vector<const SyncVector*>> rows;
    for (const std::size_t side : takers)
      if (const auto found = by_label[side].find(label); found != by_label[side].end())
        rows.push_back(found->second);
    if (rows.size() < takers.size())
      continue;  // a side that has it in its alphabet and never takes it blocks the others
    add_choices(label, rows, result);
    if (!result.complete) return result;
  }
  return result;
}

Parallel synchronised(const std::vector<Composite>& sides, const std::vector<Rule>& rules) {
  Parallel result;
  const std::vector<ByLabel> by_label = by_label_of(sides, result);
  for (const Rule& rule : rules) {
    if (rule.label != internal_label) result.composite.alphabet.push_back(rule.label);
    std::vector<std::vector<const SyncVector*>> rows;
    for (const Rule::Taker& taker : rule.takers) {
      auto& row = rows.emplace_back();
      const auto found = by_label[taker.side].find(taker.label);
      if (found == by_label[taker.side].end()) break;
      for (const SyncVector* vector : found->second)
        if (takes_part(taker.component, *vector)) row.push_back(vector);
      if (row.empty()) break;
    }
    if (rows.empty() || rows.back().empty()) continue;  // a part that never moves blocks the others
    add_choices(rule.label, rows, result);
    if (!result.complete) return result;
  }
  sort_unique(result.composite.alphabet);
  sort_unique(result.composite.vectors);
  return result;
}

Composite renamed(Composite composite, const std::function<std::vector<LabelId>(LabelId)>& images) {
  Composite result;
  for (const LabelId label : composite.alphabet) {
    const auto names = images(label);
    if (names.empty()) result.alphabet.push_back(label);
    result.alphabet.insert(result.alphabet.end(), names.begin(), names.end());
  }
  sort_unique(result.alphabet);
  for (SyncVector& vector : composite.vectors) {
    const auto names = vector.label == internal_label ? std::vector<LabelId>{} : images(vector.label);
    for (const LabelId name : names) result.vectors.push_back({name, vector.parts});
    if (names.empty()) result.vectors.push_back(std::move(vector));
    if (result.vectors.size() > most_vectors) return result;
  }
  sort_unique(result.vectors);
  return result;
}

Composite hidden(Composite composite, const std::function<bool(LabelId)>& hide) {
  std::erase_if(composite.alphabet, hide);
  for (SyncVector& vector : composite.vectors)
    if (vector.label != internal_label && hide(vector.label)) vector.label = internal_label;
  return composite;
}

}  // namespace tideline::lts
