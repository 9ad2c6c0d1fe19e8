#include "symbolic/space/relations.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "exec/compiler.hpp"
#include "symbolic/diagrams/keys.hpp"

namespace tideline::symbolic {

namespace {

// Parts of what the forest leaves to caches.
constexpr double cache_share = 0.2;
constexpr double constrained_cache_share = 0.05;

// How often the clock is looked at where no nodes are made.
constexpr ActionId actions_between_looks = 256;
constexpr std::uint64_t values_between_looks = 4096;

/// That they lack the key is kept for so many local states of each function.
constexpr Index few_local_states = 256;

/// Events without a key are in the lists of all keys: most that those may have together, for each event of the level.
constexpr std::size_t most_repetitions = 4;

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Relations::Relations(const System& system, Levels& levels, Sets& sets, std::vector<Part> choices)
    : system_(system),
      levels_(levels),
      sets_(sets),
      forest_(sets.forest()),
      choices_(std::move(choices)),
      cache_(forest_, cache_share),
      constrained_cache_(forest_, constrained_cache_share),
      state_(levels.layout().size()),
      next_(levels.layout().size()),
      nodes_(1),
      by_top_(levels.top() + 1),
      by_key_(levels.top() + 1) {
  std::copy_n(levels.initial_state(), state_.size(), state_.begin());
  next_ = state_;
  if (!choices_.empty()) choice_ = function_node(1, function(1, choices_), done);
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    if (a % actions_between_looks == 0) forest_.check_limits();
    add_event(a);
  }
  for (Level level = 1; level <= levels.top(); ++level) sort_by_key(level);
}

Relations::Relations(const Relations& others, Levels& levels, Sets& sets)
    : system_(others.system_),
      levels_(levels),
      sets_(sets),
      forest_(sets.forest()),
      choices_(others.choices_),
      choice_(others.choice_),
      cache_(forest_, cache_share),
      constrained_cache_(forest_, constrained_cache_share),
      chunk_(others.chunk_),
      state_(others.state_),
      next_(others.next_),
      functions_(others.functions_),
      function_by_key_(others.function_by_key_),
      nodes_(others.nodes_),
      arcs_(others.arcs_),
      inverse_(others.inverse_),
      function_nodes_(others.function_nodes_),
      table_nodes_(others.table_nodes_),
      events_(others.events_),
      learner_of_(others.learner_of_),
      all_steps_(others.all_steps_),
      by_top_(others.by_top_),
      by_key_(others.by_key_),
      tuples_fired_(others.tuples_fired_) {
  // Which tuples were fired is a set of the other forest. One that is fired again changes nothing.
  for (const Learner& other : others.learners_)
    learners_.push_back({other.steps, other.first_step, other.kept, other.codes, forest_.root(empty)});
}

// --- building ---------------------------------------------------------------------------------------------

std::vector<Part> Relations::alternatives(const Part& part, bool lowest) const {
  if (!lowest || choices_.empty()) return {part};
  std::vector<Part> result;
  for (const Part& choice : choices_) {
    result.push_back(part);
    append(result.back().guards, choice.guards);
    append(result.back().effects, choice.effects);
  }
  return result;
}

std::vector<Relations::Code> Relations::compile(const std::vector<Part>& alternatives) {
  bytecode::Compiler compiler(system_, levels_.layout(), chunk_);
  std::vector<Code> codes;
  for (const Part& part : alternatives) {
    Code& code = codes.emplace_back();
    for (const Expr& guard : part.guards) code.guards.push_back(compiler.guard(guard));
    code.has_effects = !part.effects.empty();
    if (code.has_effects) code.effects = compiler.effects(part.effects);
  }
  return codes;
}

std::uint32_t Relations::function(Level level, const std::vector<Part>& alternatives) {
  std::string key;
  write_key(level, key);
  for (const Part& part : alternatives) {
    write_key(static_cast<std::int64_t>(part.guards.size()), key);
    for (const Expr& guard : part.guards) write_key(guard, key);
    write_key(static_cast<std::int64_t>(part.effects.size()), key);
    for (const Assignment& effect : part.effects) write_key(effect, key);
  }
  const auto [at, is_new] =
      function_by_key_.emplace(std::move(key), static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back({.codes = compile(alternatives), .key = key_of(level, alternatives)});
  return at->second;
}

/// Of a guard that all alternatives share: one that compares a slot with a constant.
std::optional<Relations::Key> Relations::key_of(Level level, const std::vector<Part>& alternatives) const {
  const auto slots = levels_.slots(level);
  for (const Expr& guard : alternatives.front().guards) {
    if (guard.op != Op::eq || guard.args[0].op != Op::load || !guard.args[1].is_constant()) continue;
    const std::int64_t value = guard.args[1].value;
    const auto at = std::ranges::find(slots, guard.args[0].slot);
    const auto has_it = [&](const Part& part) {
      return std::ranges::find(part.guards, guard) != part.guards.end();
    };
    if (at != slots.end() && std::in_range<std::int32_t>(value) && std::ranges::all_of(alternatives, has_it))
      return Key{static_cast<std::size_t>(at - slots.begin()), static_cast<std::int32_t>(value)};
  }
  return std::nullopt;
}

void Relations::sort_by_key(Level level) {
  const auto key_of_event = [&](EventId event) -> std::optional<Key> {
    const RelationId root = events_[event].root;
    if (!events_[event].learns)
      return nodes_[root].is_function ? functions_[nodes_[root].function].key : std::nullopt;
    const Step& top = learners_[learner_of_[event]].steps[0];
    return top.keep ? std::nullopt : functions_[top.function].key;
  };
  ByKey& by_key = by_key_[level];
  std::optional<std::int64_t> most;
  std::size_t keyed = 0;
  for (const EventId event : by_top_[level])
    if (const auto key = key_of_event(event)) {
      if (!most) by_key = {.at = key->at, .least = key->value};
      if (key->at != by_key.at) continue;
      by_key.least = std::min<std::int64_t>(by_key.least, key->value);
      most = std::max<std::int64_t>(most.value_or(key->value), key->value);
      ++keyed;
    }
  const std::size_t all = by_top_[level].size(), others = all - keyed;
  if (!most) return;
  const auto keys = static_cast<std::uint64_t>(*most - by_key.least + 1);
  if (keys > most_repetitions * all || keys * others > most_repetitions * all) return;
  by_key.events.resize(keys);
  for (const EventId event : by_top_[level]) {
    const auto key = key_of_event(event);
    if (key && key->at == by_key.at) {
      by_key.events[static_cast<std::size_t>(key->value - by_key.least)].push_back(event);
    } else {
      for (std::vector<EventId>& of_key : by_key.events) of_key.push_back(event);
      by_key.others.push_back(event);
    }
  }
}

RelationId Relations::function_node(Level level, std::uint32_t function, RelationId child) {
  const auto [at, is_new] =
      function_nodes_.emplace(std::tuple(level, function, child), static_cast<RelationId>(nodes_.size()));
  if (is_new) nodes_.push_back({.level = level, .is_function = true, .function = function, .child = child});
  return at->second;
}

RelationId Relations::table_node(Level level, std::vector<Arc> arcs) {
  std::sort(arcs.begin(), arcs.end());
  std::size_t hash = level;
  for (const Arc& arc : arcs)
    for (const std::uint32_t word : {arc.from, arc.to, arc.child})
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u ^ hash >> 31;
  for (auto [at, end] = table_nodes_.equal_range(hash); at != end; ++at)
    if (nodes_[at->second].level == level && std::ranges::equal(this->arcs(at->second), arcs))
      return at->second;
  const auto id = static_cast<RelationId>(nodes_.size());
  nodes_.push_back({.level = level, .first = arcs_.size(), .count = static_cast<std::uint32_t>(arcs.size())});
  append(arcs_, arcs);
  table_nodes_.emplace(hash, id);
  return id;
}

void Relations::add_event(ActionId action) {
  const std::vector<Part> parts = parts_of(system_, system_.actions[action]);
  std::set<Level> kept;
  const auto first_level = [&](const Part& part) {
    return part.slots.empty() ? Level{1} : levels_.level_of(part.slots[0]);
  };
  for (const Part& part : parts) {
    std::set<Level> touched;
    for (const SlotId slot : part.slots) touched.insert(levels_.level_of(slot));
    if (touched.size() > 1) kept.insert(touched.begin(), touched.end());
  }
  Part coupled{{}};
  std::map<Level, Part, std::greater<>> local;
  for (const Part& part : parts) {
    const Level level = first_level(part);
    Part& to = kept.contains(level) ? coupled : local.emplace(level, Part{{}}).first->second;
    append(to.guards, part.guards);
    append(to.effects, part.effects);
  }
  // What touches no slot is always enabled and changes nothing; the choices are at the lowest level.
  if (parts.empty() || (!choices_.empty() && !kept.contains(1))) local.emplace(Level{1}, Part{{}});
  std::map<Level, std::uint32_t, std::greater<>> functions;
  for (const auto& [level, part] : local)
    functions.emplace(level, function(level, alternatives(part, level == 1)));

  Event event{.action = action};
  learner_of_.push_back(static_cast<std::uint32_t>(learners_.size()));
  if (kept.empty()) {
    RelationId root = done;
    for (auto at = functions.rbegin(); at != functions.rend(); ++at)
      root = function_node(at->first, at->second, root);
    event.root = root;
    event.top = functions.begin()->first;
    event.bottom = functions.rbegin()->first;
  } else {
    Learner learner{.steps = {},
                    .first_step = static_cast<std::uint32_t>(all_steps_.size()),
                    .kept = {kept.rbegin(), kept.rend()},
                    .codes = compile(alternatives(coupled, kept.contains(1))),
                    .known = forest_.root(empty)};
    for (const auto& [level, f] : functions) learner.steps.push_back({level, false, f});
    for (const Level level : kept) learner.steps.push_back({level, true, 0});
    std::ranges::sort(learner.steps, std::greater{}, &Step::level);
    append(all_steps_, learner.steps);
    all_steps_.push_back({});  // the end: level 0
    event.learns = true;
    event.top = learner.steps.front().level;
    event.bottom = learner.steps.back().level;
    learners_.push_back(std::move(learner));
  }
  by_top_[event.top].push_back(static_cast<EventId>(events_.size()));
  events_.push_back(event);
}

// --- evaluating -------------------------------------------------------------------------------------------

void Relations::set_local(Level level, Index i) {
  levels_.write(level, i, state_.data());
  levels_.write(level, i, next_.data());
}

Index Relations::run(const Code& code) {
  bool fails = false;
  for (const std::uint32_t guard : code.guards) {
    const bytecode::Result result = bytecode::run_guard(chunk_, guard, state_.data());
    if (result.error != ModelErrorKind::none)
      fails = true;
    else if (result.value == 0)
      return disabled;
  }
  if (fails) return failing;
  if (!code.has_effects) return 0;
  return bytecode::run_effects(chunk_, code.effects, state_.data(), next_.data()) == ModelErrorKind::none
             ? 0
             : failing;
}

std::vector<Index> Relations::outcomes(const Function& function, Level level, Index i, bool add_new) {
  std::vector<Index> result;
  if (lacks_key(function, level, i)) return result;
  for (const Code& code : function.codes) {
    set_local(level, i);
    Index to = run(code);
    if (to < failing)
      to = add_new ? levels_.index_of(level, next_.data())
                   : levels_.find(level, next_.data()).value_or(disabled);
    if (to != disabled) result.push_back(to);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Index Relations::compute(Function& function, Level level, Index i) {
  if (++computed_ % values_between_looks == 0) forest_.check_limits();
  // Of a long process most are, and that is not kept.
  if (i >= few_local_states && lacks_key(function, level, i)) return disabled;
  const std::vector<Index> all = outcomes(function, level, i, true);
  std::vector<Index>& values = function.values;
  if (values.empty()) function.first = i;
  if (i < function.first) {
    values.insert(values.begin(), function.first - i, unknown);
    function.first = i;
  }
  if (i - function.first >= values.size()) values.resize(i - function.first + 1, unknown);
  if (all.size() > 1) {
    if (function.more.size() <= i) function.more.resize(i + 1);
    function.more[i].assign(all.begin() + 1, all.end());
  }
  return values[i - function.first] = all.empty() ? disabled : all[0];
}

std::span<const Index> Relations::inverse(Function& function, Level level, Index i) {
  if (function.inverse_of < levels_.local_states(level)) {
    function.inverse.assign(levels_.local_states(level), {});
    const Index count = levels_.local_states(level);
    for (Index from = 0; from < count; ++from) {
      const auto add = [&](Index to) {
        if (to < count) function.inverse[to].push_back(from);
      };
      const Index value = function.known(from);
      if (value == unknown) {
        // Does not give numbers to local states that are not reached.
        for (const Index to : outcomes(function, level, from, false)) add(to);
        continue;
      }
      add(value);
      if (from < function.more.size())
        for (const Index to : function.more[from]) add(to);
    }
    function.inverse_of = count;
  }
  return i < function.inverse.size() ? std::span<const Index>(function.inverse[i]) : std::span<const Index>();
}

std::span<const Arc> Relations::inverse_arcs(RelationId r) {
  Node& node = nodes_[r];
  if (node.inverse == 0) {
    std::vector<Arc> turned;
    for (const Arc& arc : arcs(r))
      if (arc.to != failing) turned.push_back({arc.to, arc.from, arc.child});
    std::sort(turned.begin(), turned.end());
    inverse_.push_back(std::move(turned));
    node.inverse = static_cast<std::uint32_t>(inverse_.size());
  }
  return inverse_[node.inverse - 1];
}

// --- learning ---------------------------------------------------------------------------------------------

/// The tuples of the levels of tables that occur in states of the set whose functions are enabled.
NodeId Relations::project(NodeId set, std::uint32_t number) {
  if (set == empty) return empty;
  const Step step = all_steps_[number];
  if (step.level == 0) return unit;
  const std::array<std::uint32_t, 3> key{op_project, set, number};
  std::array<NodeId, 1> result;
  if (cache_.find(key, result)) return result[0];
  const Forest::View view = forest_.view(set);
  const Level level = forest_.level(set);
  if (level == step.level && step.keep) {
    Builder builder(forest_, view.size);
    for (std::uint32_t e = 0; e < view.size; ++e)
      builder.add(view.index(e), project(view.child(e), number + 1));
    result[0] = builder.make(level);
  } else {
    Kept sum(forest_, empty);
    for (std::uint32_t e = 0; e < view.size; ++e) {
      if (view.child(e) == empty) continue;
      if (level == step.level) {
        if (value_of(functions_[step.function], level, view.index(e)) == disabled) continue;
      }
      const Kept part(forest_, project(view.child(e), level == step.level ? number + 1 : number));
      sum.set(sets_.unite(sum.id(), part.id()));
    }
    result[0] = sum.id();
  }
  cache_.insert(key, result);
  return result[0];
}

void Relations::learn(EventId event, NodeId set) {
  const Kept projection(forest_, project(set, learners_[learner_of_[event]].first_step));
  learn_tuples(event, projection.id());
}

void Relations::learn(EventId event, Index i, NodeId child) {
  const Learner& learner = learners_[learner_of_[event]];
  const Step& top = learner.steps[0];
  if (!top.keep) {
    if (value_of(functions_[top.function], top.level, i) == disabled) return;
  }
  Kept projection(forest_, project(child, learner.first_step + 1));
  if (top.keep) projection.set(forest_.make_single(top.level, i, projection.id()));
  learn_tuples(event, projection.id());
}

bool Relations::learn_tuples(EventId id, NodeId projection) {
  Learner& learner = learners_[learner_of_[id]];
  const Kept fresh(forest_, sets_.subtract(projection, learner.known.id()));
  if (fresh.id() == empty) return false;
  std::vector<Tuple> tuples;
  sets_.for_each(fresh.id(), [&](std::span<const Index> vector) {
    if (++tuples_fired_ % 4096 == 0) forest_.poll();
    for (const Code& code : learner.codes) {
      for (std::size_t k = 0; k < vector.size(); ++k) set_local(learner.kept[k], vector[k]);
      const Index outcome = run(code);
      if (outcome == disabled) continue;
      Tuple tuple{{vector.begin(), vector.end()}, {}};
      for (const Level level : learner.kept)
        tuple.to.push_back(outcome == failing ? failing : levels_.index_of(level, next_.data()));
      tuples.push_back(std::move(tuple));
    }
  });
  learner.known.set(sets_.unite(learner.known.id(), fresh.id()));
  if (tuples.empty()) return false;
  events_[id].root = extend(learner, 0, events_[id].root, tuples, 0);
  return true;
}

/// The relation `old`, from a step on, with tuples added; `kept` steps of tables came before.
RelationId Relations::extend(const Learner& learner, std::size_t number, RelationId old,
                             std::span<const Tuple> tuples, std::size_t kept) {
  if (number == learner.steps.size()) return done;
  const Step& step = learner.steps[number];
  if (!step.keep) {
    const RelationId below = extend(learner, number + 1, old == nothing ? nothing : child(old), tuples, kept);
    return function_node(step.level, step.function, below);
  }
  std::map<std::pair<Index, Index>, std::vector<Tuple>> fresh;
  for (const Tuple& tuple : tuples) fresh[{tuple.from[kept], tuple.to[kept]}].push_back(tuple);
  std::vector<Arc> all;
  if (old != nothing)
    for (const Arc& arc : arcs(old))
      if (!fresh.contains({arc.from, arc.to})) all.push_back(arc);
  for (const auto& [arc, group] : fresh) {
    RelationId below = nothing;
    if (old != nothing)
      for (const Arc& known : arcs(old))
        if (known.from == arc.first && known.to == arc.second) below = known.child;
    all.push_back({arc.first, arc.second, extend(learner, number + 1, below, group, kept + 1)});
  }
  return table_node(step.level, std::move(all));
}

bool Relations::may_fail(RelationId r) const {
  if (r == nothing || r == done) return false;
  if (!is_function(r)) {
    const auto all = arcs(r);
    return std::any_of(all.begin(), all.end(),
                       [&](const Arc& arc) { return arc.to == failing || may_fail(arc.child); });
  }
  const Function& function = functions_[nodes_[r].function];
  const auto fails = [](const std::vector<Index>& values) {
    return std::find(values.begin(), values.end(), failing) != values.end();
  };
  return fails(function.values) || std::any_of(function.more.begin(), function.more.end(), fails) ||
         may_fail(child(r));
}

// --- sets and relations -----------------------------------------------------------------------------------

NodeId Relations::restrict(NodeId set, RelationId r, Operation operation) {
  const bool negated = operation == op_not_enabled;
  if (set == empty || r == (negated ? done : nothing)) return empty;
  if (r == (negated ? nothing : done)) return set;
  const std::array<std::uint32_t, 3> key{operation, set, r};
  std::array<NodeId, 1> result;
  if (cache_.find(key, result)) return result[0];
  const Forest::View view = forest_.view(set);
  const Level here = forest_.level(set);
  Builder builder(forest_, view.size);
  for (std::uint32_t e = 0; e < view.size; ++e) {
    const Index i = view.index(e);
    const NodeId below = view.child(e);
    if (below == empty) continue;
    if (here > level(r)) {
      builder.add(i, restrict(below, r, operation));
    } else if (is_function(r)) {
      const Index to = map(r, i);
      const bool passes = to != disabled && (to != failing || operation != op_succeeding);
      builder.add(i, passes ? restrict(below, child(r), operation) : negated ? below : empty);
    } else {
      builder.add(i, restrict_by_table(below, i, r, operation));
    }
  }
  result[0] = builder.make(here);
  cache_.insert(key, result);
  return result[0];
}

/// What lies below local state i, restricted by the table's arcs for i: some arc passes, or none does.
NodeId Relations::restrict_by_table(NodeId below, Index i, RelationId r, Operation operation) {
  const bool negated = operation == op_not_enabled;
  Kept result(forest_, negated ? below : empty);
  for (const Arc& arc : arcs(r)) {
    if (arc.from != i || (arc.to == failing && operation == op_succeeding)) continue;
    if (negated) {
      result.set(restrict(result.id(), arc.child, operation));
    } else {
      const Kept part(forest_, restrict(below, arc.child, operation));
      result.set(sets_.unite(result.id(), part.id()));
    }
  }
  return result.id();
}

NodeId Relations::image(NodeId set, RelationId r) {
  if (set == empty || r == nothing) return empty;
  if (r == done) return set;
  const std::array<std::uint32_t, 3> key{op_image, set, r};
  std::array<NodeId, 1> result;
  if (cache_.find(key, result)) return result[0];
  const Forest::View view = forest_.view(set);
  const Level here = forest_.level(set);
  if (here > level(r)) {
    Builder builder(forest_, view.size);
    for (std::uint32_t e = 0; e < view.size; ++e) builder.add(view.index(e), image(view.child(e), r));
    result[0] = builder.make(here);
  } else {
    Frames::Frame children(forest_.children(), levels_.local_states(here));
    for (std::uint32_t e = 0; e < view.size; ++e) {
      if (view.child(e) == empty) continue;
      for_each_arc<Direction::forward>(r, view.index(e), [&](Index to, RelationId below) {
        if (to >= children.size()) children.grow(levels_.local_states(here));
        const Kept part(forest_, image(view.child(e), below));
        children[to] = sets_.unite(children[to], part.id());
      });
    }
    result[0] = forest_.make(here, {children.data(), children.size()});
  }
  cache_.insert(key, result);
  return result[0];
}

NodeId Relations::preimage(NodeId set, RelationId r, NodeId within) {
  if (set == empty || within == empty || r == nothing) return empty;
  if (r == done) return sets_.intersect(set, within);
  const std::array<std::uint32_t, 4> key{op_preimage, set, r, within};
  std::array<NodeId, 1> result;
  if (constrained_cache_.find(key, result)) return result[0];
  const Forest::View targets = forest_.view(set), sources = forest_.view(within);
  const Level here = forest_.level(set);
  Builder builder(forest_, sources.size);
  for (std::uint32_t e = 0; e < sources.size; ++e) {
    const Index from = sources.index(e);
    const NodeId source = sources.child(e);
    if (source == empty) continue;
    if (here > level(r)) {
      builder.add(from, preimage(targets.at(from), r, source));
      continue;
    }
    Kept sum(forest_, empty);
    for_each_arc<Direction::forward>(r, from, [&](Index to, RelationId below) {
      const Kept part(forest_, preimage(targets.at(to), below, source));
      sum.set(sets_.unite(sum.id(), part.id()));
    });
    builder.add(from, sum.id());
  }
  result[0] = builder.make(here);
  constrained_cache_.insert(key, result);
  return result[0];
}

/// Events are looked at in nodes of their top level. It stops when the whole of `within` is found.
NodeId Relations::predecessors(NodeId set, NodeId within) {
  if (set <= unit || within == empty) return empty;
  const std::array<std::uint32_t, 4> key{op_predecessors, set, done, within};
  std::array<NodeId, 1> result;
  if (constrained_cache_.find(key, result)) return result[0];
  const Forest::View targets = forest_.view(set), sources = forest_.view(within);
  const Level here = forest_.level(set);
  Builder builder(forest_, sources.size);
  for (std::uint32_t e = 0; e < sources.size; ++e) {
    const Index from = sources.index(e);
    const NodeId source = sources.child(e);
    if (source == empty) continue;
    Kept sum(forest_, predecessors(targets.at(from), source));
    for (const EventId event : events_at(here, from)) {
      if (sum.id() == source) break;
      for_each_arc<Direction::forward>(events_[event].root, from, [&](Index to, RelationId below) {
        const Kept part(forest_, preimage(targets.at(to), below, source));
        sum.set(sets_.unite(sum.id(), part.id()));
      });
    }
    builder.add(from, sum.id());
  }
  result[0] = builder.make(here);
  constrained_cache_.insert(key, result);
  return result[0];
}

NodeId Relations::unchanged(NodeId set) {
  if (set <= unit) return empty;
  const std::array<std::uint32_t, 3> key{op_unchanged, set, done};
  std::array<NodeId, 1> result;
  if (cache_.find(key, result)) return result[0];
  const Forest::View view = forest_.view(set);
  const Level here = forest_.level(set);
  Builder builder(forest_, view.size);
  for (std::uint32_t e = 0; e < view.size; ++e) {
    if (view.child(e) == empty) continue;
    Kept sum(forest_, unchanged(view.child(e)));
    for (const EventId event : events_at(here, view.index(e))) {
      const Kept part(forest_, unchanged_by(view.child(e), view.index(e), events_[event].root));
      sum.set(sets_.unite(sum.id(), part.id()));
    }
    builder.add(view.index(e), sum.id());
  }
  result[0] = builder.make(here);
  cache_.insert(key, result);
  return result[0];
}

/// The part of what lies below local state i that the relation does not change.
NodeId Relations::unchanged_by(NodeId below, Index i, RelationId r) {
  Kept sum(forest_, empty);
  for_each_arc<Direction::forward>(r, i, [&](Index to, RelationId rest) {
    if (to != i) return;
    const Kept part(forest_, unchanged(below, rest));
    sum.set(sets_.unite(sum.id(), part.id()));
  });
  return sum.id();
}

NodeId Relations::unchanged(NodeId set, RelationId r) {
  if (set == empty || r == nothing) return empty;
  if (r == done) return set;
  const std::array<std::uint32_t, 3> key{op_unchanged, set, r};
  std::array<NodeId, 1> result;
  if (cache_.find(key, result)) return result[0];
  const Forest::View view = forest_.view(set);
  const Level here = forest_.level(set);
  Builder builder(forest_, view.size);
  for (std::uint32_t e = 0; e < view.size; ++e) {
    if (view.child(e) == empty) continue;
    builder.add(view.index(e), here > level(r) ? unchanged(view.child(e), r)
                                               : unchanged_by(view.child(e), view.index(e), r));
  }
  result[0] = builder.make(here);
  cache_.insert(key, result);
  return result[0];
}

}  // namespace tideline::symbolic
