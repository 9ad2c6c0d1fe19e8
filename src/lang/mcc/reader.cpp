// Reads property files: every <property> becomes a small tree, which is translated at its end and dropped.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lang/mcc/mcc.hpp"
#include "lang/pnml/net.hpp"
#include "lang/pnml/xml.hpp"

namespace tideline::mcc {

namespace {

struct Element {
  std::string tag;
  SourcePoint where = {};
  std::string text = {};  ///< without blanks around it
  std::vector<Element> children = {};
};

/// Functions that walk a formula may recurse this deep.
constexpr std::size_t deepest = 300;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string trimmed(const std::string& text) {
  const auto begin = std::ranges::find_if_not(text, is_blank);
  auto end = text.end();
  while (end != begin && is_blank(end[-1])) --end;
  return {begin, end};
}

bool is_quantifier(const Element& e) {
  return e.tag == "all-paths" || e.tag == "exists-path";
}

/// The letter of a temporal operator; 0 for anything else.
char temporal(const Element& e) {
  constexpr std::pair<std::string_view, char> letters[] = {{"next", 'X'},       {"finally", 'F'},
                                                           {"globally", 'G'},   {"until", 'U'},
                                                           {"weak-until", 'W'}, {"release", 'R'}};
  for (const auto& [tag, letter] : letters)
    if (e.tag == tag) return letter;
  return 0;
}

template <class Predicate>
bool any_element(const Element& e, const Predicate& predicate) {
  return predicate(e) ||
         std::ranges::any_of(e.children, [&](const Element& child) { return any_element(child, predicate); });
}

bool is_state_formula(const Element& e) {
  return !any_element(e, [](const Element& part) { return is_quantifier(part) || temporal(part) != 0; });
}

bool is_ctl(const Element& e, bool quantified = false) {
  if (temporal(e) != 0 && !quantified) return false;
  if (is_quantifier(e) && (e.children.size() != 1 || temporal(e.children[0]) == 0)) return false;
  return std::ranges::all_of(e.children,
                             [&](const Element& child) { return is_ctl(child, is_quantifier(e)); });
}

bool is_ltl(const Element& e) {
  return e.tag == "all-paths" && e.children.size() == 1 && !any_element(e.children[0], is_quantifier);
}

/// Thrown to skip a property after its error was recorded.
struct BadProperty {};

/// Places and transitions by name.
class Names {
 public:
  explicit Names(const System& system) {
    for (SlotId s = 0; s < system.slots.size(); ++s) places_[system.slots[s].name] = {s};
    for (ActionId a = 0; a < system.actions.size(); ++a) transitions_[system.actions[a].label] = {a};
    // Coloured nodes, even those that unfolded to nothing, and second names.
    for (const Alias& alias : system.aliases) {
      if (!alias.slots.empty() || alias.actions.empty()) places_.try_emplace(alias.name, alias.slots);
      if (!alias.actions.empty() || alias.slots.empty()) transitions_.try_emplace(alias.name, alias.actions);
    }
  }

  using Numbers = std::vector<std::uint32_t>;

  /// What an element <place> or <transition> stands for; nullptr: nothing.
  const Numbers* find(const Element& e) const {
    const auto& names = e.tag == "place" ? places_ : transitions_;
    const auto found = names.find(e.text);
    return found == names.end() ? nullptr : &found->second;
  }
  std::string suggestion(const Element& e) const {
    Suggestion suggestion(e.text);
    for (const auto& [name, numbers] : e.tag == "place" ? places_ : transitions_) suggestion.offer(name);
    return suggestion.text();
  }

 private:
  std::unordered_map<std::string, Numbers> places_, transitions_;
};

/// The formula of one property.
class FormulaReader {
 public:
  FormulaReader(const System& system, const Names& names, Diagnostics& diagnostics)
      : system_(system), names_(names), diagnostics_(diagnostics) {}

  void read(const std::string& name, const Element& formula, Logic both, PropertySet& set) {
    const Element& root = only_child(formula);
    if (root.tag == "place-bound") {
      set.bounds.push_back({name, numbers(root, "place")});
      return;
    }
    Property property{.name = name, .kind = PropertyKind::ctl, .formula = ""};
    if (const Element* state = quantified_state(root, "exists-path", "finally")) {
      property.kind = PropertyKind::reach;
      set_expression(property, *state);
    } else if (const Element* everywhere = quantified_state(root, "all-paths", "globally")) {
      property.kind = PropertyKind::invariant;
      set_expression(property, *everywhere);
    } else if (is_ltl(root) && (both == Logic::ltl || !is_ctl(root))) {
      property.kind = PropertyKind::ltl;
      property.formula = text(root.children[0]);
      property.atoms = std::move(atoms_);
    } else if (is_ctl(root)) {
      property.deadlock_paths = DeadlockPaths::maximal;
      property.formula = text(root);
      property.atoms = std::move(atoms_);
    } else {
      fail(root,
           "this formula is neither CTL ('next', 'finally', 'globally' and 'until' directly inside "
           "'all-paths' or "
           "'exists-path') nor LTL ('all-paths' around a formula without quantifiers)");
    }
    set.properties.push_back(std::move(property));
  }

 private:
  [[noreturn]] void fail(const Element& where, std::string message) {
    diagnostics_.error(where.where, std::move(message));
    throw BadProperty{};
  }

  const Element& only_child(const Element& e) {
    require_children(e, 1, 1);
    return e.children[0];
  }

  static constexpr std::size_t any = ~std::size_t{0};

  void require_children(const Element& e, std::size_t least, std::size_t most) {
    if (e.children.size() >= least && e.children.size() <= most) return;
    fail(e, fmt::format("'{}' has {}{} part{}, not {}", e.tag, least < most ? "at least " : "", least,
                        least == 1 ? "" : "s", e.children.size()));
  }

  /// s in exists-path(finally(s)), where s is about one marking.
  static const Element* quantified_state(const Element& root, std::string_view quantifier,
                                         std::string_view op) {
    if (root.tag != quantifier || root.children.size() != 1) return nullptr;
    const Element& inside = root.children[0];
    if (inside.tag != op || inside.children.size() != 1 || !is_state_formula(inside.children[0]))
      return nullptr;
    return &inside.children[0];
  }

  void set_expression(Property& property, const Element& e) {
    property.expr = fold_below_atoms(state(e), system_.tables);
    property.formula = spelled(e);
  }

  // Formulas of CTL and LTL as text.

  std::string text(const Element& e) {
    if (is_quantifier(e))
      return fmt::format("{}{}", e.tag == "all-paths" ? 'A' : 'E', path_text(only_child(e), true));
    if (temporal(e) != 0) return path_text(e, false);
    if (e.tag == "true" || e.tag == "false") return e.tag;
    if (const auto sign = connective(e); !sign.empty()) {
      if (e.tag == "negation") return fmt::format("!({})", text(only_child(e)));
      require_connective(e);
      std::string joined;
      for (const Element& child : e.children)
        joined += fmt::format("{}({})", joined.empty() ? "" : fmt::format(" {} ", sign), text(child));
      return joined;
    }
    return quoted(atom(e));
  }

  /// U and similar operators are in parentheses together with their operands, as CTL requires.
  std::string path_text(const Element& e, bool quantified) {
    const char letter = temporal(e);
    if (letter == 'X' || letter == 'F' || letter == 'G')
      return fmt::format("{}({})", letter, text(only_child(e)));
    require_children(e, 2, 2);
    // <until> <before>f</before> <reach>g</reach> </until>
    const auto side = [&](std::size_t i, std::string_view tag) {
      const Element& part = e.children[i];
      return text(part.tag == tag ? only_child(part) : part);
    };
    const std::string both = fmt::format("({}) {} ({})", side(0, "before"), letter, side(1, "reach"));
    return quantified ? fmt::format("({})", both) : both;
  }

  /// The name of an atom, which is added to atoms_.
  std::string atom(const Element& e) {
    Expr expr = fold_below_atoms(state(e), system_.tables);
    std::string name = spelled(e);
    // Ids may be anything, so that two different atoms may read the same.
    for (;; name += "'") {
      const auto same = std::ranges::find(atoms_, name, &Proposition::name);
      if (same == atoms_.end()) break;
      if (same->expr == expr) return name;
    }
    atoms_.push_back({name, std::move(expr)});
    return name;
  }

  static std::string quoted(const std::string& name) {
    std::string result = "\"";
    for (const char c : name) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + '"';
  }

  static std::string_view connective(const Element& e) {
    if (e.tag == "negation") return "!";
    if (e.tag == "conjunction") return "&&";
    if (e.tag == "disjunction") return "||";
    if (e.tag == "implication") return "->";
    if (e.tag == "equivalence") return "<->";
    if (e.tag == "exclusive-disjunction") return "^";
    return {};
  }

  void require_connective(const Element& e) {
    const bool many = e.tag == "conjunction" || e.tag == "disjunction";
    require_children(e, many ? 1 : 2, many ? any : 2);
  }

  // Formulas about one marking.

  Expr state(const Element& e) {
    if (e.tag == "true" || e.tag == "false") return Expr::constant(e.tag == "true");
    if (e.tag == "negation") return Expr::unary(Op::logic_not, state(only_child(e)));
    if (!connective(e).empty()) return joined_states(e);
    if (const auto op = comparison(e)) {
      require_children(e, 2, 2);
      Expr left = number(e.children[0]);
      return Expr::binary(*op, std::move(left), number(e.children[1]));
    }
    if (e.tag == "is-fireable") {
      std::vector<Expr> guards;
      for (const ActionId t : numbers(e, "transition")) guards.push_back(system_.actions[t].guard);
      return balanced(Op::logic_or, std::move(guards), 0);
    }
    if (e.tag == "deadlock") {
      std::vector<Expr> guards;
      for (const Action& action : system_.actions) guards.push_back(action.guard);
      return Expr::unary(Op::logic_not, balanced(Op::logic_or, std::move(guards), 0));
    }
    fail(e, fmt::format("'{}' is not a formula", abbreviate(e.tag)));
  }

  Expr joined_states(const Element& e) {
    require_connective(e);
    std::vector<Expr> parts;
    for (const Element& child : e.children) parts.push_back(state(child));
    if (e.tag == "conjunction") return balanced(Op::logic_and, std::move(parts), 1);
    if (e.tag == "disjunction") return balanced(Op::logic_or, std::move(parts), 0);
    const Op op = e.tag == "implication" ? Op::imply : e.tag == "equivalence" ? Op::eq : Op::ne;
    return Expr::binary(op, std::move(parts[0]), std::move(parts[1]));
  }

  static std::optional<Op> comparison(const Element& e) {
    constexpr std::pair<std::string_view, Op> tags[] = {{"integer-eq", Op::eq}, {"integer-ne", Op::ne},
                                                        {"integer-lt", Op::lt}, {"integer-le", Op::le},
                                                        {"integer-gt", Op::gt}, {"integer-ge", Op::ge}};
    for (const auto& [tag, op] : tags)
      if (e.tag == tag) return op;
    return std::nullopt;
  }

  Expr number(const Element& e) {
    if (e.tag == "integer-constant") return Expr::constant(constant(e));
    if (e.tag == "tokens-count") {
      std::vector<Expr> loads;
      for (const SlotId s : numbers(e, "place")) loads.push_back(Expr::load(s));
      return balanced(Op::add, std::move(loads), 0);
    }
    if (e.tag == "integer-sum" || e.tag == "integer-difference") {
      const bool sum = e.tag == "integer-sum";
      require_children(e, sum ? 1 : 2, sum ? any : 2);
      std::vector<Expr> parts;
      for (const Element& child : e.children) parts.push_back(number(child));
      if (sum) return balanced(Op::add, std::move(parts), 0);
      return Expr::binary(Op::sub, std::move(parts[0]), std::move(parts[1]));
    }
    fail(e, fmt::format("'{}' is not a number", abbreviate(e.tag)));
  }

  std::int64_t constant(const Element& e) {
    std::int64_t value = 0;
    const char* const end = e.text.data() + e.text.size();
    const auto [stop, error] = std::from_chars(e.text.data(), end, value);
    if (error != std::errc{} || stop != end || value > pnml::most_tokens || value < -pnml::most_tokens)
      fail(e, fmt::format("'{}' is not a number from {} to {}", abbreviate(e.text), -pnml::most_tokens,
                          pnml::most_tokens));
    return value;
  }

  /// The places or transitions that an element lists.
  Names::Numbers numbers(const Element& e, std::string_view tag) {
    require_children(e, 1, any);
    Names::Numbers all;
    bool known = true;
    for (const Element& child : e.children) {
      if (child.tag != tag) fail(child, fmt::format("'{}' contains only elements '{}'", e.tag, tag));
      const Names::Numbers* const found = names_.find(child);
      if (found)
        all.insert(all.end(), found->begin(), found->end());
      else
        diagnostics_.error(child.where, fmt::format("there is no {} '{}'{}", tag, abbreviate(child.text),
                                                    names_.suggestion(child)));
      known = known && found;
    }
    if (!known) throw BadProperty{};
    return all;
  }

  /// A formula or number about one marking, in the syntax of expressions over nets.
  static std::string spelled(const Element& e) {
    if (e.tag == "integer-constant") return e.text;
    if (e.tag == "negation") return fmt::format("!({})", spelled(e.children[0]));
    if (e.tag == "tokens-count" || e.tag == "is-fireable")
      return fmt::format("{}({})", e.tag == "tokens-count" ? "tokens" : "fireable", joined(e, ", ", false));
    if (e.tag == "integer-sum" || e.tag == "integer-difference")
      return fmt::format("({})", joined(e, e.tag == "integer-sum" ? " + " : " - ", false));
    if (const auto op = comparison(e)) {
      constexpr std::string_view signs[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
      return joined(e, signs[static_cast<int>(*op) - static_cast<int>(Op::eq)], false);
    }
    if (const auto sign = connective(e); !sign.empty()) return joined(e, fmt::format(" {} ", sign), true);
    return e.children.empty() && !e.text.empty() ? name_spelled(e.text) : e.tag;
  }

  static std::string joined(const Element& e, std::string_view between, bool parentheses) {
    std::string result;
    for (const Element& child : e.children) {
      if (!result.empty()) result += between;
      result += parentheses ? fmt::format("({})", spelled(child)) : spelled(child);
    }
    return result;
  }

  static std::string name_spelled(const std::string& name) {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const bool plain = !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
      return is_letter(c) || (c >= '0' && c <= '9');
    });
    return plain ? name : fmt::format("'{}'", name);
  }

  const System& system_;
  const Names& names_;
  Diagnostics& diagnostics_;
  std::vector<Proposition> atoms_;
};

class Reader : public pnml::XmlHandler {
 public:
  Reader(const SourceText& source, const System& system, Logic both)
      : system_(system), names_(system), both_(both), diagnostics_(source) {}

  PropertySet run(const SourceText& source) {
    if (pnml::read_xml(source, diagnostics_, *this) && !diagnostics_.has_errors() && count_ == 0)
      diagnostics_.error({1, 1}, "there are no properties in this file");
    diagnostics_.throw_if_errors();
    return std::move(set_);
  }

  void open(std::string_view element, const pnml::Attributes&, SourcePoint where) override {
    if (stack_.empty()) {
      if (depth_++ == 0 && element != "property-set")
        diagnostics_.error(where, fmt::format("expected 'property-set', found '{}'", abbreviate(element)));
      if (element != "property" || depth_ != 2) return;
    }
    if (stack_.size() >= deepest) {
      diagnostics_.error(where, fmt::format("the formula is nested deeper than {}", deepest));
      diagnostics_.throw_if_errors();
    }
    stack_.push_back({.tag = std::string(element), .where = where});
  }

  void close(SourcePoint) override {
    if (stack_.empty()) {
      --depth_;
      return;
    }
    Element done = std::move(stack_.back());
    stack_.pop_back();
    done.text = trimmed(done.text);
    if (!stack_.empty()) {
      stack_.back().children.push_back(std::move(done));
      return;
    }
    --depth_;
    ++count_;
    try {
      property(done);
    } catch (const BadProperty&) {
      // The error is recorded; the other properties are still read.
    }
  }

  void text(std::string_view piece) override {
    if (!stack_.empty()) stack_.back().text += piece;
  }

 private:
  void property(const Element& e) {
    const Element* id = part(e, "id");
    const Element* formula = part(e, "formula");
    if (!id || !formula) return;
    if (id->text.empty()) {
      diagnostics_.error(id->where, "this id is empty");
      return;
    }
    if (const auto [other, is_new] = ids_.emplace(id->text, id->where); !is_new) {
      diagnostics_.error(id->where, fmt::format("property '{}' is already defined in line {}",
                                                abbreviate(id->text), other->second.line));
      return;
    }
    FormulaReader(system_, names_, diagnostics_).read(id->text, *formula, both_, set_);
  }

  const Element* part(const Element& e, std::string_view tag) {
    const auto found = std::ranges::find(e.children, tag, &Element::tag);
    if (found != e.children.end()) return &*found;
    diagnostics_.error(e.where, fmt::format("this property has no '{}'", tag));
    return nullptr;
  }

  const System& system_;
  const Names names_;
  Logic both_;
  Diagnostics diagnostics_;
  std::vector<Element> stack_;  ///< the elements that are open from <property> on
  std::size_t depth_ = 0;       ///< open elements down to <property>
  std::size_t count_ = 0;
  std::map<std::string, SourcePoint> ids_;
  PropertySet set_;
};

}  // namespace

Logic logic_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string().starts_with("LTL") ? Logic::ltl : Logic::ctl;
}

PropertySet read_property_set(const SourceText& source, const System& system, Logic both) {
  return Reader(source, system, both).run(source);
}

}  // namespace tideline::mcc
