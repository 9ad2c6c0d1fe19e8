#include "lang/lts/composition.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tideline::lts {

namespace {

void sort_unique(std::vector<LabelId>& labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
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

/// Calls visit(choice) for every way to take one element of each row; stops when it returns false.
template <class Visit>
bool for_each_choice(const std::vector<const std::vector<const SyncVector*>*>& rows, Visit&& visit) {
  std::vector<std::size_t> at(rows.size(), 0);
  std::vector<const SyncVector*> choice(rows.size());
  for (;;) {
    for (std::size_t i = 0; i < rows.size(); ++i) choice[i] = (*rows[i])[at[i]];
    if (!visit(choice)) return false;
    std::size_t i = 0;
    while (i < rows.size() && ++at[i] == rows[i]->size()) at[i++] = 0;
    if (i == rows.size()) return true;
  }
}

}  // namespace

Composite alone(ComponentId component, const std::vector<LabelId>& names, std::vector<LabelId> alphabet) {
  Composite result{.alphabet = std::move(alphabet)};
  for (LabelId local = 0; local < names.size(); ++local) {
    result.vectors.push_back({names[local], {{component, local}}});
    if (names[local] != internal_label) result.alphabet.push_back(names[local]);
  }
  sort_unique(result.alphabet);
  return result;
}

Parallel parallel(const std::vector<Composite>& sides,
                  const std::function<void(LabelId label, std::size_t side)>& blocked) {
  Parallel result;
  std::vector<ByLabel> by_label(sides.size());
  std::map<LabelId, std::vector<std::size_t>> sides_of;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (const SyncVector& vector : sides[i].vectors) {
      if (vector.label == internal_label)
        result.composite.vectors.push_back(vector);
      else
        by_label[i][vector.label].push_back(&vector);
    }
    for (const LabelId label : sides[i].alphabet) sides_of[label].push_back(i);
  }
  for (const auto& entry : sides_of) {
    const LabelId label = entry.first;
    const std::vector<std::size_t>& takers = entry.second;
    result.composite.alphabet.push_back(label);
    std::vector<const std::vector<const SyncVector*>*> rows;
    for (const std::size_t side : takers)
      if (const auto found = by_label[side].find(label); found != by_label[side].end())
        rows.push_back(&found->second);
    if (rows.size() < takers.size()) {
      for (const std::size_t side : takers)
        if (!rows.empty() && !by_label[side].contains(label)) blocked(label, side);
      continue;
    }
    const bool complete = for_each_choice(rows, [&](const std::vector<const SyncVector*>& choice) {
      result.composite.vectors.push_back(joined(label, choice));
      return result.composite.vectors.size() <= most_vectors;
    });
    if (!complete) {
      result.complete = false;
      result.exploding = label;
      return result;
    }
  }
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
  std::sort(result.vectors.begin(), result.vectors.end());
  result.vectors.erase(std::unique(result.vectors.begin(), result.vectors.end()), result.vectors.end());
  return result;
}

Composite hidden(Composite composite, const std::function<bool(LabelId)>& hide) {
  std::erase_if(composite.alphabet, hide);
  for (SyncVector& vector : composite.vectors)
    if (vector.label != internal_label && hide(vector.label)) vector.label = internal_label;
  return composite;
}

}  // namespace tideline::lts
