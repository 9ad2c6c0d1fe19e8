#include "checking/trace_review.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "bind/bind.hpp"
#include "checking/watched_actions.hpp"
#include "report/numbers.hpp"

namespace tideline {

namespace {

/// The formula of the model's own property of that name and kind, if it has one: that in a file may be old.
void take_formula_of_model(const Model& model, Property& property) {
  for (const Property& named : model.properties)
    if (named.name == property.name && named.kind == property.kind) {
      property.formula = named.formula;
      property.pattern = named.pattern;
    }
}

Property bind_assertion(const System& system, Property property) {
  for (const Assertion& assertion : system.assertions)
    if (assertion.name == property.name) {
      property.formula = assertion.text;
      property.expr = assertion.condition;
      return property;
    }
  throw Error(ErrorKind::input, fmt::format("the model has no assertion '{}'", property.name));
}

PropertyKind claimed_kind(const TraceHeader& header) {
  if (const auto kind = property_kind_from(header.kind)) return *kind;
  throw Error(ErrorKind::input,
              fmt::format("the trace is about a property of unknown kind '{}'", header.kind));
}

/// A file that does not say is taken to show what runs of its kind do.
Verdict claimed_verdict(const TraceHeader& header, PropertyKind kind) {
  if (header.verdict.empty()) return kind == PropertyKind::reach ? Verdict::holds : Verdict::violated;
  const auto verdict = verdict_from(header.verdict);
  const bool may_hold = kind == PropertyKind::ctl || kind == PropertyKind::reach;
  if (verdict == Verdict::violated || (verdict == Verdict::holds && may_hold)) return *verdict;
  throw Error(ErrorKind::input,
              fmt::format("no run proves what the trace claims: {} {}", header.kind, header.verdict));
}

Property unbound_claim(const Model& model, const TraceHeader& header, PropertyKind kind) {
  Property property{.name = header.property,
                    .kind = kind,
                    .formula = header.formula,
                    .fairness = header.fairness,
                    .fair_actions = header.fair_actions,
                    .deadlock_paths = header.deadlock_paths,
                    .origin = "formula of the trace"};
  take_formula_of_model(model, property);
  return property;
}

Property claimed_property(const Model& model, const TraceHeader& header, Property property) {
  const PropertyKind kind = property.kind;
  if (kind == PropertyKind::invariant || kind == PropertyKind::reach)
    return bind_expression(model.system, std::move(property));
  if (kind == PropertyKind::assertion) return bind_assertion(model.system, std::move(property));
  if (kind == PropertyKind::automaton && header.formula.empty()) {
    const auto own = own_property(model.system);
    if (!own) throw Error(ErrorKind::input, "the model has no property process");
    property.process = own->process;
  }
  return bind(model.system, property);
}

/// "violates mutex (invariant, ...)"
std::string claim_text(const Property& property, Verdict verdict) {
  std::string text = verdict == Verdict::holds ? "is a witness of" : "violates";
  text += fmt::format(" {} ({}", property.name, to_string(property.kind));
  if (!property.formula.empty()) text += ", " + property.formula;
  if (property.fairness != Fairness::none)
    text += ", " + fairness_text(property.fairness, property.fair_actions);
  return text + ")";
}

}  // namespace

std::optional<std::string> find_model_of(const ItfTrace& trace) {
  namespace fs = std::filesystem;
  if (trace.header.model.empty()) return std::nullopt;
  const fs::path named = trace.header.model;
  const fs::path folder = fs::path(trace.name).parent_path();
  std::error_code ignored;
  for (const fs::path& candidate : {named, folder / named, folder / named.filename()})
    if (fs::exists(candidate, ignored)) return candidate.string();
  return named.string();
}

TraceReview review_trace(const Model& model, const ItfTrace& trace) {
  TraceReview review{.check = check_against(model.system, trace)};
  // The model of a run that does not replay may not even know what its formula names.
  if (review.check.failure) return review;
  const TraceHeader& header = trace.header;
  if (header.kind.empty() || header.kind == "simulation") return review;
  const PropertyKind kind = claimed_kind(header);
  review.verdict = claimed_verdict(header, kind);
  std::vector<Property> claimed{unbound_claim(model, header, kind)};
  const std::optional<Model> watched = watch_actions(model, header.errors, claimed);
  const Model& judged = watched ? *watched : model;
  review.property = claimed_property(judged, header, std::move(claimed.front()));
  Trace run = watched ? with_monitors(judged.system, review.check.run) : review.check.run;
  if (review.verdict == Verdict::violated && !run.loop)
    run.no_value = missing_value(judged.system, *review.property, run);
  review.check.run.no_value = run.no_value;
  review.missing = missing_proof(judged.system, header.errors, *review.property, run, review.verdict);
  return review;
}

std::string review_text(const TraceReview& review) {
  const ItfCheck& check = review.check;
  if (check.failure) return fmt::format("does not replay: step {}: {}", check.failed_step, *check.failure);
  const std::string replays = "replays: " + show_plural(check.run.length(), "step");
  if (!review.property) return replays;
  const std::string claim = claim_text(*review.property, review.verdict);
  return review.missing ? fmt::format("{}, but not a run that {}: {}", replays, claim, *review.missing)
                        : fmt::format("{}, a run that {}", replays, claim);
}

}  // namespace tideline
