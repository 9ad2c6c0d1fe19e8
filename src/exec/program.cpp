#include "exec/program.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exec/compiler.hpp"
#include "exec/slot_tests.hpp"

namespace tideline {

/// Files the actions of a system into the directories of a Program.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(Program& program)
      : program_(program), system_(program.system_), compiler_(system_, program.layout_, program.chunk_) {}

  void build() {
    for (const Action& action : system_.actions)
      program_.effects_.push_back(compiler_.effects(action.effects));
    file_actions();
    watch_slots();
    program_.free_entries_ = add_entries(without_place_);
    for (ComponentId c = 0; c < system_.components.size(); ++c) {
      if (system_.components[c].location_slot == no_slot) continue;
      const std::size_t values = location_values(c);
      program_.directories_.push_back({location_field(c), size32(program_.entry_ranges_)});
      for (std::size_t l = 0; l < values; ++l) {
        const auto found = by_location_.find({c, static_cast<LocationId>(l)});
        program_.entry_ranges_.push_back(found == by_location_.end() ? Program::Span{}
                                                                     : add_entries(found->second));
      }
    }
  }

 private:
  using Span = Program::Span;
  /// Actions that share the transition of their first participant.
  using Group = std::vector<ActionId>;

  template <class T>
  static std::uint32_t size32(const std::vector<T>& v) {
    return static_cast<std::uint32_t>(v.size());
  }

  Field location_field(ComponentId c) const {
    return program_.layout_.field(system_.components[c].location_slot);
  }

  /// A location slot may hold one value more than there are locations (the error state's).
  std::size_t location_values(ComponentId c) const {
    const Range range = system_.slots[system_.components[c].location_slot].range;
    return static_cast<std::size_t>(range.high) + 1;
  }

  /// Code for a guard, or no_code when it is always true.
  std::uint32_t guard_code(const Expr& guard) {
    if (guard.is_constant() && guard.value != 0) return Program::no_code;
    return compiler_.guard(guard);
  }

  void file_actions() {
    for (ActionId a = 0; a < system_.actions.size(); ++a) {
      const auto& participants = system_.actions[a].participants;
      if (participants.empty() || participants[0].from == any_location) {
        without_place_.push_back({a});
        continue;
      }
      const Participant& first = participants[0];
      auto& groups = by_location_[{first.component, first.from}];
      // Front-ends list the actions of one transition next to each other: comparing with the last is enough.
      if (!groups.empty() && participants.size() > 1 && same_transition(groups.back()[0], first))
        groups.back().push_back(a);
      else
        groups.push_back({a});
    }
  }

  /// Files actions without participants under a slot that must be more than 0 for them; of several, the one
  /// that the fewest need, since it is likely to be 0 most of the time.
  void watch_slots() {
    const Layout& layout = program_.layout_;
    std::vector<std::vector<SlotId>> needed(without_place_.size());
    std::vector<std::uint32_t> uses(system_.slots.size());
    for (std::size_t i = 0; i < without_place_.size(); ++i) {
      const Action& action = system_.actions[without_place_[i][0]];
      if (!action.participants.empty()) continue;
      std::vector<RangeTest> tests;
      take_range_tests(action.guard, system_, tests);
      for (const RangeTest& test : tests) {
        const Width width = layout.field(test.slot).width;
        if (test.low <= 0 || (width != Width::bit && width != Width::u8)) continue;
        needed[i].push_back(test.slot);
        ++uses[test.slot];
      }
    }
    std::map<std::uint32_t, Group> by_bit, by_byte;
    std::vector<Group> unwatched;
    for (std::size_t i = 0; i < without_place_.size(); ++i) {
      const auto slot = std::ranges::min_element(needed[i], {}, [&](SlotId s) { return uses[s]; });
      if (slot == needed[i].end()) {
        unwatched.push_back(without_place_[i]);
        continue;
      }
      const Field field = layout.field(*slot);
      (field.width == Width::bit ? by_bit : by_byte)[field.offset].push_back(without_place_[i][0]);
    }
    without_place_ = std::move(unwatched);
    if (!by_bit.empty()) program_.watched_bits_.resize(by_bit.rbegin()->first + 1);
    for (const auto& [bit, group] : by_bit) program_.watched_bits_[bit] = add_candidates(group, 0);
    if (by_byte.empty()) return;
    program_.first_watched_byte_ = by_byte.begin()->first;
    program_.watched_bytes_.resize(by_byte.rbegin()->first + 1 - program_.first_watched_byte_);
    for (const auto& [byte, group] : by_byte)
      program_.watched_bytes_[byte - program_.first_watched_byte_] = add_candidates(group, 0);
  }

  bool same_transition(ActionId a, const Participant& first) const {
    const auto& others = system_.actions[a].participants;
    return others.size() > 1 && others[0].to == first.to && others[0].guard == first.guard;
  }

  Span add_entries(const std::vector<Group>& groups) {
    std::vector<Program::Entry> entries;
    for (const Group& group : groups) entries.push_back(make_entry(group));
    const Span span{size32(program_.entries_), size32(program_.entries_) + size32(entries)};
    program_.entries_.insert(program_.entries_.end(), entries.begin(), entries.end());
    return span;
  }

  Program::Entry make_entry(const Group& group) {
    Program::Entry entry;
    const Action& sample = system_.actions[group[0]];
    if (sample.participants.empty() || sample.participants[0].from == any_location) {
      entry.alone = add_candidates(group, 0);
      return entry;
    }
    entry.guard = guard_code(sample.participants[0].guard);
    if (sample.participants.size() == 1) {
      entry.alone = add_candidates(group, 1);
      return entry;
    }
    std::map<ComponentId, std::map<LocationId, Group>> by_partner;
    Group anywhere;  // the second participant may be at any location
    for (ActionId a : group) {
      const Participant& second = system_.actions[a].participants[1];
      if (second.from == any_location)
        anywhere.push_back(a);
      else
        by_partner[second.component][second.from].push_back(a);
    }
    entry.alone = add_candidates(anywhere, 1);
    entry.partners.begin = size32(program_.partners_);
    for (const auto& [component, by_from] : by_partner) {
      program_.partners_.push_back({location_field(component), size32(program_.candidate_ranges_)});
      const std::size_t first_range = program_.candidate_ranges_.size();
      program_.candidate_ranges_.resize(first_range + location_values(component));
      for (const auto& [from, actions] : by_from)
        program_.candidate_ranges_[first_range + from] = add_candidates(actions, 2);
    }
    entry.partners.end = size32(program_.partners_);
    return entry;
  }

  /// Candidates whose first `known` participants are at their locations when they are tried, and whose first
  /// one's guard is known to be true when `known` is not 0.
  Span add_candidates(const Group& group, std::size_t known) {
    std::vector<Program::Candidate> candidates;
    for (ActionId a : group) {
      const Action& action = system_.actions[a];
      Program::Candidate candidate{.action = a};
      Expr locations = Expr::constant(1);
      for (std::size_t p = known; p < action.participants.size(); ++p) {
        const Participant& participant = action.participants[p];
        if (participant.from == any_location) continue;
        locations = conjunction(
            std::move(locations),
            Expr::binary(Op::eq, Expr::load(system_.components[participant.component].location_slot),
                         Expr::constant(participant.from)));
      }
      candidate.locations = guard_code(locations);
      candidate.checks.begin = size32(program_.checks_);
      std::vector<RangeTest> tests;
      for (std::size_t p = known == 0 ? 0 : 1; p < action.participants.size(); ++p)
        add_check(take_range_tests(action.participants[p].guard, system_, tests));
      add_check(take_range_tests(action.guard, system_, tests));
      candidate.checks.end = size32(program_.checks_);
      candidate.tests.begin = size32(program_.tests_);
      for (const RangeTest& test : tests)
        program_.tests_.push_back({program_.layout_.field(test.slot), test.low, test.high});
      candidate.tests.end = size32(program_.tests_);
      candidates.push_back(candidate);
    }
    const Span span{size32(program_.candidates_), size32(program_.candidates_) + size32(candidates)};
    program_.candidates_.insert(program_.candidates_.end(), candidates.begin(), candidates.end());
    return span;
  }

  void add_check(const Expr& guard) {
    const std::uint32_t code = guard_code(guard);
    if (code != Program::no_code) program_.checks_.push_back(code);
  }

  Program& program_;
  const System& system_;
  bytecode::Compiler compiler_;
  std::vector<Group> without_place_;  ///< without participants, or with a first one at any location
  std::map<std::pair<ComponentId, LocationId>, std::vector<Group>> by_location_;
};

Program::Program(const System& system, ErrorSemantics errors)
    : system_(system), errors_(errors), layout_(system), initial_(layout_.size()) {
  layout_.pack(system.initial, initial_.data());
  if (errors == ErrorSemantics::error_state) {
    if (!system.error_state)
      throw Error(ErrorKind::usage, "the language of " + system.name + " defines no error state");
    error_state_.resize(layout_.size());
    layout_.pack(*system.error_state, error_state_.data());
  }
}

std::shared_ptr<const Program> Program::compile(const System& system, ErrorSemantics errors) {
  std::shared_ptr<Program> program(new Program(system, errors));
  ProgramBuilder(*program).build();
  return program;
}

}  // namespace tideline
