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

std::vector<Expr> expressions(const Watches& watches) {
  std::vector<Expr> all;
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

ModelCode::ModelCode(const System& system, ErrorSemantics errors, Watches watches)
    : system_(system),
      errors_(errors),
      watches_(std::move(watches)),
      layout_(system),
      dense_(system, layout_, expressions(watches_)),
      steps_(*native::lower_steps(system, layout_, Filing(system, layout_), {}, native::Scan::one_by_one)) {}

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
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find("@@");
    if (mark == std::string::npos) {
      const bool declares =
          line.find(".reg .pred") != std::string::npos && body.find("%s<") == std::string::npos;
      body += line + '\n';
      // Where the kernel's registers are declared, those of the state are, too.
      if (declares) body += fmt::format(".reg .b32 %s<{}>;\n", 2 * words);
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
      body += fmt::format("{{\n.reg .b32 %u<{}>;\n", 2 * words);
      if (!watches_.states.empty())
        for (unsigned w = 0; w < words; ++w)
          body += fmt::format("ld.shared.v2.b32 {{%u{}, %u{}}}, [{}+{}];\n", 2 * w, 2 * w + 1, names[2],
                              8 * w * queue.capacity);
      body += writer.facts(lowered(watches_.states), "%u", names[0], names[1]) + "}\n";
    } else {
      body += writer.facts(lowered(watches_.deadlocks), "%s", names[0], names[1]);
    }
  }
  return head + ".extern .shared .align 16 .b8 tideline_shared[];\n" + writer.tables() + body;
}

}  // namespace tideline::gpu
