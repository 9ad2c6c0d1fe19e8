// Certificates that were changed: every one is refused, and nothing crashes.
#include <gtest/gtest.h>

#include "bind/selection.hpp"
#include "bytes_in_memory.hpp"
#include "certificate/format/format.hpp"
#include "checking/engines.hpp"
#include "written.hpp"

namespace tideline::certify {
namespace {

constexpr const char* turns_are_taken = "AG AF (P_0.idle || P_0.critical || P_1.critical)";

struct Example {
  Model model;
  std::vector<Property> properties = {};
  std::vector<std::byte> certificate = {};
};

constexpr const char* who_waits_enters = "G (P_0.waiting -> F P_0.critical)";

Example example(const char* file, PropertyKind kind, const char* formula, const Settings& settings = {}) {
  Example result{.model = load_model(std::string(TIDELINE_SOURCE_DIR "/models/") + file)};
  result.properties = bind_texts(result.model.system, {{.kind = kind, .text = formula}});
  result.certificate = write_certificate(result.model, result.properties, settings).bytes;
  return result;
}

std::string refusal_of(const Example& each, const std::vector<std::byte>& bytes) {
  return refusal(bytes, each.model, each.properties);
}

std::vector<Example> examples() {
  std::vector<Example> all;
  all.push_back(example("peterson.dve", PropertyKind::deadlock, ""));
  all.push_back(example("mutex_token.pml", PropertyKind::deadlock, ""));
  all.push_back(example("peterson.dve", PropertyKind::ltl, who_waits_enters));
  for (const unsigned threads : {1U, 2U})
    all.push_back(example("peterson.dve", PropertyKind::ltl, who_waits_enters,
                          {.engine = find_engine("owcty"), .threads = threads}));
  all.push_back(example("peterson.dve", PropertyKind::ctl, "AG EF P_0.critical"));
  all.push_back(example("peterson.dve", PropertyKind::ctl, turns_are_taken));
  all.push_back(example("mesi.psl", PropertyKind::deadlock, ""));
  all.push_back(example("readers_writers.pnml", PropertyKind::deadlock, ""));
  return all;
}

TEST(Mutations, OfNothingAreAccepted) {
  for (const Example& each : examples()) {
    ASSERT_FALSE(each.certificate.empty())
        << each.model.source.name << " " << each.properties.front().formula;
    EXPECT_EQ(refusal_of(each, each.certificate), "");
    EXPECT_EQ(refusal_of(each, changed(each.certificate, [](auto&) {})), "");
  }
}

TEST(Mutations, OfAnyBitAreRefused) {
  for (const Example& each : examples())
    for (std::size_t bit = 0; bit < 8 * each.certificate.size(); bit += 1 + each.certificate.size() / 500) {
      std::vector<std::byte> flipped = each.certificate;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      EXPECT_NE(refusal_of(each, flipped), "") << each.model.source.name << ", bit " << bit;
    }
}

TEST(Mutations, ThatCutOffAnyEndAreRefused) {
  const Example each = example("peterson.dve", PropertyKind::deadlock, "");
  for (std::size_t size = 0; size < each.certificate.size(); ++size)
    EXPECT_NE(refusal_of(each, {each.certificate.begin(),
                                each.certificate.begin() + static_cast<std::ptrdiff_t>(size)}),
              "")
        << size;
  std::vector<std::byte> longer = each.certificate;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal_of(each, longer), "");
}

TEST(Mutations, ThatRemoveAnyStateAreRefused) {
  for (const Example& each : examples()) {
    std::size_t states = 0;
    changed(each.certificate, [&](std::vector<Record>& records) { states = records.size(); });
    for (std::size_t i = 0; i < states; i += 1 + states / 40)
      EXPECT_NE(refusal_of(each, changed(each.certificate,
                                         [&](std::vector<Record>& records) {
                                           records.erase(records.begin() + static_cast<std::ptrdiff_t>(i));
                                         })),
                "")
          << each.model.source.name << ", state " << i;
  }
}

TEST(Mutations, OfTheOrderAreRefused) {
  const Example each = example("peterson.dve", PropertyKind::deadlock, "");
  EXPECT_NE(
      refusal_of(each, changed(each.certificate,
                               [](std::vector<Record>& records) { std::swap(records[3], records[4]); })),
      "");
  EXPECT_NE(refusal_of(each, changed(each.certificate,
                                     [](std::vector<Record>& records) { records[4] = records[3]; })),
            "");
}

/// With little memory, parts of the states are looked up one after the other.
TEST(Mutations, AreRefusedInAnyNumberOfPasses) {
  Example each{.model = read_model({"counters.dve", R"(
byte a = 0, b = 0, c = 0;
process P { state s; init s; trans
  s -> s { guard a < 49; effect a = a + 1; },
  s -> s { guard b < 49; effect b = b + 1; },
  s -> s { guard c < 49; effect c = c + 1; };
}
system async;
)"})};
  each.properties = bind_texts(each.model.system, {{.kind = PropertyKind::invariant, .text = "a < 50"}});
  each.certificate = write_certificate(each.model, each.properties, {}).bytes;
  const CertificateReader reader(std::make_unique<BytesInMemory>(each.certificate));
  const Section& section = reader.sections().front();
  ASSERT_GE(section.blocks.size(), 3U);
  for (const std::uint64_t memory : {1, 1 << 20, 1 << 28}) {
    const auto refusal_with = [&](const std::vector<std::byte>& bytes) {
      return refusal(bytes, each.model, each.properties, ErrorSemantics::stop, 2, memory);
    };
    EXPECT_EQ(refusal_with(each.certificate), "");
    for (const std::uint64_t state : {std::uint64_t{0}, section.blocks[1].first, section.states - 1})
      EXPECT_NE(refusal_with(changed(each.certificate,
                                     [&](std::vector<Record>& records) {
                                       records.erase(records.begin() + static_cast<std::ptrdiff_t>(state));
                                     })),
                "")
          << memory << " bytes, state " << state;
  }
}

std::vector<std::uint32_t> ranks_of(const Example& each) {
  std::vector<std::uint32_t> ranks;
  changed(each.certificate, [&](std::vector<Record>& records) {
    for (const Record& record : records) ranks.push_back(record.extra[0]);
  });
  return ranks;
}

std::vector<std::byte> with_rank(const Example& each, std::size_t state, std::uint32_t rank) {
  return changed(each.certificate, [&](std::vector<Record>& records) { records[state].extra[0] = rank; });
}

std::string refusal_of_zeros(const Example& each) {
  return refusal_of(each, changed(each.certificate, [](std::vector<Record>& records) {
                      for (Record& record : records) record.extra[0] = 0;
                    }));
}

/// A rank that is too small is too small for a step from there.
TEST(Mutations, OfLeastRanksAreRefused) {
  for (const auto& [formula, kind] :
       {std::pair{who_waits_enters, PropertyKind::ltl}, std::pair{"AG EF P_0.critical", PropertyKind::ctl},
        std::pair{turns_are_taken, PropertyKind::ctl}}) {
    const Example each = example("peterson.dve", kind, formula);
    const std::vector<std::uint32_t> ranks = ranks_of(each);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i] != 0) {
        EXPECT_NE(refusal_of(each, with_rank(each, i, 0)), "") << formula << ", state " << i;
      }
    EXPECT_NE(refusal_of_zeros(each), "");
  }
}

/// A rank that is too large is too large for a state before, which all have but the initial one.
TEST(Mutations, OfRanksOfRunsAreRefused) {
  for (const char* formula : {who_waits_enters, "G (P_1.waiting -> F P_1.critical)"})
    for (const char* engine : {"scc", "owcty", "owcty-map"}) {
      const Example each =
          example("peterson.dve", PropertyKind::ltl, formula, {.engine = find_engine(engine)});
      ASSERT_FALSE(each.certificate.empty()) << formula << " by " << engine;
      const std::size_t states = ranks_of(each).size();
      int accepted = 0;
      for (std::size_t i = 0; i < states; ++i)
        accepted += refusal_of(each, with_rank(each, i, 1'000'000)).empty() ? 1 : 0;
      EXPECT_LE(accepted, 1) << formula << " by " << engine;
      EXPECT_NE(refusal_of_zeros(each), "") << formula << " by " << engine;
    }
}

TEST(Mutations, ToAnotherModelOrPropertyAreRefused) {
  const Example one = example("peterson.dve", PropertyKind::deadlock, "");
  const Example other = example("peterson3.dve", PropertyKind::deadlock, "");
  EXPECT_NE(refusal_of(one, other.certificate).find("another model"), std::string::npos);
  const auto wrong =
      bind_texts(one.model.system, {{.kind = PropertyKind::invariant, .text = "not P_0.critical"}});
  EXPECT_NE(refusal(one.certificate, one.model, wrong).find("false"), std::string::npos);
  const auto runs = bind_texts(one.model.system, {{.kind = PropertyKind::ltl, .text = "G F P_0.critical"}});
  EXPECT_NE(refusal(one.certificate, one.model, runs).find("not about"), std::string::npos);
}

}  // namespace
}  // namespace tideline::certify
