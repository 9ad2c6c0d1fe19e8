// The grammar of LTL. From the loosest to the tightest, as in Spot:
//     -> <->  (to the right)   ||   xor   &&   U R W M  (to the right)   ! X F G
#include "logic/formula_parser.hpp"
#include "logic/ltl.hpp"

namespace tideline {

namespace {

class Parser : public FormulaParser<Parser, LtlOp, Ltl> {
 public:
  Parser(LtlPool& pool, const SourceText& source)
      : FormulaParser(pool, source, TemporalLogic::ltl, max_ltl_depth) {}

  static LtlOp connective(LtlOp op) { return op; }
  void check_binary(const LtlToken&) const {}

  Ltl prefixed() {
    const Nesting deeper = nested();
    const LtlToken& first = token();
    if (first.kind != Kind::operation) return primary();
    if (ltl_binding(first.op) != ltl_unary_binding) missing_operand();
    take();
    return checked(pool_.unary(first.op, prefixed()), first);
  }
};

}  // namespace

Ltl parse_ltl(LtlPool& pool, const SourceText& source) {
  return Parser(pool, source).run();
}

}  // namespace tideline
