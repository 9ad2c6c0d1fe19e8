#include "logic/ltl_simplify.hpp"

#include <algorithm>

namespace tideline {

Ltl LtlSimplifier::simplify(Ltl f) {
  if (const auto known = known_.find(f.id); known != known_.end()) return known->second;
  // Every rule makes the formula smaller or pulls an operator outwards; the bound is for rules added later.
  constexpr int max_rounds = 100;
  Ltl result = f;
  for (int round = 0; round < max_rounds; ++round) {
    const Ltl rebuilt = rebuild(result);
    const Ltl better = at_top(rebuilt);
    if (better == result) break;
    result = better;
  }
  known_.emplace(f.id, result);
  known_.emplace(result.id, result);
  return result;
}

Ltl LtlSimplifier::rebuild(Ltl f) {
  std::vector<Ltl> parts(pool_.operands(f).begin(), pool_.operands(f).end());
  for (Ltl& part : parts) part = simplify(part);
  if (parts.empty()) return f;
  if (op(f) == LtlOp::and_ || op(f) == LtlOp::or_) return pool_.many(op(f), parts);
  return parts.size() == 1 ? make(op(f), parts[0]) : make(op(f), parts[0], parts[1]);
}

Ltl LtlSimplifier::at_top(Ltl f) {
  switch (op(f)) {
    case LtlOp::next:
      return next(f);
    case LtlOp::eventually:
      return eventually(f);
    case LtlOp::always:
      return always(f);
    case LtlOp::until:
      return until(f);
    case LtlOp::weak_until:
      return weak_until(f);
    case LtlOp::release:
      return release(f);
    case LtlOp::strong_release:
      return strong_release(f);
    case LtlOp::and_:
    case LtlOp::or_:
      return conjunction_or_disjunction(f);
    default:
      return f;
  }
}

/// f with its `op`-parts (f itself, if it is not an `op`) replaced.
Ltl LtlSimplifier::for_each_part(Ltl f, LtlOp wanted, auto&& replace) {
  std::vector<Ltl> parts{f};
  if (op(f) == wanted) parts.assign(pool_.operands(f).begin(), pool_.operands(f).end());
  for (Ltl& part : parts) part = replace(part);
  return pool_.many(wanted, parts);
}

/// f without those of its `op`-parts that are superfluous (f itself is its only part if it is not an `op`).
Ltl LtlSimplifier::without(Ltl f, LtlOp wanted, auto&& superfluous) {
  std::vector<Ltl> parts{f};
  if (op(f) == wanted) parts.assign(pool_.operands(f).begin(), pool_.operands(f).end());
  const std::size_t before = parts.size();
  std::erase_if(parts, superfluous);
  return parts.size() == before ? f : pool_.many(wanted, parts);
}

Ltl LtlSimplifier::next(Ltl f) {
  const Ltl a = pool_.left(f);
  return facts_.is_suspendable(a) ? a : f;  // the constants are suspendable too
}

Ltl LtlSimplifier::eventually(Ltl f) {
  const Ltl a = pool_.left(f);
  if (facts_.is_eventual(a)) return a;
  if (op(a) == LtlOp::next) return make(LtlOp::next, make(LtlOp::eventually, pool_.left(a)));
  // F distributes over ||, so each disjunct may use that it is below F.
  const Ltl better = for_each_part(a, LtlOp::or_, [&](Ltl part) {
    switch (op(part)) {
      case LtlOp::next:  // F X u = F u
        return facts_.is_universal(pool_.left(part)) ? pool_.left(part) : part;
      case LtlOp::always:
        return in_the_end(part);
      case LtlOp::eventually:
        return pool_.left(part);
      case LtlOp::until:
        return pool_.right(part);
      case LtlOp::strong_release:
        return make(LtlOp::and_, pool_.left(part), pool_.right(part));
      case LtlOp::weak_until:
        return make(LtlOp::or_, pool_.right(part), make(LtlOp::always, pool_.left(part)));
      default:
        return part;
    }
  });
  return better == a ? f : make(LtlOp::eventually, better);
}

Ltl LtlSimplifier::always(Ltl f) {
  const Ltl a = pool_.left(f);
  if (facts_.is_universal(a)) return a;
  if (op(a) == LtlOp::next) return make(LtlOp::next, make(LtlOp::always, pool_.left(a)));
  const Ltl better = for_each_part(a, LtlOp::and_, [&](Ltl part) {
    switch (op(part)) {
      case LtlOp::next:  // G X e = G e
        return facts_.is_eventual(pool_.left(part)) ? pool_.left(part) : part;
      case LtlOp::eventually:
        return in_the_end(part);
      case LtlOp::always:
        return pool_.left(part);
      case LtlOp::release:
        return pool_.right(part);
      case LtlOp::weak_until:
        return make(LtlOp::or_, pool_.left(part), pool_.right(part));
      case LtlOp::strong_release:
        return make(LtlOp::and_, pool_.right(part), make(LtlOp::eventually, pool_.left(part)));
      default:
        return part;
    }
  });
  if (better != a) return make(LtlOp::always, better);
  return let_out(f);
}

/// For f = F a, what may replace it below G, where only the far end of the word matters (and for G a
/// below F, dually):
///     G F(a || X b) = G F(a || b)
///     G F(a && e) = G(F a && e)    for e that is eventual: it holds everywhere if it holds again and again
///     G F(a && u) = G(F a && F u)  for u that is universal: it holds from some point on if it ever does
Ltl LtlSimplifier::in_the_end(Ltl f) {
  const LtlOp o = op(f), dual = o == LtlOp::eventually ? LtlOp::always : LtlOp::eventually;
  const LtlOp split = o == LtlOp::eventually ? LtlOp::and_ : LtlOp::or_;
  const LtlOp joined = o == LtlOp::eventually ? LtlOp::or_ : LtlOp::and_;
  const auto keeps = [&](Ltl part) {  // what the outer operator does not change
    return dual == LtlOp::always ? facts_.is_eventual(part) : facts_.is_universal(part);
  };
  const auto settles = [&](Ltl part) {
    return dual == LtlOp::always ? facts_.is_universal(part) : facts_.is_eventual(part);
  };
  const Ltl sooner = for_each_part(pool_.left(f), joined, [&](Ltl part) {
    while (op(part) == LtlOp::next) part = pool_.left(part);
    return part;
  });
  if (op(sooner) != split) return make(o, sooner);
  std::vector<Ltl> out, rest;
  for (const Ltl part : std::vector<Ltl>(pool_.operands(sooner).begin(), pool_.operands(sooner).end())) {
    if (keeps(part))
      out.push_back(part);
    else if (settles(part))
      out.push_back(make(o, part));
    else
      rest.push_back(part);
  }
  if (out.empty()) return make(o, sooner);
  if (!rest.empty()) out.push_back(make(o, pool_.many(split, rest)));
  return pool_.many(split, out);
}

/// G(a || s) = G a || s and c R (a || s) = c R a || s for suspendable s.
Ltl LtlSimplifier::let_out(Ltl f) {
  const Ltl inner = pool_.operands(f).back();
  if (op(inner) != LtlOp::or_) return f;
  std::vector<Ltl> out, rest;
  for (const Ltl part : pool_.operands(inner)) (facts_.is_suspendable(part) ? out : rest).push_back(part);
  if (out.empty()) return f;
  const Ltl host = pool_.many(LtlOp::or_, rest);
  out.push_back(op(f) == LtlOp::always ? make(LtlOp::always, host) : make(op(f), pool_.left(f), host));
  return pool_.many(LtlOp::or_, out);
}

/// What all four binary operators have in common; f when no rule fires.
Ltl LtlSimplifier::common_binary(Ltl f) {
  const LtlOp o = op(f);
  const Ltl a = pool_.left(f), b = pool_.right(f);
  const bool is_until = o == LtlOp::until || o == LtlOp::weak_until;
  if (op(b) == LtlOp::true_ || op(b) == LtlOp::false_) return f;
  // When b is enough (or, for R and M, when b implies a) there is nothing to wait for.
  if (is_until ? facts_.implies(a, b) : facts_.implies(b, a)) return b;
  if (op(a) == LtlOp::next && op(b) == LtlOp::next)
    return make(LtlOp::next, make(o, pool_.left(a), pool_.left(b)));
  if (op(b) == o) {  // a U (c U d), where one of a and c is the weaker
    const Ltl c = pool_.left(b), d = pool_.right(b);
    const bool inner = is_until ? facts_.implies(a, c) : facts_.implies(c, a);
    const bool outer = is_until ? facts_.implies(c, a) : facts_.implies(a, c);
    if (inner) return b;
    if (outer) return make(o, a, d);
  }
  // (a || b) U b = a U b and (a && b) R b = a R b
  const Ltl shorter = is_until ? without(a, LtlOp::or_, [&](Ltl part) { return facts_.implies(part, b); })
                               : without(a, LtlOp::and_, [&](Ltl part) { return facts_.implies(b, part); });
  return shorter == a ? f : make(o, shorter, b);
}

Ltl LtlSimplifier::until(Ltl f) {
  const Ltl a = pool_.left(f), b = pool_.right(f);
  if (facts_.is_eventual(b) || op(a) == LtlOp::false_) return b;
  if (op(a) == LtlOp::true_ || facts_.implies(facts_.negation(a), b)) return make(LtlOp::eventually, b);
  if (const Ltl g = common_binary(f); g != f) return g;
  if (facts_.is_suspendable(a))  // once it holds it holds for ever
    return make(LtlOp::or_, b, make(LtlOp::and_, a, make(LtlOp::eventually, b)));
  if (const Ltl end = without(b, LtlOp::and_, [&](Ltl part) { return part == a; }); end != b)
    return make(LtlOp::strong_release, end, a);
  if (const Ltl end = without(b, LtlOp::or_, [&](Ltl part) { return part == make(LtlOp::always, a); });
      end != b)
    return make(LtlOp::weak_until, a, end);
  return f;
}

Ltl LtlSimplifier::weak_until(Ltl f) {
  const Ltl a = pool_.left(f), b = pool_.right(f);
  if (op(b) == LtlOp::true_ || op(a) == LtlOp::true_) return pool_.constant(true);
  if (op(b) == LtlOp::false_) return make(LtlOp::always, a);
  if (op(a) == LtlOp::false_) return b;
  if (facts_.implies(facts_.negation(a), b)) return pool_.constant(true);
  if (facts_.is_universal(a)) return make(LtlOp::or_, a, b);
  if (facts_.is_eventual(b)) return make(LtlOp::or_, make(LtlOp::always, a), b);
  if (const Ltl g = common_binary(f); g != f) return g;
  if (const Ltl end = without(b, LtlOp::and_, [&](Ltl part) { return part == a; }); end != b)
    return make(LtlOp::release, end, a);
  return f;
}

Ltl LtlSimplifier::release(Ltl f) {
  const Ltl a = pool_.left(f), b = pool_.right(f);
  if (facts_.is_universal(b) || op(a) == LtlOp::true_) return b;
  if (op(a) == LtlOp::false_ || facts_.excludes(b, a)) return make(LtlOp::always, b);
  if (const Ltl g = common_binary(f); g != f) return g;
  if (facts_.is_suspendable(a)) return make(LtlOp::and_, b, make(LtlOp::or_, a, make(LtlOp::always, b)));
  if (const Ltl before = without(b, LtlOp::or_, [&](Ltl part) { return part == a; }); before != b)
    return make(LtlOp::weak_until, before, a);
  if (const Ltl held = without(b, LtlOp::and_, [&](Ltl part) { return part == make(LtlOp::eventually, a); });
      held != b)
    return make(LtlOp::strong_release, a, held);
  return let_out(f);
}

Ltl LtlSimplifier::strong_release(Ltl f) {
  const Ltl a = pool_.left(f), b = pool_.right(f);
  if (op(a) == LtlOp::false_ || op(b) == LtlOp::false_) return pool_.constant(false);
  if (op(a) == LtlOp::true_) return b;
  if (op(b) == LtlOp::true_) return make(LtlOp::eventually, a);
  if (facts_.excludes(b, a)) return pool_.constant(false);
  if (facts_.is_eventual(a)) return make(LtlOp::and_, a, b);
  if (facts_.is_universal(b)) return make(LtlOp::and_, make(LtlOp::eventually, a), b);
  if (const Ltl g = common_binary(f); g != f) return g;
  if (const Ltl before = without(b, LtlOp::or_, [&](Ltl part) { return part == a; }); before != b)
    return make(LtlOp::until, before, a);
  return f;
}

// ---- conjunctions and disjunctions ----
//
// The same code serves both: a part is redundant when another part implies it (and_) or is implied
// by it (or_).

Ltl LtlSimplifier::conjunction_or_disjunction(Ltl f) {
  const LtlOp o = op(f);
  std::vector<Ltl> parts(pool_.operands(f).begin(), pool_.operands(f).end());
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  // Comparing all pairs of thousands of parts is not worth it.
  constexpr std::size_t max_parts = 200;
  if (parts.size() <= max_parts && !drop_redundant(o, parts)) return pool_.constant(o == LtlOp::or_);
  if (merge_unary(o, parts) || parts.size() > max_parts) return pool_.many(o, parts);
  // At most one of these a round: the next round sees its result.
  (void)(merge_binary(o, parts) || fold_unfolding(o, parts) || use_context(o, parts) || pull_in(o, parts));
  return pool_.many(o, parts);
}

/// False when two parts exclude each other (and_) or leave nothing out (or_): the whole is a constant.
bool LtlSimplifier::drop_redundant(LtlOp o, std::vector<Ltl>& parts) {
  const auto stronger = [&](Ltl x, Ltl y) {
    return o == LtlOp::and_ ? facts_.implies(x, y) : facts_.implies(y, x);
  };
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < parts.size();) {
      if (i == j) {
        ++j;
        continue;
      }
      const Ltl negated = facts_.negation(parts[j]);
      if (stronger(parts[i], negated)) return false;
      if (!stronger(parts[i], parts[j])) {
        ++j;
        continue;
      }
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
      if (j < i) --i;
    }
  return true;
}

/// X a && X b = X(a && b), G a && G b = G(a && b), F G a && F G b = F G(a && b), and their duals.
bool LtlSimplifier::merge_unary(LtlOp o, std::vector<Ltl>& parts) {
  const LtlOp strong = o == LtlOp::and_ ? LtlOp::always : LtlOp::eventually;
  const LtlOp weak = o == LtlOp::and_ ? LtlOp::eventually : LtlOp::always;
  bool changed = false;
  const auto merge = [&](auto&& inner_of, auto&& wrap) {
    std::vector<Ltl> inner, rest;
    for (const Ltl part : parts) {
      if (const auto found = inner_of(part))
        inner.push_back(*found);
      else
        rest.push_back(part);
    }
    if (inner.size() < 2) return;
    rest.push_back(wrap(pool_.many(o, inner)));
    parts = std::move(rest);
    changed = true;
  };
  const auto under = [&](LtlOp outer) {
    return
        [&, outer](Ltl part) { return op(part) == outer ? std::optional(pool_.left(part)) : std::nullopt; };
  };
  merge(under(LtlOp::next), [&](Ltl inner) { return make(LtlOp::next, inner); });
  merge(under(strong), [&](Ltl inner) { return make(strong, inner); });
  merge(
      [&](Ltl part) {
        const bool fits = op(part) == weak && op(pool_.left(part)) == strong;
        return fits ? std::optional(pool_.left(pool_.left(part))) : std::nullopt;
      },
      [&](Ltl inner) { return make(weak, make(strong, inner)); });
  return changed;
}

/// (a U c) && (b U c) = (a && b) U c, (a U b) || (a U c) = a U (b || c), and so on for R, W and M.
bool LtlSimplifier::merge_binary(LtlOp o, std::vector<Ltl>& parts) {
  const auto is_until = [](LtlOp x) { return x == LtlOp::until || x == LtlOp::weak_until; };
  const auto is_release = [](LtlOp x) { return x == LtlOp::release || x == LtlOp::strong_release; };
  const auto merged = [&](Ltl f, Ltl g) -> std::optional<Ltl> {
    const LtlOp x = op(f), y = op(g);
    const bool untils = is_until(x) && is_until(y), releases = is_release(x) && is_release(y);
    if (!untils && !releases) return std::nullopt;
    // && keeps the ends of U and W equal and those of R and M; || the other way round.
    const bool same_left = untils == (o == LtlOp::or_);
    if (same_left ? pool_.left(f) != pool_.left(g) : pool_.right(f) != pool_.right(g)) return std::nullopt;
    const LtlOp strong = untils ? LtlOp::until : LtlOp::strong_release;
    const LtlOp weak = untils ? LtlOp::weak_until : LtlOp::release;
    const LtlOp result = o == LtlOp::and_ ? (x == strong || y == strong ? strong : weak)
                                          : (x == weak || y == weak ? weak : strong);
    if (same_left) return make(result, pool_.left(f), make(o, pool_.right(f), pool_.right(g)));
    return make(result, make(o, pool_.left(f), pool_.left(g)), pool_.right(f));
  };
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size(); ++j)
      if (const auto both = merged(parts[i], parts[j])) {
        parts[i] = *both;
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
  return false;
}

/// a && X G a = G a, a || X F a = F a
bool LtlSimplifier::fold_unfolding(LtlOp o, std::vector<Ltl>& parts) {
  const LtlOp strong = o == LtlOp::and_ ? LtlOp::always : LtlOp::eventually;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Ltl part = parts[i];
    if (op(part) != LtlOp::next || op(pool_.left(part)) != strong) continue;
    const Ltl inner = pool_.left(pool_.left(part));
    // The first step may be spread over several parts.
    std::vector<Ltl> needed{inner};
    if (op(inner) == o) needed.assign(pool_.operands(inner).begin(), pool_.operands(inner).end());
    const auto has = [&](Ltl x) { return std::ranges::find(parts, x) != parts.end(); };
    if (!std::ranges::all_of(needed, has)) continue;
    parts[i] = make(strong, inner);
    std::erase_if(parts, [&](Ltl x) { return std::ranges::find(needed, x) != needed.end(); });
    return true;
  }
  return false;
}

/// Simplifies each part under the assumption that the others are true (and_) or false (or_).
bool LtlSimplifier::use_context(LtlOp o, std::vector<Ltl>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<Ltl> others = parts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Ltl better = in_context(o, parts[i], others);
    if (better == parts[i]) continue;
    parts[i] = better;
    return true;
  }
  return false;
}

Ltl LtlSimplifier::in_context(LtlOp o, Ltl part, const std::vector<Ltl>& others) {
  // What is known: each of the others (and_), or the negation of each (or_).
  const auto known_true = [&](Ltl f) {
    return std::ranges::any_of(others, [&](Ltl x) {
      return o == LtlOp::and_ ? facts_.implies(x, f) : facts_.implies(facts_.negation(f), x);
    });
  };
  const auto known_false = [&](Ltl f) {
    return std::ranges::any_of(others, [&](Ltl x) {
      return o == LtlOp::and_ ? facts_.implies(x, facts_.negation(f)) : facts_.implies(f, x);
    });
  };
  switch (op(part)) {
    case LtlOp::and_:
    case LtlOp::or_:
      return for_each_part(part, op(part), [&](Ltl f) {
        if (known_true(f) || known_false(f)) return pool_.constant(known_true(f));
        return in_context(o, f, others);
      });
    case LtlOp::until:
    case LtlOp::weak_until:
      return known_false(pool_.left(part)) ? pool_.right(part) : part;
    case LtlOp::release:
    case LtlOp::strong_release:
      return known_true(pool_.left(part)) ? pool_.right(part) : part;
    default:
      return part;
  }
}

/// Moves a part to where it is decided last: a choice that is put off takes no states of its own.
///     F a || e = F(a || e),  a U b || e = a U (b || e)    for e that is eventual, and their duals
///     F a && s = F(a && s),  a U b && s = a U (b && s)    for s that is suspendable, and their duals
bool LtlSimplifier::pull_in(LtlOp o, std::vector<Ltl>& parts) {
  const bool conjunction = o == LtlOp::and_;
  const auto fits_strong = [&](Ltl x) {
    return conjunction ? facts_.is_universal(x) : facts_.is_eventual(x);
  };
  const auto suspendable = [&](Ltl x) { return facts_.is_suspendable(x); };
  const auto pull = [&](std::initializer_list<LtlOp> hosts, auto&& fits) {
    for (const LtlOp wanted : hosts)
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (op(parts[i]) != wanted) continue;
        const Ltl host = parts[i];
        std::vector<Ltl> moved, rest;
        for (std::size_t j = 0; j < parts.size(); ++j)
          if (j != i) (fits(parts[j]) ? moved : rest).push_back(parts[j]);
        if (moved.empty()) continue;
        const auto operands = pool_.operands(host);
        moved.push_back(operands.back());
        const Ltl inner = pool_.many(o, moved);
        rest.push_back(pool_.operands(host).size() == 1 ? make(wanted, inner)
                                                        : make(wanted, pool_.left(host), inner));
        parts = std::move(rest);
        return true;
      }
    return false;
  };
  if (conjunction)
    return pull({LtlOp::eventually, LtlOp::until, LtlOp::next}, suspendable) ||
           pull({LtlOp::always, LtlOp::release, LtlOp::strong_release}, fits_strong);
  return pull({LtlOp::eventually, LtlOp::until, LtlOp::weak_until}, fits_strong) ||
         pull({LtlOp::next}, suspendable);
}

}  // namespace tideline
