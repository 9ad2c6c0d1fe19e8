#!/usr/bin/env python3
"""Random LTL formulas about a Petri net, of four classes: python3 bench/random_formulas.py NET.pnml --count 8

  safety       negations only before atoms, and of temporal operators X, G, W and R
  guarantee    likewise, with X, F and U
  obligation   and, or and X of such formulas, at least one of each class
  rest         everything else: GF, FG, G(a -> F b), ...

The class is decided by how a formula is written. Atoms compare numbers of tokens or say that a transition is enabled. They are
drawn until random walks have met each atom true and false; formulas until random words of their atoms make them true and
false. The same net and the same seed give the same formulas.

A formula is a tuple: ("atom", number), ("!", atom), ("X", f), ("F", f), ("G", f), ("U", f, g), ("W", f, g), ("R", f, g),
("&&", f, g), ("||", f, g).
"""

import argparse
import json
import random
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nets
from measure import TIDELINE, run

CLASSES = ("safety", "guarantee", "obligation", "rest")
OPERATORS = {"safety": ("X", "G", "W", "R", "&&", "||"), "guarantee": ("X", "F", "U", "&&", "||"),
             "rest": ("X", "F", "G", "F", "G", "U", "R", "W", "&&", "||")}
UNARY = ("X", "F", "G")
LARGEST = 100               # largest constant in an atom
ATOMS = 24                  # of a net
WALKS = ("--walks", 20, "--depth", 1000, "--seed", 1)


# --- Classes and meaning ----------------------------------------------------------------------------------------------


def operators(formula):
    """All that occur in it."""
    if formula[0] == "atom":
        return set()
    return {formula[0]}.union(*(operators(part) for part in formula[1:]))


def classify(formula):
    """One of CLASSES; none when no operator reaches further than a number of steps."""
    used = operators(formula)
    least, greatest = used & {"F", "U"}, used & {"G", "W", "R"}
    if not least or not greatest:
        return "guarantee" if least else "safety" if greatest else None
    if formula[0] in ("&&", "||", "X") and all(classify(part) != "rest" for part in formula[1:]):
        return "obligation"
    return "rest"


def truth(formula, word, loop):
    """Where it is true in an infinite word: after the last letter (a set of true atoms) comes that at `loop` again."""
    operator, places = formula[0], range(len(word))
    if operator == "atom":
        return [formula[1] in letter for letter in word]
    parts = [truth(part, word, loop) for part in formula[1:]]
    after = [*places[1:], loop]
    if operator == "!":
        return [not value for value in parts[0]]
    if operator == "X":
        return [parts[0][after[i]] for i in places]
    if operator in ("&&", "||"):
        return [(a and b) if operator == "&&" else (a or b) for a, b in zip(*parts)]
    # f U g is the least, f W g the greatest solution of x = g or (f and X x); f R g is g W (f and g).
    least = operator in ("F", "U")
    if operator == "F":
        hold, goal = [True] * len(word), parts[0]
    elif operator == "G":
        hold, goal = parts[0], [False] * len(word)
    elif operator == "R":
        hold, goal = parts[1], [a and b for a, b in zip(*parts)]
    else:
        hold, goal = parts
    values = [not least] * len(word)
    for _ in range(2 * len(word)):      # backwards; twice around reaches everything
        for i in reversed(places):
            values[i] = goal[i] or (hold[i] and values[after[i]])
    return values


def random_word(choice, atoms):
    word = [{atom for atom in range(atoms) if choice.random() < 0.5} for _ in range(choice.randint(1, 8))]
    return word, choice.randrange(len(word))


def can_be_both(formula, choice, atoms):
    """Is it neither true of all nor of none of some random words?"""
    values = {truth(formula, *random_word(choice, atoms))[0] for _ in range(60)}
    return len(values) == 2


# --- Formulas ---------------------------------------------------------------------------------------------------------


def draw(choice, allowed, size, atoms):
    """A formula with this many operators and atoms, or one less."""
    if size <= 1:
        atom = ("atom", choice.randrange(atoms))
        return ("!", atom) if choice.random() < 0.3 else atom
    operator = choice.choice(allowed)
    if operator in UNARY or size == 2:
        unary = [name for name in allowed if name in UNARY]
        return (operator if operator in UNARY else choice.choice(unary), draw(choice, allowed, size - 1, atoms))
    left = choice.randint(1, size - 2)
    return (operator, draw(choice, allowed, left, atoms), draw(choice, allowed, size - 1 - left, atoms))


def formula_of(kind, choice, atoms):
    """A random formula of the class that can be true and false."""
    while True:
        if kind == "obligation":
            sides = [draw(choice, OPERATORS[side], choice.randint(2, 5), atoms) for side in ("safety", "guarantee")]
            choice.shuffle(sides)
            formula = (choice.choice(("&&", "||")), *sides)
        else:
            formula = draw(choice, OPERATORS[kind], choice.randint(3, 9), atoms)
        if classify(formula) == kind and can_be_both(formula, choice, atoms):
            return formula


def text(formula, atoms):
    """As Tideline reads it."""
    operator, *parts = formula
    if operator == "atom":
        return f'"{atoms[parts[0]]}"'
    if operator == "!" or operator in UNARY:
        return f"{operator} {text(parts[0], atoms)}"
    return f"({text(parts[0], atoms)} {operator} {text(parts[1], atoms)})"


# --- Atoms ------------------------------------------------------------------------------------------------------------


def names(path):
    """The quoted names of the places and of the transitions, and the most tokens that are written in a place."""
    found, most = {"place": [], "transition": []}, 3
    for element in ElementTree.parse(path).iter():
        kind = element.tag.rsplit("}", 1)[-1]
        if kind in found:
            found[kind].append(f"'{element.get('id')}'")
        elif kind == "initialMarking":
            most = max(most, int("".join(element.itertext()).strip() or 0))
    return found["place"], found["transition"], min(most, LARGEST)


def draw_atom(choice, places, transitions, most):
    if choice.random() < 0.5:
        return f"fireable({', '.join(choice.sample(transitions, min(len(transitions), choice.randint(1, 2))))})"
    kind, some = choice.randrange(3), choice.sample(places, min(2, len(places)))
    if kind == 0 and len(some) == 2:
        return f"{some[0]} <= {some[1]}"
    if kind == 1:
        return f"{' + '.join(some)} >= {choice.randint(1, most)}"
    return f"{some[0]} {choice.choice(('<=', '>='))} {choice.randint(1, min(3, most))}"


def atoms_of(path, choice):
    """Atoms that random walks have met true and false; others are added only when there are not two of these."""
    places, transitions, most = names(path)
    kept, others = [], []
    for _ in range(4):
        drawn = list(dict.fromkeys(draw_atom(choice, places, transitions, most) for _ in range(2 * ATOMS)))
        asked = [part for atom in drawn for part in ("--reach", atom, "--reach", f"!({atom})")]
        done = run([TIDELINE, "check", path, "--engine", "walk", *WALKS, "--no-trace", "--quiet", "--json", "-", *asked])
        if done.status not in (0, 1, 3):
            sys.exit(f"tideline check {path}: exit code {done.status}\n{done.output}")
        met = [entry["verdict"] == "holds" for entry in json.loads(done.output)["properties"]]
        for number, atom in enumerate(drawn):
            (kept if met[2 * number] and met[2 * number + 1] else others).append(atom)
        kept = list(dict.fromkeys(kept))
        if len(kept) >= ATOMS:
            break
    return kept[:ATOMS] if len(kept) >= 2 else (kept + others)[:ATOMS]


def formulas(path, count, seed):
    """(class, text) of this many formulas, the classes in turn."""
    choice = random.Random(f"{seed} {path.parent.name if path.name == 'model.pnml' else path.stem}")
    pool = atoms_of(path, choice)
    for number in range(count):
        atoms = choice.sample(pool, min(len(pool), choice.randint(2, 3)))
        kind = CLASSES[number % len(CLASSES)]
        yield kind, text(formula_of(kind, choice, len(atoms)), atoms)


# --- Tests ------------------------------------------------------------------------------------------------------------


def check():
    """Failed checks of this module, as text."""
    a, b, c = ("atom", 0), ("atom", 1), ("atom", 2)
    expected = [(("G", a), "safety"), (("W", a, ("X", b)), "safety"), (("F", ("X", a)), "guarantee"), (("U", a, b), "guarantee"),
                (("||", ("G", a), ("F", b)), "obligation"), (("X", ("&&", ("G", a), ("U", a, b))), "obligation"),
                (("G", ("F", a)), "rest"), (("&&", ("G", ("F", a)), b), "rest"), (("U", ("R", a, b), c), "rest"), (("R", a, b), "safety"),
                (("X", a), None)]
    for formula, kind in expected:
        if classify(formula) != kind:
            yield f"{formula}: {classify(formula)}, not {kind}"
    word = [{0}, {0, 1}, {2}]           # and then the last two for ever
    values = [(("U", a, c), [1, 1, 1]), (("G", a), [0, 0, 0]), (("G", ("F", b)), [1, 1, 1]), (("F", ("G", c)), [0, 0, 0]),
              (("X", a), [1, 0, 1]), (("R", b, a), [1, 1, 0]), (("W", a, c), [1, 1, 1]), (("U", a, ("!", a)), [1, 1, 1]),
              (("R", a, b), [0, 1, 0]), (("W", ("||", b, c), a), [1, 1, 1]), (("G", ("||", a, c)), [1, 1, 1])]
    for formula, where in values:
        if truth(formula, word, 1) != [bool(value) for value in where]:
            yield f"{formula} on the word: {truth(formula, word, 1)}"
    choice = random.Random(1)
    for kind in CLASSES:
        for _ in range(300):
            yield from wrong_about(formula_of(kind, choice, 3), kind, choice)
    if text(("&&", ("G", a), ("!", b)), ["p >= 1", "fireable(t)"]) != '(G "p >= 1" && ! "fireable(t)")':
        yield "how formulas are written"
    with tempfile.TemporaryDirectory() as folder:
        net = Path(folder) / "kanban-3.pnml"
        net.write_text("\n".join(nets.FAMILIES["kanban"](3).pnml()) + "\n", encoding="utf-8")
        drawn = list(formulas(net, 8, 1))
        if drawn != list(formulas(net, 8, 1)) or drawn == list(formulas(net, 8, 2)):
            yield "the seed decides"
        for _, formula in drawn:
            done = run([TIDELINE, "check", net, "--ltl", formula, "--no-trace", "--quiet"])
            if done.status not in (0, 1):
                yield f"tideline check: {done.output}"


def wrong_about(formula, kind, choice):
    """What is violated in a word is, for safety, violated in all words that begin alike; and the other way round."""
    if classify(formula) != kind:
        yield f"{formula}: {classify(formula)}, drawn as {kind}"
    if kind not in ("safety", "guarantee"):
        return
    for _ in range(20):
        word, loop = random_word(choice, 3)
        holds = truth(formula, word, loop)[0]
        if holds == (kind == "guarantee"):
            long, (end, again) = word + 8 * word[loop:], random_word(choice, 3)
            if truth(formula, long + end, len(long) + again)[0] != holds:
                yield f"{formula} is not a {kind} property: {word} from {loop}, then {end}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="?", type=Path)
    parser.add_argument("--count", type=int, default=50, metavar="N", help="how many (default 50)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random choices (default 1)")
    parser.add_argument("--check", action="store_true", help="test classes, meaning and texts")
    options = parser.parse_args()
    if options.check:
        wrong = list(check())
        print("\n".join(wrong) or "random formulas: all as they should be")
        return 1 if wrong else 0
    if options.net is None:
        parser.error("about which net?")
    for kind, formula in formulas(options.net, options.count, options.seed):
        print(f"{kind:<12}{formula}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
