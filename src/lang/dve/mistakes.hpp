// Common mistakes of users who know another language better than DVE, with what to write instead.
//
// Every function looks at the current tokens, and fails (noting the error, throwing SyntaxError) only when it
// is sure of the mistake; otherwise it returns, and the parser reports what it expected.
#pragma once

#include <string_view>

#include "lang/dve/tokens.hpp"

namespace tideline::dve {

/// After an expression: `x = 0` for a comparison, `a -> b` and `a => b` for an implication, `a AND b`.
void refuse_foreign_operator(TokenStream& tokens);

/// After the target of an effect: `x++`, `x += 2`, `x := 1`, `x == 1`.
void refuse_foreign_assignment(TokenStream& tokens, std::string_view target);

/// Between the clauses of a transition: a second assignment after the ';' of the effect.
void refuse_stray_assignment(TokenStream& tokens);

/// Where a declaration may be: `bool b;`, `short n;`; a macro that is not expanded.
void refuse_foreign_declaration(TokenStream& tokens);

/// Where a type is expected: `bool` and such.
void refuse_foreign_type(TokenStream& tokens);

/// After the name of a process: `P[4]` and `P(byte id)`. Only notes the error and skips them: what follows
/// What is here is an extension of DVE, and only DVE is wanted.
[[noreturn]] void refuse_extension(TokenStream& tokens, std::string_view what);

/// can be read.
void refuse_process_parameters(TokenStream& tokens, std::string_view process);

}  // namespace tideline::dve
