#include "lang/lts/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "lang/diagnostics.hpp"
#include "lang/lts/aut.hpp"
#include "lang/lts/bisimulation.hpp"
#include "lang/lts/network.hpp"

namespace tideline::lts {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A valid name made from the name of a file.
std::string component_name(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '_');
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(name.begin(), '_');
  return name;
}

/// What the network calls the labels of an LTS.
std::vector<LabelId> names_of(const Lts& lts, Labels& labels) {
  std::vector<LabelId> names{internal_label};
  for (LabelId l = 1; l < lts.labels.size(); ++l) names.push_back(labels.intern(lts.labels.name(l)));
  return names;
}

class NetReader {
 public:
  NetReader(const SourceText& source, const LoadOptions& options) : source_(source), options_(options) {
    network_.labels = Labels(options.internal_action);
  }

  System read() {
    network_.name = std::filesystem::path(source_.name).stem().string();
    std::string_view rest = source_.text;
    for (line_ = 1; !rest.empty(); ++line_) {
      text_ = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(text_.size() + 1, rest.size()));
      at_ = 0;
      if (!at_end()) line();
    }
    if (network_.components.empty()) fail_whole("the network has no component");
    if (parallel_ != !rules_.empty()) return build();
    if (parallel_) fail_whole("a network has either a 'parallel' line or 'sync' lines");
    fail_whole("nothing says how the components synchronise: write 'parallel' or 'sync' lines");
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string message) const {
    throw Error(ErrorKind::input,
                {error_at(source_, {line_, static_cast<std::uint32_t>(at + 1)}, std::move(message))});
  }
  [[noreturn]] void fail_whole(std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, {}, std::move(message))});
  }

  bool at_end() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') at_ = text_.size();
    return at_ == text_.size();
  }

  std::string word(std::string_view what) {
    if (at_end()) fail(at_, fmt::format("expected {}, found the end of the line", what));
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    if (at_ == begin)
      fail(at_, fmt::format("expected {}, found '{}'", what, abbreviate(text_.substr(at_, 1))));
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted(std::string_view what) {
    if (at_end() || text_[at_] != '"') fail(at_, fmt::format("expected {} in quotes", what));
    const std::size_t begin = at_++;
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result += text_[at_];
    }
    if (at_ == text_.size()) fail(begin, "this quote is not closed");
    ++at_;
    return result;
  }

  void expect(char c) {
    if (at_end() || text_[at_] != c) fail(at_, fmt::format("expected '{}'", c));
    ++at_;
  }

  void line() {
    const std::size_t begin = at_;
    const std::string first = word("'component', 'parallel', 'sync' or 'hide'");
    if (first == "component")
      component();
    else if (first == "parallel")
      parallel_ = true;
    else if (first == "sync")
      vector();
    else if (first == "hide")
      hidden_.push_back(network_.labels.intern(quoted("a label")));
    else
      fail(begin,
           fmt::format("expected 'component', 'parallel', 'sync' or 'hide', found '{}'", abbreviate(first)));
    if (!at_end()) fail(at_, "expected the end of the line");
  }

  void component() {
    NetworkComponent component;
    at_end();
    const std::size_t begin = at_;
    component.name = word("the name of a component");
    component.where = {line_, static_cast<std::uint32_t>(begin + 1)};
    if (find(component.name)) fail(begin, fmt::format("component '{}' is already declared", component.name));
    const std::string file = quoted("the name of an .aut file");
    const auto path = std::filesystem::path(source_.name).parent_path() / file;
    component.lts = read_aut(read_source(path.string()), options_.internal_action);
    for (Transition& t : component.lts.transitions) t.line = 0;  // of another text
    if (!at_end()) {
      const std::size_t at = at_;
      if (word("'minimised'") != "minimised") fail(at, "expected 'minimised' or the end of the line");
      component.lts = minimise(component.lts).lts;
    }
    network_.components.push_back(std::move(component));
  }

  std::optional<ComponentId> find(std::string_view name) const {
    for (ComponentId c = 0; c < network_.components.size(); ++c)
      if (network_.components[c].name == name) return c;
    return std::nullopt;
  }

  void vector() {
    Rule rule{.label = network_.labels.intern(quoted("the label of the common step"))};
    expect('=');
    do {
      if (!rule.takers.empty()) ++at_;
      at_end();
      const std::size_t begin = at_;
      const std::string name = word("the name of a component");
      const auto component = find(name);
      if (!component) {
        Suggestion suggestion(name);
        for (const NetworkComponent& c : network_.components) suggestion.offer(c.name);
        fail(begin, fmt::format("unknown component '{}'{}", abbreviate(name), suggestion.text()));
      }
      for (const Rule::Taker& taker : rule.takers)
        if (taker.component == *component)
          fail(begin, fmt::format("'{}' can take part only once", abbreviate(name)));
      at_end();
      rule.takers.push_back({*component, *component, label_of(*component)});
    } while (!at_end() && text_[at_] == ',');
    rules_.push_back(std::move(rule));
  }

  LabelId label_of(ComponentId component) {
    const std::size_t begin = at_;
    const std::string name = quoted("a label of the component");
    const Labels& labels = network_.components[component].lts.labels;
    Suggestion suggestion(name);
    for (LabelId l = 1; l < labels.size(); ++l) {
      if (labels.name(l) == name) return network_.labels.intern(name);
      suggestion.offer(labels.name(l));
    }
    if (name == labels.name(internal_label)) fail(begin, "the internal action cannot synchronise");
    fail(begin, fmt::format("'{}' has no label '{}'{}", network_.components[component].name, abbreviate(name),
                            suggestion.text()));
  }

  System build() {
    std::vector<Composite> sides;
    for (ComponentId c = 0; c < network_.components.size(); ++c)
      sides.push_back(alone(c, names_of(network_.components[c].lts, network_.labels), {}));
    Parallel whole = parallel_ ? parallel(sides) : synchronised(sides, rules_);
    if (!whole.complete) fail_whole("the components can synchronise in too many ways");
    network_.vectors = hidden(std::move(whole.composite), [&](LabelId label) {
                         return std::find(hidden_.begin(), hidden_.end(), label) != hidden_.end();
                       }).vectors;
    return to_system(network_, "psl", source_);
  }

  const SourceText& source_;
  const LoadOptions& options_;
  Network network_;
  bool parallel_ = false;
  std::vector<Rule> rules_;
  std::vector<LabelId> hidden_;
  std::string_view text_;  ///< of the line being read
  std::uint32_t line_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

System read_aut_model(const SourceText& source, const LoadOptions& options) {
  Network network{.name = component_name(source.name), .labels = Labels(options.internal_action)};
  network.components.push_back({.name = network.name, .lts = read_aut(source, options.internal_action)});
  network.vectors = alone(0, names_of(network.components[0].lts, network.labels), {}).vectors;
  return to_system(network, "psl", source);
}

System read_net_model(const SourceText& source, const LoadOptions& options) {
  return NetReader(source, options).read();
}

}  // namespace tideline::lts
