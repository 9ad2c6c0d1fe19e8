#include "lang/pnml/reducible_net.hpp"

#include <fmt/format.h>

#include <utility>

namespace tideline::pnml {

std::vector<Arc> needs_of(const Transition& t) {
  std::vector<Arc> needs = t.consumes;
  for (const Arc& a : t.tests)
    if (weight_at(t.consumes, a.place) == 0) needs.push_back(a);
  std::ranges::sort(needs, {}, &Arc::place);
  for (Arc& a : needs) a.weight = need_at(t, a.place);
  return needs;
}

ReducibleNet::ReducibleNet(const Net& net, const std::vector<bool>& observed)
    : net_{.id = net.id, .places = net.places, .transitions = net.transitions, .safe = net.safe},
      observed_(observed),
      place_lives_(net.places.size(), true),
      transition_lives_(net.transitions.size(), true),
      counts_(net.places.size()),
      producers_(net.places.size()),
      consumers_(net.places.size()),
      watchers_(net.places.size()),
      length_(net.transitions.size(), 1) {
  result_.given_count = transitions();
  for (TransitionId t = 0; t < transitions(); ++t) enlist(t);
}

void ReducibleNet::enlist(TransitionId t) {
  const Transition& transition = net_.transitions[t];
  for (const Arc& a : transition.consumes) consumers_[a.place].push_back(t);
  for (const Arc& a : transition.produces) producers_[a.place].push_back(t);
  for (const Arc& a : transition.tests) watchers_[a.place].push_back(t);
  for (const Arc& a : transition.inhibitors) watchers_[a.place].push_back(t);
  for (const PlaceId p : transition.resets) watchers_[p].push_back(t);
  count(transition, 1);
}

void ReducibleNet::count(const Transition& t, std::int32_t by) {
  const auto add = [by](std::uint32_t& number) {
    number = static_cast<std::uint32_t>(static_cast<std::int32_t>(number) + by);
  };
  for (const Arc& a : t.consumes) add(counts_[a.place].consumers);
  for (const Arc& a : t.produces) add(counts_[a.place].producers);
  for (const Arc& a : t.tests) add(counts_[a.place].tests);
  for (const Arc& a : t.inhibitors) add(counts_[a.place].inhibitors);
  for (const PlaceId p : t.resets) add(counts_[p].resets);
}

std::vector<TransitionId> ReducibleNet::producers(PlaceId p) {
  std::vector<TransitionId> list;
  for_each_producer(p, [&](TransitionId t) { list.push_back(t); });
  return list;
}

std::vector<TransitionId> ReducibleNet::consumers(PlaceId p) {
  std::vector<TransitionId> list;
  for_each_consumer(p, [&](TransitionId t) { list.push_back(t); });
  return list;
}

void ReducibleNet::remove_transition(TransitionId t) {
  transition_lives_[t] = false;
  count(net_.transitions[t], -1);
  net_.transitions[t] = {};
}

void ReducibleNet::remove_place(PlaceId p) {
  place_lives_[p] = false;
  removed_.push_back(p);
}

void ReducibleNet::tidy() {
  std::vector<TransitionId> touched;
  for (const PlaceId p : removed_) for_each_touching(p, [&](TransitionId t) { touched.push_back(t); });
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  const auto gone = [&](const Arc& a) { return !place_lives_[a.place]; };
  for (const TransitionId t : touched) {
    Transition& transition = net_.transitions[t];
    std::erase_if(transition.consumes, gone);
    std::erase_if(transition.produces, gone);
    std::erase_if(transition.tests, gone);
    std::erase_if(transition.inhibitors, gone);
    std::erase_if(transition.resets, [&](PlaceId p) { return !place_lives_[p]; });
  }
  for (const PlaceId p : removed_) {
    counts_[p] = {};
    for (auto* list : {&producers_[p], &consumers_[p], &watchers_[p]}) *list = {};
  }
  removed_.clear();
}

void ReducibleNet::add_transition(Transition transition, const Reduced::Sequence& sequence) {
  const TransitionId t = transitions();
  result_.sequences.push_back(sequence);
  length_.push_back(length_[sequence.first] * sequence.first_times +
                    length_[sequence.second] * sequence.second_times);
  work += 16 * (1 + arcs_of(transition));
  net_.transitions.push_back(std::move(transition));
  transition_lives_.push_back(true);
  enlist(t);
}

bool ReducibleNet::fire_at_start(TransitionId t, PlaceId p) {
  const Transition& transition = net_.transitions[t];
  const std::uint32_t times = initial(p) / transition.consumes.front().weight;
  if (times * length_[t] > longest_sequence) return false;
  for (const Arc& a : transition.produces)
    if (initial(a.place) + std::uint64_t{a.weight} * times > static_cast<std::uint64_t>(most_tokens))
      return false;
  for (const Arc& a : transition.produces) net_.places[a.place].initial += a.weight * times;
  net_.places[p].initial -= transition.consumes.front().weight * times;
  for (std::uint32_t i = 0; i < times; ++i) expand_into(t, result_.prefix);
  return true;
}

namespace {

/// Appends what a number stands for. Sequences may be nested deeply: those to come wait on a stack.
void append_given(const Reduced& reduced, TransitionId number, std::vector<TransitionId>& given) {
  std::vector<TransitionId> waiting{number};
  while (!waiting.empty()) {
    const TransitionId next = waiting.back();
    waiting.pop_back();
    if (next < reduced.given_count) {
      given.push_back(next);
      continue;
    }
    const Reduced::Sequence& sequence = reduced.sequences[next - reduced.given_count];
    waiting.insert(waiting.end(), sequence.second_times, sequence.second);
    waiting.insert(waiting.end(), sequence.first_times, sequence.first);
  }
}

}  // namespace

void ReducibleNet::expand_into(TransitionId number, std::vector<TransitionId>& given) const {
  append_given(result_, number, given);
}

std::vector<TransitionId> Reduced::given_transitions(TransitionId transition) const {
  std::vector<TransitionId> given;
  append_given(*this, number_of[transition], given);
  return given;
}

std::vector<std::vector<TransitionId>> Reduced::before_deadlock() const {
  std::vector<std::vector<TransitionId>> given;
  for (auto number = late.rbegin(); number != late.rend(); ++number)
    append_given(*this, *number, given.emplace_back());
  return given;
}

Reduced ReducibleNet::take() {
  tidy();
  Reduced result = std::move(result_);
  result.net = {.id = std::move(net_.id), .safe = net_.safe};
  result.place_of.assign(net_.places.size(), no_place);
  for (PlaceId p = 0; p < places(); ++p) {
    if (!place_lives_[p]) continue;
    result.place_of[p] = static_cast<PlaceId>(result.given_place.size());
    result.given_place.push_back(p);
    result.net.places.push_back(std::move(net_.places[p]));
  }
  if (result.net.places.empty()) {
    result.given_place.push_back(no_place);
    result.net.places.push_back({.id = "nothing"});
  }
  const auto renumber = [&](std::vector<Arc>& arcs) {
    for (Arc& a : arcs) a.place = result.place_of[a.place];
  };
  for (TransitionId t = 0; t < transitions(); ++t) {
    if (!transition_lives_[t]) continue;
    Transition& transition = net_.transitions[t];
    renumber(transition.consumes);
    renumber(transition.produces);
    renumber(transition.tests);
    renumber(transition.inhibitors);
    for (PlaceId& p : transition.resets) p = result.place_of[p];
    result.number_of.push_back(t);
    result.net.transitions.push_back(std::move(transition));
  }
  return result;
}

}  // namespace tideline::pnml
