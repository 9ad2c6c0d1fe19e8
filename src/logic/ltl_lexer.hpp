// Lexer for LTL as SPIN and Spot users write it, and for CTL.
//
// A word is a run of letters, digits, '_' and '.'. Two habits make words ambiguous, and the rules here are:
// - Operators before a name may be glued to it, as in Spot: GFp is G F p. A word that starts with F, G or X
//   is such operators followed by a word if what follows is one, so a name like Fork.ready needs quotes.
// - BEEM glues a binary operator to the name before it: p1U(q). The last letter of a word is the operator
//   when it is one of U V R W M and an operand that is not a word follows; an atom would not
//   be possible there.
//
// act(...) is one word: an atom about actions, whose name may contain anything.
//
// CTL also has the path quantifiers A and E. AG is A and G, and sequences such as AGEF are split likewise; A
// and E alone are quantifiers where '(', '[' or one of X F G [] <> follows. F, G and X are not glued to names
// there, and '[' after a quantifier is an opening parenthesis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logic/ltl.hpp"

namespace tideline {

enum class TemporalLogic { ltl, ctl };

struct LtlToken {
  enum class Kind { end, open, close, operation, constant, atom, quantifier };
  Kind kind = Kind::end;
  LtlOp op = LtlOp::false_;  ///< of an operation or a constant
  SourcePoint where = {};
  std::string text = {};   ///< as written; of a quoted atom what is between the quotes
  std::string glued = {};  ///< of an atom: the operators glued to its front
  bool quoted = false;
};

/// All tokens, the last of kind `end`. Throws Error(input) for what is not a token.
std::vector<LtlToken> ltl_tokens(const SourceText& source, TemporalLogic logic = TemporalLogic::ltl);

}  // namespace tideline
