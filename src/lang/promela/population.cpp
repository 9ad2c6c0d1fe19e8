#include "lang/promela/population.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "lang/promela/parser.hpp"

namespace tideline::promela {

namespace {

constexpr std::size_t most_local_states = 20'000;
constexpr std::size_t most_stacks = 100'000;

using Known = std::optional<std::int64_t>;

/// Which process assigns to each global variable; nothing when several do.
std::map<const Variable*, const Process*> writers(const Program& program) {
  std::map<const Variable*, const Process*> result;
  for (const auto& process : program.processes)
    for_each_statement(process->body, [&](const Statement& s) {
      const auto write = [&](const Ex& target) {
        if (target.variable == nullptr) return;
        const auto [place, is_new] = result.emplace(target.variable, process.get());
        if (!is_new && place->second != process.get()) place->second = nullptr;
      };
      if (s.kind == StatementKind::assignment) write(s.target);
      if (s.kind == StatementKind::receive)
        for (const Ex& arg : s.args)
          if (arg.kind == ExKind::variable) write(arg);
    });
  return result;
}

bool is_scalar(const Variable& v) {
  return !v.is_array && v.type.base != BaseType::structure && v.type.base != BaseType::chan;
}

std::int64_t kept_by(const Type& type, std::int64_t value) {
  switch (type.base) {
    case BaseType::bit:
      return value & 1;
    case BaseType::short_:
      return static_cast<std::int16_t>(value);
    case BaseType::int_:
      return static_cast<std::int32_t>(value);
    case BaseType::unsigned_:
      return value & ((std::int64_t{1} << type.bits) - 1);
    default:
      return value & 255;
  }
}

/// A proctype with what is known of its arguments, and its local states.
struct Context {
  const Process* process = nullptr;
  std::vector<Known> arguments;
  struct Event {
    bool ends = false;
    const ControlStep* step = nullptr;  ///< of a run
    std::size_t child = 0;
    std::size_t target = 0;  ///< local state after it
    bool goes_on = false;
  };
  struct Move {
    std::size_t target = 0;
    bool goes_on = false;
  };
  struct Local {
    Point point = 0;
    std::vector<Known> values;
    std::vector<Move> moves = {};
    std::vector<Event> events = {};
    bool cannot_block = false;
  };
  std::vector<Local> locals;
  std::vector<const Variable*> tracked;
  bool explored = false;
};

class Analysis {
 public:
  Analysis(const Program& program, const ControlGraphs& graphs, std::uint32_t most)
      : program_(program), graphs_(graphs), most_(most), writers_(writers(program)) {}

  Population run() {
    Population result;
    Stack initial;
    for (const auto& process : program_.processes) {
      if (process->kind != ProcessKind::proctype && process->kind != ProcessKind::init) continue;
      for (std::uint32_t i = 0; i < process->active; ++i) {
        initial.push_back(
            {context(process.get(), std::vector<Known>(process->parameters.size(), 0)), 0, false});
        result.initial.push_back(process.get());
      }
    }
    for (const auto& entry : initial) explore(entry.context);
    std::deque<Stack> todo{initial};
    std::unordered_set<std::string> seen{key(initial)};
    note(initial, result);
    while (!todo.empty()) {
      const Stack stack = std::move(todo.front());
      todo.pop_front();
      step(
          stack,
          [&](Stack next) {
            if (!seen.insert(key(next)).second) return;
            note(next, result);
            if (seen.size() < most_stacks)
              todo.push_back(std::move(next));
            else
              result.is_cut = true;
          },
          result);
    }
    return result;
  }

 private:
  struct Entry {
    std::size_t context = 0;
    std::size_t local = 0;
    bool goes_on = false;
  };
  using Stack = std::vector<Entry>;
  struct Option {
    Context::Event event;
    bool undisturbed = false;  ///< others cannot move before it
  };

  static std::string key(const Stack& stack) {
    std::string result;
    for (const Entry& e : stack)
      for (const std::size_t part : {e.context, e.local, std::size_t{e.goes_on}})
        result.append(reinterpret_cast<const char*>(&part), sizeof part);
    return result;
  }

  void note(const Stack& stack, Population& result) const {
    if (result.types.size() < stack.size()) result.types.resize(stack.size());
    for (std::size_t i = 0; i < stack.size(); ++i) {
      auto& types = result.types[i];
      const Process* process = contexts_[stack[i].context].process;
      if (std::ranges::find(types, process) == types.end()) types.push_back(process);
    }
  }

  template <class Found>
  void step(const Stack& stack, const Found& found, Population& result) {
    std::size_t first = 0;
    std::size_t last = stack.size();
    for (std::size_t i = 0; i < stack.size(); ++i) {
      const auto& options = options_of(stack[i]);
      if (!options.empty() && std::ranges::all_of(options, &Option::undisturbed)) {
        first = i;
        last = i + 1;
      }
    }
    for (std::size_t i = first; i < last; ++i)
      for (const Option& option : options_of(stack[i])) {
        Stack next = stack;
        if (option.event.ends) {
          if (i + 1 != stack.size()) continue;
          next.pop_back();
        } else {
          const auto number = static_cast<std::uint32_t>(stack.size());
          if (number >= most_) {
            result.is_cut = true;
            continue;
          }
          result
              .started[{static_cast<std::uint32_t>(i), contexts_[stack[i].context].process,
                        option.event.step}]
              .insert(number);
          next[i] = {stack[i].context, option.event.target, option.event.goes_on};
          next.push_back({option.event.child, 0, false});
        }
        found(std::move(next));
      }
  }

  /// What a process can do next, among what matters.
  const std::vector<Option>& options_of(const Entry& entry) {
    const std::tuple key(entry.context, entry.local, entry.goes_on);
    const auto known = options_.find(key);
    if (known != options_.end()) return known->second;
    explore(entry.context);
    std::vector<Option> options;
    const Context& context = contexts_[entry.context];
    std::vector<std::uint8_t> seen(context.locals.size() * 2);
    std::vector<std::pair<std::size_t, bool>> todo{{entry.local, entry.goes_on}};
    while (!todo.empty()) {
      const auto [local, arrived] = todo.back();
      todo.pop_back();
      const bool undisturbed = arrived && context.locals[local].cannot_block;
      auto& mark = seen[local * 2 + (undisturbed ? 1 : 0)];
      if (mark != 0) continue;
      mark = 1;
      for (const Context::Event& event : context.locals[local].events)
        options.push_back({event, undisturbed});
      for (const Context::Move& move : context.locals[local].moves)
        todo.emplace_back(move.target, undisturbed && move.goes_on);
    }
    return options_.emplace(key, std::move(options)).first->second;
  }

  std::size_t context(const Process* process, std::vector<Known> arguments) {
    for (std::size_t i = 0; i < contexts_.size(); ++i)
      if (contexts_[i].process == process && contexts_[i].arguments == arguments) return i;
    std::size_t same = 0;
    for (const Context& c : contexts_) same += c.process == process ? 1 : 0;
    if (same > 300) return context(process, std::vector<Known>(arguments.size()));
    contexts_.push_back({process, std::move(arguments), {}, {}});
    return contexts_.size() - 1;
  }

  void explore(std::size_t index) {
    if (contexts_[index].explored) return;
    contexts_[index].explored = true;
    if (!explore(index, true)) explore(index, false);
  }

  /// False: there are too many local states with this precision.
  bool explore(std::size_t index, bool with_values) {
    const Process* const process = contexts_[index].process;
    const ControlGraph& graph = graphs_.at(process);
    std::vector<const Variable*> tracked;
    std::vector<Known> start;
    if (with_values) {
      for (const auto& variable : process->variables)
        if (is_scalar(*variable)) tracked.push_back(variable.get());
      const bool alone = process->active == 1;
      for (const auto& variable : program_.globals) {
        const auto writer = writers_.find(variable.get());
        if (is_scalar(*variable) && writer != writers_.end() && writer->second == process && alone)
          tracked.push_back(variable.get());
      }
    }
    for (const Variable* variable : tracked) {
      Known value = 0;
      if (variable->is_parameter) {
        const auto at = std::ranges::find(process->parameters, variable) - process->parameters.begin();
        value = contexts_[index].arguments[static_cast<std::size_t>(at)];
      } else if (!variable->initial.empty() && variable->set_at_creation) {
        value = evaluate(variable->initial.front(), tracked, start);
      }
      if (value) value = kept_by(variable->type, *value);
      start.push_back(value);
    }
    std::vector<Context::Local> locals{{graph.entry, start}};
    std::map<std::pair<Point, std::vector<Known>>, std::size_t> numbers{{{graph.entry, start}, 0}};
    for (std::size_t i = 0; i < locals.size(); ++i) {
      if (with_values && locals.size() > most_local_states) return false;
      if (locals[i].point == graph.finish) {
        locals[i].events.push_back({.ends = true});
        continue;
      }
      const std::vector<Known> values = locals[i].values;
      bool certain = false;
      for (const std::uint32_t number : graph.points[locals[i].point].steps) {
        const ControlStep& step = graph.steps[number];
        const Statement* const statement = step.statement;
        Known possible = 1;
        std::vector<Known> after = values;
        if (statement != nullptr) possible = outcome(*statement, tracked, values, after);
        if (statement != nullptr && statement->kind == StatementKind::otherwise) possible = certain ? 0 : 1;
        if (possible && *possible == 0) continue;
        if (possible) certain = true;
        const auto [place, is_new] = numbers.emplace(std::pair(step.to, after), locals.size());
        if (is_new) locals.push_back({step.to, std::move(after)});
        const Ex* const run = run_of(statement);
        const Process* const child = run != nullptr ? program_.find_process(run->name) : nullptr;
        if (child == nullptr || child->parameters.size() != run->args.size()) {
          locals[i].moves.push_back({place->second, step.goes_on});
          continue;
        }
        std::vector<Known> arguments;
        for (std::size_t a = 0; a < run->args.size(); ++a) {
          Known value = evaluate(run->args[a], tracked, values);
          if (value) value = kept_by(child->parameters[a]->type, *value);
          if (child->parameters[a]->type.base == BaseType::chan) value.reset();
          arguments.push_back(value);
        }
        locals[i].events.push_back({.step = &step,
                                    .child = context(child, std::move(arguments)),
                                    .target = place->second,
                                    .goes_on = step.goes_on});
      }
      locals[i].cannot_block = certain;
    }
    contexts_[index].locals = std::move(locals);
    contexts_[index].tracked = std::move(tracked);
    return true;
  }

  /// Whether the statement can be executed, where that is known, and what it does to the values.
  Known outcome(const Statement& s, const std::vector<const Variable*>& tracked,
                const std::vector<Known>& values, std::vector<Known>& after) const {
    const auto set = [&](const Ex& target, Known value) {
      const auto at = std::ranges::find(tracked, target.variable);
      if (at == tracked.end()) return;
      if (value) value = kept_by(target.variable->type, *value);
      after[static_cast<std::size_t>(at - tracked.begin())] = value;
    };
    switch (s.kind) {
      case StatementKind::expression:
        if (s.value.kind == ExKind::run) return 1;
        return evaluate(s.value, tracked, values);
      case StatementKind::assignment:
        set(s.target, s.value.kind == ExKind::run ? Known{} : evaluate(s.value, tracked, values));
        return 1;
      case StatementKind::receive:
        for (const Ex& arg : s.args)
          if (arg.kind == ExKind::variable && arg.variable != nullptr) set(arg, {});
        return std::nullopt;
      case StatementKind::assertion:
      case StatementKind::print:
        return 1;
      default:
        return std::nullopt;
    }
  }

  Known evaluate(const Ex& ex, const std::vector<const Variable*>& tracked,
                 const std::vector<Known>& values) const {
    switch (ex.kind) {
      case ExKind::variable: {
        if (ex.variable == nullptr) return constant_value(ex, program_);
        if (ex.parts.size() != 1 || !ex.parts[0].index.empty()) return std::nullopt;
        const auto at = std::ranges::find(tracked, ex.variable) - tracked.begin();
        if (static_cast<std::size_t>(at) < values.size()) return values[static_cast<std::size_t>(at)];
        // A global that nobody changes.
        if (ex.variable->owner == nullptr && is_scalar(*ex.variable) && !writers_.contains(ex.variable)) {
          if (ex.variable->initial.empty()) return 0;
          return constant_value(ex.variable->initial.front(), program_);
        }
        return std::nullopt;
      }
      case ExKind::unary: {
        const Known value = evaluate(ex.args[0], tracked, values);
        return value ? Known(apply_unary(ex.op, *value)) : Known{};
      }
      case ExKind::binary: {
        const Known left = evaluate(ex.args[0], tracked, values);
        const Known right = evaluate(ex.args[1], tracked, values);
        if (ex.op == Op::logic_and && ((left && *left == 0) || (right && *right == 0))) return 0;
        if (ex.op == Op::logic_or && ((left && *left != 0) || (right && *right != 0))) return 1;
        if (!left || !right) return std::nullopt;
        ModelErrorKind error = ModelErrorKind::none;
        const std::int64_t value = apply_binary(ex.op, *left, *right, error);
        return error == ModelErrorKind::none ? Known(value) : Known{};
      }
      case ExKind::conditional: {
        const Known condition = evaluate(ex.args[0], tracked, values);
        return condition ? evaluate(ex.args[*condition != 0 ? 1 : 2], tracked, values) : Known{};
      }
      default:
        return constant_value(ex, program_);
    }
  }

  const Program& program_;
  const ControlGraphs& graphs_;
  std::uint32_t most_;
  std::map<const Variable*, const Process*> writers_;
  std::deque<Context> contexts_;
  std::map<std::tuple<std::size_t, std::size_t, bool>, std::vector<Option>> options_;
};

}  // namespace

const Ex* run_of(const Statement* statement) {
  if (statement == nullptr) return nullptr;
  if (statement->kind != StatementKind::expression && statement->kind != StatementKind::assignment)
    return nullptr;
  return statement->value.kind == ExKind::run ? &statement->value : nullptr;
}

Population population(const Program& program, const ControlGraphs& graphs, std::uint32_t most_processes) {
  return Analysis(program, graphs, most_processes).run();
}

}  // namespace tideline::promela
