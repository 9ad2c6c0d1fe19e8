// Translation: which channels a chan variable or a field of a message can hold.
//
// Sets grow until nothing changes: a variable holds what is assigned to it, what is received into it, and what a `run` passes
// on; a field of a channel holds what is sent in it. The order of steps does not matter, so the sets may be larger than
// what occurs, never smaller.
#include <algorithm>
#include <utility>

#include "lang/promela/parser.hpp"
#include "lang/promela/translation.hpp"

namespace tideline::promela {

namespace {
bool unite(std::set<ChannelNumber>& into, const std::set<ChannelNumber>& from) {
  const std::size_t before = into.size();
  into.insert(from.begin(), from.end());
  return into.size() != before;
}
}  // namespace

std::set<ChannelNumber>* Translation::holder(const Ex& ex, const Instance* in) {
  if (ex.kind != ExKind::variable || ex.variable == nullptr || is_fixed_channel(*ex.variable)) return nullptr;
  const Target target = locate(ex, in);
  if (target.type.base != BaseType::chan) return nullptr;
  // All elements of an array are one.
  const tideline::Variable& variable = system_.variables[system_.slots[target.first].variable];
  return &held_[variable.first];
}

std::set<ChannelNumber> Translation::candidates(const Ex& ex, const Instance* in) {
  if (ex.kind == ExKind::conditional) {
    std::set<ChannelNumber> result = candidates(ex.args[1], in);
    unite(result, candidates(ex.args[2], in));
    return result;
  }
  if (ex.kind == ExKind::eval) return candidates(ex.args[0], in);
  if (ex.kind == ExKind::remote_variable) {
    std::set<ChannelNumber> all;
    for (ChannelNumber number = 1; number <= channels_.size(); ++number) all.insert(number);
    return all;
  }
  if (ex.kind != ExKind::variable || ex.variable == nullptr) return {};
  if (is_fixed_channel(*ex.variable)) {
    const Expr number = fold_constants(channel_value(ex, in), system_.tables);
    if (number.is_constant()) return {static_cast<ChannelNumber>(number.value)};
    const auto& numbers = ex.variable->owner == nullptr || in == nullptr ? global_channels_ : in->channels;
    std::set<ChannelNumber> result;
    for (std::uint32_t i = 0; i < ex.variable->length; ++i) result.insert(numbers.at(ex.variable) + i);
    return result;
  }
  const std::set<ChannelNumber>* const held = holder(ex, in);
  return held == nullptr ? std::set<ChannelNumber>{} : *held;
}

bool Translation::note_channels(const Instance& instance, const ControlStep& step) {
  const Statement* const s = step.statement;
  if (s == nullptr) return false;
  bool changed = false;
  const auto flow = [&](const Ex& target, const Instance* in, const std::set<ChannelNumber>& what) {
    if (what.empty()) return;
    if (std::set<ChannelNumber>* into = holder(target, in)) changed = unite(*into, what) || changed;
  };
  if (const Ex* run = run_of(s)) {
    const Process* const process = program_.find_process(run->name);
    if (process == nullptr || process->parameters.size() != run->args.size()) return false;
    const auto started = population_.started.find({instance.number, instance.process, &step});
    if (started == population_.started.end()) return false;
    for (const std::uint32_t number : started->second)
      for (std::size_t i = 0; i < run->args.size(); ++i) {
        const std::vector<Ex> targets = spread(name_of(*process->parameters[i]));
        const std::vector<Ex> values = spread(run->args[i]);
        for (std::size_t k = 0; k < targets.size() && k < values.size(); ++k)
          flow(targets[k], by_number_.at({number, process}), candidates(values[k], &instance));
      }
    return changed;
  }
  switch (s->kind) {
    case StatementKind::assignment: {
      const std::vector<Ex> targets = spread(s->target);
      const std::vector<Ex> values = spread(s->value);
      for (std::size_t k = 0; k < targets.size() && k < values.size(); ++k)
        flow(targets[k], &instance, candidates(values[k], &instance));
      break;
    }
    case StatementKind::send:
    case StatementKind::receive: {
      std::vector<Ex> args;
      for (const Ex& arg : s->args)
        for (Ex& leaf : spread(arg)) args.push_back(std::move(leaf));
      for (const ChannelNumber number : candidates(s->target, &instance))
        for (std::size_t i = 0; i < args.size() && i < channel(number).fields.size(); ++i) {
          // The number of a channel may travel in a byte.
          auto& field = sent_[{number, i}];
          if (s->kind == StatementKind::send)
            changed = unite(field, candidates(args[i], &instance)) || changed;
          else
            flow(args[i], &instance, field);
        }
      break;
    }
    default:
      break;
  }
  return changed;
}

void Translation::find_channels() {
  // What variables hold from the beginning.
  const auto initial = [&](const Variable& variable, const Instance* in) {
    if (variable.type.base != BaseType::chan || is_fixed_channel(variable)) return;
    std::set<ChannelNumber>* const into = holder(name_of(variable), in);
    const auto& numbers = variable.owner == nullptr ? global_channels_ : in->channels;
    if (variable.channel)
      for (std::uint32_t i = 0; i < variable.length; ++i) into->insert(numbers.at(&variable) + i);
    for (const Ex& ex : variable.initial) unite(*into, candidates(ex, in));
  };
  for (const auto& variable : program_.globals) initial(*variable, nullptr);
  for (const auto& [slot, first] : field_channels_) {
    const tideline::Variable& variable = system_.variables[system_.slots[slot].variable];
    for (std::uint32_t i = 0; i < variable.length; ++i) held_[variable.first].insert(first + i);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& instance : instances_) {
      for (const auto& variable : instance->process->variables) initial(*variable, instance.get());
      for (const ControlStep& step : instance->graph->steps)
        changed = note_channels(*instance, step) || changed;
    }
  }
}

}  // namespace tideline::promela
