#include "checking/engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "certificate/writer/certificate.hpp"
#include "checking/store_choice.hpp"
#include "cluster/lassos/engines.hpp"
#include "cluster/states/engines.hpp"
#include "cluster/sweep/engine.hpp"
#include "gpu/engine.hpp"
#include "graph/regions.hpp"
#include "model/ctl_claims.hpp"
#include "model/error.hpp"
#include "model/layout.hpp"
#include "report/numbers.hpp"
#include "search/ctl/labelling.hpp"
#include "search/ctl/sweep_check.hpp"
#include "store/bit_table.hpp"

namespace tideline {

namespace {

// --- How the searches of a family are called.

/// Engines on several ranks.
using RankedStateEngine = void (*)(StateSearch&, cluster::Ranks&);
using RankedLassoEngine = LassoFound (*)(const LassoTask&, cluster::Ranks&, Budget&);

template <StateEngine engine, RankedStateEngine on_ranks = nullptr>
Outcome states_by(const System& system, const std::vector<Property>& properties, const Settings& settings,
                  Budget& budget) {
  SafetyOptions options = settings.states;
  options.engine = engine;
  if (settings.ranks) options.engine = [&](StateSearch& search) { on_ranks(search, *settings.ranks); };
  options.errors = settings.errors;
  options.threads = settings.threads;
  options.traces = settings.traces;
  options.sweep = settings.sweep;
  options.reduce = settings.reduction.value_or(por::Method::none);
  if (!settings.certificate) return check_safety(system, properties, options, budget);
  const auto states = settings.certificate->collect(Layout(system).size());
  options.collection = states.get();
  Outcome outcome = check_safety(system, properties, options, budget);
  settings.certificate->add(system, {certificate::states_section, proven_by_states(outcome)}, *states,
                            budget);
  return outcome;
}

template <LassoEngine engine, RankedLassoEngine on_ranks = nullptr>
Outcome lassos_by(const System& system, const std::vector<Property>& properties, const Settings& settings,
                  Budget& budget) {
  LivenessOptions options = settings.lassos;
  options.engine = engine;
  options.device = settings.states.device;
  if (settings.ranks)
    options.engine = [&](const LassoTask& task, Budget& own) { return on_ranks(task, *settings.ranks, own); };
  options.errors = settings.errors;
  options.threads = settings.threads;
  options.traces = settings.traces;
  options.sweep = settings.sweep;
  options.reduce = settings.reduction.value_or(por::Method::none);
  if (!settings.certificate) return check_liveness(system, properties.front(), options, budget);
  const auto states =
      settings.certificate->collect(Layout(system).size() + sizeof(std::uint16_t), sizeof(certificate::Rank));
  options.collection = states.get();
  Outcome outcome = check_liveness(system, properties.front(), options, budget);
  if (outcome.results.front().verdict == Verdict::holds)
    settings.certificate->add(system,
                              {.kind = certificate::runs_section,
                               .properties = {outcome.results.front().property},
                               .buchi = settings.buchi},
                              *states, budget);
  return outcome;
}

Outcome ctl_by_labelling(const System& system, const std::vector<Property>& properties,
                         const Settings& settings, Budget& budget) {
  CtlOptions options{.errors = settings.errors, .traces = settings.traces, .threads = settings.threads};
  if (!settings.certificate) return check_ctl(system, properties, options, budget);
  struct Proven {
    Certificate::Section section;
    std::unique_ptr<StateCollection> states;
  };
  std::vector<Proven> proven;
  options.collect = [&](const Property& property) {
    const std::size_t claims = claimed_nodes(*property.ctl).size();
    proven.push_back(
        {{certificate::ctl_section, {property}},
         settings.certificate->collect(Layout(system).size(), 2 * claims * sizeof(certificate::Rank))});
    return proven.back().states.get();
  };
  Outcome outcome = check_ctl(system, properties, options, budget);
  for (const Proven& each : proven) settings.certificate->add(system, each.section, *each.states, budget);
  return outcome;
}

Outcome ctl_by_sweep(const System& system, const std::vector<Property>& properties, const Settings& settings,
                     Budget& budget) {
  return check_ctl_sweep(system, properties,
                         {.errors = settings.errors,
                          .sweep = settings.sweep,
                          .threads = settings.threads,
                          .traces = settings.traces,
                          .every_scc = settings.every_scc},
                         budget);
}

/// States and CTL alike.
Outcome by_diagrams(const System& system, const std::vector<Property>& properties, const Settings& settings,
                    Budget& budget) {
  symbolic::SymbolicOptions options = settings.diagrams;
  options.traces = settings.traces;
  options.counts = settings.states.exhaustive;
  options.threads = settings.threads;
  return symbolic::check_symbolic(system, properties, options, budget);
}

symbolic::LtlOptions diagram_options(const Settings& settings) {
  symbolic::LtlOptions options = settings.diagrams_lassos;
  options.order = settings.diagrams.order;
  options.traces = settings.traces;
  options.threads = settings.threads;
  return options;
}

Outcome lassos_by_diagrams(const System& system, const std::vector<Property>& properties,
                           const Settings& settings, Budget& budget) {
  return symbolic::check_symbolic_ltl(system, properties.front(), diagram_options(settings), budget);
}

std::vector<Outcome> all_lassos_by_diagrams(const System& system, const std::vector<Property>& properties,
                                            const Settings& settings, Budget& budget) {
  return symbolic::check_symbolic_ltl(system, properties, diagram_options(settings), budget);
}

// --- The table.

constexpr Engine table[] = {
    {
        .name = "auto",
        .is = "chooses, and lets explicit search and decision diagrams take turns",
        .counts = true,
        .is_race = true,
    },
    {
        .name = "portfolio",
        .is = "the same, at once in two threads",
        .counts = true,
        .is_race = true,
        .races_at_once = true,
    },
    {
        .name = "bfs",
        .is = "breadth-first search: complete, and its runs are shortest",
        .states = states_by<search_bfs, cluster::search_bfs>,
        .lassos = lassos_by<search_bad_prefixes>,
        .automata = Automata::bad_prefixes,
        .threads = true,
        .state_ranks = true,
        .shortest = true,
        .several_runs = true,
        .disk = true,
        .counts = true,
        .counts_products = true,
        .has_levels = true,
        .certifies_states = true,
        .options = "--depth",
        .state_options = "--por --store --hash-bits",
        .lasso_options = "--por",
        .chosen = {{{Purpose::states, "complete, and its runs are shortest"},
                    {Purpose::bad_prefixes,
                     "a safety property; its violations are finite runs, and bfs finds a shortest one"}}},
    },
    {
        .name = "gpu",
        .is = "breadth-first search on a graphics card: complete, and its runs are shortest",
        .states = states_by<gpu::search_gpu>,
        .threads = true,
        .inner_states = false,
        .counts = true,
        .has_levels = true,
        .options = "--depth --device --gpu-memory --cards",
    },
    {
        .name = "dfs",
        .is = "depth-first search: complete, deep states first, longer runs",
        .states = states_by<search_dfs>,
        .several_runs = true,
        .counts = true,
        .certifies_states = true,
        .options = "--depth",
        .state_options = "--por --store --hash-bits",
    },
    {
        .name = "cache",
        .is = "depth-first search that keeps a bounded number of states, and visits others again",
        .states = states_by<search_cache>,
        .several_runs = true,
        .counts = true,
        .certifies_states = true,
        .options = "--depth --cache --replace",
        .state_options = "--por",
    },
    {
        .name = "bitstate",
        .is = "depth-first search with a table of bits instead of states: finds, but proves nothing",
        .states = states_by<search_bitstate>,
        .several_runs = true,
        .conclusive = false,
        .options = "--depth --bits",
        .state_options = "--por",
    },
    {
        .name = "walk",
        .is = "random walks: find, but prove nothing",
        .states = states_by<search_walk>,
        .several_runs = true,
        .conclusive = false,
        .options = "--depth --walks --seed",
        .chosen = {{{Purpose::first_look, "random walks find what is easy to meet"}}},
    },
    {
        .name = "scc",
        .is = "SCCs: any acceptance, every state expanded once",
        .lassos = lassos_by<search_scc>,
        .automata = Automata::any,
        .fairness = true,
        .shortest = true,
        .certifies_lassos = true,
        .lasso_options = "--por",
        .chosen = {{{Purpose::fair_lassos, "the one that supports fairness; it uses one thread"},
                    {Purpose::lassos, "every state is expanded once, any acceptance"}}},
    },
    {
        .name = "ndfs",
        .is = "nested depth-first search",
        .lassos = lassos_by<search_ndfs>,
        .shortest = true,
        .lasso_options = "--ndfs --regions --por",
    },
    {
        .name = "cndfs",
        .is = "nested depth-first search by many threads",
        .lassos = lassos_by<search_cndfs>,
        .threads = true,
        .shortest = true,
        .lasso_options = "--regions --por",
        .chosen = {{{Purpose::weak_lassos,
                     "for several threads; the automaton is weak, so no second search is needed"}}},
    },
    {
        .name = "map",
        .is = "maximal accepting predecessors, by many threads",
        .lassos = lassos_by<search_map, cluster::search_map>,
        .threads = true,
        .lasso_ranks = true,
        .shortest = true,
        .options = "--worker-order",
        .lasso_options = "--regions --por",
    },
    {
        .name = "owcty",
        .is = "elimination of what leads nowhere, after the whole product is built",
        .on_device = "gpu-owcty",
        .lassos = lassos_by<search_owcty, cluster::search_owcty>,
        .threads = true,
        .lasso_ranks = true,
        .shortest = true,
        .certifies_lassos = true,
        .options = "--worker-order",
        .lasso_options = "--regions --por",
    },
    {
        .name = "gpu-owcty",
        .is = "the same on a graphics card",
        .lassos = lassos_by<gpu::search_gpu_owcty>,
        .threads = true,
        .inner_states = false,
        .error_states = false,
        .options = "--device --gpu-memory --cards",
    },
    {
        .name = "owcty-map",
        .is = "the same with values passed on while it is built, which finds most violations early",
        .lassos = lassos_by<search_owcty_map, cluster::search_owcty_map>,
        .threads = true,
        .lasso_ranks = true,
        .shortest = true,
        .certifies_lassos = true,
        .options = "--worker-order --map-values --map-choice",
        .lasso_options = "--regions --por",
        .chosen = {{{Purpose::parallel_lassos, "for several threads"},
                    {Purpose::ranked_lassos, "for several ranks"}}},
    },
    {
        .name = "ctl",
        .is = "CTL by labelling the graph in memory",
        .ctl = ctl_by_labelling,
        .threads = true,
        .certifies_ctl = true,
        .chosen = {{{Purpose::ctl, "labelling in memory, any formula"}}},
    },
    {
        .name = "sweep",
        .is = "the sweep-line: forgets the states behind it",
        .on_device = "gpu-sweep",
        .states = states_by<search_sweep, cluster::search_sweep>,
        .lassos = lassos_by<search_swept_lassos>,
        .ctl = ctl_by_sweep,
        .threads = true,
        .state_ranks = true,
        .several_runs = true,
        .takes_measure = true,
        .can_be_saved = true,
        .takes_over = true,
        .counts = true,
        .counts_products = true,
        .certifies_states = true,
        .options = "--progress --progress-file --no-columns",
        .state_options = "--por --sweep-from",
        .lasso_options = "--sweep --por",
        .ctl_options = "--sweep",
        .log_options = "--trace-dir --keep-trace-log",
        .chosen = {{{Purpose::little_memory, "a sweep, which deletes states, goes on"}}},
    },
    {
        .name = "gpu-sweep",
        .is =
            "the sweep-line on a graphics card: states that it has no room for are on the host, and on disk",
        .states = states_by<gpu::search_gpu_sweep>,
        .threads = true,
        .inner_states = false,
        .takes_measure = true,
        .counts = true,
        .options = "--progress --progress-file --no-columns --device --gpu-memory --cards",
        .log_options = "--trace-dir",
    },
    {
        .name = "symbolic",
        .is = "decision diagrams: all states at once as a graph of nodes",
        .states = by_diagrams,
        .lassos = lassos_by_diagrams,
        .all_lassos = all_lassos_by_diagrams,
        .ctl = by_diagrams,
        .threads = true,
        .steps = false,
        .error_states = false,
        .one_search = true,
        .needs_all = true,
        .counts = true,
        .options = "--order",
        .lasso_options = "--hybrid",
        .chosen = {{{Purpose::sets, "works on sets of states"}}},
    },
};

bool is_buchi(const PropertyProcess& process) {
  const auto marked = [](const PropertyProcess::Edge& edge) { return edge.marks != 0; };
  return process.accepting.size() <= 1 && std::ranges::none_of(process.edges, marked);
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

std::string why_lasso_unfit(const Engine& engine, const Property& property, const Settings& settings) {
  const bool fair = property.fairness != Fairness::none;
  if (fair && !engine.fairness)
    return fmt::format("engine {} does not support fairness; {} does", engine.name,
                       engine_names([](const Engine& e) { return e.fairness; }));
  if (property.fairness == Fairness::strong && settings.lassos.shortest)
    return "strongly fair runs cannot be made shortest";
  if (settings.lassos.shortest && !engine.shortest)
    return fmt::format(
        "engine {} does not find shortest runs; {} do", engine.name,
        engine_names([](const Engine& e) { return e.shortest && e.automata != Automata::bad_prefixes; }));
  if (settings.threads > 1 && fair && !engine.threads)
    return fmt::format("fairness needs engine {}, which uses one thread", engine.name);
  if (settings.threads > 1 && !engine.threads)
    return fmt::format("engine {} uses one thread; {} take more", engine.name,
                       engine_names([](const Engine& e) {
                         return e.lassos && e.threads && e.automata != Automata::bad_prefixes;
                       }));
  switch (engine.automata) {
    case Automata::any:
      return {};
    case Automata::one_set:
      return is_buchi(*property.process)
                 ? ""
                 : fmt::format(
                       "engine {} takes automata with one acceptance set on states; use {}", engine.name,
                       engine_names([](const Engine& e) { return e.lassos && e.automata == Automata::any; }));
    case Automata::bad_prefixes:
      return regions_of(*property.process).terminal
                 ? ""
                 : fmt::format(
                       "engine {} decides safety properties; this one needs a search for cycles, such as {}",
                       engine.name, engine_for(Purpose::lassos).engine->name);
  }
  return {};
}

/// From whole states to trees, while the search runs.
void choose_change(const Settings& settings, const Budget& budget, StoreChange& change) {
  if (!change.from_bytes)
    if (const auto memory = memory_at_hand(budget)) change.from_bytes = full_from(*memory);
  change.on_change = [note = settings.notes](std::uint64_t states, std::uint64_t bytes,
                                             std::uint64_t before) {
    if (note)
      note(fmt::format(
          "{} have nearly filled the memory; they go on in trees, as by --store {}: {} instead of {}",
          show_plural(states, "state"), to_string(Store::tree), show_bytes(bytes), show_bytes(before)));
  };
}

/// An engine that has no choice keeps states whole.
Store store_of(const Engine& engine, const System& system, const Settings& settings, const Budget& budget) {
  if (!has_word(engine.state_options, "--store") || settings.ranks) return Store::plain;
  if (settings.states.store != Store::automatic) return settings.states.store;
  const std::size_t bytes = Layout(system).size();
  const Store store = store_for(bytes, memory_at_hand(budget));
  if (store == Store::tree)
    settings.note(
        fmt::format("states of {} bytes would soon fill the memory: --store {}", bytes, to_string(store)));
  return store;
}

/// Of a table for bitstate search: a quarter of the memory, as the stack takes more than a table where states are wide.
std::uint32_t bits_for(const Settings& settings, const Budget& budget) {
  if (settings.bits) return *settings.bits;
  std::uint32_t bits = SafetyOptions{}.bits;
  if (budget.memory_limit())
    if (const auto memory = memory_at_hand(budget))
      while (bits > BitTable::least_bits && (std::uint64_t{1} << bits) / 8 > *memory / 4) --bits;
  return bits;
}

std::string why_not_on_ranks(const Engine& engine, const Property& property, const Settings& settings) {
  if (property.kind == PropertyKind::ctl)
    return "several ranks do not check CTL; leave out mpirun and --ranks";
  const bool lassos = is_liveness(property.kind);
  if (lassos && property.fairness != Fairness::none)
    return "several ranks do not support fairness; leave out mpirun and --ranks";
  if (!(lassos ? engine.lasso_ranks : engine.state_ranks))
    return fmt::format(
        "engine {} runs in one process; on several ranks {} need {}", engine.name,
        lassos ? "infinite runs" : "properties of states",
        engine_names([&](const Engine& e) { return lassos ? e.lasso_ranks : e.state_ranks; }, "or"));
  if (!lassos && (settings.states.store == Store::tree || settings.states.store == Store::hash))
    return "several ranks keep each state whole; leave out --store, or mpirun and --ranks";
  if (lassos && settings.lassos.shortest)
    return "several ranks do not make lassos shortest; leave out --shortest";
  return {};
}

}  // namespace

std::span<const Engine> engines() {
  return table;
}

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Engine::name);
  return found == std::end(table) ? nullptr : found;
}

ChosenEngine engine_for(Purpose purpose) {
  for (const Engine& engine : table)
    for (const Choice& choice : engine.chosen)
      if (choice.purpose == purpose) return {&engine, choice.why};
  throw Error(ErrorKind::internal, "there is no engine for this purpose");
}

const Engine& default_engine() {
  return table[0];
}

const Engine& on_device(const Engine& engine) {
  return engine.on_device.empty() ? engine : *find_engine(engine.on_device);
}

const Engine& first_engine(const Settings& settings) {
  return settings.engine && !settings.engine->is_race ? *settings.engine
                                                      : *engine_for(Purpose::states).engine;
}

std::string engine_names(const std::function<bool(const Engine&)>& is_meant, std::string_view last) {
  std::vector<std::string_view> names;
  for (const Engine& engine : table)
    if (is_meant(engine)) names.push_back(engine.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}",
                        i == 0                 ? ""
                        : i + 1 < names.size() ? ", "
                                               : fmt::format(" {} ", last),
                        names[i]);
  return text;
}

RunStatus last_status(const Outcome& outcome) {
  const auto first_of = [&](std::initializer_list<Stat> stats) {
    for (const Stat stat : stats)
      if (const auto* value = outcome.statistics.find(stat))
        if (const auto* number = std::get_if<std::uint64_t>(value)) return *number;  // others are too large
    return std::uint64_t{0};
  };
  const std::uint64_t sweeps = first_of({"sweeps"});
  return {.states = first_of({"visited", "product_states", "states"}),
          .transitions = first_of({"product_transitions", "transitions"}),
          .depth = first_of({"depth", "layers"}),
          .nodes = first_of({"nodes"}),
          .sweep = sweeps > 1 ? sweeps : 0};
}

Phase phase_for(const std::vector<Property>& properties) {
  const auto all = [&](const auto& is) {
    return !properties.empty() && std::ranges::all_of(properties, is, &Property::kind);
  };
  if (all([](PropertyKind kind) { return is_liveness(kind); })) return Phase::seeking_cycles;
  return all([](PropertyKind kind) { return kind == PropertyKind::ctl; }) ? Phase::labelling
                                                                          : Phase::searching;
}

Outcome search_with(const Engine& engine, Engine::Search column, const System& system,
                    const std::vector<Property>& properties, const Settings& settings, Budget& budget) {
  budget.begin(phase_for(properties), engine.name);
  Settings chosen = settings;
  if (column == engine.states) {
    chosen.states.store = store_of(engine, system, settings, budget);
    choose_change(settings, budget, chosen.states.store_change);
  }
  if (has_word(engine.options, "--bits")) chosen.states.bits = bits_for(settings, budget);
  Outcome outcome = column(system, properties, chosen, budget);
  if (outcome.engine.empty()) outcome.engine = engine.name;  // else another one took over
  budget.end_phase(last_status(outcome));
  return outcome;
}

std::string_view purpose_of(const Engine& engine) {
  return engine.states   ? "looks for states"
         : engine.lassos ? "looks for infinite runs"
                         : "decides CTL formulas";
}

bool answers(const Engine& engine, PropertyKind kind) {
  return (kind == PropertyKind::ctl ? engine.ctl
          : is_liveness(kind)       ? engine.lassos
                                    : engine.states) != nullptr;
}

std::string why_store_unfit(const Settings& settings) {
  if (settings.states.store != Store::hash || !settings.engine || !settings.engine->is_race) return {};
  return fmt::format("--store {} proves nothing, and engine {} looks for a proof; {} use it",
                     to_string(settings.states.store), settings.engine->name,
                     engine_names([](const Engine& e) { return has_word(e.state_options, "--store"); }));
}

std::string why_unfit(const Engine& engine, const System& system) {
  if (system.transient == no_slot || engine.inner_states) return {};
  return fmt::format(
      "engine {} does not know steps that go on by themselves, and this model has atomic sequences; {} do",
      engine.name, engine_names([](const Engine& e) { return e.inner_states && !e.is_race; }));
}

std::string why_unfit(const Engine& engine, const Property& property, const Settings& settings) {
  const PropertyKind kind = property.kind;
  if (!answers(engine, kind)) {
    const auto others = [&](const char* noun) {
      return fmt::format("engine {} {}; {} {}", engine.name, purpose_of(engine), noun,
                         engine_names(
                             [&](const Engine& e) {
                               return answers(e, kind) &&
                                      (!is_liveness(kind) || e.automata != Automata::bad_prefixes);
                             },
                             "or"));
    };
    return others(kind == PropertyKind::ctl ? "CTL needs"
                  : is_liveness(kind)       ? "infinite runs need"
                                            : "properties of states need");
  }
  if (settings.errors == ErrorSemantics::error_state && !engine.error_states)
    return fmt::format("engine {} does not follow model errors to an error state", engine.name);
  if (settings.ranks)
    if (const std::string why = why_not_on_ranks(engine, property, settings); !why.empty()) return why;
  if (settings.states.store == Store::disk && !is_of_states(kind))
    return "with --store disk only properties of states are checked: invariants, reachability, assertions, "
           "deadlocks "
           "and model errors";
  if (settings.states.store == Store::disk && !engine.disk)
    return fmt::format("engine {} does not keep states on disk; {} does", engine.name,
                       engine_names([](const Engine& e) { return e.disk; }));
  if (is_liveness(kind)) return why_lasso_unfit(engine, property, settings);
  if (settings.states.runs > 1 && is_of_states(kind) && !engine.several_runs)
    return fmt::format("engine {} finds one run of a property; {} find several", engine.name,
                       engine_names([](const Engine& e) { return e.several_runs; }));
  if (settings.threads > 1 && !engine.threads)
    return fmt::format(
        "engine {} uses one thread; {} take more", engine.name, engine_names([&](const Engine& e) {
          return e.threads && (kind == PropertyKind::ctl ? e.ctl != nullptr : e.states != nullptr);
        }));
  return {};
}

bool uses_option(const Engine& engine, std::string_view option, PropertyKind kind, bool traces) {
  return has_word(engine.options, option) || (engine.steps && option == "--exec") ||
         (is_of_states(kind) && has_word(engine.state_options, option)) ||
         (is_liveness(kind) && has_word(engine.lasso_options, option)) ||
         (kind == PropertyKind::ctl && has_word(engine.ctl_options, option)) ||
         ((traces || kind == PropertyKind::ctl) && has_word(engine.log_options, option));
}

bool is_idle(std::string_view option, const std::vector<EngineUse>& uses, bool traces) {
  const auto is_of_some = [&](const Engine& e) {
    return uses_option(e, option, PropertyKind::ltl, true) ||
           uses_option(e, option, PropertyKind::deadlock, true);
  };
  return std::ranges::any_of(table, is_of_some) && std::ranges::none_of(uses, [&](const EngineUse& use) {
           return uses_option(*use.engine, option, use.kind, traces);
         });
}

}  // namespace tideline
