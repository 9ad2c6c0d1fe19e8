// LayerParts: the layers of a sweep in parts, by a hash of the state, so that each part can be filled by a
// thread of its own.
//
// A part has the states of all layers whose hashes belong to it. Parts know nothing of each other; what
// concerns a layer as a whole is asked of all of them.
//
// Invariant: peak() is the largest number of states that were stored at a time. States are added between two
// calls that forget some, so it is enough to look then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "store/hash.hpp"
#include "store/layers.hpp"

namespace tideline {

class LayerParts {
 public:
  /// Bytes per state, and the search's own bytes beside each passing and each persistent one.
  LayerParts(unsigned parts, std::size_t state_bytes, std::size_t passing_extra,
             std::size_t persistent_extra) {
    for (unsigned i = 0; i < parts; ++i) parts_.emplace_back(state_bytes, passing_extra, persistent_extra);
  }

  unsigned count() const { return static_cast<unsigned>(parts_.size()); }
  /// By bits of the hash that tables do not use.
  unsigned part_of(std::uint64_t hash) const {
    return static_cast<unsigned>((hash >> 8 & 0xffffff) * parts_.size() >> 24);
  }
  Layers& part(unsigned number) { return parts_[number]; }
  Layers& of(std::uint64_t hash) { return parts_[part_of(hash)]; }

  /// The least due layer, and the least one above a progress value.
  std::optional<std::uint64_t> first_due() const {
    return least([](const Layers& part) { return part.first_due(); });
  }
  std::optional<std::uint64_t> due_above(std::uint64_t progress) const {
    return least([=](const Layers& part) { return part.due_above(progress); });
  }

  bool has_later_roots() const { return std::ranges::any_of(parts_, &Layers::has_later_roots); }
  std::uint64_t later_roots() const { return sum(&Layers::later_roots); }
  void make_later_roots_due() {
    for (Layers& part : parts_) part.make_later_roots_due();
  }

  /// Before anything is forgotten.
  void note_peak() { peak_ = peak(); }
  /// Drops every layer below, with its persistent states.
  void forget_below(std::uint64_t progress) {
    note_peak();
    for (Layers& part : parts_) part.forget_below(progress);
  }

  /// Calls visit(state, progress) for every state, until it returns false; returns whether none did.
  template <class Visit>
  bool all_of(const Visit& visit) {
    for (Layers& part : parts_)
      for (const auto& [progress, layer] : part.all())
        for (const LayerTable* table : {&layer.passing, &layer.persistent})
          for (StateId id = 0; id < table->size(); ++id)
            if (!visit(table->record(id), progress)) return false;
    return true;
  }

  /// Calls visit(progress, layer) for each layer from one progress value to before another (none: to the last), in order, with
  /// the layer's parts.
  template <class Visit>
  void for_each_layer(std::uint64_t from, std::optional<std::uint64_t> to, const Visit& visit) {
    using Place = std::map<std::uint64_t, Layer>::const_iterator;
    std::vector<std::pair<Place, Place>> places;
    for (Layers& part : parts_)
      places.emplace_back(part.all().lower_bound(from), to ? part.all().lower_bound(*to) : part.all().end());
    std::vector<const Layer*> layer;
    for (;;) {
      std::optional<std::uint64_t> least;
      for (const auto& [place, end] : places)
        if (place != end && (!least || place->first < *least)) least = place->first;
      if (!least) return;
      layer.clear();
      for (auto& [place, end] : places)
        if (place != end && place->first == *least) layer.push_back(&(place++)->second);
      visit(*least, std::span<const Layer* const>(layer));
    }
  }

  std::uint64_t stored() const { return sum(&Layers::stored); }
  std::uint64_t peak() const { return std::max(peak_, stored()); }
  std::uint64_t persistent() const { return sum(&Layers::persistent); }

  /// Empties the parts, and fills them again with what they had by another measure. Calls check() for every state;
  /// where that throws, some states are lost.
  template <class ProgressOf, class Check>
  void measure_again(const ProgressOf& progress, const Check& check) {
    note_peak();
    std::vector<Layers> old = empty_parts();
    std::swap(old, parts_);
    for (Layers& part : old)
      for (auto& [progress_before, layer] : part.all()) {  // by another measure they are like all others
        layer.roots.erase(layer.roots.begin(), layer.roots.begin() + layer.expanded_roots);
        layer.expanded_roots = 0;
      }
    move_in(old, progress, check);
  }

  /// Into another number of parts. Calls check() for every state; where that throws, some states are lost.
  template <class Check>
  void divide(unsigned count, const Check& check) {
    note_peak();
    std::vector<Layers> old;
    for (unsigned i = 0; i < count; ++i) old.push_back(parts_.front().separate_copy());
    std::swap(old, parts_);
    move_in(old, same_progress, check);
  }

  /// For checkpoints. What is read goes into empty layers, which may have another number of parts.
  template <class File>
  void archive(File& file) {
    std::uint32_t count = this->count();
    file(count, peak_);
    file.require(count != 0 && count <= most_parts);
    if (!File::reads || count == this->count()) {
      for (Layers& part : parts_) file(part);
      return;
    }
    std::vector<Layers> saved;
    for (std::uint32_t i = 0; i < count; ++i) {
      saved.push_back(parts_.front().empty_copy());
      file(saved.back());
    }
    move_in(saved, same_progress, [] {});
  }

 private:
  static constexpr std::uint32_t most_parts = 256;

  static std::uint64_t same_progress(const std::byte*, std::uint64_t old) { return old; }

  template <class Ask>
  std::optional<std::uint64_t> least(const Ask& ask) const {
    std::optional<std::uint64_t> result;
    for (const Layers& part : parts_)
      if (const auto value = ask(part); value && (!result || *value < *result)) result = value;
    return result;
  }
  std::uint64_t sum(std::uint64_t (Layers::*figure)() const) const {
    std::uint64_t result = 0;
    for (const Layers& part : parts_) result += (part.*figure)();
    return result;
  }
  std::vector<Layers> empty_parts() const {
    std::vector<Layers> parts;
    for (const Layers& part : parts_) parts.push_back(part.empty_copy());
    return parts;
  }

  /// Those that wait come last, as if a sweep had just found them: their layer expects them there.
  template <class ProgressOf, class Check>
  void move_in(std::vector<Layers>& from, const ProgressOf& progress, const Check& check) {
    const auto move = [&](std::uint64_t old, const LayerTable& table, StateId id, Layers::Kind kind) {
      check();
      const std::byte* const record = table.record(id);
      const std::uint64_t hash = parts_.front().hash(record);
      of(hash).take(record, hash, progress(record, old), kind);
    };
    for (Layers& part : from) {
      for (const auto& [old, layer] : part.all()) {
        const std::size_t roots = layer.roots.size() + layer.later_roots.size();
        for (StateId id = 0; id + roots < layer.persistent.size(); ++id)
          move(old, layer.persistent, id, Layers::Kind::persistent);
        for (StateId id = 0; id < layer.expanded; ++id) move(old, layer.passing, id, Layers::Kind::expanded);
      }
      parts_.front().add_history(part);
    }
    for (Layers& part : from)
      for (const auto& [old, layer] : part.all())
        for (std::size_t i = 0; i < layer.expanded_roots; ++i)
          move(old, layer.persistent, layer.roots[i], Layers::Kind::expanded_root);
    for (Layers& part : from)
      for (auto& [old, layer] : part.all()) {
        for (std::size_t i = layer.expanded_roots; i < layer.roots.size(); ++i)
          move(old, layer.persistent, layer.roots[i], Layers::Kind::root);
        for (StateId id = layer.expanded; id < layer.passing.size(); ++id)
          move(old, layer.passing, id, Layers::Kind::waiting);
        layer.passing.clear();
      }
    for (Layers& part : from)
      for (auto place = part.all().begin(); place != part.all().end(); place = part.all().erase(place))
        for (const StateId id : place->second.later_roots)
          move(place->first, place->second.persistent, id, Layers::Kind::later_root);
  }

  std::vector<Layers> parts_;
  std::uint64_t peak_ = 0;
};

}  // namespace tideline
