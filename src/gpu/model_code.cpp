#include "gpu/model_code.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <utility>

#include "exec/filing.hpp"
#include "exec/native/lowering.hpp"
#include "model/error.hpp"

namespace tideline::gpu {

namespace {

/// Of a table for a measure; the text of the code has them all.
constexpr std::size_t most_ranks = 1 << 16;

std::vector<Expr> expressions(const Watches& watches, const std::optional<Measure>& measure) {
  std::vector<Expr> all;
  if (measure)
    for (const MeasurePart& part : measure->parts())
      if (part.expr) all.push_back(*part.expr);
  for (const auto* list : {&watches.states, &watches.deadlocks})
    for (const Watch& watch : *list) all.push_back(watch.expr);
  return all;
}

/// "@@step %r1, %r2;": the names after the first word.
std::vector<std::string> operands(std::string_view line) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : line.substr(line.find(' '))) {
    if (c == ' ' || c == ',' || c == ';') {
      if (!name.empty()) names.push_back(std::exchange(name, {}));
    } else {
      name += c;
    }
  }
  return names;
}

}  // namespace

ModelCode::ModelCode(const System& system, ErrorSemantics errors, Watches watches,
                     std::optional<Measure> measure)
    : system_(system),
      errors_(errors),
      watches_(std::move(watches)),
      measure_(std::move(measure)),
      layout_(system),
      dense_(system, layout_, expressions(watches_, measure_)),
      steps_(*native::lower_steps(system, layout_, Filing(system, layout_), {}, native::Scan::one_by_one)) {
  if (measure_) lower_measure();
}

void ModelCode::lower_measure() {
  for (const MeasurePart& part : measure_->parts()) {
    RankCode& code = ranks_.emplace_back();
    code.shift = part.shift;
    code.weight = part.weight;
    code.ranks = part.ranks;
    code.other = part.other;
    code.negated = part.negated;
    code.low = part.low;
    code.high = part.high;
    for (const GroupRanks::Digit& digit : part.digits)
      code.digits.push_back({dense_.slot_at(digit.field), digit.low, digit.count});
    if (part.digits.empty())
      code.value = native::lower_value(system_, layout_,
                                       part.expr ? *part.expr : Expr::load(dense_.slot_at(part.field)));
    else if (part.ranks.empty() || part.ranks.size() > most_ranks)
      throw Error(
          ErrorKind::usage,
          fmt::format("a device has no room for the order of {} and its like in the measure {}: its values "
                      "lie too far apart; --device cannot be used with it",
                      system_.slots[code.digits.front().slot].name, measure_->text()));
  }
}

std::vector<Fact> ModelCode::lowered(const std::vector<Watch>& watches) const {
  std::vector<Fact> facts;
  for (const Watch& watch : watches)
    facts.push_back({native::lower_value(system_, layout_, watch.expr), watch.if_true, watch.if_false});
  return facts;
}

std::string ModelCode::ptx(const std::string& kernel, const std::vector<CodePart>& parts,
                           const PtxWriter::Queue& queue) const {
  PtxWriter writer(system_, dense_);
  const unsigned words = dense_.words();
  std::string body;
  std::istringstream lines(kernel);
  std::string head;
  const auto load_queued = [&](const std::string& at) {
    std::string text;
    for (unsigned w = 0; w < words; ++w)
      text += fmt::format("ld.shared.v2.b32 {{%u{}, %u{}}}, [{}+{}];\n", 2 * w, 2 * w + 1, at,
                          8 * w * queue.capacity);
    return text;
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find("@@");
    if (mark == std::string::npos) {
      const bool declares =
          line.find(".reg .pred") != std::string::npos && body.find("%s<") == std::string::npos;
      body += line + '\n';
      // Where the kernel's registers are declared, those of the state are, too, and of one in the queue.
      if (declares) body += fmt::format(".reg .b32 %s<{0}>;\n.reg .b32 %u<{0}>;\n", 2 * words);
      if (line.find(".address_size") != std::string::npos) head = std::exchange(body, {});
      continue;
    }
    const std::string_view place = std::string_view(line).substr(mark);
    const auto names = operands(place);
    if (place.starts_with("@@load")) {
      for (unsigned w = 0; w < words; ++w)
        body += fmt::format("ld.global.v2.b32 {{%s{}, %s{}}}, [{}+{}];\n", 2 * w, 2 * w + 1, names[0], 8 * w);
    } else if (place.starts_with("@@step")) {
      body += writer.steps(steps_, parts, queue, names[0], names[1], names[2], names[3], names[4]);
    } else if (place.starts_with("@@watch")) {
      if (!watches_.states.empty()) body += load_queued(names[2]);
      body += writer.facts(lowered(watches_.states), "%u", names[0], names[1]);
    } else if (place.starts_with("@@progress")) {
      body += load_queued(names[1]) + writer.progress(ranks_, "%u", names[0]);
    } else {
      body += writer.facts(lowered(watches_.deadlocks), "%s", names[0], names[1]);
    }
  }
  return head + ".extern .shared .align 16 .b8 tideline_shared[];\n" + writer.tables() + body;
}

}  // namespace tideline::gpu
