#!/usr/bin/env python3
"""Compares Tideline with SPIN on random Promela programs: states stored, invalid end states, violated assertions.

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
PAN = ("-w", "-O0", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c")


class Generator:
    """Programs of a few processes over a few variables and channels: short, but with everything that interacts."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.depth = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def program(self):
        r = self.random
        capacity = r.choice((0, 0, 1, 2))
        lines = ["byte g; bit b; byte a[2]; mtype = { red, green };",
                 f"chan q = [{capacity}] of {{ byte, byte }};", f"chan c = [{r.choice((0, 1, 2))}] of {{ mtype }};"]
        kinds = r.randint(1, 2)
        for kind in range(kinds):
            lines.append(f"active [{r.randint(1, 2)}] proctype P{kind}() {{ byte x; byte y = 1;")
            lines += ["  " + line for line in self.sequence(r.randint(2, 4))]
            lines.append("}")
        if r.random() < 0.3:
            lines.append("proctype R(byte x) { byte y; " + " ".join(self.sequence(1)) + " }")
            lines.append("init { " + self.pick("run R(1); run R(2)", "atomic { run R(1); run R(2) }") + " }")
        return "\n".join(lines) + "\n"

    def expression(self):
        return self.pick("g < 2", "b", "!b", "x == y", "g == 1", "a[x % 2] == 0", "len(q) < 1", "empty(c)", "nfull(q)",
                         "_pid == 0", "(x < 1 -> b : !b)", "q?[1, _]", "x + g < 3")

    def assignment(self):
        return self.pick("g = (g + 1) % 3", "b = !b", "x = g", "y = x + 1", "a[b] = 1 - a[b]", "x = (x + 1) % 3",
                         "y = (b -> 2 : 0)", "g = _pid")

    def statement(self):
        self.depth += 1
        simple = (self.assignment, self.assignment, self.expression,
                  lambda: self.pick("q!x,1", "q!1,y", "q?x,y", "q?1,y", "q?_,eval(y)", "c!red", "c!green", "c?red",
                                    "c?green", "q?<x,y>", "q??2,y", "q!!x,y"),
                  lambda: self.pick("skip", 'printf("x")', "assert(g < 3)", "assert(x < 2)", "timeout"))
        if self.depth < 4 and self.random.random() < 0.45:
            text = self.pick(self.options, self.loop, self.atomic, self.d_step, self.atomic, self.unless)()
        else:
            text = self.pick(*simple)()
        self.depth -= 1
        return text

    def sequence(self, length):
        return [self.statement() + ";" for _ in range(length)]

    def branches(self):
        options = [" ".join(self.sequence(self.random.randint(1, 2))) for _ in range(self.random.randint(1, 3))]
        text = " ".join(f":: {option}" for option in options)
        if self.random.random() < 0.4 and not re.search(r":: [qc][!?]", text):
            text += " :: else" + self.pick("", " -> " + self.assignment())
        return text

    def options(self):
        return f"if {self.branches()} fi"

    def loop(self):
        return f"do {self.branches()} :: {self.pick('b -> break', 'break', 'g == 2 -> break')} od"

    def atomic(self):
        return f"atomic {{ {' '.join(self.sequence(self.random.randint(1, 3)))} }}"

    def d_step(self):
        return f"d_step {{ {self.assignment()}; if :: {self.expression()} -> {self.assignment()} :: else fi; {self.assignment()} }}"

    def unless(self):
        return f"{{ {' '.join(self.sequence(2))} }} unless {{ {self.pick('g == 2', 'b && x == 1', 'a[1] == 1')} -> {self.assignment()} }}"


def spin_says(program, folder):
    """(states, invalid end states?, violated assertions?), or nothing where SPIN refuses the program or gives up."""
    (folder / "m.pml").write_text(program, encoding="utf-8")

    def run(*command, seconds=300):
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds)

    done = run("spin", "-a", "-o1", "-o2", "-o3", "m.pml")
    if done.returncode != 0 or "error" in (done.stdout + done.stderr).lower():
        return None
    if run("cc", *PAN).returncode != 0:
        return None
    try:
        said = run("./pan", "-n", "-c0", "-m20000", "-w18", seconds=20).stdout
    except subprocess.TimeoutExpired:
        return None  # it does not notice endless atomic sequences
    states = re.search(r"(\d+) states, stored", said)
    if not states or "max search depth too small" in said or "block in" in said or "array index" in said:
        return None
    return int(states[1]), "invalid end state (at" in said, "assertion violated (" in said


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
    violated = [p for p in answer["properties"] if p["verdict"] == "violated"]
    return (count["statistics"]["states"], any(p["kind"] == "deadlock" for p in violated),
            any(p["kind"] in ("assertion", "model-error") for p in violated))


def differ(program, options, folder):
    expected = spin_says(program, folder)
    if expected is None:
        return None
    found = tideline_says(program, folder, options.tideline)
    return (expected, found) if expected != found else None


def shrink(program, options, folder):
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
        for seed in range(options.seed, options.seed + options.count):
            program = Generator(seed).program()
            difference = differ(program, options, folder)
            if difference:
                program = shrink(program, options, folder)
                print(f"seed {seed}: SPIN says {difference[0]}, Tideline says {difference[1]} "
                      f"(states, invalid end states, violated assertions)\n{program}", flush=True)
                differences += 1
                if not options.all:
                    break
    print(f"{options.count} programs, {differences or 'no'} difference{'s' if differences > 1 else ''}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
