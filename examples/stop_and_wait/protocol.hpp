// A stop-and-wait protocol over a network that loses messages and lets them overtake each other, as a type
// that Tideline explores (after A. Lilleskare, L. M. Kristensen, S.-O. Høyland, NIK 2017).
//
// The sender has packets 1 to N and repeats the current one, s, until an acknowledgement asks for a later
// one. The receiver waits for packet r and answers what arrives by asking for the packet that it waits for
// then. At most C messages are in the network. A message is one byte: where it is (two bits), and its number.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <tideline/tideline.hpp>
#include <utility>

struct StopAndWait {
  struct State {
    std::uint8_t s = 0, r = 0;                  // 0 before the start, N + 1 when everything is done
    std::array<std::uint8_t, 14> network = {};  // C messages in descending order, 0 where there is none
    bool any(unsigned place) const {
      return std::ranges::any_of(network, [=](unsigned m) { return m != 0 && m >> 6 == place; });
    }
  };
  enum Place : unsigned { data_sent, data_arrived, ack_sent, ack_arrived };
  enum Action : tideline::ActionId { start, send, data, lose_data, receive, ack, lose_ack, get_ack };

  unsigned packets = 20;   // N, at most 62
  unsigned capacity = 3;   // C, at most 14
  bool always_ack = true;  // else only the packet that the receiver waits for is acknowledged

  // What makes it a graph: states of a fixed size, the initial one, and the steps of a state.
  std::size_t state_size() const { return 2 + capacity; }
  State unpack(const std::byte* bytes) const {
    State state;
    std::memcpy(&state, bytes, state_size());
    return state;
  }
  void initial(auto&& sink) const {
    const State before_start;
    sink(reinterpret_cast<const std::byte*>(&before_start));
  }
  void successors(const std::byte* state, auto&& sink) const {
    const State now = unpack(state);
    // The step that puts another message, or none, where one is now.
    const auto step = [&](Action action, unsigned s, unsigned r, std::size_t at, unsigned message) {
      State next = now;
      next.s = static_cast<std::uint8_t>(s);
      next.r = static_cast<std::uint8_t>(r);
      next.network[at] = static_cast<std::uint8_t>(message);
      for (; at > 0 && next.network[at - 1] < next.network[at]; --at)  // to where it belongs
        std::swap(next.network[at - 1], next.network[at]);
      for (; at + 1 < capacity && next.network[at] < next.network[at + 1]; ++at)
        std::swap(next.network[at], next.network[at + 1]);
      sink(tideline::Step{action, reinterpret_cast<const std::byte*>(&next)});
    };
    if (now.s == 0) return step(start, 1, 1, 0, 0);
    if (now.s <= packets && now.network[capacity - 1] == 0)
      step(send, now.s, now.r, capacity - 1, data_sent << 6 | now.s);
    for (std::size_t at = 0; at < capacity && now.network[at] != 0; ++at) {
      if (at > 0 && now.network[at] == now.network[at - 1]) continue;  // the same steps again
      const unsigned number = now.network[at] & 63, place = now.network[at] >> 6;
      if (place == data_sent) {
        step(data, now.s, now.r, at, data_arrived << 6 | number);
        step(lose_data, now.s, now.r, at, 0);
      } else if (place == data_arrived) {
        const unsigned r = number == now.r ? now.r + 1 : now.r;
        step(receive, now.s, r, at, always_ack || number == now.r ? ack_sent << 6 | r : 0);
      } else if (place == ack_sent) {
        step(ack, now.s, now.r, at, ack_arrived << 6 | number);
        step(lose_ack, now.s, now.r, at, 0);
      } else {
        step(get_ack, std::max<unsigned>(now.s, number), now.r, at, 0);
      }
    }
  }

  // Neither number ever decreases: the line sweeps over the pairs (s, r).
  tideline::Progress progress(const std::byte* state) const {
    const State now = unpack(state);
    return tideline::Progress{now.s} << 8 | now.r;
  }
};
static_assert(tideline::ProgressGraph<StopAndWait>);
