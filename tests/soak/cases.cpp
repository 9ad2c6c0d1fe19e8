#include "cases.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <sstream>

#include "lang/pnml/pnml.hpp"
#include "logic/ltl.hpp"
#include "testing/ctl.hpp"
#include "testing/ltl.hpp"
#include "testing/nets.hpp"
#include "testing/random_dve.hpp"

namespace tideline::soak {

namespace {

using Words = std::vector<std::string>;

constexpr unsigned most_threads = 8, most_ranks = 4;

/// Calls a generator that uses RapidCheck.
template <class Make>
std::string generated(Chance& chance, const Make& make) {
  return rc::gen::exec(make)(rc::Random(chance.number()), 100).value();
}

/// Processes that share variables and channels.
RandomModel communicating(Chance& chance, bool loose) {
  using Kind = testing::RandomDve::Kind;
  testing::RandomDve random(chance.number(), loose ? Kind::loose : Kind::busy);
  RandomModel model{.kind = loose ? "loose processes" : "busy processes", .file = "model.dve"};
  for (int i = 0; i < 4; ++i) model.atoms.push_back(random.formula());
  model.text = random.take();
  if (chance.one_in(6)) model.atoms.push_back("arr[P0->x] == 1");  // which may have no value
  if (chance.one_in(4)) model.errors = ErrorSemantics::error_state;
  model.terms = {"a", "b", "n", "P0", "P1", "P0.x", "arr[0]", "a + b", "-n", "sccs(P0)", "tree(P1)"};
  return model;
}

/// One or two processes that go round in graphs of their own, and never meet.
RandomModel graphs(Chance& chance) {
  RandomModel model{.kind = "graphs", .file = "model.dve"};
  const unsigned count = chance.between(1, 2);
  for (unsigned p = 0; p < count; ++p) {
    const unsigned nodes = chance.between(1, count == 1 ? 40 : 8);
    const unsigned edges = chance.between(1, 2 * nodes);
    Words states, transitions;
    for (unsigned n = 0; n < nodes; ++n) states.push_back(fmt::format("s{}", n));
    for (unsigned e = 0; e < edges; ++e)
      transitions.push_back(fmt::format("  s{} -> s{} {{ }}", chance.below(nodes), chance.below(nodes)));
    model.text += fmt::format("process P{} {{\n  state {};\n  init s0;\n  trans\n{};\n}}\n", p,
                              fmt::join(states, ", "), fmt::join(transitions, ",\n"));
    for (int i = 0; i < 2; ++i) {
      Words places;
      for (const std::string& state : states)
        if (chance.one_in(3)) places.push_back(fmt::format("P{}.{}", p, state));
      if (!places.empty()) model.atoms.push_back(fmt::format("{}", fmt::join(places, " || ")));
    }
    model.atoms.push_back(fmt::format("P{}.s{}", p, chance.below(nodes)));
    model.terms.push_back(fmt::format("P{}", p));
    model.terms.push_back(fmt::format("-P{}", p));
    model.terms.push_back(fmt::format("sccs(P{})", p));
  }
  model.text += "system async;\n";
  return model;
}

/// Processes that take actions of one name together.
RandomModel network(Chance& chance) {
  RandomModel model{.kind = "process networks", .file = "model.psl"};
  const unsigned count = chance.between(2, 4);
  Words parts;
  for (unsigned p = 0; p < count; ++p) {
    const unsigned states = chance.between(2, 4);
    model.text += fmt::format("process P{} {{\n", p);
    for (unsigned s = 0; s < states; ++s) {
      Words choices;
      if (s + 1 < states)  // so that all are reached
        choices.push_back(fmt::format("{} -> S{}", chance.word({"a", "b", "c", "d", "tau"}), s + 1));
      for (unsigned more = chance.below(3); more > 0; --more)
        choices.push_back(
            fmt::format("{} -> S{}", chance.word({"a", "b", "c", "d", "tau"}), chance.below(states)));
      model.text += fmt::format("  S{} = {};\n", s,
                                choices.empty() ? "stop" : fmt::format("{}", fmt::join(choices, " | ")));
    }
    model.text += "}\n";
    parts.push_back(fmt::format("P{}", p));
    model.atoms.push_back(fmt::format("P{}.S{}", p, chance.below(states)));
    model.atoms.push_back(fmt::format("P{}.S{} || P0.S1", p, chance.below(states)));
    model.terms.push_back(parts.back());
    model.terms.push_back("sccs(" + parts.back() + ")");
  }
  model.text +=
      fmt::format("system = ({}){};\n", fmt::join(parts, " || "), chance.one_in(3) ? " hide {a}" : "");
  return model;
}

RandomModel net(Chance& chance) {
  pnml::Net random = pnml::random_net(chance.number());
  RandomModel model{.kind = "nets", .file = "model.pnml"};
  for (std::size_t p = 0; p < random.places.size(); ++p) {
    random.places[p].id = fmt::format("p{}", p);  // as expressions spell it
    model.terms.push_back(random.places[p].id);
    model.terms.push_back("-" + random.places[p].id);
  }
  model.text = pnml::to_pnml(random);
  for (int i = 0; i < 4; ++i)
    model.atoms.push_back(fmt::format("p{} {} {}", chance.below(random.places.size()),
                                      chance.word({"==", ">=", "<", "!="}), chance.below(3)));
  return model;
}

template <class Pool, class Formula>
std::string formula_text(Chance& chance, const RandomModel& model, unsigned most_operators,
                         const Formula& random) {
  const Words names{chance.of(model.atoms), chance.of(model.atoms)};
  const int size = static_cast<int>(chance.between(1, most_operators));
  return generated(chance, [=] {
    Pool pool;
    return to_string(pool, random(pool, size, names));
  });
}

/// An option of the command line that only some engines use, and a value for it.
struct EngineOption {
  const char* name;
  std::string (*value)(Chance&);  ///< nothing: it has none
  bool always = false;            ///< it would take long without
};

constexpr EngineOption engine_options[] = {
    {"--cache", [](Chance& c) { return std::to_string(c.between(2, 200)); }},
    {"--replace",
     [](Chance& c) {
       return c.word({"random", "oldest", "unmet", "rare"});
     }},
    {"--bits", [](Chance& c) { return std::to_string(c.between(10, 20)); }},
    {"--walks", [](Chance& c) { return std::to_string(c.between(1, 20)); }, true},
    {"--seed", [](Chance& c) { return std::to_string(c.below(1000)); }},
    {"--ndfs",
     [](Chance& c) {
       return c.word({"improved", "classic"});
     }},
    {"--regions",
     [](Chance& c) {
       return c.word({"on", "off"});
     }},
    {"--worker-order",
     [](Chance& c) {
       return c.word({"bfs", "dfs"});
     }},
    {"--map-values", [](Chance& c) { return std::to_string(c.below(4)); }},
    {"--map-choice",
     [](Chance& c) {
       return c.word({"mixed", "largest", "masks", "paper"});
     }},
    {"--no-columns", nullptr},
    {"--sweep-from",
     [](Chance& c) {
       return c.word({"0", "1", "500", "2K", "10K"});
     }},
    {"--sweep",
     [](Chance& c) {
       return c.word({"nested",
                      "paper",
                      "online",
                      "offline",
                      "levels",
                      "trimming",
                      "mpp",
                      "line-back",
                      "order-progress",
                      "order-found",
                      "order-bits",
                      "all-candidates",
                      "no-owners",
                      "prune",
                      "no-prune",
                      "no-regions",
                      "every-scc",
                      "automaton-none",
                      "automaton-first",
                      "automaton-middle",
                      "automaton-last"});
     }},
    {"--order",
     [](Chance& c) {
       return c.word({"best", "declared", "force", "sloan"});
     }},
    {"--hybrid",
     [](Chance& c) {
       return c.word({"no-recurring", "no-abstraction", "no-increments", "exact"});
     }},
    {"--por",
     [](Chance& c) {
       return c.word({"stubborn", "ample", "auto", "off"});
     }},
    {"--store",
     [](Chance& c) {
       return c.word({"plain", "tree", "tree", "disk", "hash"});
     }},
    {"--cards",
     [](Chance& c) {
       return c.word({"1", "2", "3"});
     }},
    {"--gpu-memory",
     [](Chance& c) {
       return c.word({"100K", "300K", "1M", "4M", "16M"});
     }},
};

void add(Words& words, const std::string& name, const std::string& value) {
  words.push_back(name + "=" + value);
}

std::string random_measure(const RandomModel& model, Chance& chance) {
  std::string text = chance.of(model.terms);
  for (unsigned more = chance.below(3); more > 0; --more) text += ", " + chance.of(model.terms);
  return text;
}

void add_engine_options(const Engine& engine, PropertyKind kind, const RandomModel& model, Chance& chance,
                        Words& words) {
  const auto has = [&](const char* name) {
    return engine.is_race ? std::string_view(name) == "--por" : uses_option(engine, name, kind, true);
  };
  for (const EngineOption& option : engine_options) {
    if (!has(option.name) || !(chance.one_in(3) || option.always)) continue;
    if (option.value)
      add(words, option.name, option.value(chance));
    else
      words.emplace_back(option.name);
  }
  if (has("--device")) add(words, "--device", "cpu");
  if (engine.steps && chance.one_in(6)) add(words, "--exec", chance.word({"native", "interpreter"}));
  if (has("--progress") && !chance.one_in(3)) add(words, "--progress", random_measure(model, chance));
  if (has("--depth") && (has("--walks") || chance.one_in(12)))
    add(words, "--depth", std::to_string(chance.between(1, 40)));
}

Event random_event(const Engine& engine, const Trial& trial, Chance& chance) {
  if (engine.can_be_saved && trial.ranks == 1 && chance.one_in(10))
    return chance.one_in(3) ? Event::stranger : Event::resume;
  if (!chance.one_in(12)) return Event::none;
  if (trial.ranks > 1)
    return std::vector{Event::interrupt, Event::interrupt, Event::time, Event::memory}[chance.below(4)];
  return std::vector{Event::interrupt, Event::interrupt,  Event::time,
                     Event::memory,    Event::allocation, Event::disk}[chance.below(6)];
}

/// Whether nothing keeps the engine from writing a certificate.
bool may_certify(const Engine& engine, const Question& question, const Trial& trial) {
  if (!engine.conclusive || engine.races_at_once || trial.ranks > 1 || question.fairness != Fairness::none)
    return false;
  return std::ranges::none_of(trial.words, [](const std::string& word) {
    return word.starts_with("--por") || word == "--reduce-net" || word == "--store=hash";
  });
}

}  // namespace

RandomModel random_model(Chance& chance) {
  switch (chance.below(5)) {
    case 0:
      return communicating(chance, false);
    case 1:
      return communicating(chance, true);
    case 2:
      return graphs(chance);
    case 3:
      return network(chance);
    default:
      return net(chance);
  }
}

std::vector<std::string> RandomModel::words() const {
  if (errors == ErrorSemantics::stop) return {};
  return {"--model-errors=divine"};
}

Question random_question(PropertyKind kind, const RandomModel& model, Chance& chance) {
  Question question{.kind = kind};
  if (has_expression(kind)) {
    question.formula = chance.of(model.atoms);
    if (kind == PropertyKind::invariant && !chance.one_in(3))
      question.formula = "not (" + question.formula + ")";
    if (!model.file.ends_with(".dve") && question.formula.starts_with("not "))
      question.formula.replace(0, 3, "!");
  } else if (kind == PropertyKind::ltl) {
    question.formula =
        formula_text<LtlPool>(chance, model, 5, [](LtlPool& pool, int size, const Words& names) {
          return testing::random_formula(pool, size, names);
        });
    if (chance.one_in(4)) question.fairness = chance.one_in(2) ? Fairness::weak : Fairness::strong;
  } else if (kind == PropertyKind::ctl) {
    question.formula = formula_text<CtlPool>(
        chance, model, 6,
        [](CtlPool& pool, int size, const Words& names) { return testing::random_ctl(pool, size, names); });
    if (chance.one_in(3)) question.paths = DeadlockPaths::maximal;
  }
  return question;
}

std::vector<std::string> words_of(const Question& question) {
  Words words;
  const std::string option = "--" + std::string(tideline::to_string(question.kind));
  if (question.kind == PropertyKind::deadlock)
    words.push_back(option);
  else
    add(words, option, question.formula);
  if (question.fairness != Fairness::none)
    add(words, "--fair", std::string(tideline::to_string(question.fairness)));
  if (question.paths == DeadlockPaths::maximal) words.emplace_back("--deadlock-paths=maximal");
  return words;
}

std::string_view to_string(Event event) {
  constexpr std::string_view names[] = {"none",         "interrupt",          "time limit",
                                        "memory limit", "failing allocation", "failing disk",
                                        "resumed",      "checkpoint changed"};
  return names[static_cast<int>(event)];
}

std::string Trial::text() const {
  std::string text = fmt::format("engine {}", engine->name);
  for (const std::string& word : words)
    if (!word.starts_with("--engine=")) text += " " + word;
  if (ranks > 1) text += fmt::format(", {} ranks", ranks);
  if (certified) text += ", certified";
  if (event != Event::none) text += fmt::format(", {}", to_string(event));
  if (at != 0) text += fmt::format(" {}", at);
  return text;
}

Trial random_trial(const Engine& engine, const Question& question, const RandomModel& model, Chance& chance) {
  Trial trial{.engine = &engine, .seed = chance.number()};
  add(trial.words, "--engine", std::string(engine.name));
  add_engine_options(engine, question.kind, model, chance, trial.words);
  const bool lassos = is_liveness(question.kind);
  if ((engine.threads || engine.is_race) && question.fairness == Fairness::none && chance.one_in(3))
    add(trial.words, "--threads", std::to_string(chance.between(2, most_threads)));
  if ((lassos ? engine.lasso_ranks : is_of_states(question.kind) && engine.state_ranks) && chance.one_in(3))
    trial.ranks = chance.between(2, most_ranks);
  else if (lassos && engine.shortest && question.fairness != Fairness::strong && chance.one_in(6))
    trial.words.emplace_back("--shortest");
  if (is_of_states(question.kind) && engine.several_runs && chance.one_in(6))
    add(trial.words, "--runs", std::to_string(chance.between(2, 5)));
  if (model.file.ends_with(".pnml") && chance.one_in(4)) trial.words.emplace_back("--reduce-net");
  if (chance.one_in(12)) trial.words.emplace_back("--no-trace");
  trial.event = random_event(engine, trial, chance);
  trial.certified = trial.event == Event::none && may_certify(engine, question, trial) && chance.one_in(3);
  return trial;
}

Trial random_count(const Engine& engine, const RandomModel& model, Chance& chance) {
  Trial trial{.engine = &engine, .seed = chance.number()};
  add(trial.words, "--engine", std::string(engine.name));
  if (engine.threads && chance.one_in(3))
    add(trial.words, "--threads", std::to_string(chance.between(2, most_threads)));
  if (engine.takes_measure && !chance.one_in(3))
    add(trial.words, "--progress", random_measure(model, chance));
  if (uses_option(engine, "--device", PropertyKind::deadlock, false)) add(trial.words, "--device", "cpu");
  if (engine.state_ranks && chance.one_in(3)) trial.ranks = chance.between(2, most_ranks);
  return trial;
}

std::string without_transition(const std::string& text, std::size_t which) {
  std::istringstream lines(text);
  Words kept;
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_transition = line.find(" -> ") != std::string::npos;
    if (is_transition && which-- == 0)
      found = true;
    else
      kept.push_back(line);
  }
  if (!found) return {};
  std::string shorter;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::string& line = kept[i];
    const bool last = i + 1 == kept.size() || kept[i + 1].starts_with("}");
    if (line.find(" -> ") != std::string::npos) line.back() = last ? ';' : ',';
    if (!(last && line == "  trans")) shorter += line + "\n";
  }
  return shorter;
}

}  // namespace tideline::soak
