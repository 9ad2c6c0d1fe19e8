#!/usr/bin/env python3
"""Compares Tideline's engines with each other on random Promela programs, most of which have atomic sequences: decision diagrams, which
take every action of a step by itself, and searches with partial order reduction, with searches that leave nothing out.

Exit code 1: there is a difference.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from promela_spin import ROOT, Generator

MOST_STATES = 20000
STATES = ("--deadlock", "--invariant", "g < 2", "--invariant", "true")
LTL = ('[] <> "g == 0"', '<> [] "g != 1"', '[] ("g == 1" -> <> "b == 1")', '"g < 2" U "b == 1"')
CTL = ('AG EF "g == 0"', 'EF AG "b == 0"', 'AG ("g == 1" -> AF "b == 1")', 'EX EX "g == 1"', 'EG "g < 2"', 'A ("g < 2" U "b == 1")')


class Asker:
    def __init__(self, tideline, model):
        self.tideline, self.model = tideline, model

    def ask(self, command, *arguments):
        done = subprocess.run([self.tideline, command, self.model, *arguments, "--json", "-", "--quiet", "--time", "10s"],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 2, 3):  # it has crashed, or cannot be started
            sys.exit(f"{self.tideline} {command} {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}\n"
                     + Path(self.model).read_text(encoding="utf-8"))
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"refused": done.stderr.strip()}

    def verdicts(self, *arguments):
        answer = self.ask("check", *arguments)
        return {p["name"]: p["verdict"] for p in answer["properties"]} if "properties" in answer else answer

    def count(self, *arguments):
        answer = self.ask("explore", "--engine", *arguments)
        return answer["statistics"] if answer.get("complete") else None


def differences(asker):
    """What engines say about a program, where they do not agree."""
    whole = asker.count("bfs")
    if whole is None or whole["states"] > MOST_STATES:
        return
    for arguments in (("symbolic",), ("bfs", "--por")):
        part = asker.count(*arguments)
        name = "deadlocks" if "--por" in arguments else "states"
        if part and part[name] != whole[name]:
            yield f"{name} of {arguments}: {part[name]}, not {whole[name]}"
    questions = [(STATES, ("--engine", "bfs"), (("--engine", "symbolic"), ("--engine", "bfs", "--por"), ("--engine", "dfs", "--por")))]
    questions += [(("--ltl", f), ("--engine", "scc"),
                   (("--engine", "symbolic"), ("--engine", "ndfs", "--por"), ("--engine", "owcty-map", "--por"))) for f in LTL]
    questions += [(("--ltl", f), ("--engine", "scc"), (("--fair", "weak"), ("--fair", "strong"))) for f in LTL]
    questions += [(("--ctl", f), ("--engine", "ctl"), (("--engine", "symbolic"),)) for f in CTL]
    for asked, first, others in questions:
        expected = asker.verdicts(*asked, *first)
        for other in others:
            found = asker.verdicts(*asked, *other)
            # Fairer runs are fewer: what holds on all of them holds.
            weaker = "--fair" in other and expected.get("ltl") == "violated"
            same = all(found.get(name, "unknown") in (verdict, "unknown") for name, verdict in expected.items() if verdict != "unknown")
            # Runs that end in a model error, such as an atomic sequence without end, prove nothing to anybody.
            same = same and not (expected.get("ltl") == "unknown" and found.get("ltl") == "holds")
            if "refused" in found or not same and not weaker:
                yield f"{asked} by {other}: {found}, not {expected}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = False
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "m.pml"
        asker = Asker(str(Path(options.tideline).resolve()), str(model))
        for seed in range(options.seed, options.seed + options.count):
            program = Generator(seed).program()
            model.write_text(program, encoding="utf-8")
            for difference in differences(asker):
                print(f"seed {seed}: {difference}\n{program}", flush=True)
                found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
