#include "logic/ctl.hpp"

#include "logic/ltl.hpp"

namespace tideline {

namespace {

/// The connective of LTL that is written the same way; atom for everything else.
LtlOp connective(CtlOp op) {
  switch (op) {
    case CtlOp::and_:
      return LtlOp::and_;
    case CtlOp::or_:
      return LtlOp::or_;
    case CtlOp::implies:
      return LtlOp::implies;
    case CtlOp::equivalent:
      return LtlOp::equivalent;
    case CtlOp::exclusive_or:
      return LtlOp::exclusive_or;
    default:
      return LtlOp::atom;
  }
}

int binding(CtlOp op) {
  return ltl_binding(connective(op));
}

const char* spelling(CtlOp op) {
  switch (op) {
    case CtlOp::false_:
      return "false";
    case CtlOp::true_:
      return "true";
    case CtlOp::not_:
      return "!";
    case CtlOp::and_:
      return " && ";
    case CtlOp::or_:
      return " || ";
    case CtlOp::implies:
      return " -> ";
    case CtlOp::equivalent:
      return " <-> ";
    case CtlOp::exclusive_or:
      return " xor ";
    case CtlOp::ex:
      return "EX";
    case CtlOp::ef:
      return "EF";
    case CtlOp::eg:
      return "EG";
    case CtlOp::ax:
      return "AX";
    case CtlOp::af:
      return "AF";
    case CtlOp::ag:
      return "AG";
    case CtlOp::eu:
    case CtlOp::au:
      return " U ";
    case CtlOp::er:
    case CtlOp::ar:
      return " R ";
    case CtlOp::ew:
    case CtlOp::aw:
      return " W ";
    case CtlOp::em:
    case CtlOp::am:
      return " M ";
    case CtlOp::atom:
      break;
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const CtlPool& pool) : pool_(pool) {}

  std::string take(Ctl f) {
    print(f);
    return std::move(text_);
  }

 private:
  void print(Ctl f) {
    const CtlOp op = pool_.op(f);
    const auto operands = pool_.operands(f);
    if (op == CtlOp::atom) {
      const std::string& name = pool_.atoms()[pool_.atom_index(f)].name;
      text_ += spelled_atom(name, is_bare_ctl_name(name));
    } else if (operands.empty()) {
      text_ += spelling(op);
    } else if (operands.size() == 1) {
      text_ += spelling(op);
      if (op != CtlOp::not_ && is_tight(operands[0])) text_ += ' ';
      print_tight(operands[0]);
    } else if (is_temporal(op)) {
      text_ += is_universal(op) ? "A(" : "E(";
      print_tight(operands[0]);
      text_ += spelling(op);
      print_tight(operands[1]);
      text_ += ')';
    } else {
      print_connective(op, operands);
    }
  }

  bool is_tight(Ctl f) const { return binding(pool_.op(f)) == ltl_unary_binding; }

  void print_tight(Ctl f) { print_in_parentheses(f, !is_tight(f)); }

  void print_in_parentheses(Ctl f, bool wanted) {
    if (wanted) text_ += '(';
    print(f);
    if (wanted) text_ += ')';
  }

  void print_connective(CtlOp op, std::span<const Ctl> operands) {
    const bool to_the_right = op == CtlOp::implies || op == CtlOp::equivalent;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) text_ += spelling(op);
      const CtlOp inner = pool_.op(operands[i]);
      const bool chained = inner == op && i == (to_the_right ? operands.size() - 1 : 0);
      print_in_parentheses(operands[i], binding(inner) <= binding(op) && !chained);
    }
  }

  const CtlPool& pool_;
  std::string text_;
};

}  // namespace

std::string to_string(const CtlPool& pool, Ctl f) {
  return Printer(pool).take(f);
}

}  // namespace tideline
