#include "report/page_runs.hpp"

namespace tideline {

namespace {

/// Slots that differ and their new values.
void write_changes(JsonText& json, const Values& from, const Values& to) {
  json.key("c");
  json.open('[');
  for (std::size_t slot = 0; slot < from.size(); ++slot) {
    if (from[slot] == to[slot]) continue;
    json.value(slot);
    json.value(to[slot]);
  }
  json.close(']');
}

void write_step(JsonText& json, const System& system, const Reference& reference, ActionId action,
                const Values& from, const Values& to) {
  json.open('{');
  json.add("a", action == no_action ? std::int64_t{-1} : std::int64_t{action});
  write_changes(json, from, to);
  if (action != no_action)
    if (const std::string message = message_text(system, reference, action, from); !message.empty())
      json.add("m", message);
  json.close('}');
}

void write_failure(JsonText& json, const Trace& run) {
  json.key("failure");
  json.open('{');
  json.add("action", run.failing_action);
  json.add("message", run.error.message);
  json.add("line", run.error.where.line);
  json.add("column", run.error.where.column);
  json.close('}');
}

}  // namespace

std::string_view to_string(PageRunKind kind) {
  switch (kind) {
    case PageRunKind::counterexample:
      return "counterexample";
    case PageRunKind::lasso:
      return "lasso";
    case PageRunKind::witness:
      return "witness";
    case PageRunKind::simulation:
      return "simulation";
  }
  return {};
}

PageRunKind page_run_kind(Verdict verdict, const Trace& run) {
  if (verdict == Verdict::holds) return PageRunKind::witness;
  return run.loop ? PageRunKind::lasso : PageRunKind::counterexample;
}

std::string message_text(const System& system, const Reference& reference, ActionId action,
                         const Values& state) {
  std::string text;
  const auto& message = system.actions[action].message;
  if (!message) return text;
  for (const Expr& value : message->values) {
    const Reference::Evaluation evaluation = reference.evaluate(value, state);
    if (!text.empty()) text += ", ";
    text += evaluation.error.kind == ModelErrorKind::none ? std::to_string(evaluation.value) : "?";
  }
  return text;
}

void write_run(JsonText& json, const System& system, const PageRun& page_run, Budget* budget) {
  const Trace& run = page_run.run;
  const Reference reference(system);
  LimitCheck check_limits(budget);
  json.open('{');
  json.add("title", page_run.title);
  if (page_run.property) json.add("property", *page_run.property);
  json.add("kind", to_string(page_run.kind));
  json.list("initial", run.states.front());
  json.key("steps");
  json.open('[');
  for (std::size_t i = 0; i < run.actions.size(); ++i) {
    check_limits();
    const bool closes_loop = i + 1 == run.states.size();
    write_step(json, system, reference, run.actions[i], run.states[i],
               closes_loop ? run.states[*run.loop] : run.states[i + 1]);
  }
  json.close(']');
  if (run.loop) json.add("loop", *run.loop);
  if (run.fails()) write_failure(json, run);
  json.close('}');
}

}  // namespace tideline
