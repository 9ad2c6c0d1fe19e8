// A recursive-descent reader of HOA. Whatever it cannot represent is refused, with its place.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "logic/acceptance.hpp"
#include "logic/hoa.hpp"
#include "model/nesting.hpp"

namespace tideline {

namespace {

constexpr std::uint32_t max_states = 1000000;
constexpr std::uint32_t max_sets_read = 64;
constexpr std::uint32_t max_atoms = 64;
constexpr std::uint32_t max_implicit_atoms = 12;
constexpr std::uint32_t max_nesting = 1000;

struct HoaToken {
  enum class Kind { end, word, header, number, string, alias, punctuation, body, finish };
  Kind kind = Kind::end;
  std::string text = {};  // a header without its colon, a string without quotes
  SourcePoint where = {};
};

class HoaLexer {
 public:
  explicit HoaLexer(const SourceText& source) : source_(source), text_(source.text) {}

  HoaToken next() {
    skip_blanks();
    const SourcePoint where = where_;
    if (at_ == text_.size()) return {HoaToken::Kind::end, "the end of the text", where};
    const char c = text_[at_];
    if (c == '"') return string(where);
    if (is_digit(c)) return {HoaToken::Kind::number, take_while(is_digit), where};
    if (c == '@') {
      advance();
      return {HoaToken::Kind::alias, take_while(is_name), where};
    }
    if (is_name(c)) {
      for (const auto& [marker, kind] :
           {std::pair{"--BODY--", HoaToken::Kind::body}, std::pair{"--END--", HoaToken::Kind::finish}})
        if (text_.substr(at_).starts_with(marker))
          return {kind, take(std::string_view(marker).size()), where};
      if (text_.substr(at_).starts_with("--ABORT--")) fail(where, "the automaton is aborted here");
      std::string word = take_while(is_name);
      if (at_ == text_.size() || text_[at_] != ':') return {HoaToken::Kind::word, std::move(word), where};
      advance();
      return {HoaToken::Kind::header, std::move(word), where};
    }
    if (std::string_view("[](){}&|!").find(c) == std::string_view::npos)
      fail(where, "this does not belong to HOA");
    return {HoaToken::Kind::punctuation, take(1), where};
  }

  [[noreturn]] void fail(SourcePoint where, std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, where, std::move(message))});
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-' ||
           c == '.';  // in names of headers since v1.1
  }

  void advance() {
    const bool line_end = text_[at_++] == '\n';
    where_.line += line_end ? 1 : 0;
    where_.column = line_end ? 1 : where_.column + 1;
  }

  std::string take(std::size_t count) {
    std::string result(text_.substr(at_, count));
    for (; count > 0; --count) advance();
    return result;
  }

  std::string take_while(bool (*accepted)(char)) {
    std::size_t end = at_;
    while (end < text_.size() && accepted(text_[end])) ++end;
    return take(end - at_);
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        advance();
      else if (text_.substr(at_).starts_with("/*"))
        skip_comment();
      else
        return;
    }
  }

  void skip_comment() {  // comments nest
    const SourcePoint start = where_;
    std::size_t depth = 0;
    do {
      if (at_ == text_.size()) fail(start, "this comment is not closed");
      const bool opens = text_.substr(at_).starts_with("/*"), closes = text_.substr(at_).starts_with("*/");
      depth = opens ? depth + 1 : closes ? depth - 1 : depth;
      take(opens || closes ? 2 : 1);
    } while (depth > 0);
  }

  HoaToken string(SourcePoint where) {
    std::string value;
    advance();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') advance();
      if (at_ < text_.size()) value += take(1);
    }
    if (at_ == text_.size()) fail(where, "this string is not closed");
    advance();
    return {HoaToken::Kind::string, std::move(value), where};
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  SourcePoint where_{1, 1};
};

class Reader {
 public:
  explicit Reader(const SourceText& source) : lexer_(source) { advance(); }

  Automaton run() {
    header();
    body();
    add_initial_state();
    finish();
    return std::move(result_);
  }

 private:
  struct Transition {
    std::uint32_t from, to;
    Marks marks;
    Bdd label;
  };
  struct AtomPlace {
    std::uint32_t index;
    SourcePoint where;
  };

  // ---- tokens ----
  void advance() { token_ = lexer_.next(); }
  [[noreturn]] void fail(std::string message) const { lexer_.fail(token_.where, std::move(message)); }
  std::string shown() const {
    const std::string text = token_.text.substr(0, 40);
    if (token_.kind == HoaToken::Kind::end) return text;
    return token_.kind == HoaToken::Kind::string ? fmt::format("\"{}\"", text) : fmt::format("'{}'", text);
  }
  bool is(const char* punctuation) const {
    return token_.kind == HoaToken::Kind::punctuation && token_.text == punctuation;
  }
  bool take_if(const char* punctuation) {
    if (!is(punctuation)) return false;
    advance();
    return true;
  }
  void expect(const char* punctuation) {
    if (!take_if(punctuation)) fail(fmt::format("expected '{}', not {}", punctuation, shown()));
  }
  std::uint32_t number(const char* what, std::uint32_t largest) {
    if (token_.kind != HoaToken::Kind::number) fail(fmt::format("expected {}, not {}", what, shown()));
    std::uint32_t value = 0;
    const char* end = token_.text.data() + token_.text.size();
    const auto [stopped, error] = std::from_chars(token_.text.data(), end, value);
    if (error != std::errc{} || stopped != end || value > largest)
      fail(fmt::format("{}: at most {} can be handled", what, largest));
    advance();
    return value;
  }
  std::string string(const char* what) {
    if (token_.kind != HoaToken::Kind::string) fail(fmt::format("expected {}, not {}", what, shown()));
    std::string text = token_.text;
    advance();
    return text;
  }

  // ---- the header ----
  void header() {
    if (token_.kind != HoaToken::Kind::header || token_.text != "HOA")
      fail("this is not an HOA automaton: expected 'HOA: v1'");
    advance();
    // v1.1 adds little: dots in names, and negated properties.
    if (token_.text != "v1" && token_.text != "v1.1")
      fail(fmt::format("versions v1 and v1.1 of HOA can be read, not {}", shown()));
    advance();
    while (token_.kind == HoaToken::Kind::header) header_item();
    if (token_.kind != HoaToken::Kind::body)
      fail(fmt::format("expected a header or '--BODY--', not {}", shown()));
    if (!acceptance_) fail("the header has no 'Acceptance:'");
    if (last_atom_ && last_atom_->index >= result_.atoms.size())
      lexer_.fail(last_atom_->where, fmt::format("there are only {} atoms", result_.atoms.size()));
    header_is_read_ = true;
    advance();
  }

  void header_item() {
    const std::string name = token_.text;
    const SourcePoint where = token_.where;
    advance();
    if (name == "States")
      declared_states_ = number("a number of states", max_states);
    else if (name == "Start")
      start();
    else if (name == "AP")
      atoms();
    else if (name == "Alias")
      alias();
    else if (name == "Acceptance")
      acceptance();
    else if (name == "name")
      result_.name = string("a name in quotes");
    else if (name == "properties")
      properties();
    else if (name[0] >= 'a' && name[0] <= 'z')
      skip_item();
    else
      lexer_.fail(where,
                  fmt::format("'{}:' is not supported and changes the meaning of the automaton", name));
  }

  void skip_item() {
    while (token_.kind != HoaToken::Kind::header && token_.kind != HoaToken::Kind::body &&
           token_.kind != HoaToken::Kind::end)
      advance();
  }

  void properties() {
    for (;;) {
      const bool denied = take_if("!");
      if (token_.kind != HoaToken::Kind::word) break;
      if (token_.text == "univ-branch" && !denied) refuse_alternation();
      advance();
    }
  }

  [[noreturn]] void refuse_alternation() const {
    fail("alternating automata cannot be read; autfilt -B may be able to convert it");
  }

  void start() {
    starts_.push_back(number("an initial state", max_states));
    if (is("&")) refuse_alternation();
  }

  void atoms() {
    const std::uint32_t count = number("a number of atoms", max_atoms);
    for (std::uint32_t i = 0; i < count; ++i) result_.atoms.push_back(string("an atom in quotes"));
    if (token_.kind == HoaToken::Kind::string) fail(fmt::format("there are more than {} atoms", count));
  }

  void alias() {
    if (token_.kind != HoaToken::Kind::alias) fail(fmt::format("expected a name with '@', not {}", shown()));
    const std::string name = token_.text;
    advance();
    aliases_[name] = label();
  }

  // Any Boolean combination of Inf(i), Inf(!i), Fin(i), Fin(!i), t and f, without negation.
  void acceptance() {
    declared_sets_ = number("a number of acceptance sets", max_sets_read);
    acceptance_ = condition();
  }

  Acceptance condition() {
    const Nesting level = nested();
    Acceptance result = condition_conjunction();
    while (take_if("|")) result = checked(either(std::move(result), condition_conjunction()));
    return result;
  }

  Acceptance condition_conjunction() {
    Acceptance result = condition_literal();
    while (take_if("&")) result = checked(both(result, condition_literal()));
    return result;
  }

  Acceptance checked(Acceptance acceptance) const {
    if (acceptance.size() > max_acceptance_ways)
      fail(
          fmt::format("the acceptance condition is too complex: it has more than {} ways to be accepted; "
                      "autfilt -B converts the automaton",
                      max_acceptance_ways));
    return acceptance;
  }

  Acceptance condition_literal() {
    if (take_if("(")) {
      Acceptance inner = condition();
      expect(")");
      return inner;
    }
    const std::string word = token_.kind == HoaToken::Kind::word ? token_.text : "";
    if (word != "Inf" && word != "Fin" && word != "t" && word != "f")
      fail(fmt::format("expected Inf, Fin, t, f or '(' in the acceptance condition, not {}", shown()));
    advance();
    if (word == "f") return {};
    if (word == "t") return {AcceptanceWay{}};
    expect("(");
    const bool complement = take_if("!");
    const Marks set = Marks{1} << declared_set("an acceptance set");
    expect(")");
    const EdgeSet edges = complement ? EdgeSet{0, set} : EdgeSet{set, 0};
    return {word == "Inf" ? AcceptanceWay{{}, {edges}} : AcceptanceWay{edges, {}}};
  }

  std::uint32_t declared_set(const char* what) {
    const SourcePoint where = token_.where;
    const std::uint32_t set = number(what, max_sets_read - 1);
    if (set >= declared_sets_)
      lexer_.fail(where, fmt::format("there are only {} acceptance sets", declared_sets_));
    return set;
  }

  // ---- labels ----
  Nesting nested() {
    return Nesting(nesting_, max_nesting, [&] { fail("this is nested too deeply"); });
  }

  Bdd label() {
    const Nesting level = nested();
    Bdd result = label_conjunction();
    while (take_if("|")) result = bdds_.or_(result, label_conjunction());
    return result;
  }

  Bdd label_conjunction() {
    Bdd result = label_literal();
    while (take_if("&")) result = bdds_.and_(result, label_literal());
    return result;
  }

  Bdd label_literal() {
    const Nesting level = nested();
    if (take_if("!")) return bdds_.not_(label_literal());
    if (take_if("(")) {
      const Bdd inner = label();
      expect(")");
      return inner;
    }
    if (token_.kind == HoaToken::Kind::alias) {
      const auto known = aliases_.find(token_.text);
      if (known == aliases_.end()) fail(fmt::format("the alias '@{}' is not defined", token_.text));
      advance();
      return known->second;
    }
    if (token_.kind == HoaToken::Kind::word && (token_.text == "t" || token_.text == "f")) {
      const bool value = token_.text == "t";
      advance();
      return BddManager::constant(value);
    }
    const SourcePoint where = token_.where;
    const std::uint32_t atom = number("an atom", max_atoms - 1);
    if (header_is_read_ && atom >= result_.atoms.size())
      lexer_.fail(where, fmt::format("there are only {} atoms", result_.atoms.size()));
    // The header may use atoms in aliases before it names them.
    if (!last_atom_ || atom > last_atom_->index) last_atom_ = AtomPlace{atom, where};
    return bdds_.variable(atom);
  }

  // ---- the body ----
  void body() {
    while (token_.kind == HoaToken::Kind::header && token_.text == "State") state();
    if (token_.kind != HoaToken::Kind::finish)
      fail(fmt::format("expected 'State:' or '--END--', not {}", shown()));
    advance();
    if (token_.kind == HoaToken::Kind::header && token_.text == "HOA")
      fail("there is more than one automaton");
    if (token_.kind != HoaToken::Kind::end)
      fail(fmt::format("expected nothing after '--END--', not {}", shown()));
  }

  std::uint32_t state_number() {
    const HoaToken at = token_;
    const std::uint32_t state = number("a state", max_states);
    if (declared_states_ && state >= *declared_states_)
      lexer_.fail(at.where, fmt::format("there are only {} states", *declared_states_));
    states_ = std::max(states_, state + 1);
    return state;
  }

  Marks marks() {
    Marks result = 0;
    if (!take_if("{")) return 0;
    while (!is("}")) result |= Marks{1} << declared_set("an acceptance set or '}'");
    advance();
    return result;
  }

  std::optional<Bdd> optional_label() {
    if (!take_if("[")) return std::nullopt;
    const Bdd result = label();
    expect("]");
    return result;
  }

  void state() {
    advance();
    const std::optional<Bdd> state_label = optional_label();
    const HoaToken at = token_;
    const std::uint32_t from = state_number();
    if (!defined_.try_emplace(from, true).second)
      lexer_.fail(at.where, fmt::format("state {} comes twice", from));
    if (token_.kind == HoaToken::Kind::string) advance();
    const Marks state_marks = marks();
    std::uint64_t position = 0;  // of an edge without label: the valuation it stands for
    while (is("[") || token_.kind == HoaToken::Kind::number) {
      const HoaToken edge_at = token_;
      std::optional<Bdd> edge_label = optional_label();
      if (state_label && edge_label) lexer_.fail(edge_at.where, "the state already has a label");
      const std::uint32_t to = state_number();
      if (is("&")) refuse_alternation();
      const Marks edge_marks = marks();
      if (!edge_label) edge_label = state_label ? *state_label : implicit_label(position++, edge_at);
      transitions_.push_back({from, to, state_marks | edge_marks, *edge_label});
    }
  }

  Bdd implicit_label(std::uint64_t position, const HoaToken& at) {
    const auto count = static_cast<std::uint32_t>(result_.atoms.size());
    if (count > max_implicit_atoms)
      lexer_.fail(at.where,
                  fmt::format("edges without labels can be read for at most {} atoms", max_implicit_atoms));
    const std::uint64_t last = (std::uint64_t{1} << count) - 1;
    if (position > last)
      lexer_.fail(at.where, "there are more edges than valuations, and they have no labels");
    return bdds_.cube({position, last & ~position});
  }

  // ---- putting it together ----
  void add_initial_state() {
    for (const std::uint32_t start : starts_) {
      if (declared_states_ && start >= *declared_states_)
        fail(fmt::format("the initial state {} is not one of the {} states", start, *declared_states_));
      states_ = std::max(states_, start + 1);
    }
    result_.states = declared_states_ ? *declared_states_ : states_;
    // An automaton without states or initial states accepts nothing.
    if (starts_.empty() || starts_.size() > 1) {
      const std::uint32_t initial = result_.states++;
      const std::vector<Transition> known = transitions_;
      Marks together = 0;
      for (const Transition& t : known)
        if (std::ranges::find(starts_, t.from) != starts_.end()) together |= t.marks;
      // It is visited once, so its marks do not matter; equal ones keep a state-based automaton state-based.
      for (const Transition& t : known)
        if (std::ranges::find(starts_, t.from) != starts_.end())
          transitions_.push_back({initial, t.to, together, t.label});
      starts_.assign(1, initial);
    }
    result_.initial = starts_[0];
  }

  void finish() {
    SymbolicAutomaton automaton;
    automaton.initial = result_.initial;
    automaton.edges.resize(result_.states);
    for (const Transition& t : transitions_)
      if (t.label != 0) automaton.edges[t.from].push_back({t.to, t.marks, t.label});
    Automaton converted = with_cubes(to_generalised_buchi(std::move(automaton), *acceptance_), bdds_);
    converted.name = std::move(result_.name);
    converted.atoms = std::move(result_.atoms);
    result_ = std::move(converted);
  }

  HoaLexer lexer_;
  HoaToken token_;
  BddManager bdds_;
  Automaton result_;
  std::optional<std::uint32_t> declared_states_;
  std::uint32_t states_ = 0;  // one more than the largest that occurs
  std::vector<std::uint32_t> starts_;
  std::uint32_t declared_sets_ = 0;
  std::optional<Acceptance> acceptance_;
  std::optional<AtomPlace> last_atom_;  // the greatest that a label mentions
  bool header_is_read_ = false;
  std::map<std::string, Bdd> aliases_;
  std::map<std::uint32_t, bool> defined_;
  std::vector<Transition> transitions_;
  std::uint32_t nesting_ = 0;
};

}  // namespace

Automaton read_hoa(const SourceText& source) {
  return Reader(source).run();
}

}  // namespace tideline
