#include "logic/ltl.hpp"

#include <algorithm>

namespace tideline {

std::vector<std::uint32_t> atoms_of(const LtlPool& pool, Ltl f) {
  std::vector<std::uint32_t> found;
  for_each_subformula(pool, f, [&](Ltl g) {
    if (pool.op(g) == LtlOp::atom) found.push_back(pool.atom_index(g));
  });
  std::sort(found.begin(), found.end());
  return found;
}

// ---- printing ----

int ltl_binding(LtlOp op) {
  switch (op) {
    case LtlOp::implies:
    case LtlOp::equivalent:
      return 0;
    case LtlOp::or_:
      return 1;
    case LtlOp::exclusive_or:
      return 2;
    case LtlOp::and_:
      return 3;
    case LtlOp::until:
    case LtlOp::release:
    case LtlOp::weak_until:
    case LtlOp::strong_release:
      return 4;
    default:
      return ltl_unary_binding;
  }
}

namespace {

const char* spelling(LtlOp op) {
  switch (op) {
    case LtlOp::not_:
      return "!";
    case LtlOp::and_:
      return " && ";
    case LtlOp::or_:
      return " || ";
    case LtlOp::implies:
      return " -> ";
    case LtlOp::equivalent:
      return " <-> ";
    case LtlOp::exclusive_or:
      return " xor ";
    case LtlOp::next:
      return "X";
    case LtlOp::eventually:
      return "F";
    case LtlOp::always:
      return "G";
    case LtlOp::until:
      return " U ";
    case LtlOp::release:
      return " R ";
    case LtlOp::weak_until:
      return " W ";
    case LtlOp::strong_release:
      return " M ";
    case LtlOp::false_:
      return "false";
    case LtlOp::true_:
      return "true";
    case LtlOp::atom:
      break;
  }
  return "";
}

bool is_right_associative(LtlOp op) {
  return ltl_binding(op) == 0 || ltl_binding(op) == 4;
}

class Printer {
 public:
  explicit Printer(const LtlPool& pool) : pool_(pool) {}

  std::string take(Ltl f) {
    print(f);
    return std::move(text_);
  }

 private:
  void print(Ltl f) {
    const LtlOp op = pool_.op(f);
    if (op == LtlOp::atom) {
      const std::string& name = pool_.atoms()[pool_.atom_index(f)].name;
      text_ += spelled_atom(name, is_bare_ltl_name(name));
      return;
    }
    const auto operands = pool_.operands(f);
    if (operands.size() < 2) {
      text_ += spelling(op);
      if (!operands.empty()) print_after_prefix(op, operands[0]);
      return;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) text_ += spelling(op);
      print_operand(op, operands[i], i + 1 == operands.size(), i == 0);
    }
  }

  void print_operand(LtlOp outer, Ltl f, bool is_last, bool is_first) {
    const LtlOp op = pool_.op(f);
    const bool chained = op == outer && (is_right_associative(op) ? is_last : is_first);
    const bool bare = ltl_binding(op) > ltl_binding(outer) || chained;
    if (!bare) text_ += '(';
    print(f);
    if (!bare) text_ += ')';
  }

  // X, F and G are letters: a space keeps them apart from a name, and GF, FG and the like are
  // written together.
  void print_after_prefix(LtlOp outer, Ltl f) {
    const LtlOp op = pool_.op(f);
    const bool bare = ltl_binding(op) == ltl_unary_binding;
    const bool is_prefix =
        op == LtlOp::not_ || op == LtlOp::next || op == LtlOp::eventually || op == LtlOp::always;
    if (outer != LtlOp::not_ && bare && !(is_prefix && op != LtlOp::not_)) text_ += ' ';
    if (!bare) text_ += '(';
    print(f);
    if (!bare) text_ += ')';
  }

  const LtlPool& pool_;
  std::string text_;
};

}  // namespace

std::string spelled_atom(const std::string& name, bool bare) {
  if (bare) return name;
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string to_string(const LtlPool& pool, Ltl f) {
  return Printer(pool).take(f);
}

}  // namespace tideline
