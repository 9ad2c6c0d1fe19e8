// The table of engines: one row per engine, with everything that other code needs to know about it.
//
// The list on the command line and its help, refusals, notes about options without effect, the choice of
// engine auto, races, the contest and the tables of documents all read it. No other code names an engine.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checking/settings.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "run/property.hpp"

namespace tideline {

/// Which automata an engine for infinite runs takes.
enum class Automata {
  any,           ///< any acceptance, on states or on transitions
  one_set,       ///< one acceptance set, on states
  bad_prefixes,  ///< those of safety properties: what they accept is decided after finitely many steps
};

/// What an engine is chosen for when the user does not choose one.
enum class Purpose {
  none,
  states,           ///< properties of states
  ctl,              ///< CTL formulas
  fair_lassos,      ///< infinite runs that are fair
  bad_prefixes,     ///< infinite runs, of a safety property
  lassos,           ///< infinite runs, by one thread
  weak_lassos,      ///< by several, when the automaton is weak
  parallel_lassos,  ///< by several, when it is not
  ranked_lassos,    ///< by several ranks
  sets,             ///< anything, by working on sets of states: the other one in a race
  little_memory,    ///< anything, when memory has run out
  first_look,       ///< a first, quick search
};

struct Choice {
  Purpose purpose = Purpose::none;
  std::string_view why = {};  ///< for people
};

struct Engine {
  /// Answers the properties, which are all of the kind that the column is for. See search_with().
  using Search = Outcome (*)(const System& system, const std::vector<Property>& properties,
                             const Settings& settings, Budget& budget);

  /// Likewise for several properties, with an outcome for each.
  using Searches = std::vector<Outcome> (*)(const System& system, const std::vector<Property>& properties,
                                            const Settings& settings, Budget& budget);

  std::string_view name;
  std::string_view is;              ///< what it is, in one line
  std::string_view on_device = {};  ///< the engine that does the same with --device; nothing: there is none

  // What it answers; nothing: it cannot.
  Search states = nullptr;
  Search lassos = nullptr;        ///< one property at a time
  Searches all_lassos = nullptr;  ///< several, side by side; nothing: one after the other
  Search ctl = nullptr;

  Automata automata = Automata::one_set;
  bool threads = false;        ///< takes more than one
  bool state_ranks = false;    ///< searches for states on several ranks
  bool lasso_ranks = false;    ///< searches for infinite runs on several ranks
  bool fairness = false;       ///< supports that only fair runs count
  bool shortest = false;       ///< its lassos can be made shortest
  bool several_runs = false;   ///< can find several runs of a property of states
  bool steps = true;           ///< takes single steps of the model, so that --exec matters
  bool inner_states = true;    ///< knows steps that go on by themselves (System::transient)
  bool error_states = true;    ///< can follow model errors to an error state
  bool disk = false;           ///< can keep states on disk
  bool conclusive = true;      ///< after a search to the end, what was not found is nowhere
  bool takes_measure = false;  ///< sweeps by a progress measure
  bool can_be_saved = false;   ///< in a checkpoint
  bool takes_over = false;  ///< can go on with what breadth-first search has found, when there is a measure
  bool one_search = false;  ///< answers properties of states and CTL formulas in one search
  bool needs_all = false;   ///< decides nothing before it has visited everything
  bool counts = false;      ///< `tideline explore` can count with it
  bool counts_products = false;
  bool has_levels = false;     ///< counts the states of each level
  bool is_race = false;        ///< not an engine but several, see races.hpp
  bool races_at_once = false;  ///< several that do not take turns

  // Whether what it proves can be certified (checking/certifying.hpp).
  bool certifies_states = false;
  bool certifies_lassos = false;
  bool certifies_ctl = false;

  std::string_view options = {};        ///< of the command line, which only some engines use
  std::string_view state_options = {};  ///< likewise, where it searches for states
  std::string_view lasso_options = {};  ///< likewise, where it searches for infinite runs
  std::string_view ctl_options = {};    ///< likewise, where it checks CTL formulas
  std::string_view log_options = {};  ///< likewise, where it keeps something on disk: runs, or layers for CTL

  std::array<Choice, 2> chosen = {};  ///< what engine auto takes it for
};

/// All of them, in the order in which they are listed.
std::span<const Engine> engines();

/// Nothing: there is no such engine.
const Engine* find_engine(std::string_view name);

/// The engine for a purpose, and why.
struct ChosenEngine {
  const Engine* engine;
  std::string_view why;
};
ChosenEngine engine_for(Purpose purpose);

/// The engine that does what this one does on a device, or the engine itself.
const Engine& on_device(const Engine& engine);

/// The one that is taken when the user does not choose one.
const Engine& default_engine();

/// The engine of the settings; in a race, the one that begins.
const Engine& first_engine(const Settings& settings);

/// "bfs, dfs and sweep": the names of the engines that `is_meant` accepts. `last` comes before the last one.
std::string engine_names(const std::function<bool(const Engine&)>& is_meant, std::string_view last = "and");

/// The numbers with which the status of a search ends.
RunStatus last_status(const Outcome& outcome);

/// What searches for these properties are called while they run.
Phase phase_for(const std::vector<Property>& properties);

/// Lets the engine search, by one of its columns, and puts its name on the outcome. It is a phase of its own.
Outcome search_with(const Engine& engine, Engine::Search column, const System& system,
                    const std::vector<Property>& properties, const Settings& settings, Budget& budget);

/// What the engine is for, as a reason why it cannot do something else: "looks for states".
std::string_view purpose_of(const Engine& engine);

/// Whether it answers properties of this kind.
bool answers(const Engine& engine, PropertyKind kind);

/// Why the engine that was asked for cannot keep states as the settings say; empty: it can, or does not keep them.
std::string why_store_unfit(const Settings& settings);

/// Why the engine cannot answer the property with these settings; empty: it can. The property is bound as the
/// engine needs it.
std::string why_unfit(const Engine& engine, const Property& property, const Settings& settings);

/// Why the engine cannot be used for the system at all; empty: it can.
std::string why_unfit(const Engine& engine, const System& system);

/// Whether a search for properties of this kind uses an option of the command line.
bool uses_option(const Engine& engine, std::string_view option, PropertyKind kind, bool traces);

/// An engine, and what it searches for.
struct EngineUse {
  const Engine* engine;
  PropertyKind kind;
};

/// Whether the option is one that only some engines use, and none of these does.
bool is_idle(std::string_view option, const std::vector<EngineUse>& uses, bool traces);

}  // namespace tideline
