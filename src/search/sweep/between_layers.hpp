// What a sweep does between two layers, beside moving the line: a part of sweep.hpp. It saves itself, and goes on from what was
// saved; it changes its measure; and what earlier sweeps have expanded, and roots of the next one, go to disk and come back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/sweep/sweep.hpp"

namespace tideline {

template <ProgressGraph G, class Watch>
template <class File, class O>
void SweepSearch<G, Watch>::archive(File& file, O& observer) {
  if constexpr (may_change_measure) archive_measure(file);
  if constexpr (in_parts) archive_parts(file);
  file(layers_, line_, started_, counts_, figures_, watch_, observer);
  if (File::reads)
    file.require(layers_.all_of([&](const std::byte* state, Progress progress) {
      return is_state_of(graph_, state) && graph_.progress(state) == progress;
    }));
}

/// A search that goes on with as many threads has the same parts.
template <ProgressGraph G, class Watch>
template <class File>
void SweepSearch<G, Watch>::archive_parts(File& file) {
  const std::uint32_t own = most_parts();
  std::uint32_t most = own, count = layers_.count();
  file(most, count, in_large_, last_choice_, next_choice_);
  file.require(count != 0 && count <= most);
  if (File::reads && most == own) set_parts(count, [] {});  // nothing is stored yet
}

template <ProgressGraph G, class Watch>
template <class Check>
void SweepSearch<G, Watch>::set_parts(unsigned count, const Check& check) {
  if (count == layers_.count()) return;
  layers_.divide(count, check);
  at_line_ = std::vector<PartAtLine>(count);
  watch_.set_parts(count);
  mail_.reset();
}

/// The measure in use, and how many looks have been taken at others.
template <ProgressGraph G, class Watch>
template <class File>
void SweepSearch<G, Watch>::archive_measure(File& file) {
  std::string text = graph_.measure().text();
  std::uint64_t looks = options_.adviser ? options_.adviser->looks() : 0;
  file(text, looks, stored_lately_);
  if (!File::reads || !options_.adviser) return;
  options_.adviser->looks() = looks;
  if (text != graph_.measure().text()) set_measure(options_.adviser->read(text));
}

template <ProgressGraph G, class Watch>
template <class O>
bool SweepSearch<G, Watch>::load(O& observer) {
  if (!options_.checkpoints) return false;
  if constexpr (Archivable<Watch> && Archivable<O>)
    return options_.checkpoints->load([&](CheckpointReader& file) { archive(file, observer); });
  else
    throw Error(ErrorKind::usage, "this search does not support checkpoints");
}

/// Between two layers. If the budget ended before, something was left undone and is not saved; if it ends
/// here, the search can be resumed from this point.
template <ProgressGraph G, class Watch>
template <class O>
void SweepSearch<G, Watch>::save_when_due(Observers<O>& observers, Budget& budget) {
  if (!options_.checkpoints || stopped_ || !budget.reason().empty()) return;
  poll(budget);
  if constexpr (Archivable<Watch> && Archivable<O>) {
    if (!stopped_ && !options_.checkpoints->due()) return;
    observers.absorb();
    options_.checkpoints->save([&](CheckpointWriter& file) { archive(file, observers.first); }, status());
  }
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::ask_adviser(Budget& budget) {
  if constexpr (may_change_measure) {
    if (!options_.adviser || stopped_) return;
    const auto better = options_.adviser->better(
        graph_.measure(), {counts_.expansions, stored_lately_, counts_.regress_edges}, budget);
    if (!better) return;
    change_measure(*better, budget);
    outlook_.begin(counts_.expansions, budget);
  }
}

/// Where a limit interrupts it the search ends; it can be resumed from what was saved last.
template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::change_measure(const Measure& measure, Budget& budget) {
  if (!graph_.measure().claimed_monotone()) ++figures_.sweeps;
  ++figures_.measures;
  layers_.make_later_roots_due();
  end_postponement();
  set_measure(measure);
  line_ = 0;
  started_ = false;
  LimitCheck check_limits(&budget);
  try {
    if (passed_states_)
      passed_states_->measure_again([&](const std::byte* state) { return graph_.progress(state); },
                                    [&] { check_limits(); });
    layers_.measure_again([&](const std::byte* state, Progress) { return graph_.progress(state); },
                          [&] { check_limits(); });
  } catch (const LimitReached&) {
    stopped_ = true;
  }
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::set_measure(const Measure& measure) {
  options_.claimed_shift = measure.claimed_shift();
  options_.column_shift = options_.columns ? options_.claimed_shift : 64;
  graph_.set_measure(measure);
  copy_graph();
}

/// What earlier sweeps have expanded there comes back before anything is expanded, and then roots that were postponed.
template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::recall(unsigned part, Progress progress, Layer& layer) {
  layer.recalled = true;
  const auto is_own = [&](const std::byte* state) {
    return layers_.count() == 1 || layers_.part_of(StateHash{}(state, state_bytes_)) == part;
  };
  if (const std::uint64_t known = passed_states_->count(progress); known != 0)
    layers_.part(part).recall(layer, known / layers_.count(), [&](const auto& sink) {
      passed_states_->read(progress, at_line_[part].recalled,
                           [&](const std::byte* states, std::uint32_t number) {
                             if (layers_.count() == 1) return sink(states, number);
                             for (; number != 0; --number, states += state_bytes_)
                               if (is_own(states)) sink(states, 1);
                           });
    });
  if (progress != line_) at_line_[part].ahead += layer.known;  // in memory as if they had been expanded there
  if (!postponed_) return;
  postponed_->read(progress, at_line_[part].recalled, [&](const std::byte* records, std::uint32_t number) {
    for (; number != 0; --number, records += record_bytes())
      if (is_own(records)) layers_.part(part).put_back(layer, records);
  });
}

/// Between two layers: where there are many roots of the next sweep they go to disk.
template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::postpone_roots() {
  const std::uint64_t roots = layers_.later_roots();
  const Postponing& when = options_.postponing;
  if (!may_postpone_ || roots < next_postponement_ || roots * record_bytes() < when.bytes ||
      roots < layers_.stored() / when.part_of_stored)
    return;
  may_postpone_ = passed_states_->complete();
  try {
    if (may_postpone_ && !postponed_)
      postponed_ = std::make_unique<PostponedRoots>(options_.passed_states_folder, record_bytes());
  } catch (const Error&) {
    may_postpone_ = false;
  }
  for (unsigned part = 0; may_postpone_ && part < layers_.count(); ++part)
    may_postpone_ = postponed_->take_from(layers_.part(part), when.least_in_layer);
  next_postponement_ = 2 * layers_.later_roots();  // those that layers keep are looked at each time
}

/// All of them are in memory again.
template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::end_postponement() {
  if (!postponed_) return;
  postponed_->read_all(at_line_[0].recalled, [&](Progress progress, const std::byte* record) {
    const std::uint64_t hash = StateHash{}(record, state_bytes_);
    Layers& part = layers_.of(hash);
    Layer& layer = part.at(progress);
    part.put_back(layer, record);
    part.make_due(progress, layer);
  });
}

/// What is about to be forgotten goes to disk, each layer in one place. True: all of it is there.
template <ProgressGraph G, class Watch>
bool SweepSearch<G, Watch>::keep_passed(std::optional<Progress> next) {
  if (!passed_states_ || !passed_states_->complete()) return false;
  bool kept = true;
  layers_.for_each_layer(line_, next, [&](Progress progress, std::span<const Layer* const> layer) {
    kept = kept && passed_states_->append(progress, layer);
  });
  return kept;
}

}  // namespace tideline
