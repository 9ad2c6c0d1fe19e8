#include "lang/pnml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "lang/pnml/xml.hpp"

namespace tideline::pnml {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// What an id stands for. An undeclared id has a node too: it may be declared later.
struct Node {
  enum class Kind : std::uint8_t {
    undeclared,
    place,
    transition,
    place_reference,
    transition_reference,
    other
  };
  Kind kind = Kind::undeclared;
  std::uint32_t target = none;  ///< index of the place or transition; of a reference: the node it names
  SourcePoint where = {};       ///< of the declaration, else of the first mention
};

std::string_view describe(Node::Kind kind) {
  return kind == Node::Kind::place ? "place" : "transition";
}

class Reader final : public XmlHandler {
 public:
  explicit Reader(const SourceText& source) : source_(source), diagnostics_(source) {}

  Reading read() {
    if (read_xml(source_, diagnostics_, *this)) {
      if (!net_seen_) diagnostics_.error({}, "there is no net in this file");
      resolve();
    }
    diagnostics_.throw_if_errors();
    reading_.warnings = diagnostics_.take_warnings();
    return std::move(reading_);
  }

  void open(std::string_view element, const Attributes& attributes, SourcePoint where) override {
    const Where next = trees_.empty() ? child(element, attributes, where) : Where::tree;
    if (next == Where::tree) open_tree(element, attributes, where);
    stack_.push_back(next);
    text_.clear();
    stray_text_ = false;
    text_where_ = where;
  }

  void close(SourcePoint) override {
    const Where closed = stack_.back();
    stack_.pop_back();
    if (closed == Where::tree) return close_tree();
    if (closed == Where::text) return text_of(stack_.back());
    if (closed == Where::capacity && !capacity_seen_)
      diagnostics_.error(label_where_, "a capacity is a number, as <text>1</text>");
    if (closed == Where::arc) return close_arc();
    if (closed == Where::unit_places) unit_places();
    // The text of a label is only for display: a marking or condition without a structure must not be lost.
    const bool coloured = closed == Where::coloured_marking || closed == Where::guard;
    if (coloured && !tree_seen_) diagnostics_.error(label_where_, "this has no 'structure'");
  }

  void text(std::string_view piece) override {
    if (stack_.back() == Where::text || stack_.back() == Where::unit_places)
      text_ += piece;
    else if (is_read(stack_.back()) && !trim(piece).empty() && !stray_text_)
      stray_text(piece);
  }

 private:
  /// The current place in the text, for the elements that matter.
  enum class Where : std::uint8_t {
    outside,
    pnml,
    net,
    page,
    place,
    transition,
    arc,
    reference,
    node_name,
    marking,
    weight,
    arc_type,
    capacity,
    declaration,
    type,
    coloured_marking,
    guard,
    inscription,
    text,
    tree,
    nupn,
    nupn_structure,
    unit,
    unit_places,
    ignored,
  };
  struct RawArc {
    std::uint32_t source = none;
    std::uint32_t target = none;
    std::uint32_t weight = 1;
    ArcKind kind = ArcKind::normal;
    SourcePoint where = {};
    std::uint32_t tree = none;
  };

  // ---- elements

  Where child(std::string_view element, const Attributes& attributes, SourcePoint where) {
    switch (stack_.empty() ? Where::outside : stack_.back()) {
      case Where::outside:
        if (element != "pnml") fail(where, fmt::format("expected 'pnml', found '{}'", abbreviate(element)));
        return Where::pnml;
      case Where::pnml:
        return element == "net" ? open_net(attributes, where) : Where::ignored;
      case Where::net:
      case Where::page:
        return in_page(element, attributes, where);
      case Where::place:
      case Where::transition:
      case Where::arc:
        return label(stack_.back(), element, attributes, where);
      case Where::node_name:
        return element == "text" ? Where::text : Where::ignored;
      case Where::marking:
      case Where::weight:
      case Where::arc_type:
      case Where::capacity:
        return in_label(element, where);
      case Where::declaration:
      case Where::type:
      case Where::coloured_marking:
      case Where::guard:
      case Where::inscription:
        return element == "structure" ? Where::tree : Where::ignored;
      case Where::nupn:
        if (element != "structure") return Where::ignored;
        reading_.net.safe = attributes.find("safe") == "true";
        return Where::nupn_structure;
      case Where::nupn_structure:
        if (element != "unit") return Where::ignored;
        reading_.net.units.push_back({std::string(attributes.find("id").value_or("")), {}});
        return Where::unit;
      case Where::unit:
        return element == "places" ? Where::unit_places : Where::ignored;
      default:
        return Where::ignored;
    }
  }

  Where open_net(const Attributes& attributes, SourcePoint where) {
    if (net_seen_) fail(where, "a second net: only files with one net are supported");
    net_seen_ = true;
    reading_.net.id = required(attributes, "id", "net", where);
    const std::string_view type = required(attributes, "type", "net", where);
    const std::string_view kind = type.substr(type.find_last_of('/') + 1);  // npos + 1 is 0
    constexpr std::array<std::string_view, 5> plain = {"ptnet", "inhibitorptnet", "resetptnet",
                                                       "resetinhibitorptnet", "readptnet"};
    constexpr std::array<std::string_view, 2> coloured = {"symmetricnet", "pt-hlpng"};
    if (std::ranges::find(coloured, kind) != coloured.end())
      reading_.colours.emplace();
    else if (std::ranges::find(plain, kind) == plain.end())
      fail(where,
           fmt::format("net type '{}' is not supported: only ptnet and symmetricnet are", abbreviate(type)));
    return Where::net;
  }

  Where in_page(std::string_view element, const Attributes& attributes, SourcePoint where) {
    if (element == "place") {
      current_ = static_cast<std::uint32_t>(reading_.net.places.size());
      const std::string_view id = declare(Node::Kind::place, current_, attributes, element, where);
      reading_.net.places.push_back({.id = std::string(id), .where = where});
      if (reading_.colours) {
        reading_.colours->types.emplace_back();
        reading_.colours->markings.emplace_back();
      }
      return Where::place;
    }
    if (element == "transition") {
      current_ = static_cast<std::uint32_t>(reading_.net.transitions.size());
      const std::string_view id = declare(Node::Kind::transition, current_, attributes, element, where);
      reading_.net.transitions.push_back({.id = std::string(id), .where = where});
      if (reading_.colours) reading_.colours->guards.emplace_back();
      return Where::transition;
    }
    if (element == "arc") {
      open_arc(attributes, where);
      return Where::arc;
    }
    if (element == "referencePlace" || element == "referenceTransition") {
      const auto kind =
          element == "referencePlace" ? Node::Kind::place_reference : Node::Kind::transition_reference;
      const std::string_view target = required(attributes, "ref", element, where);
      declare(kind, target.empty() ? none : node(target, where), attributes, element, where);
      return Where::reference;
    }
    if (element == "page") {
      if (const auto id = attributes.find("id")) declare_id(Node::Kind::other, none, *id, where);
      return Where::page;
    }
    if (element == "declaration" && reading_.colours) return Where::declaration;
    if (element == "toolspecific" && attributes.find("tool") == "nupn") return Where::nupn;
    return Where::ignored;
  }

  /// Whether text there is lost that somebody has meant.
  static bool is_read(Where where) {
    switch (where) {
      case Where::place:
      case Where::transition:
      case Where::arc:
      case Where::marking:
      case Where::weight:
      case Where::arc_type:
      case Where::capacity:
        return true;
      default:
        return false;
    }
  }

  /// Once for each element: the parser hands over its text in pieces.
  void stray_text(std::string_view piece) {
    stray_text_ = true;
    const bool in_node =
        stack_.back() == Where::place || stack_.back() == Where::transition || stack_.back() == Where::arc;
    diagnostics_.error(text_where_, fmt::format("text does not belong here: '{}'{}", abbreviate(trim(piece)),
                                                in_node ? "" : "; write it as <text>...</text>"));
  }

  /// What is inside a label whose text counts.
  Where in_label(std::string_view element, SourcePoint where) {
    if (element == "text" || element == "value") return Where::text;  // PIPE writes values
    if (element != "graphics" && element != "toolspecific")
      diagnostics_.error(where, fmt::format("expected 'text', found '{}'", abbreviate(element)));
    return Where::ignored;
  }

  /// A label that this reader does not know. One that differs from a known one in its capitals alone is a mistake.
  Where unknown_label(std::string_view of, std::string_view element, SourcePoint where) {
    constexpr std::array<std::string_view, 10> known = {
        "initialMarking", "hlinitialMarking", "inscription", "hlinscription", "condition", "arctype",
        "type",           "capacity",         "name",        "toolspecific"};
    const auto lower = [](std::string_view text) {
      std::string result(text);
      for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      return result;
    };
    if (element == "graphics" || element == "toolspecific" || element == "name") return Where::ignored;
    for (const std::string_view label : known)
      if (element != label && lower(element) == lower(label)) {
        diagnostics_.error(where, fmt::format("'{}' is spelled '{}'", abbreviate(element), label));
        return Where::ignored;
      }
    if (unknown_.insert(fmt::format("{} {}", of, element)).second)
      diagnostics_.warning(where, fmt::format("'{}' of a {} is not understood, and ignored in all of them",
                                              abbreviate(element), of));
    return Where::ignored;
  }

  /// The labels of a node or an arc.
  Where label(Where of, std::string_view element, const Attributes& attributes, SourcePoint where) {
    label_where_ = where;
    tree_seen_ = capacity_seen_ = false;
    if (of == Where::arc) {
      if (element == "inscription" && !reading_.colours) return Where::weight;
      if (element == "hlinscription" && reading_.colours) return Where::inscription;
      if (element == "arctype") return Where::arc_type;
      if (element == "type") {
        if (const auto type = attributes.find("value")) arc_type(*type, where);
        return Where::arc_type;
      }
      if (element == "hlinscription")
        diagnostics_.error(where, "arcs of a place/transition net have an 'inscription'");
      else if (!reading_.colours)
        return unknown_label("arc", element, where);
      return Where::ignored;
    }
    if (element == "name") return Where::node_name;
    if (of == Where::transition) {
      if (element == "condition" && reading_.colours) return Where::guard;
      if (element == "condition")
        diagnostics_.error(where, "transitions of a place/transition net have no condition");
      else if (!reading_.colours)
        return unknown_label("transition", element, where);
      return Where::ignored;
    }
    if (element == "initialMarking" && !reading_.colours) return Where::marking;
    if (element == "hlinitialMarking" && reading_.colours) return Where::coloured_marking;
    if (element == "type" && reading_.colours) return Where::type;
    if (element == "capacity") return Where::capacity;
    if (element == "hlinitialMarking")
      diagnostics_.error(where, "places of a place/transition net have an 'initialMarking'");
    else if (!reading_.colours)
      return unknown_label("place", element, where);
    return Where::ignored;
  }

  /// The text of a label has been read.
  void text_of(Where label) {
    const std::string_view text = trim(text_);
    if (label == Where::node_name) {
      const bool place = stack_[stack_.size() - 2] == Where::place;
      const std::string& id =
          place ? reading_.net.places[current_].id : reading_.net.transitions[current_].id;
      if (text == id) return;
      (place ? reading_.net.places[current_].name : reading_.net.transitions[current_].name) = text;
    } else if (label == Where::marking) {
      reading_.net.places[current_].initial = number(text, 0, "an initial marking");
    } else if (label == Where::weight) {
      arc_.weight = number(text, 1, "the weight of an arc");
    } else if (label == Where::arc_type) {
      arc_type(text, text_where_);
    } else if (label == Where::capacity) {
      capacity_seen_ = true;
      if (number(text, 0, "a capacity") != 0)
        diagnostics_.error(
            text_where_,
            fmt::format("places with a capacity ({}) are not supported; leave it out where the net keeps to "
                        "it anyway, else add a place for what is free",
                        abbreviate(text)));
    }
  }

  /// "3"; or "Default,3", as PIPE says it of tokens without a colour.
  std::uint32_t number(std::string_view text, std::int64_t least, std::string_view what) {
    constexpr std::string_view colourless = "Default,";
    if (text.starts_with(colourless)) text = trim(text.substr(colourless.size()));
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    const bool is_number = !text.empty() && stop == end;
    if (is_number && status == std::errc{} && value >= least && value <= most_tokens)
      return static_cast<std::uint32_t>(value);
    diagnostics_.error(text_where_, fmt::format("{} is a number from {} to {}, not '{}'", what, least,
                                                most_tokens, abbreviate(text)));
    return 1;
  }

  // ---- arcs

  void open_arc(const Attributes& attributes, SourcePoint where) {
    arc_ = {.where = where};
    const std::string_view source = required(attributes, "source", "arc", where);
    const std::string_view target = required(attributes, "target", "arc", where);
    if (!source.empty()) arc_.source = node(source, where);
    if (!target.empty()) arc_.target = node(target, where);
    if (const auto type = attributes.find("type")) arc_type(*type, where);
  }

  void arc_type(std::string_view type, SourcePoint where) {
    if (type.empty() || type == "normal")
      arc_.kind = ArcKind::normal;
    else if (type == "inhibitor")
      arc_.kind = ArcKind::inhibitor;
    else if (type == "reset")
      arc_.kind = ArcKind::reset;
    else if (type == "test" || type == "read")
      arc_.kind = ArcKind::test;
    else
      diagnostics_.error(where,
                         fmt::format("arc type '{}' is not supported: only normal, test, inhibitor and "
                                     "reset are",
                                     abbreviate(type)));
  }

  void close_arc() {
    if (arc_.source != none && arc_.target != none) arcs_.push_back(arc_);
  }

  // ---- ids

  /// The value of an attribute that has to be there; empty, with an error recorded, when it is not.
  std::string_view required(const Attributes& attributes, std::string_view name, std::string_view element,
                            SourcePoint where) {
    const std::string_view value = attributes.find(name).value_or("");
    if (value.empty()) diagnostics_.error(where, fmt::format("'{}' has no attribute '{}'", element, name));
    return value;
  }

  std::uint32_t node(std::string_view id, SourcePoint where) {
    const auto [entry, fresh] = ids_.try_emplace(std::string(id), static_cast<std::uint32_t>(nodes_.size()));
    if (fresh) nodes_.push_back({.where = where});
    return entry->second;
  }

  std::string_view declare(Node::Kind kind, std::uint32_t target, const Attributes& attributes,
                           std::string_view element, SourcePoint where) {
    const std::string_view id = required(attributes, "id", element, where);
    if (!id.empty()) declare_id(kind, target, id, where);
    return id;
  }

  void declare_id(Node::Kind kind, std::uint32_t target, std::string_view id, SourcePoint where) {
    Node& declared = nodes_[node(id, where)];
    if (declared.kind != Node::Kind::undeclared) {
      diagnostics_.error(
          where, fmt::format("the id '{}' is already used in line {}", abbreviate(id), declared.where.line));
      return;
    }
    declared = {kind, target, where};
  }

  // ---- terms of coloured nets

  void open_tree(std::string_view element, const Attributes& attributes, SourcePoint where) {
    if (trees_.size() >= deepest_tree)
      fail(where, fmt::format("terms are nested deeper than {}", deepest_tree));
    if (++tree_nodes_ > most_tree_nodes)
      fail(where, fmt::format("the terms have more than {} elements", most_tree_nodes));
    Tree& tree = trees_.emplace_back(Tree{.tag = std::string(element), .where = where});
    attributes.for_each(
        [&](std::string_view name, std::string_view value) { tree.attributes.emplace_back(name, value); });
  }

  void close_tree() {
    Tree done = std::move(trees_.back());
    trees_.pop_back();
    if (!trees_.empty()) {
      trees_.back().children.push_back(std::move(done));
      return;
    }
    tree_seen_ = true;
    Colours& colours = *reading_.colours;
    switch (stack_.back()) {
      case Where::declaration:
        colours.declarations.push_back(std::move(done));
        break;
      case Where::type:
        colours.types[current_] = std::move(done);
        break;
      case Where::coloured_marking:
        colours.markings[current_] = std::move(done);
        break;
      case Where::guard:
        colours.guards[current_] = std::move(done);
        break;
      default:
        arc_.tree = static_cast<std::uint32_t>(inscriptions_.size());
        inscriptions_.push_back(std::move(done));
    }
  }

  // ---- after the text

  void unit_places() {
    std::string_view rest = trim(text_);
    while (!rest.empty()) {
      const std::string_view id = rest.substr(0, rest.find_first_of(" \t\r\n"));
      unit_places_.push_back(
          {static_cast<std::uint32_t>(reading_.net.units.size() - 1), node(id, text_where_)});
      rest = trim(rest.substr(id.size()));
    }
  }

  /// The place or transition that a node is, through references; nullptr, with an error recorded, when
  /// there is none.
  const Node* real(std::uint32_t of, SourcePoint where) {
    std::uint32_t at = of;
    for (std::size_t steps = 0; steps <= nodes_.size(); ++steps) {
      const Node& n = nodes_[at];
      if (n.kind == Node::Kind::place || n.kind == Node::Kind::transition) return &n;
      if (n.kind == Node::Kind::undeclared || n.kind == Node::Kind::other || n.target == none) break;
      at = n.target;
    }
    diagnostics_.error(where, fmt::format("there is no place or transition '{}'", abbreviate(id_of(of))));
    return nullptr;
  }

  std::string_view id_of(std::uint32_t index) const {
    for (const auto& [id, number] : ids_)
      if (number == index) return id;
    return {};
  }

  void resolve() {
    for (const Node& n : nodes_) {
      if (n.kind != Node::Kind::place_reference && n.kind != Node::Kind::transition_reference) continue;
      const Node* target = n.target == none ? nullptr : real(n.target, n.where);
      const auto kind = n.kind == Node::Kind::place_reference ? Node::Kind::place : Node::Kind::transition;
      if (target != nullptr && target->kind != kind)
        diagnostics_.error(
            n.where, fmt::format("this refers to a {}, not to a {}", describe(target->kind), describe(kind)));
    }
    for (const RawArc& arc : arcs_) resolve_arc(arc);
    arcs_ = {};
    for (Transition& t : reading_.net.transitions)
      if (!normalise(t))
        diagnostics_.error(t.where,
                           fmt::format("arcs of the transition '{}' to the same place have a total weight of "
                                       "more than {}",
                                       abbreviate(t.id), most_tokens));
    for (const auto& [unit, of] : unit_places_)
      if (const Node* place = real(of, nodes_[of].where);
          place != nullptr && place->kind == Node::Kind::place)
        reading_.net.units[unit].places.push_back(place->target);
  }

  void resolve_arc(const RawArc& arc) {
    const Node* source = real(arc.source, arc.where);
    const Node* target = real(arc.target, arc.where);
    if (source == nullptr || target == nullptr) return;
    if (source->kind == target->kind) {
      diagnostics_.error(arc.where,
                         fmt::format("this arc leads from a {0} to a {0}", describe(source->kind)));
      return;
    }
    const bool produces = source->kind == Node::Kind::transition;
    if (produces && (arc.kind == ArcKind::inhibitor || arc.kind == ArcKind::test)) {
      diagnostics_.error(arc.where, "an arc of this type leads from a place to a transition");
      return;
    }
    const PlaceId place = (produces ? target : source)->target;
    const TransitionId transition = (produces ? source : target)->target;
    if (reading_.colours) {
      Colours::ColouredArc coloured{place, transition, produces, arc.kind, arc.where};
      if (arc.tree != none) coloured.inscription = std::move(inscriptions_[arc.tree]);
      reading_.colours->arcs.push_back(std::move(coloured));
      return;
    }
    Transition& t = reading_.net.transitions[transition];
    if (arc.kind == ArcKind::reset)
      t.resets.push_back(place);
    else if (arc.kind == ArcKind::test)
      t.tests.push_back({place, arc.weight});
    else if (arc.kind == ArcKind::inhibitor)
      t.inhibitors.push_back({place, arc.weight});
    else
      (produces ? t.produces : t.consumes).push_back({place, arc.weight});
  }

  /// For errors that make the rest meaningless.
  [[noreturn]] void fail(SourcePoint where, std::string message) {
    diagnostics_.error(where, std::move(message));
    diagnostics_.throw_if_errors();
    throw Error(ErrorKind::internal, "a recorded error is gone");
  }

  const SourceText& source_;
  Diagnostics diagnostics_;
  Reading reading_;
  bool net_seen_ = false;

  std::vector<Where> stack_;
  std::uint32_t current_ = 0;  ///< the place or transition being read
  RawArc arc_;                 ///< the arc being read
  std::string text_;
  SourcePoint text_where_;
  std::vector<Tree> trees_;  ///< open elements of a term
  std::size_t tree_nodes_ = 0;
  SourcePoint label_where_;
  bool tree_seen_ = false, capacity_seen_ = false;  ///< in the label being read
  bool stray_text_ = false;                         ///< seen since an element was opened
  std::set<std::string> unknown_;                   ///< labels of which a warning was given

  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<Node> nodes_;
  std::vector<RawArc> arcs_;
  std::vector<Tree> inscriptions_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unit_places_;  ///< unit and node
};

}  // namespace

const std::string* Tree::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes)
    if (key == name) return &value;
  return nullptr;
}

Reading read_pnml(const SourceText& source) {
  return Reader(source).read();
}

}  // namespace tideline::pnml
