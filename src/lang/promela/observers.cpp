// Translation: claims about channels (xr, xs) and trace assertions, which watch what is sent and received.
//
// A claim is violated when another process than the one that made it receives from the channel (xr) or sends to it (xs) while
// the one that made it runs. A trace assertion is an automaton that moves with the messages it names: the slot `trace` holds
// where it is, and an action that sends or receives such a message moves it. `trace` is violated by a message that it does
// not allow next; `notrace` by reaching its end, and what it does not allow next makes it look no further. Either way an
// action of its own fails, beside the one that goes on.
#include <algorithm>
#include <utility>

#include "lang/promela/translation.hpp"

namespace tideline::promela {

void Translation::make_observers() {
  for (const auto& instance : instances_)
    for (const Claim& claim : instance->process->claims) {
      const SlotId place = system_.components[instance->component].location_slot;
      const LocationId last = instance->location(static_cast<Point>(instance->graph->points.size() - 1));
      const Expr runs = conjunction(Expr::binary(Op::ge, Expr::load(place), Expr::constant(instance->base)),
                                    Expr::binary(Op::le, Expr::load(place), Expr::constant(last)));
      const Expr which = fold_constants(value(claim.channel, instance.get()), system_.tables);
      for (const ChannelNumber number : candidates(claim.channel, instance.get()))
        channel_claims_[{number, claim.receives}].push_back(
            {instance.get(), which.is_constant()
                                 ? runs
                                 : conjunction(runs, Expr::binary(Op::eq, which, Expr::constant(number)))});
    }
  if (traced_ == nullptr) return;
  for (const ControlStep& step : graphs_.at(traced_).steps)
    if (step.statement == nullptr ||
        (step.statement->kind != StatementKind::send &&
         (step.statement->kind != StatementKind::receive || step.statement->peek)))
      error(step.where, "a trace assertion consists of sends and receives");
  diagnostics_.throw_if_errors();
}

Expr Translation::claimed_by_others(const Message& message) {
  std::vector<Expr> others;
  const auto ask = [&](ComponentId user, bool receives) {
    const auto claims = channel_claims_.find({message.channel + 1, receives});
    if (user == no_component || claims == channel_claims_.end()) return;
    for (const ClaimInfo& claim : claims->second)
      if (claim.owner->component != user) others.push_back(claim.condition);
  };
  ask(message.sender, false);
  ask(message.receiver, true);
  return fold_constants(balanced(Op::logic_or, std::move(others), 0), system_.tables);
}

bool Translation::is_traced(bool sends, ChannelNumber number) {
  return std::ranges::any_of(graphs_.at(traced_).steps, [&](const ControlStep& step) {
    return (step.statement->kind == StatementKind::send) == sends &&
           candidates(step.statement->target, nullptr).contains(number);
  });
}

std::optional<Translation::TraceMove> Translation::trace_move(const Move& move) {
  if (traced_ == nullptr) return std::nullopt;
  const ChannelNumber number = move.message->channel + 1;
  const bool sends = move.message->sender != no_component && is_traced(true, number);
  const bool receives = move.message->receiver != no_component && is_traced(false, number);
  if (!sends && !receives) return std::nullopt;
  TraceMove result{.to = Expr::load(trace_)};
  for (const bool sending : {true, false}) {
    if (!(sending ? sends : receives)) continue;
    TraceMove event = trace_event(std::move(result.to), sending, *move.message);
    result.to = fold_constants(std::move(event.to), system_.tables);
    result.wrong = fold_constants(Expr::binary(Op::logic_or, std::move(result.wrong), std::move(event.wrong)),
                                  system_.tables);
  }
  return result;
}

Translation::TraceMove Translation::trace_event(Expr at, bool sends, const Message& message) {
  const ControlGraph& graph = graphs_.at(traced_);
  const ChannelNumber number = message.channel + 1;
  const bool negated = traced_->kind == ProcessKind::notrace;
  std::vector<Expr> targets;
  std::vector<Expr> matched;
  std::vector<Expr> finished;
  for (const ControlPoint& point : graph.points) {
    Expr earlier = Expr::constant(0);
    for (const std::uint32_t index : point.steps) {
      const ControlStep& step = graph.steps[index];
      const Statement& s = *step.statement;
      if ((s.kind == StatementKind::send) != sends || !candidates(s.target, nullptr).contains(number))
        continue;
      const Expr which = fold_constants(value(s.target, nullptr), system_.tables);
      Expr fits = matches(s.args, channel(number), message.values, nullptr);
      if (!which.is_constant())
        fits = conjunction(Expr::binary(Op::eq, which, Expr::constant(number)), std::move(fits));
      const auto from = static_cast<Point>(&point - graph.points.data());
      fits = fold_constants(conjunction(Expr::binary(Op::eq, at, Expr::constant(from)),
                                        conjunction(Expr::unary(Op::logic_not, earlier), std::move(fits))),
                            system_.tables);
      if (step.to == graph.finish) finished.push_back(fits);
      matched.push_back(fits);
      targets.push_back(Expr::binary(Op::mul, fits, Expr::constant(step.to)));
      earlier = Expr::binary(Op::logic_or, std::move(earlier), std::move(fits));
    }
  }
  const Expr missed = Expr::unary(Op::logic_not, balanced(Op::logic_or, std::move(matched), 0));
  targets.push_back(Expr::binary(Op::mul, missed, negated ? Expr::constant(graph.finish) : at));
  return {.to = balanced(Op::add, std::move(targets), 0),
          .wrong = negated ? balanced(Op::logic_or, std::move(finished), 0) : missed};
}

}  // namespace tideline::promela
