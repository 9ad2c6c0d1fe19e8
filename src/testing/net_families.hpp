// For tests and measurements: Petri nets as systems, and families of them whose sizes are known.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/system.hpp"

namespace tideline::symbolic {

/// A net as a front-end would make it from PNML: one slot per place, one action per transition.
class NetBuilder {
 public:
  explicit NetBuilder(std::string name) {
    system_.name = std::move(name);
    system_.language = "net";
  }

  SlotId place(const std::string& name, std::int32_t tokens, Range range = {0, 65535}) {
    const std::uint32_t variable = system_.add_variable({.name = name}, range, {tokens});
    return system_.variables[variable].first;
  }

  /// Arcs of weight 1; a place that is named twice has weight 2.
  void transition(const std::string& name, const std::vector<SlotId>& from, const std::vector<SlotId>& to) {
    std::map<SlotId, std::int32_t> needs, change;
    for (const SlotId p : from) ++needs[p], --change[p];
    for (const SlotId p : to) ++change[p];
    Action action{.label = name};
    for (const auto& [p, tokens] : needs)
      action.guard =
          conjunction(std::move(action.guard), Expr::binary(Op::ge, Expr::load(p), Expr::constant(tokens)));
    for (const auto& [p, tokens] : change)
      if (tokens != 0)
        action.effects.push_back(
            {.slot = p, .value = Expr::binary(Op::add, Expr::load(p), Expr::constant(tokens))});
    system_.actions.push_back(std::move(action));
  }

  System take() {
    complete(system_);
    return std::move(system_);
  }

 private:
  System system_;
};

inline std::string numbered(std::string name, std::integral auto number) {
  return name.append(std::to_string(number));
}

/// Each takes its two forks in any order and gives them back together: Lucas(3 n) states.
inline System philosophers(int count) {
  NetBuilder net(numbered("philosophers ", count));
  std::vector<SlotId> idle, wait_left, has_left, wait_right, has_right, fork;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    idle.push_back(net.place("idle" + n, 1));
    wait_left.push_back(net.place("wait_left" + n, 0));
    has_left.push_back(net.place("has_left" + n, 0));
    wait_right.push_back(net.place("wait_right" + n, 0));
    has_right.push_back(net.place("has_right" + n, 0));
    fork.push_back(net.place("fork" + n, 1));
  }
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const std::size_t r = (i + 1) % idle.size();
    const std::string n = std::to_string(i);
    net.transition("hungry" + n, {idle[i]}, {wait_left[i], wait_right[i]});
    net.transition("left" + n, {wait_left[i], fork[i]}, {has_left[i]});
    net.transition("right" + n, {wait_right[i], fork[r]}, {has_right[i]});
    net.transition("release" + n, {has_left[i], has_right[i]}, {idle[i], fork[i], fork[r]});
  }
  return net.take();
}

/// A production line of four cells with `cards` cards each.
inline System kanban(int cards) {
  NetBuilder net(numbered("kanban ", cards));
  std::vector<SlotId> m, back, out, kan;
  for (int i = 1; i <= 4; ++i) {
    const std::string n = std::to_string(i);
    m.push_back(net.place("m" + n, 0));
    back.push_back(net.place("back" + n, 0));
    out.push_back(net.place("out" + n, 0));
    kan.push_back(net.place("kan" + n, cards));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i + 1);
    net.transition("redo" + n, {m[i]}, {back[i]});
    net.transition("back" + n, {back[i]}, {m[i]});
    net.transition("ok" + n, {m[i]}, {out[i]});
  }
  net.transition("in1", {kan[0]}, {m[0]});
  net.transition("synch1", {out[0], kan[1], kan[2]}, {kan[0], m[1], m[2]});
  net.transition("synch2", {out[1], out[2], kan[3]}, {kan[1], kan[2], m[3]});
  net.transition("out4", {out[3]}, {kan[3]});
  return net.take();
}

/// Stations on a ring of slots.
inline System slotted_ring(int stations) {
  NetBuilder net(numbered("slotted ring ", stations));
  std::vector<std::vector<SlotId>> p;
  for (int i = 0; i < stations; ++i) {
    p.emplace_back();
    for (int k = 0; k < 8; ++k)
      p.back().push_back(
          net.place(numbered(std::string(1, static_cast<char>('a' + k)), i), k == 2 || k == 4));
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto& here = p[i];
    const auto& right = p[i == 0 ? p.size() - 1 : i - 1];
    const std::string n = std::to_string(i);
    net.transition("other" + n, {here[0]}, {here[3]});
    net.transition("owner" + n, {here[0]}, {here[1]});
    net.transition("write" + n, {here[1]}, {here[3]});
    net.transition("go" + n, {here[1]}, {here[7]});
    net.transition("get" + n, {here[5], here[7]}, {here[2], here[4]});
    net.transition("put" + n, {here[3], here[5]}, {here[2], here[6]});
    net.transition("used" + n, {here[6], right[2]}, {here[5], right[0]});
    net.transition("free" + n, {here[4], right[2]}, {here[5], right[1]});
  }
  return net.take();
}

/// A flexible manufacturing system with `parts` parts of three kinds.
inline System manufacturing(int parts) {
  NetBuilder net(numbered("fms ", parts));
  const auto place = [&](const char* name, int tokens = 0) { return net.place(name, tokens); };
  const SlotId m1 = place("m1", 3), m2 = place("m2", 1), m3 = place("m3", 2);
  const SlotId p1 = place("p1", parts), p1w = place("p1w"), p1m = place("p1m"), p1d = place("p1d"),
               p1s = place("p1s"), p1j = place("p1j");
  const SlotId p2 = place("p2", parts), p2w = place("p2w"), p2m = place("p2m"), p2d = place("p2d"),
               p2s = place("p2s"), p2j = place("p2j");
  const SlotId p3 = place("p3", parts), p3m = place("p3m"), p3s = place("p3s");
  const SlotId p12w = place("p12w"), p12m = place("p12m"), p12s = place("p12s");
  net.transition("p1 in", {p1}, {p1w});
  net.transition("p1 start", {p1w, m1}, {p1m});
  net.transition("p1 end", {p1m}, {p1d, m1});
  net.transition("p1 ship", {p1d}, {p1s});
  net.transition("p1 join", {p1d}, {p1j});
  net.transition("p1 back", {p1s}, {p1});
  net.transition("p2 in", {p2}, {p2w});
  net.transition("p2 start", {p2w, m2}, {p2m});
  net.transition("p2 end", {p2m}, {p2d, m2});
  net.transition("p2 ship", {p2d}, {p2s});
  net.transition("p2 join", {p2d}, {p2j});
  net.transition("p2 back", {p2s}, {p2});
  net.transition("p3 start", {p3, m2}, {p3m});
  net.transition("p3 end", {p3m}, {p3s, m2});
  net.transition("p3 back", {p3s}, {p3});
  net.transition("join", {p1j, p2j}, {p12w});
  net.transition("p12 start", {p12w, m3}, {p12m});
  net.transition("p12 end", {p12m}, {p12s, m3});
  net.transition("p12 back", {p12s}, {p1, p2});
  return net.take();
}

/// One token goes round; the station that has it may work. n * 2 * 3^(n-1) states would do: each station
/// rests, wants or, with the token, works.
inline System token_ring(int stations) {
  NetBuilder net(numbered("token ring ", stations));
  std::vector<SlotId> rest, want, work, token;
  for (int i = 0; i < stations; ++i) {
    const std::string n = std::to_string(i);
    rest.push_back(net.place("rest" + n, 1));
    want.push_back(net.place("want" + n, 0));
    work.push_back(net.place("work" + n, 0));
    token.push_back(net.place("token" + n, i == 0));
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string n = std::to_string(i);
    const std::size_t next = (i + 1) % rest.size();
    net.transition("ask" + n, {rest[i]}, {want[i]});
    net.transition("pass" + n, {token[i]}, {token[next]});
    net.transition("enter" + n, {want[i], token[i]}, {work[i]});
    net.transition("leave" + n, {work[i]}, {rest[i], token[next]});
  }
  return net.take();
}

/// Nets of a few places and transitions; most have few states, none has many tokens in a place. With `keep`,
/// transitions take as many tokens as they give.
inline System random_net(std::uint32_t seed, bool keep = false) {
  std::mt19937 random(seed);
  NetBuilder net("random");
  std::vector<SlotId> places;
  const std::size_t count = 3 + random() % 5;
  for (std::size_t p = 0; p < count; ++p)
    places.push_back(net.place(numbered("p", p), static_cast<std::int32_t>(random() % 3), {0, 4}));
  const auto some = [&](std::size_t number) {
    std::vector<SlotId> result(number);
    for (SlotId& p : result) p = places[random() % places.size()];
    return result;
  };
  const std::size_t transitions = 2 + random() % 6;
  for (std::size_t t = 0; t < transitions; ++t) {
    const std::vector<SlotId> from = some(random() % 4);
    net.transition(numbered("t", t), from, some(keep ? from.size() : random() % 3));
  }
  return net.take();
}

/// Actions that touch several slots, each for itself, and combine different values, so that there
/// are many unions.
inline System random_joins(std::uint32_t seed, SlotId slots) {
  std::mt19937 random(seed);
  System system;
  system.name = "joins";
  system.language = "net";
  constexpr std::int32_t values = 3;
  for (SlotId s = 0; s < slots; ++s) system.add_variable({.name = numbered("s", s)}, {0, values - 1}, {0});
  for (int a = 0; a < 6; ++a) {
    Action action{.label = numbered("a", a)};
    for (SlotId s = 0; s < slots; ++s) {
      if (random() % 3 == 0) continue;
      const Expr k = Expr::constant(static_cast<std::int64_t>(random() % values));
      if (random() % 4 == 0)
        action.guard = conjunction(std::move(action.guard), Expr::binary(Op::ne, Expr::load(s), k));
      const Expr next =
          Expr::binary(Op::mod, Expr::binary(Op::add, Expr::load(s), k), Expr::constant(values));
      action.effects.push_back({.slot = s, .value = random() % 3 == 0 ? k : next});
    }
    system.actions.push_back(std::move(action));
  }
  complete(system);
  return system;
}

}  // namespace tideline::symbolic
