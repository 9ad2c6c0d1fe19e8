// Certificates that somebody makes up, as well as can be: they are accepted where the property holds, and nowhere else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "bind/bind.hpp"
#include "bind/selection.hpp"
#include "bytes_in_memory.hpp"
#include "cases.hpp"
#include "model/ctl_claims.hpp"
#include "model/layout.hpp"
#include "oracle.hpp"
#include "written.hpp"

namespace tideline::certify {
namespace {

using soak::Chance;
using soak::RandomModel;

constexpr std::size_t most_states = 24;

struct Claimed {
  Model model;
  ErrorSemantics errors;
  soak::Space space;
  soak::Question question;
  Property property;

  bool holds() const {
    const auto truth = soak::truth_of(model.system, space, question);
    return question.kind == PropertyKind::reach ? truth && truth->violated : truth && truth->holds;
  }
};

/// Nothing: it has too many states, or model errors, of which answers may or may not take notice.
std::optional<Claimed> random_claim(PropertyKind kind, std::uint64_t seed) {
  Chance chance(seed);
  const RandomModel random = soak::random_model(chance);
  Model model =
      read_model({random.file, random.text}, {.wrap_messages = random.errors == ErrorSemantics::error_state});
  auto space = soak::explore(model.system, random.errors, most_states);
  if (!space || space->errors) return std::nullopt;
  const soak::Question question = soak::random_question(kind, random, chance);
  Property property = bind_texts(model.system, {{.kind = kind, .text = question.formula}}).front();
  property.deadlock_paths = question.paths;
  property = bind(model.system, property);
  if (!property.parts.empty()) return std::nullopt;
  return Claimed{std::move(model), random.errors, *std::move(space), question, std::move(property)};
}

Section section_of(std::string_view kind, const Claimed& claimed, std::size_t more_bytes,
                   std::size_t extra_numbers) {
  return {.kind = std::string(kind),
          .properties = {{claimed.property.name, std::string(to_string(claimed.property.kind)),
                          claimed.property.formula}},
          .state_bytes = Layout(claimed.model.system).size() + more_bytes,
          .extra_bytes = extra_numbers * sizeof(std::uint32_t)};
}

/// All reachable states, in order, with zeros.
std::vector<Record> records_of(const Claimed& claimed, std::size_t locations, std::size_t extra_numbers) {
  const Layout layout(claimed.model.system);
  std::vector<Record> records;
  for (const auto& state : claimed.space.states)
    for (std::size_t location = 0; location < std::max<std::size_t>(locations, 1); ++location) {
      Record record{std::vector<std::byte>(layout.size()), std::vector<std::uint32_t>(extra_numbers)};
      layout.pack(state.values, record.state.data());
      if (locations != 0)
        for (const std::size_t byte : {location & 0xFF, location >> 8})
          record.state.push_back(static_cast<std::byte>(byte));
      records.push_back(std::move(record));
    }
  std::ranges::sort(records, [](const Record& a, const Record& b) {
    return std::memcmp(a.state.data(), b.state.data(), a.state.size()) < 0;
  });
  return records;
}

/// Changes what the checker complains about, until it accepts (true) or there is nothing left to change: the rank of a
/// state is made larger as long as that may help, and then the state is left out.
bool succeeds(const Claimed& claimed, const Section& section, std::vector<Record> records,
              std::uint32_t largest_rank) {
  while (!records.empty()) {
    const auto certificate = forged(claimed.model.system, section, records);
    const std::string why = refusal(certificate, claimed.model, {claimed.property}, claimed.errors);
    if (why.empty()) return true;
    constexpr std::string_view begin = "state ";
    if (!why.starts_with(begin)) return false;  // not of a state that one could do without
    const auto wrong = static_cast<std::ptrdiff_t>(std::stoull(why.substr(begin.size())));
    auto& extra = records[static_cast<std::size_t>(wrong)].extra;
    const bool is_about_rank = why.find("rank is") != std::string::npos;
    if (is_about_rank && !extra.empty() && extra.front() < largest_rank)
      ++extra.front();
    else
      records.erase(records.begin() + wrong);
  }
  return false;
}

struct Counts {
  int right = 0, wrong = 0;

  void add(bool holds) { ++(holds ? right : wrong); }
  void expect_enough() const {
    EXPECT_GE(right, 10);
    EXPECT_GE(wrong, 10);
  }
};

TEST(Forgeries, OfStatesSucceedWhereThePropertyHolds) {
  for (const PropertyKind kind : {PropertyKind::deadlock, PropertyKind::invariant, PropertyKind::reach}) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      const auto claimed = random_claim(kind, seed);
      if (!claimed) continue;
      EXPECT_EQ(succeeds(*claimed, section_of("states", *claimed, 0, 0), records_of(*claimed, 0, 0), 0),
                claimed->holds())
          << "seed " << seed << ", " << to_string(kind) << " " << claimed->property.formula;
      counts.add(claimed->holds());
    }
    counts.expect_enough();
  }
}

TEST(Forgeries, OfRunsSucceedWhereThePropertyHolds) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const auto claimed = random_claim(PropertyKind::ltl, seed);
    if (!claimed) continue;
    const std::size_t locations = claimed->property.process->locations.size();
    const std::size_t states = claimed->space.states.size() * locations;
    const std::size_t sets = claimed->property.process->accepting.size();
    if (states * (sets + 1) > 60) continue;
    EXPECT_EQ(succeeds(*claimed, section_of("runs", *claimed, sizeof(std::uint16_t), 1),
                       records_of(*claimed, locations, 1), static_cast<std::uint32_t>(states * (sets + 1))),
              claimed->holds())
        << "seed " << seed << ", " << claimed->property.formula;
    counts.add(claimed->holds());
  }
  counts.expect_enough();
}

/// Of subformulas there is more to say than can be repaired: whatever is said is refused.
TEST(Forgeries, OfFalseFormulasOfCtlAreRefused) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto claimed = random_claim(PropertyKind::ctl, seed);
    if (!claimed || claimed->holds() || claimed->space.states.size() > 4) continue;
    const std::size_t claims = claimed_nodes(*claimed->property.ctl).size();
    const Section section = section_of("CTL", *claimed, 0, 2 * claims);
    Chance chance(seed);
    for (int i = 0; i < 60; ++i, ++tried) {
      std::vector<Record> records = records_of(*claimed, 0, 2 * claims);
      for (Record& record : records)
        for (std::size_t n = 0; n < record.extra.size(); ++n)
          record.extra[n] = n >= claims || !chance.one_in(2) ? chance.below(3) : no_rank;
      EXPECT_NE(refusal(forged(claimed->model.system, section, records), claimed->model, {claimed->property},
                        claimed->errors),
                "")
          << "seed " << seed << ", " << claimed->property.formula;
    }
  }
  EXPECT_GE(tried, 600);
}

std::vector<std::byte> certificate_of(const Model& model, const Property& property,
                                      ErrorSemantics errors = ErrorSemantics::stop) {
  return write_certificate(model, {property}, {.errors = errors}).bytes;
}

/// The states of one model as those of another.
std::vector<std::byte> as_of(const Model& other, const std::vector<std::byte>& certificate) {
  const CertificateReader reader(std::make_unique<BytesInMemory>(certificate));
  std::vector<Record> records;
  changed(certificate, [&](std::vector<Record>& all) { records = all; });
  return forged(other.system, reader.sections().front(), records);
}

Model counter(const char* guard, const char* effect) {
  return read_model({"counter.dve", fmt::format("byte x = 0;\nprocess P {{\n state s;\n init s;\n trans\n"
                                                "  s -> s {{ guard {}; effect {}; }};\n}}\nsystem async;\n",
                                                guard, effect)});
}

TEST(Forgeries, WithStatesOfAnotherModelAreRefused) {
  const Model right = counter("x < 3", "x = x + 1");
  const Property always = bind_texts(right.system, {{PropertyKind::invariant, "x < 4"}}).front();
  const auto certificate = certificate_of(right, always);
  ASSERT_EQ(refusal(as_of(right, certificate), right, {always}), "");
  for (const auto& [guard, effect] :
       {std::pair{"x < 4", "x = x + 1"}, std::pair{"x < 3", "x = x + 2"},
        std::pair{"x < 3 || x == 3 && x / (x - 3) == 0", "x = x + 1"}, std::pair{"true", "x = x + 1"}}) {
    const Model other = counter(guard, effect);
    EXPECT_NE(refusal(as_of(other, certificate), other, {always}), "") << guard << ", " << effect;
  }
}

/// Errors end runs, or lead to a state of their own: what was proven of one says nothing about the other.
TEST(Forgeries, WithOtherErrorSemanticsAreRefused) {
  const Model model = counter("true", "x = x + 1");
  const Property always = bind_texts(model.system, {{PropertyKind::invariant, "true"}}).front();
  const auto divine = certificate_of(model, always, ErrorSemantics::error_state);
  EXPECT_EQ(refusal(divine, model, {always}, ErrorSemantics::error_state), "");
  EXPECT_NE(refusal(divine, model, {always}, ErrorSemantics::stop), "");
  EXPECT_TRUE(certificate_of(model, always).empty());
}

TEST(Forgeries, WithOtherPathsFromDeadlocksAreRefused) {
  const Model model = counter("x < 3", "x = x + 1");  // which ends
  for (const auto& [formula, holds] :
       {std::pair{"AG EX true", DeadlockPaths::stutter}, std::pair{"AF AX false", DeadlockPaths::maximal}}) {
    Property property = bind_texts(model.system, {{PropertyKind::ctl, formula}}).front();
    property.deadlock_paths = holds;
    const auto certificate = certificate_of(model, property);
    EXPECT_EQ(refusal(certificate, model, {property}), "") << formula;
    property.deadlock_paths =
        holds == DeadlockPaths::stutter ? DeadlockPaths::maximal : DeadlockPaths::stutter;
    EXPECT_NE(refusal(certificate, model, {property}), "") << formula;
  }
}

TEST(Forgeries, AreNotNeededForTheSameFormulaWithOtherPaths) {
  const Model model = counter("x < 3", "x = x + 1");
  const PropertyText text{PropertyKind::ctl, "AF (\"x == 3\" || AX \"x == 9\")"};
  std::vector<Property> properties = bind_texts(model.system, {text, text});
  properties[1].deadlock_paths = DeadlockPaths::maximal;
  const auto certificate = write_certificate(model, properties, {}).bytes;
  EXPECT_EQ(refusal(certificate, model, properties), "");
  std::ranges::reverse(properties);
  EXPECT_EQ(refusal(certificate, model, properties), "");
}

/// A state has two bytes for the location, in which one of these would be another.
TEST(Forgeries, WithAutomataOfTooManyLocationsAreRefused) {
  const Model model = counter("true", "x = 0");
  PropertyProcess process;
  process.initial = 1 << 16;
  process.locations.resize(process.initial + std::size_t{1});
  process.accepting = {{process.initial}};
  process.edges.push_back({.from = process.initial, .to = process.initial});
  const Claimed claimed{.model = model,
                        .errors = ErrorSemantics::stop,
                        .space = *soak::explore(model.system, ErrorSemantics::stop, most_states),
                        .question = {.kind = PropertyKind::automaton},
                        .property = {.name = "wide",
                                     .kind = PropertyKind::automaton,
                                     .formula = {},
                                     .process = std::make_shared<PropertyProcess>(process)}};
  const auto certificate =
      forged(model.system, section_of("runs", claimed, sizeof(std::uint16_t), 1), records_of(claimed, 1, 1));
  EXPECT_NE(refusal(certificate, model, {claimed.property}), "");
}

/// Any bytes may be in a certificate: values that no slot has, bits that none uses.
TEST(Forgeries, WithStatesThatAreNoneProveNothingMore) {
  const Model model = load_model(TIDELINE_SOURCE_DIR "/models/peterson.dve");
  const Property holds =
      bind_texts(model.system, {{PropertyKind::invariant, "!(P_0.critical && P_1.critical)"}}).front();
  const Property fails = bind_texts(model.system, {{PropertyKind::invariant, "!P_0.critical"}}).front();
  const auto certificate = certificate_of(model, holds);
  Chance chance(1);
  for (int i = 0; i < 200; ++i) {
    const auto other = changed(certificate, [&](std::vector<Record>& records) {
      Record more = records[chance.below(records.size())];
      more.state[chance.below(more.state.size())] = static_cast<std::byte>(chance.below(256));
      const auto at = std::ranges::lower_bound(
          records, more, [](const Record& a, const Record& b) { return a.state < b.state; });
      if (at == records.end() || at->state != more.state) records.insert(at, more);
    });
    refusal(other, model, {holds});  // either way
    EXPECT_NE(refusal(other, model, {fails}), "");
  }
}

/// An atomic sequence is a step: a set of states that stands in the middle of one is not a set of states of the model.
TEST(Forgeries, WithStatesWithinAStepAreRefused) {
  const auto model_with = [](const char* keyword) {
    return read_model(
        {"step.pml", fmt::format("byte x = 0;\nactive proctype P() {{\n  do\n  :: {} {{ x = 1; x "
                                 "= 2; x = 0 }}\n  od\n}}\n",
                                 keyword)});
  };
  const Model model = model_with("d_step");
  const Property seen = bind_texts(model.system, {{PropertyKind::invariant, "x == 0"}}).front();
  const auto certificate = certificate_of(model, seen);
  ASSERT_FALSE(certificate.empty());
  EXPECT_EQ(refusal(certificate, model, {seen}), "");
  ASSERT_NE(model.system.transient, no_slot);
  const Layout layout(model.system);
  const auto within = changed(certificate, [&](std::vector<Record>& records) {
    Record more = records.front();
    store_field(more.state.data(), layout.field(model.system.transient), 1);
    records.push_back(more);
    std::ranges::sort(records, {}, &Record::state);
  });
  EXPECT_NE(refusal(within, model, {seen}).find("within a step"), std::string::npos);
}

}  // namespace
}  // namespace tideline::certify
