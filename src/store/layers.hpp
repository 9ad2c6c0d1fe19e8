// Layers: the states a sweep-line search keeps, by progress.
//
// A layer holds the states with one progress value. Its passing states are dropped together when the line
// has moved over them; its persistent ones stay. Both are looked up only among states of the same layer,
// so the tables in use are small and hot, and forgetting a layer is dropping a table. Layers without
// states do not exist.
//
// A layer that has states to be expanded is due, and perhaps one that only has to be passed. The search decides which due layer comes next: the least one
// above the line, or the least of all. Persistent states that only the next sweep expands, its roots, are kept apart
// until it begins, and do not make their layer due.
//
// What was expanded in an earlier sweep and forgotten can be put back into a layer before the sweep comes to it
// (passed_states.hpp); it is known then, and not expanded again.
//
// Invariants: stored() is the number of states in all layers, expanded() that of the passing ones that have been
// expanded; a layer is due iff it is in due_; the last persistent states of a layer are its roots, and then its
// later roots.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "store/hash.hpp"
#include "store/layer_table.hpp"

namespace tideline {

/// One progress value's states.
struct Layer {
  LayerTable passing;
  LayerTable persistent;
  StateId expanded = 0;                   ///< passing states below this number have been expanded
  std::uint32_t expanded_roots = 0;       ///< likewise of `roots`
  std::vector<StateId> roots = {};        ///< persistent states that are expanded in this sweep
  std::vector<StateId> later_roots = {};  ///< and in the next one
  bool due = false;
  bool recalled = false;          ///< in this sweep, what earlier ones have expanded was put back
  StateId known = 0;              ///< passing states below this number were
  std::uint32_t known_roots = 0;  ///< how many of the expanded roots an earlier sweep has expanded

  bool has_later_roots_alone(std::size_t least) const {
    return later_roots.size() >= least && later_roots.size() == persistent.size();
  }
  bool at_root() const { return expanded_roots < roots.size(); }
  bool waits() const { return at_root() || expanded < passing.size(); }
  std::uint64_t waiting() const { return roots.size() - expanded_roots + passing.size() - expanded; }

  /// A state that was persistent when this sweep began.
  StateId find_persistent(const std::byte* state, std::uint64_t hash) const {
    if (persistent.size() == 0) return no_state;
    const StateId id = persistent.find(state, hash);
    return later_roots.empty() || id < later_roots.front() ? id : no_state;
  }

  void archive(auto& file) {
    file(passing, persistent, expanded, expanded_roots, roots, later_roots);
    const auto is_persistent = [&](StateId id) { return id < persistent.size(); };
    file.require(expanded <= passing.size() && expanded_roots <= roots.size() &&
                 std::all_of(roots.begin(), roots.end(), is_persistent) &&
                 std::all_of(later_roots.begin(), later_roots.end(), is_persistent));
  }
};

/// A layer that the line has passed, and how many states were expanded there.
struct PassedLayer {
  std::uint64_t progress = 0, expanded = 0;
};

class alignas(cache_line) Layers {
 public:
  /// Bytes per state, and the search's own bytes beside each passing and each persistent one.
  Layers(std::size_t state_bytes, std::size_t passing_extra, std::size_t persistent_extra)
      : Layers(state_bytes,
               std::make_shared<Pools>(state_bytes + passing_extra, state_bytes + persistent_extra)) {}
  Layers(Layers&&) = default;
  Layers& operator=(Layers&&) = delete;  // tables must not outlive their pool

  /// For states of the same kind. They share their memory: what one forgets the other can have, and one thread at a
  /// time may use them.
  Layers empty_copy() const { return {state_bytes_, pools_}; }
  /// Likewise, with memory of their own.
  Layers separate_copy() const {
    return {state_bytes_,
            std::make_shared<Pools>(pools_->passing.record_bytes(), pools_->persistent.record_bytes())};
  }

  /// The layer of this progress value, made if need be.
  Layer& at(std::uint64_t progress) {
    CacheEntry& cached = cache_[place_of(progress)];
    if (cached.layer && cached.progress == progress) return *cached.layer;
    const auto place =
        layers_
            .try_emplace(progress, Layer{.passing = LayerTable(pools_->passing, state_bytes_),
                                         .persistent = LayerTable(pools_->persistent, state_bytes_)})
            .first;
    cached = {progress, &place->second};
    return place->second;
  }

  /// The layers of `count` states that are about to be inserted, the i-th of which has what progress(i) and hash(i)
  /// return. What the insertions will touch is on its way from memory then.
  template <class ProgressOf, class HashOf>
  void fetch(std::size_t count, const ProgressOf& progress, const HashOf& hash, Layer** layers) {
    for (std::size_t i = 0; i < count; ++i) {
      layers[i] = &at(progress(i));
      layers[i]->passing.prefetch_index(hash(i));
    }
    for (std::size_t i = 0; i < count; ++i) layers[i]->passing.prefetch_state(hash(i));
  }

  Insertion insert_passing(Layer& layer, const std::byte* state, std::uint64_t hash) {
    return counted(layer.passing.insert(state, hash));
  }
  Insertion insert_persistent(Layer& layer, const std::byte* state, std::uint64_t hash) {
    const Insertion insertion = counted(layer.persistent.insert(state, hash));
    persistent_ += insertion.inserted;
    return insertion;
  }

  /// The record of the next state of the layer that is to be expanded, which then is; none: all are.
  std::byte* next(Layer& layer) {
    if (layer.at_root()) return layer.persistent.record(layer.roots[layer.expanded_roots++]);
    if (layer.expanded == layer.passing.size()) return nullptr;
    ++expanded_;
    return layer.passing.record(layer.expanded++);
  }
  /// Roots that were found in a sweep are expanded in the next one.
  void add_later_root(std::uint64_t progress, Layer& layer, StateId id) {
    if (layer.later_roots.empty()) later_.insert(progress);
    layer.later_roots.push_back(id);
    ++later_roots_;
  }
  std::uint64_t later_roots() const { return later_roots_; }
  bool has_later_roots() const { return !later_.empty(); }
  /// The least layer that has some.
  std::optional<std::uint64_t> first_later_root() const {
    return later_.empty() ? std::nullopt : std::optional(*later_.begin());
  }
  /// The next sweep begins.
  void make_later_roots_due() {
    later_roots_ = 0;
    for (const std::uint64_t progress : std::exchange(later_, {})) {
      Layer& layer = at(progress);
      layer.roots.insert(layer.roots.end(), layer.later_roots.begin(), layer.later_roots.end());
      layer.later_roots = {};
      make_due(progress, layer);
    }
  }
  /// Calls visit(progress, roots) for layers that have so many roots of the next sweep, and no other persistent states.
  template <class Visit>
  void for_each_with_later_roots_alone(std::size_t least, const Visit& visit) {
    for (const std::uint64_t progress : later_)
      if (const Layer& layer = at(progress); layer.has_later_roots_alone(least))
        visit(progress, layer.persistent);
  }
  /// Forgets these roots.
  void forget_later_roots_alone(std::size_t least) {
    std::erase_if(later_, [&](std::uint64_t progress) {
      Layer& layer = at(progress);
      if (!layer.has_later_roots_alone(least)) return false;
      stored_ -= layer.persistent.size();
      later_roots_ -= layer.later_roots.size();
      layer.persistent.clear();
      layer.later_roots = {};
      if (layer.passing.size() == 0) forget_passing(progress);
      return true;
    });
  }

  void make_due(std::uint64_t progress, Layer& layer) {
    if (layer.due) return;
    layer.due = true;
    due_.insert(progress);
  }
  /// The least due layer, and the least one above a progress value.
  std::optional<std::uint64_t> first_due() const {
    return due_.empty() ? std::nullopt : std::optional(*due_.begin());
  }
  std::optional<std::uint64_t> due_above(std::uint64_t progress) const {
    const auto next = due_.upper_bound(progress);
    return next == due_.end() ? std::nullopt : std::optional(*next);
  }
  /// Its states are about to be expanded.
  void not_due(std::uint64_t progress, Layer& layer) {
    layer.due = false;
    due_.erase(progress);
  }

  /// How many states wait in due layers from the first one on, as long as within(progress); some more than `enough`
  /// are not counted.
  template <class Within>
  std::uint64_t waiting(std::uint64_t enough, const Within& within) {
    std::uint64_t count = 0;
    for (const std::uint64_t progress : due_) {
      if (count > enough || !within(progress)) break;
      count += at(progress).waiting();
    }
    return count;
  }

  /// The line passes all layers from one progress value to before another (none: to the last), which are added to
  /// `passed` unless they were empty. `kept`: all that are expanded were kept elsewhere, so that persistent ones are forgotten,
  /// too.
  void pass(std::uint64_t from, std::optional<std::uint64_t> to, std::vector<PassedLayer>& passed,
            bool kept) {
    for (auto place = layers_.lower_bound(from); place != layers_.end() && (!to || place->first < *to);) {
      const std::uint64_t progress = place->first;
      Layer& layer = (place++)->second;
      if (layer.passing.size() != 0 || layer.expanded_roots != 0)
        passed.push_back({progress, layer.expanded - layer.known + layer.expanded_roots - layer.known_roots});
      if (kept && layer.later_roots.empty()) {
        stored_ -= layer.persistent.size();
        layer.persistent.clear();
      }
      layer.roots = {};
      layer.expanded_roots = layer.known_roots = 0;
      layer.recalled = false;
      forget_passing(progress);
    }
  }

  /// Drops the passing states of the layer, if there are any: the line has passed it.
  void forget_passing(std::uint64_t progress) {
    const auto place = layers_.find(progress);
    if (place == layers_.end()) return;
    Layer& layer = place->second;
    stored_ -= layer.passing.size();
    expanded_ -= layer.expanded;
    layer.passing.clear();
    layer.expanded = layer.known = 0;
    if (layer.persistent.size() != 0) return;
    cache_[place_of(progress)] = {};
    if (layer.due) due_.erase(progress);
    layers_.erase(place);
  }

  /// Drops every layer below, with its persistent states.
  void forget_below(std::uint64_t progress) {
    const auto end = layers_.lower_bound(progress);
    if (end == layers_.begin()) return;
    for (auto place = layers_.begin(); place != end; place = layers_.erase(place)) {
      stored_ -= place->second.passing.size() + place->second.persistent.size();
      expanded_ -= place->second.expanded;
      later_roots_ -= place->second.later_roots.size();
    }
    due_.erase(due_.begin(), due_.lower_bound(progress));
    later_.erase(later_.begin(), later_.lower_bound(progress));
    cache_ = {};
  }

  /// A root that was taken out of the layer comes back: it waits, unless the layer has it.
  void put_back(Layer& layer, const std::byte* record) {
    const std::uint64_t hash = this->hash(record);
    if (layer.find_persistent(record, hash) != no_state) return;
    const Insertion insertion = insert_passing(layer, record, hash);
    if (insertion.inserted)
      std::memcpy(layer.passing.extra(insertion.id), record + state_bytes_,
                  pools_->passing.record_bytes() - state_bytes_);
  }

  /// Puts states back that an earlier sweep has expanded: read(sink) calls sink(states, number) until it has named all of
  /// them, which are different, and about `count`. They come first, and what waits and is one of them does not wait any
  /// more.
  template <class Read>
  void recall(Layer& layer, std::uint64_t count, const Read& read) {
    const LayerTable others(std::move(layer.passing));
    const StateId expanded = std::exchange(layer.expanded, 0);
    layer.passing.clear();
    stored_ -= others.size();
    expanded_ -= expanded;
    layer.passing.expect(count + others.size());
    read([&](const std::byte* states, std::uint32_t number) {
      stored_ += layer.passing.add_all(states, number);
    });
    layer.known = layer.expanded = layer.passing.size();
    const std::size_t extra_bytes = pools_->passing.record_bytes() - state_bytes_;
    for (StateId id = 0; id < others.size(); ++id) {
      const std::byte* const record = others.record(id);
      const Insertion insertion = insert_passing(layer, record, hash(record));
      if (!insertion.inserted) continue;
      std::memcpy(layer.passing.extra(insertion.id), record + state_bytes_, extra_bytes);
      layer.expanded += id < expanded ? 1 : 0;
    }
    expanded_ += layer.expanded;
    const auto waiting = layer.roots.begin() + layer.expanded_roots;
    const auto unknown = std::stable_partition(waiting, layer.roots.end(), [&](StateId root) {
      const std::byte* const record = layer.persistent.record(root);
      return layer.passing.find(record, hash(record)) < layer.known;
    });
    layer.known_roots += static_cast<std::uint32_t>(unknown - waiting);
    layer.expanded_roots += static_cast<std::uint32_t>(unknown - waiting);
  }

  enum class Kind { persistent, expanded, expanded_root, root, waiting, later_root };
  /// Stores a record of other layers, which have the same sizes and in which it was of this kind. Those of a layer
  /// are taken in this order of their kinds, except that roots and states that wait may come in any.
  void take(const std::byte* record, std::uint64_t hash, std::uint64_t progress, Kind kind) {
    const bool persistent = kind != Kind::waiting && kind != Kind::expanded;
    Layer& layer = at(progress);
    LayerTable& table = persistent ? layer.persistent : layer.passing;
    const StateId id = counted(table.insert(record, hash)).id;
    const std::size_t record_bytes = (persistent ? pools_->persistent : pools_->passing).record_bytes();
    std::memcpy(table.extra(id), record + state_bytes_, record_bytes - state_bytes_);
    if (kind == Kind::expanded) note_expanded(layer);
    if (kind == Kind::root || kind == Kind::expanded_root) layer.roots.push_back(id);
    if (kind == Kind::expanded_root) ++layer.expanded_roots;
    if (kind == Kind::later_root) return add_later_root(progress, layer, id);
    if (kind != Kind::persistent) make_due(progress, layer);  // what is expanded has to be passed, too
  }
  /// The next passing state of the layer has been expanded elsewhere.
  void note_expanded(Layer& layer) {
    ++layer.expanded;
    ++expanded_;
  }
  std::uint64_t hash(const std::byte* record) const { return StateHash{}(record, state_bytes_); }
  /// States that became persistent there and are no longer stored count here.
  void add_history(const Layers& other) { persistent_ += other.persistent_; }

  std::uint64_t stored() const { return stored_; }
  std::uint64_t expanded() const { return expanded_; }
  /// States that became persistent, whether or not they are still stored.
  std::uint64_t persistent() const { return persistent_; }
  std::map<std::uint64_t, Layer>& all() { return layers_; }
  Layer* find(std::uint64_t progress) {
    const auto place = layers_.find(progress);
    return place == layers_.end() ? nullptr : &place->second;
  }

  /// For checkpoints. What is read goes into empty layers. Throws Error(io) when the states saved are of
  /// another size.
  template <class File>
  void archive(File& file) {
    const std::array<std::size_t, 3> own = {state_bytes_, pools_->passing.record_bytes(),
                                            pools_->persistent.record_bytes()};
    std::array<std::size_t, 3> bytes = own;
    file(bytes[0], bytes[1], bytes[2]);
    if (bytes != own) throw Error(ErrorKind::io, "the checkpoint belongs to another search");
    std::uint64_t count = layers_.size(), states = 0;
    file(count);
    auto next = layers_.begin();
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t progress = File::reads ? 0 : next->first;
      file(progress);
      file.require(!File::reads || layers_.empty() || progress > layers_.rbegin()->first);
      Layer& layer = File::reads ? at(progress) : (next++)->second;
      bool due = layer.due;
      file(layer, due);
      if (due) make_due(progress, layer);
      if (!File::reads) continue;
      expanded_ += layer.expanded;
      states += layer.passing.size() + layer.persistent.size();
      if (!layer.later_roots.empty()) later_.insert(progress);
      later_roots_ += layer.later_roots.size();
    }
    file(stored_, persistent_);
    file.require(!File::reads || stored_ == states);
  }

 private:
  struct Pools {
    Pools(std::size_t passing_bytes, std::size_t persistent_bytes)
        : passing(passing_bytes), persistent(persistent_bytes) {}
    RecordPool passing, persistent;
  };
  Layers(std::size_t state_bytes, std::shared_ptr<Pools> pools)
      : state_bytes_(state_bytes), pools_(std::move(pools)) {}

  static constexpr unsigned cache_bits = 10;
  struct CacheEntry {
    std::uint64_t progress = 0;
    Layer* layer = nullptr;
  };

  /// Neighbours in any part of a tuple lie in different places.
  static std::size_t place_of(std::uint64_t progress) {
    return static_cast<std::size_t>(progress * 0x9e3779b97f4a7c15u >> (64 - cache_bits));
  }

  Insertion counted(Insertion insertion) {
    stored_ += insertion.inserted;
    return insertion;
  }

  std::size_t state_bytes_;
  std::shared_ptr<Pools> pools_;  // before the layers, which give back to it
  std::map<std::uint64_t, Layer> layers_;
  std::set<std::uint64_t> due_, later_;
  std::array<CacheEntry, 1 << cache_bits> cache_{};  // direct-mapped: most successors go to few layers
  std::uint64_t stored_ = 0, persistent_ = 0, expanded_ = 0, later_roots_ = 0;
};

}  // namespace tideline
