#include "lang/pnml/net.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tideline::pnml {

namespace {

/// Sorts, and lets join(kept, other) put arcs to the same place together.
template <class Join>
void merge(std::vector<Arc>& arcs, const Join& join) {
  std::ranges::stable_sort(arcs, {}, &Arc::place);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (kept > 0 && arcs[kept - 1].place == arcs[i].place)
      join(arcs[kept - 1], arcs[i]);
    else
      arcs[kept++] = arcs[i];
  }
  arcs.resize(kept);
}

}  // namespace

bool normalise(Transition& t) {
  bool fits = true;
  const auto add = [&](Arc& kept, const Arc& other) {
    const std::int64_t sum = std::int64_t{kept.weight} + other.weight;
    fits &= sum <= most_tokens;
    kept.weight = static_cast<std::uint32_t>(std::min(sum, most_tokens));
  };
  merge(t.consumes, add);
  merge(t.produces, add);
  merge(t.tests, [](Arc& kept, const Arc& other) { kept.weight = std::max(kept.weight, other.weight); });
  merge(t.inhibitors, [](Arc& kept, const Arc& other) { kept.weight = std::min(kept.weight, other.weight); });
  std::ranges::sort(t.resets);
  t.resets.erase(std::unique(t.resets.begin(), t.resets.end()), t.resets.end());
  return fits;
}

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\n' || c == '\t' || c == '\r')
      fmt::format_to(std::back_inserter(result), "&#{};", static_cast<int>(c));
    else
      result += c;
  }
  return result;
}

class Printer {
 public:
  explicit Printer(const Net& net) : net_(net) {}

  std::string print() {
    write(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
        "  <net id=\"{}\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
        "    <page id=\"{}\">\n",
        escaped(net_.id), unused_id("page"));
    for (const Place& p : net_.places) {
      write("      <place id=\"{}\">{}", escaped(p.id), name(p.name));
      if (p.initial != 0) write("<initialMarking><text>{}</text></initialMarking>", p.initial);
      write("</place>\n");
    }
    for (const Transition& t : net_.transitions)
      write("      <transition id=\"{}\">{}</transition>\n", escaped(t.id), name(t.name));
    for (const Transition& t : net_.transitions) arcs(t);
    write("    </page>\n");
    if (net_.safe || !net_.units.empty()) units();
    write("  </net>\n</pnml>\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  static std::string name(const std::string& text) {
    return text.empty() ? std::string() : fmt::format("<name><text>{}</text></name>", escaped(text));
  }

  /// An id that no node of the net has.
  std::string unused_id(std::string id) const {
    const auto taken = [&](const auto& node) { return node.id == id; };
    while (std::ranges::any_of(net_.places, taken) || std::ranges::any_of(net_.transitions, taken)) id += '_';
    return id;
  }

  void arcs(const Transition& t) {
    for (const Arc& a : t.consumes) arc(net_.places[a.place].id, t.id, a.weight, "");
    for (const Arc& a : t.tests) arc(net_.places[a.place].id, t.id, a.weight, "test");
    for (const Arc& a : t.inhibitors) arc(net_.places[a.place].id, t.id, a.weight, "inhibitor");
    for (const PlaceId p : t.resets) arc(net_.places[p].id, t.id, 1, "reset");
    for (const Arc& a : t.produces) arc(t.id, net_.places[a.place].id, a.weight, "");
  }

  void arc(const std::string& source, const std::string& target, std::uint32_t weight,
           std::string_view type) {
    write("      <arc id=\"arc{}\" source=\"{}\" target=\"{}\">", arcs_++, escaped(source), escaped(target));
    if (weight != 1) write("<inscription><text>{}</text></inscription>", weight);
    if (!type.empty()) write("<arctype><text>{}</text></arctype>", type);
    write("</arc>\n");
  }

  void units() {
    write("    <toolspecific tool=\"nupn\" version=\"1.1\">\n      <structure units=\"{}\" safe=\"{}\">\n",
          net_.units.size(), net_.safe);
    for (const Unit& unit : net_.units) {
      write("        <unit id=\"{}\"><places>", escaped(unit.id));
      for (const PlaceId p : unit.places) write("{} ", escaped(net_.places[p].id));
      write("</places><subunits/></unit>\n");
    }
    write("      </structure>\n    </toolspecific>\n");
  }

  const Net& net_;
  std::string text_;
  std::size_t arcs_ = 0;
};

}  // namespace

std::string to_pnml(const Net& net) {
  return Printer(net).print();
}

}  // namespace tideline::pnml
