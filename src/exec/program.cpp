#include "exec/program.hpp"

#include "exec/compiler.hpp"
#include "exec/filing.hpp"

namespace tideline {

/// Writes a Filing down in the flat tables of a Program.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(Program& program)
      : program_(program), system_(program.system_), compiler_(system_, program.layout_, program.chunk_) {}

  void build() {
    for (const Action& action : system_.actions)
      program_.effects_.push_back(compiler_.effects(action.effects));
    const Filing filing(system_, program_.layout_);
    write_watched(filing);
    program_.free_entries_ = entries(filing.free);
    for (const Filing::Directory& directory : filing.directories) {
      program_.directories_.push_back({location_field(directory.component), size32(program_.entry_ranges_)});
      for (const Filing::Entries& here : directory.by_location)
        program_.entry_ranges_.push_back(entries(here));
    }
  }

 private:
  using Span = Program::Span;

  template <class T>
  static std::uint32_t size32(const std::vector<T>& v) {
    return static_cast<std::uint32_t>(v.size());
  }

  Field location_field(ComponentId c) const {
    return program_.layout_.field(system_.components[c].location_slot);
  }

  /// Code for a guard, or no_code when it is always true.
  std::uint32_t guard_code(const Expr& guard) {
    if (guard.is_constant() && guard.value != 0) return Program::no_code;
    return compiler_.guard(guard);
  }

  void write_watched(const Filing& filing) {
    if (!filing.by_bit.empty()) program_.watched_bits_.resize(filing.by_bit.rbegin()->first + 1);
    for (const auto& [bit, here] : filing.by_bit) program_.watched_bits_[bit] = candidates(here);
    if (filing.by_byte.empty()) return;
    program_.first_watched_byte_ = filing.by_byte.begin()->first;
    program_.watched_bytes_.resize(filing.by_byte.rbegin()->first + 1 - program_.first_watched_byte_);
    for (const auto& [byte, here] : filing.by_byte)
      program_.watched_bytes_[byte - program_.first_watched_byte_] = candidates(here);
  }

  Span entries(const Filing::Entries& filed) {
    std::vector<Program::Entry> written;
    for (const Filing::Entry& entry : filed) written.push_back(write(entry));
    return append(program_.entries_, written);
  }

  Program::Entry write(const Filing::Entry& filed) {
    Program::Entry entry;
    entry.guard = guard_code(filed.guard);
    entry.alone = candidates(filed.alone);
    entry.partners.begin = size32(program_.partners_);
    for (const Filing::Partner& partner : filed.partners) {
      program_.partners_.push_back({location_field(partner.component), size32(program_.candidate_ranges_)});
      const std::size_t first_range = program_.candidate_ranges_.size();
      program_.candidate_ranges_.resize(first_range + location_values(system_, partner.component));
      for (const auto& [from, here] : partner.by_location)
        program_.candidate_ranges_[first_range + from] = candidates(here);
    }
    entry.partners.end = size32(program_.partners_);
    return entry;
  }

  Span candidates(const Filing::Candidates& filed) {
    std::vector<Program::Candidate> written;
    for (const Filing::Candidate& candidate : filed) written.push_back(write(candidate));
    return append(program_.candidates_, written);
  }

  Program::Candidate write(const Filing::Candidate& filed) {
    Program::Candidate candidate{.action = filed.action, .locations = guard_code(filed.locations)};
    candidate.checks.begin = size32(program_.checks_);
    for (const Expr& guard : filed.checks) program_.checks_.push_back(compiler_.guard(guard));
    candidate.checks.end = size32(program_.checks_);
    candidate.tests.begin = size32(program_.tests_);
    for (const RangeTest& test : filed.tests)
      program_.tests_.push_back({program_.layout_.field(test.slot), test.low, test.high});
    candidate.tests.end = size32(program_.tests_);
    return candidate;
  }

  template <class T>
  static Span append(std::vector<T>& all, const std::vector<T>& more) {
    const std::uint32_t begin = size32(all);
    all.insert(all.end(), more.begin(), more.end());
    return {begin, size32(all)};
  }

  Program& program_;
  const System& system_;
  bytecode::Compiler compiler_;
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
