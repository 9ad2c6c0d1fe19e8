// The rounds of a sweep that all threads share, and when there are any: the second half of sweep.hpp, which says why they
// go ahead of the line.
//
// Each thread expands the states of its part, sends what it finds to the parts that it belongs to (mail.hpp), and stores
// what others send to it, until nobody has anything left to do in this round. One thread stores the successors of a large
// layer in the same way, many at a time. Without a watch, a thread that would wait expands states for another part.
//
// New states are logged and announced to observers many at a time, before they are expanded: they are the last ones of
// their layers, so none of them is next as long as more states wait in the layer than are not announced.
//
// Invariants: a part is changed by its own thread only; a thread that fails or is to end the search raises stopped_,
// and nobody waits for anybody then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "search/sweep/sweep.hpp"

namespace tideline {

template <ProgressGraph G, class Watch>
std::uint64_t SweepSearch<G, Watch>::waiting() {
  const std::uint64_t enough = few();
  const bool ahead = may_go_ahead();
  std::uint64_t count = 0;
  for (unsigned part = 0; part < layers_.count() && count <= enough; ++part)
    count += layers_.part(part).waiting(
        enough, [&](Progress progress) { return ahead ? same_column(progress) : progress == line_; });
  return count;
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::choose_parts(Budget& budget) {
  if constexpr (in_parts) {
    if (!team_ || stopped_ || counts_.expansions < next_choice_) return;
    const std::uint64_t lately = counts_.expansions - last_choice_;
    const unsigned count = in_large_ > lately / 4   ? most_parts()
                           : in_large_ < lately / 8 ? 1
                                                    : layers_.count();
    last_choice_ = counts_.expansions;
    next_choice_ = 2 * counts_.expansions;
    in_large_ = 0;
    LimitCheck check_limits(&budget);
    try {
      set_parts(count, [&] { check_limits(); });
    } catch (const LimitReached&) {
      stopped_ = true;
    }
  }
}

template <ProgressGraph G, class Watch>
template <class O>
void SweepSearch<G, Watch>::share_round(std::uint64_t expanded, Observers<O>& observers, Budget& budget) {
  most_expansions_ = watched ? std::max(least_expansions, expanded / layers_.count()) : ~std::uint64_t{0};
  if (!mail_) mail_ = std::make_unique<PartMail>(layers_.count(), state_bytes_);
  mail_->begin();
  stored_ = layers_.stored();
  may_expand_ = may_go_ahead() && layers_.count() > 1 ? options_.ahead.most(stored_ / layers_.count()) : 0;
  for (unsigned part = 0; part < layers_.count(); ++part) {
    const Layer* const line = at_line_[part].layer;
    at_line_[part].ahead = layers_.part(part).expanded() - (line ? line->expanded : 0);
  }
  const auto work = [&](unsigned part) {
    try {
      expand_part(part, observers.of(part), budget);
    } catch (...) {
      stopped_ = true;  // others must not wait for this part
      throw;
    }
  };
  try {
    if (layers_.count() == 1)
      work(0);
    else
      team_->run(work);
  } catch (...) {  // what was counted so far counts
    gather_figures();
    throw;
  }
  gather_figures();
  observers.share();
  if (counts_.broken_claim || observers.first.done() || watch_.done()) stopped_ = true;
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::gather_figures() {
  for (const auto& part : parts_) {
    counts_.add(std::exchange(part->figures, {}));
    part->publish();
    if (part->full) stopped_ = full_ = true;
  }
}

template <ProgressGraph G, class Watch>
template <class O>
void SweepSearch<G, Watch>::expand_part(unsigned number, O& observer, Budget& budget) {
  constexpr unsigned looks_between_polls = 64;
  Part& part = *parts_[number];
  unsigned looks = 0;
  do {
    for (;;) {
      const bool more = expand_some(number, observer, budget);
      part.publish();
      if (number == 0) poll(budget, stored_);
      if (stopped_) return;
      if (take_mail(number, observer) || more) continue;
      announce(number, observer);
      if (!mail_->flush(number)) break;
    }
  } while (mail_->wait(number, [&] {
    if (number == 0 && ++looks % looks_between_polls == 0) poll(budget, stored_);
    return stopped_.load(std::memory_order_relaxed);
  }));
}

template <ProgressGraph G, class Watch>
template <class O>
bool SweepSearch<G, Watch>::expand_some(unsigned number, O& observer, Budget& budget) {
  for (unsigned i = 0; i < portion; ++i) {
    if (parts_[number]->figures.expansions >= most_expansions_) return false;
    if (!next_is_announced(number)) announce(number, observer);
    const Node node = next_of(number);
    if (!node.record) return false;
    expand_and_send(number, node, observer, budget);
    if (stopped_) return false;
    if (goes_ahead && mail_->anyone_waits()) give_away(number);
  }
  return true;
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::give_away(unsigned number) {
  constexpr std::uint64_t worth_it = 64;
  PartAtLine& at = at_line_[number];
  if (!at.layer || at.layer->at_root()) return;
  std::uint64_t left =
      at.layer->waiting() - std::min<std::uint64_t>(at.layer->waiting(), parts_[number]->found.size());
  if (at.progress != line_) left = std::min(left, 2 * (may_expand_ - std::min(may_expand_, at.ahead)));
  if (left < worth_it) return;
  left /= 2;
  mail_->give(at.progress, [&]() -> std::byte* {
    if (left-- == 0) return nullptr;
    at.ahead += at.progress != line_;
    return layers_.part(number).next(*at.layer);
  });
}

template <ProgressGraph G, class Watch>
auto SweepSearch<G, Watch>::next_of(unsigned number) -> Node {
  if (std::vector<std::byte*>& borrowed = parts_[number]->borrowed; !borrowed.empty()) {
    constexpr std::size_t ahead = 4;
    if (borrowed.size() > ahead) prefetch(*(borrowed.end() - 1 - ahead), state_bytes_);
    std::byte* const record = borrowed.back();
    borrowed.pop_back();
    return {record, parts_[number]->borrowed_at, false};
  }
  Layers& layers = layers_.part(number);
  PartAtLine& at = at_line_[number];
  const auto may_expand = [&](Progress progress) { return progress == line_ || at.ahead < may_expand_; };
  for (;;) {
    if (at.layer && may_expand(at.progress)) {
      const bool is_root = at.layer->at_root();
      if (std::byte* const record = layers.next(*at.layer)) {
        at.ahead += at.progress != line_;
        return {record, at.progress, is_root};
      }
    }
    if (may_expand_ == 0) return {};
    const auto due = layers.first_due();
    if (!due || !same_column(*due) || !may_expand(*due)) return {};
    leave(number);
    go_to(number, *due);
  }
}

template <ProgressGraph G, class Watch>
template <class O>
void SweepSearch<G, Watch>::expand_and_send(unsigned number, const Node& node, O& observer, Budget& budget) {
  Part& part = *parts_[number];
  ExpansionFigures& counts = part.figures;
  const auto locate = [&] { return run_to(node.record, part.graph); };
  const LogNumber parent = options_.log ? log_number(node.record) : no_record;
  std::uint32_t choice = 0;
  ++counts.expansions;
  watch_.on_node(number, part.graph, node.record, node.is_root);
  part.graph.successors(node.record, [&](const Step& step) {
    if (counts.transitions++ % poll_every == 0 && number == 0) poll(budget, stored_);
    if (stopped_) return;
    observer.on_step(step, locate);
    const Progress progress = step.state ? part.graph.progress(step.state) : 0;
    const auto note = watch_.on_step(number, part.graph, step, progress);
    if (step.state) {
      const bool regress = progress < node.progress;
      if (regress && !allow_regress({step.action, node.progress, progress}, counts)) {
        stopped_ = true;
        return;
      }
      const std::uint64_t hash = StateHash{}(step.state, state_bytes_);
      mail_->put(number, layers_.part_of(hash), {hash, progress, parent, choice, regress, note}, step.state,
                 [&] {
                   take_mail(number, observer);
                   return !stopped_;
                 });
    }
    ++choice;
  });
  if (choice == 0 && !stopped_) {
    if (report_deadlock(observer, node.record, locate)) ++counts.deadlocks;
    watch_.on_dead_end(number);
  }
  if (observer.done()) stopped_ = true;
}

template <ProgressGraph G, class Watch>
template <class O>
bool SweepSearch<G, Watch>::take_mail(unsigned number, O& observer) {
  constexpr std::size_t many = 512;  // the log is locked each time
  Part& part = *parts_[number];
  const bool any = mail_->take(
      number, [&](const auto& letters) { store(number, letters); },
      [&](const auto& errand) {
        part.borrowed.assign(errand.records.begin(), errand.records.end());
        part.borrowed_at = errand.progress;
      },
      [&] {
        if (part.full) stopped_ = true;
        if (part.found.size() >= many) announce(number, observer);
      });
  if (!any || may_expand_ == 0) return any;
  // Perhaps to a layer before the one at which the part is.
  const auto due = layers_.part(number).first_due();
  if (due && *due < at_line_[number].progress) {
    announce(number, observer);  // what is recalled to a layer moves the records there
    leave(number);
    go_to(number, *due);
  }
  return true;
}

template <ProgressGraph G, class Watch>
template <class Some>
void SweepSearch<G, Watch>::store(unsigned number, const Some& letters) {
  Part& part = *parts_[number];
  part.layers.resize(letters.count());
  layers_.part(number).fetch(
      letters.count(), [&](std::size_t i) { return letters.letter(i).progress; },
      [&](std::size_t i) { return letters.letter(i).hash; }, part.layers.data());
  for (std::size_t i = 0; i < letters.count(); ++i) {
    const Letter letter = letters.letter(i);
    const SweepTarget target =
        put(number, *part.layers[i], letter.progress, letter.regress, letters.state(i), letter.hash);
    if (target.id == no_state) {
      part.full = true;
      continue;
    }
    if (target.is_new) {
      part.found.push_back(record_of(target));
      if (options_.log) part.found_by.push_back({letter.parent, letter.choice});
    }
    watch_.on_arrival(number, letter.note, target);
  }
}

template <ProgressGraph G, class Watch>
bool SweepSearch<G, Watch>::next_is_announced(unsigned number) const {
  const Layer* const layer = at_line_[number].layer;
  const std::size_t found = parts_[number]->found.size();
  return found == 0 || (layer && layer->waiting() > found);
}

template <ProgressGraph G, class Watch>
template <class O>
void SweepSearch<G, Watch>::announce(unsigned number, O& observer) {
  Part& part = *parts_[number];
  if (part.found.empty()) return;
  if (options_.log) {
    LogNumber log_number = options_.log->append(part.found_by);
    for (std::byte* const record : part.found) put_log_number(record + state_bytes_, log_number++);
    part.found_by.clear();
  }
  for (std::byte* const record : part.found)
    observer.on_state(record, [&] { return run_to(record, part.graph); });
  part.found.clear();
  if (observer.done()) stopped_ = true;
}

}  // namespace tideline
