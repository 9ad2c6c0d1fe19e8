// Sweeps over the protocol and checks three properties of it; arguments: N and C.
//   P1  it is always possible that all packets are received
//   P2  on every run, again and again, a packet has been sent, or all are received
//   P3  on every run, again and again, an acknowledgement has been sent
#include <cstdio>
#include <cstdlib>

#include "protocol.hpp"

void report(const char* property, const tideline::CtlAnswer& answer) {
  std::printf("  %s %s", property, answer.verdict == tideline::Verdict::holds ? "holds" : "does not hold");
  if (answer.run) std::printf(", as a run of %zu steps shows", answer.run().actions.size());
  std::printf("\n");
}

int main(int count, char** arguments) {
  StopAndWait protocol;
  if (count > 1) protocol.packets = static_cast<unsigned>(std::atoi(arguments[1]));
  if (count > 2) protocol.capacity = static_cast<unsigned>(std::atoi(arguments[2]));
  for (const bool always_ack : {true, false}) {
    protocol.always_ack = always_ack;
    const auto all_received = [&](auto* state) { return protocol.unpack(state).r == protocol.packets + 1; };
    const auto sent = [&](auto* state) { return protocol.unpack(state).any(StopAndWait::data_sent); };
    const auto acked = [&](auto* state) { return protocol.unpack(state).any(StopAndWait::ack_sent); };

    const tideline::Exploration all = tideline::sweep(protocol);
    std::printf("%s acknowledged: %lu states, %lu edges, at most %lu states stored at a time\n",
                always_ack ? "everything is" : "only what is expected is", all.states, all.transitions,
                all.stored_peak);
    report("P1", tideline::always_possible(protocol, all_received));
    report("P2", tideline::always_inevitable(protocol, [&](auto* s) { return sent(s) || all_received(s); }));
    report("P3", tideline::always_inevitable(protocol, acked));
  }
}
