// Shared by tests of nets: nets from text, random nets, and a token game that is too simple to be wrong.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "lang/pnml/net.hpp"
#include "lang/pnml/pnml.hpp"

namespace tideline::pnml {

/// A document around the contents of a page.
inline std::string document(const std::string& page, const std::string& type = "ptnet",
                            const std::string& beside = "") {
  return "<?xml version=\"1.0\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
         "<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/" +
         type + "\">\n<page id=\"page\">\n" + page + "</page>\n" + beside + "</net></pnml>\n";
}

inline Net net_of(std::string text, const LoadOptions& options = {}) {
  return read_net({"test.pnml", std::move(text)}, options);
}

/// "line:column: message" of every error in the text.
inline std::vector<std::string> errors_in(std::string text, const LoadOptions& options = {}) {
  std::vector<std::string> list;
  try {
    net_of(std::move(text), options);
  } catch (const Error& error) {
    for (const Diagnostic& d : error.diagnostics())
      list.push_back(fmt::format("{}:{}: {}", d.where.line, d.where.column, d.message));
  }
  return list;
}

using Marking = std::vector<std::int64_t>;

/// The marking after a transition; none when it is not enabled.
inline std::optional<Marking> fire(const Transition& t, Marking marking) {
  for (const Arc& a : t.consumes)
    if (marking[a.place] < a.weight) return std::nullopt;
  for (const Arc& a : t.tests)
    if (marking[a.place] < a.weight) return std::nullopt;
  for (const Arc& a : t.inhibitors)
    if (marking[a.place] >= a.weight) return std::nullopt;
  for (const Arc& a : t.consumes) marking[a.place] -= a.weight;
  for (const PlaceId p : t.resets) marking[p] = 0;
  for (const Arc& a : t.produces) marking[a.place] += a.weight;
  return marking;
}

inline Marking initial_marking(const Net& net) {
  Marking marking;
  for (const Place& p : net.places) marking.push_back(p.initial);
  return marking;
}

/// A net of a few nodes with every kind of arc.
inline Net random_net(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<int>(0, n - 1)(random));
  };
  // Some ids need escapes in XML.
  const std::vector<std::string> odd = {"", " b", "<&>\"'", "é"};
  Net net{.id = "random"};
  const std::uint32_t places = 1 + below(5);
  for (std::uint32_t p = 0; p < places; ++p)
    net.places.push_back({.id = fmt::format("p{}", p) + odd[below(4)], .initial = below(3)});
  for (std::uint32_t t = 0, count = 1 + below(5); t < count; ++t) {
    Transition transition{.id = fmt::format("t{}", t) + odd[below(4)]};
    if (below(2) == 0) transition.name = "name" + std::to_string(below(2));
    const auto arcs = [&](std::vector<Arc>& list, int most) {
      for (std::uint32_t i = below(most); i > 0; --i)
        list.push_back({below(static_cast<int>(places)), 1 + below(2)});
    };
    arcs(transition.consumes, 4);
    arcs(transition.produces, 3);
    if (below(4) == 0) arcs(transition.tests, 2);
    if (below(4) == 0) arcs(transition.inhibitors, 3);
    if (below(6) == 0) transition.resets.push_back(below(static_cast<int>(places)));
    normalise(transition);
    net.transitions.push_back(std::move(transition));
  }
  return net;
}

}  // namespace tideline::pnml
