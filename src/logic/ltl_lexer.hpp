// The words of LTL as SPIN and Spot users write them.
//
// A word is a run of letters, digits, '_' and '.'. Two habits make words ambiguous, and the rules here are:
// - Operators before a name may be glued to it, as in Spot: GFp is G F p. A word that starts with F, G or X
//   is such operators followed by a word if what follows is one, so a name like Fork.ready needs quotes.
// - BEEM glues a binary operator to the name before it: p1U(q). The last letter of a word is the operator
//   when it is one of U V R W M and an operand that is no word follows; an atom could not stand there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logic/ltl.hpp"

namespace tideline {

struct LtlToken {
  enum class Kind { end, open, close, operation, constant, atom };
  Kind kind = Kind::end;
  LtlOp op = LtlOp::false_;  ///< of an operation or a constant
  SourcePoint where = {};
  std::string text = {};   ///< as written; of a quoted atom what is between the quotes
  std::string glued = {};  ///< of an atom: the operators glued to its front
  bool quoted = false;
};

/// All tokens with an end at the end. Throws Error(input) for what is no token.
std::vector<LtlToken> ltl_tokens(const SourceText& source);

}  // namespace tideline
