#!/usr/bin/env python3
"""Compares Tideline with SPIN on random Promela programs: states stored, invalid end states, violated assertions, and, where
the program has something to say about them, acceptance and non-progress cycles, ltl blocks and never claims.

Every program is made from a seed, so a difference can be repeated with --seed N --count 1. The program of a difference is
made smaller, statement by statement, for as long as the answers differ, and printed.

Exit code 1: there is a difference; 77: spin or a C compiler is missing.
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
COMPILER = "tcc" if shutil.which("tcc") else "cc"
PAN = ("-w", "-DNOREDUCE", "-o", "pan")
UNCOMPARABLE = ("max search depth too small", "block in", "array index", "too many processes", "uninitialized", "sending to an",
                "poll rendezvous", "polling rv")


# SPIN says so of a label that begins an option, and reads it all the same.
NO_ERROR = re.compile(r"error: \S+ label \w+ placed incorrectly")
ENDS = "a run that ends"


class Generator:
    """Programs of a few processes over a few variables and channels: short, but with everything that interacts."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.depth = 0          # of nested statements
        self.loops = 0          # around the statement
        self.in_d_step = False
        self.labels = 0
        self.rich = self.random.random() < 0.7      # otherwise a small program of the basic statements
        self.has_receiver = False                   # there is a proctype R to run
        self.rendezvous = []                        # names of channels without room
        self.remote = False                         # P0 has the label `here`, for claims

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, part):
        return self.random.random() < part

    def program(self):
        r = self.random
        self.has_receiver = self.chance(0.35)

        def channel(name, fields, *capacities):
            capacity = r.choice(capacities)
            if capacity == 0:
                self.rendezvous += [name[0], "z"] if name == "q" else [name.split("[")[0]]
            return f"chan {name} = [{capacity}] of {{ {fields} }};"

        lines = ["byte g; bit b; byte a[2]; mtype = { red, green };", channel("q", "byte, byte", 0, 0, 1, 2), channel("c", "mtype", 0, 1, 2)]
        if self.rich:
            lines += ["typedef T { byte f; bit h[2] }; T t; T ta[2]; unsigned u : 2; short s = -1; mtype m = red;",
                      channel("ca[2]", "byte", 0, 1) + channel("d", "chan", 0, 1) + channel("tc", "T", 0, 1),
                      "inline add(into, from) { into = (into + from) % 3; from = into }"]
        kinds = r.randint(1, 2)
        for kind in range(kinds):
            provided = f" provided ({self.pick('g < 2', 'b == 0', '_pid == 0 || g != 1')})" if self.rich and self.chance(0.1) else ""
            lines.append(f"active [{r.randint(1, 2)}] proctype P{kind}(){provided} {{ byte x; byte y = 1;{self.locals()}")
            if self.chance(0.3):
                label = self.pick("end0", "progress0", "accept0", "here")
                self.remote |= kind == 0 and label == "here"
                lines.append(f"  {label}:")
            lines += ["  " + line for line in self.sequence(r.randint(2, 4))]
            lines.append("}")
        if self.has_receiver:
            self.has_receiver = False
            lines.append(f"proctype R(byte x) {{ byte y;{self.locals()} " + " ".join(self.sequence(1)) + " }")
            if self.chance(0.7):
                lines.append("init { " + self.pick("run R(1); run R(2)", "atomic { run R(1); run R(2) }",
                                                   "byte i; for (i : 1 .. 2) { run R(i) }") + " }")
        if self.rich and self.chance(0.4):
            # SPIN takes the accept labels of processes for those of the claim.
            lines = [line.replace("accept", "L") for line in lines] + [self.claim()]
        return "\n".join(lines) + "\n"

    def locals(self):
        return " chan z = q; byte l[2]; T v;" if self.rich else ""

    def atom(self):
        return self.pick("g == 2", "b", "a[1] == 0", "len(q) == 0", "len(c) == 1", "g == 0",
                         *(("P0[0]@here", "P0[0]:x == 1") if self.remote else ()))

    def claim(self):
        atoms = [self.atom() for _ in range(3)]
        if self.chance(0.6):
            formula = self.pick("[] ({0})", "<> ({0})", "[] <> ({0})", "<> [] ({0})", "[] (({0}) -> <> ({1}))", "(({0}) U ({1}))",
                                "[] (({0}) -> (({1}) W ({2})))").format(*atoms)
            if self.chance(0.5):
                formula = self.formula(atoms, self.random.randint(1, 4))
            return f"ltl p {{ {formula} }}"
        return ("never { " + self.pick("T0", "accept_0") + f": do :: {atoms[0]} -> break :: {self.pick('true', 'else', atoms[1])} od;"
                + f" accept_1: do :: {atoms[2]} :: {self.pick('else -> goto T2', atoms[1] + ' -> break')} od; T2: "
                + self.pick("skip", "do :: true od", "false", "end: do :: true od") + " }")

    def formula(self, atoms, operators):
        """Without parentheses where the grammar does not need them, so that it says what binds tighter."""
        if operators == 0:
            atom = self.pick(*atoms, "true" if self.chance(0.1) else atoms[0])
            return f"({atom})" if "=" in atom or self.chance(0.2) else atom
        if self.chance(0.4):
            return self.pick("[] ", "<> ", "! ", "always ", "eventually ") + self.formula(atoms, operators - 1)
        left = self.random.randint(0, operators - 1)
        operator = self.pick("&&", "||", "->", "<->", "U", "W", "V", "implies", "until", "weakuntil", "release", "equivalent")
        text = f"{self.formula(atoms, left)} {operator} {self.formula(atoms, operators - 1 - left)}"
        return f"({text})" if self.chance(0.2) else text

    def expression(self):
        basic = ("g < 2", "b", "!b", "x == y", "g == 1", "a[x % 2] == 0", "len(q) < 1", "empty(c)", "nfull(q)",
                 "_pid == 0", "(x < 1 -> b : !b)", "q?[1, _]", "x + g < 3")
        rich = ("_nr_pr < 3", "t.f == g", "ta[b].h[x % 2] == 0", "u > 1", "s < 0", "m == green", "len(ca[b]) == 0", "nempty(z)",
                "q??[1, _]", "v.h[1] || b", "l[x % 2] == y", "full(c)", "(g | x) & 1", "(g << 1) >= x", "c?[red]", "g - 1 == x",
                "!(x ^ y)", "timeout || b", "_pid % 2 == x")
        return self.pick(*(basic + rich if self.rich else basic))

    def assignment(self):
        basic = ("g = (g + 1) % 3", "b = !b", "x = g", "y = x + 1", "a[b] = 1 - a[b]", "x = (x + 1) % 3", "y = (b -> 2 : 0)",
                 "g = _pid")
        rich = ("t.f = (t.f + x) % 3", "ta[b].h[x % 2] = !b", "u = u + 1", "s = -s", "m = (b -> red : green)", "v.f = g", "ta[0].f = v.f % 2",
                "l[b] = y % 2", "x = len(q)", "u--", "add(g, x)", "add(v.f, t.f)", "y = _nr_pr", "v.h[b] = 1",
                "x = ~g % 3", "y = x * g % 4", "b = (b | x) & 1")
        return self.pick(*(basic + rich if self.rich else basic))

    def message(self):
        basic = ("q!x,1", "q!1,y", "q?x,y", "q?1,y", "q?_,eval(y)", "c!red", "c!green", "c?red", "c?green", "q?<x,y>", "q??2,y",
                 "q!!x,y")
        rich = ("ca[b]!x", "ca[0]?y", "ca[1]?<x>", "d!q", "d?z", "z?x,y", "z!y,x", "q??eval(x),y", "q??<_,y>", "tc!v", "tc?t", "tc!t", "tc?v", "c?m", "c!m",
                "q!x(1)", "q?1(x)", "ca[x % 2]!!2", "ca[b]??1", "ca[b]?eval(g)", "d?eval(q)")
        return self.pick(*(basic + rich if self.rich else basic))

    def control(self):
        if self.rich and self.in_d_step is False:
            if self.has_receiver and self.loops == 0 and self.chance(0.3):
                return self.pick("run R(x)", "y = run R(2)", "run R(g)")
            if self.chance(0.3):
                return self.pick("select(x : 0 .. 2)", "for (x : 0 .. 1) { %s }" % self.assignment(), "for (y in a) { g = y % 2 }",
                                 "byte w%d = x" % self.label())
        return self.pick("skip", 'printf("x")', "assert(g < 3)", "assert(x < 2)", "timeout")

    def label(self):
        self.labels += 1
        return self.labels

    def statement(self):
        self.depth += 1
        simple = (self.assignment, self.assignment, self.expression, self.message, self.control)
        if self.depth < 4 and self.chance(0.45):
            text = self.pick(self.options, self.loop, self.atomic, self.d_step, self.atomic, self.unless)()
            if self.rich and self.chance(0.15):
                text = f"skip; {self.pick('end', 'progress', 'accept', 'L')}_{self.label()}: {text}"
        else:
            text = self.pick(*simple)()
        self.depth -= 1
        return text

    def sequence(self, length):
        return [self.statement() + ";" for _ in range(length)]

    def branches(self):
        options = [" ".join(self.sequence(self.random.randint(1, 2))) for _ in range(self.random.randint(1, 3))]
        if self.rich:       # what such a label is about is a matter of its own
            options = [f"{self.pick('end', 'progress', 'accept')}_{self.label()}: {option}"
                       if self.chance(0.05) and not re.match(r"byte|for|select|add|skip; [a-zA-Z]+_|\{", option) else option
                       for option in options]
        text = " ".join(f":: {option}" for option in options)
        # SPIN does not want messages beside an else.
        if self.chance(0.4) and not re.search(r"(::|\{) (([qcdz]|tc|ca\[[^]]*\])[!?]|run )", text):
            text += " :: else" + self.pick("", " -> " + self.assignment())
        return text

    def options(self):
        return f"if {self.branches()} fi"

    def loop(self):
        self.loops += 1
        text = f"do {self.branches()} :: {self.pick('b -> break', 'break', 'g == 2 -> break')} od"
        self.loops -= 1
        if self.rich and self.chance(0.1):
            name = f"J_{self.label()}"
            text = f"skip; {name}: if :: {self.expression()} -> {self.assignment()}; goto {name} :: {self.expression()} fi"
        return text

    def atomic(self):
        return f"atomic {{ {' '.join(self.sequence(self.random.randint(1, 3)))} }}"

    def d_step(self):
        first = self.message() if self.rich and self.chance(0.2) else self.assignment()
        if re.match("|".join(map(re.escape, self.rendezvous)) or "$", first):
            first = self.assignment()       # SPIN does not take a rendezvous inside of a d_step
        inner = self.pick("", "", "do :: x < 2 -> x++ :: else -> break od;") if self.rich else ""
        return f"d_step {{ {first}; if :: {self.expression()} -> {self.assignment()} :: else fi; {inner} {self.assignment()} }}"

    def unless(self):
        guarded = f"{self.pick('skip; ', '')}{{ {' '.join(self.sequence(2))} }}"
        return f"{guarded} unless {{ {self.escape()} }}"

    def escape(self):
        guard = self.pick("g == 2", "b && x == 1", "a[1] == 1", *(("c?red", "ca[0]?x", "q?x,y") if self.rich else ()))
        way = f"{guard} -> {self.assignment()}"
        if not self.rich or self.chance(0.5):
            return way
        conditions = re.match(r"[cq]\W|ca", guard) is None     # SPIN does not want messages beside an else
        return self.pick(f"{{ {way} }} unless {{ {self.expression()} -> {self.assignment()} }}", f"{way}; skip; {self.assignment()}",
                         f"d_step {{ {way} }}" if conditions else way, f"atomic {{ {way}; {self.assignment()} }}",
                         *((f"if :: {way} :: else fi", f"if :: {way} :: {self.atom()} fi", f"else -> {self.assignment()}") if conditions else ()))


class Pan:
    """SPIN's search of one program, compiled in several ways."""

    def __init__(self, program, folder):
        self.folder = folder
        self.program = program
        (folder / "m.pml").write_text(program, encoding="utf-8")

    def run(self, *command, seconds=300):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=seconds, errors="replace")

    def translate(self):
        try:
            done = self.run("spin", "-a", "-o1", "-o2", "-o3", "m.pml", seconds=20)
        except subprocess.TimeoutExpired:
            return False  # some formulas take it for ever
        return done.returncode == 0 and "error" not in NO_ERROR.sub("", done.stdout + done.stderr).lower()

    def search(self, defines, arguments):
        """What pan says; nothing where it does not get to an end that can be compared."""
        if self.run(COMPILER, *PAN, *defines, "pan.c").returncode != 0:
            return None
        try:
            said = self.run("./pan", *arguments, "-m20000", "-w18", seconds=8).stdout
        except subprocess.TimeoutExpired:
            return None  # it does not notice endless atomic sequences
        if "states, stored" not in said or any(word in said for word in UNCOMPARABLE):
            return None
        return said


def infinite_runs(program):
    """What there is to ask about infinite runs: (name, what SPIN and Tideline are told)."""
    asked = []
    if "_nr_pr" in program:     # SPIN counts its claims as processes
        return asked
    if "ltl p" in program:
        asked.append(("p", ("-DNOFAIR",), ("-a", "-N", "p"), ("--property", "p")))
        asked.append(("p, fair", (), ("-a", "-f", "-N", "p"), ("--property", "p", "--fair", "weak")))
    elif "never" in program:
        asked.append(("never", ("-DNOFAIR",), ("-a",), ("--property", "never")))
    elif "accept" in program:
        asked.append(("acceptance", ("-DNOFAIR", "-DNOCLAIM"), ("-a",), ("--property", "acceptance")))
    if "progress" in program:
        asked.append(("non-progress", ("-DNOFAIR", "-DNOCLAIM", "-DNP"), ("-l",), ("--non-progress",)))
    return asked


def spin_says(program, folder):
    """{states, invalid end states, violated assertions, ...}, or nothing where SPIN refuses the program or gives up."""
    pan = Pan(program, folder)
    if not pan.translate():
        return None
    said = pan.search(("-DSAFETY", "-DNOCLAIM"), ("-n", "-c0"))
    if said is None:
        return None
    found = {"states": int(re.search(r"(\d+) states, stored", said)[1]), "deadlock": "invalid end state (at" in said,
             "assertion": "assertion violated (" in said}
    for name, defines, arguments, _ in infinite_runs(program):
        # What SPIN makes of an ltl block has assertions, too: those of the program are taken out instead.
        quiet = Pan(re.sub(r"assert\([^)]*\)", "skip", program), folder)
        quiet.translate()
        said = quiet.search(defines, ("-n", "-E", *arguments))
        if said is not None:
            found[name] = "errors: 0" not in said
    return found


def tideline_says(program, folder, tideline):
    file = folder / "m.pml"
    file.write_text(program, encoding="utf-8")

    def ask(*arguments):
        done = subprocess.run([tideline, *arguments, "--json", "-", "--quiet"], capture_output=True, text=True,
                              check=False, timeout=60)
        return json.loads(done.stdout) if done.stdout.startswith("{") else None

    count = ask("explore", str(file), "--engine", "bfs")
    answer = ask("check", str(file), "--no-trace")
    if count is None or answer is None:
        return "refused"
    if not any(p["kind"] == "model-error" for p in answer["properties"]):   # the search has ended with a violation before
        answer["properties"] += (ask("check", str(file), "--no-trace", "--invariant", "true") or answer)["properties"]
    violated = [p for p in answer["properties"] if p["verdict"] == "violated"]
    found = {"states": count["statistics"]["states"], "deadlock": any(p["kind"] == "deadlock" for p in violated),
             "assertion": any(p["kind"] in ("assertion", "model-error") for p in violated)}
    for name, _, _, arguments in infinite_runs(program):
        answer = ask("check", str(file), *arguments)
        found[name] = answer["properties"][0]["verdict"] == "violated" if answer else "refused"
        # With fairness SPIN does not see all runs that stay in a last state (README.md).
        trace = answer["properties"][0].get("trace") if answer else None
        if "fair" in name and trace and trace["loop"] == trace["length"] - 1:
            found[name] = ENDS
    return found


def differ(program, options, folder, compared=None):
    expected = spin_says(program, folder)
    if expected is None:
        return None
    if compared is not None:
        compared.append(len(expected) - 1)
    found = tideline_says(program, folder, options.tideline)
    if found != "refused":     # what SPIN cannot say is not asked
        found = {name: expected[name] if value == ENDS else value for name, value in found.items() if name in expected}
    return (expected, found) if expected != found else None


def shrink(program, options, folder, differ=differ):
    """Leaves out single statements for as long as the answers differ."""
    smaller = True
    while smaller:
        smaller = False
        for part in re.finditer(r"[^;{}:]+;", program):
            shorter = program[:part.start()] + program[part.end():]
            if differ(shorter, options, folder):
                program, smaller = shorter, True
                break
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    options = parser.parse_args()
    for tool in ("spin", "cc"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    options.tideline = str(Path(options.tideline).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        differences = 0
        compared = []       # verdicts of each program that SPIN has an answer to
        for seed in range(options.seed, options.seed + options.count):
            program = Generator(seed).program()
            difference = differ(program, options, folder, compared)
            if difference:
                program = shrink(program, options, folder)
                print(f"seed {seed}: SPIN says {difference[0]}, Tideline says {difference[1]}\n{program}", flush=True)
                differences += 1
                if not options.all:
                    break
    print(f"{seed - options.seed + 1} programs from seed {options.seed} on; SPIN answers {len(compared)}: {len(compared)} counts of states and "
          f"{sum(compared)} verdicts compared, {differences or 'no'} difference{'s' if differences > 1 else ''}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
