#!/usr/bin/env python3
"""Compares Tideline with what SPIN says about Promela models of others.

The table promela.csv records, for each model, how many states SPIN stores without its optimisations, and its verdicts on
invalid end states, assertions, acceptance cycles, non-progress cycles and ltl formulas. Counts up to --max-states are
compared by one exploration, verdicts by one check of everything that the model brings along, and one for non-progress.
Files that SPIN refuses have to be refused, too, unless explained.csv says otherwise; models with embedded C or process
priorities are refused by design.

A difference that is understood is listed in promela_explained.csv beside this script, with the reason. Any other one makes
the exit code 1. Exit code 77: the benchmarks are not there (see TIDELINE_BENCHMARKS).
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
BY_DESIGN = re.compile(r"embedded C|process priorities are not supported")
DECIDED = ("holds", "violated")
MANY_STATES = 100_000


def read_table(folder):
    with open(folder / "promela.csv", newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def read_explained():
    """The reason for each (file, what)."""
    file = HERE / "promela_explained.csv"
    with open(file, newline="", encoding="utf-8") as table:
        return {(row["file"], row["what"]): row["reason"] for row in csv.DictReader(table)}


def tideline(options, *arguments):
    """The JSON answer, or the error text when there is none."""
    try:
        done = subprocess.run([options.tideline, *map(str, arguments), "--json", "-", "--quiet"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              errors="replace", timeout=options.seconds * 3)
    except subprocess.TimeoutExpired:
        return "no answer in time"
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return f"exit code {done.returncode}: {done.stderr.strip()}"


class Comparison:
    def __init__(self, options, explained):
        self.options = options
        self.explained = explained
        self.results = []

    def say(self, file, what, expected, found):
        if expected == found:
            result = "ok"
        elif (file, what) in self.explained:
            result = "explained"
        else:
            result = "DIFFERENT"
        self.results.append({"file": file, "what": what, "expected": expected, "found": found, "result": result})

    def skip(self, file, what, why):
        self.results.append({"file": file, "what": what, "expected": "", "found": why, "result": "skipped"})

    def model(self, row):
        file = row["file"]
        path = self.options.folder / file
        if row["spin_ok"] == "yes(pan.c does not compile)":
            return self.skip(file, "states", "SPIN reads it, and writes C that does not compile")
        if row["spin_ok"] != "yes":
            answer = tideline(self.options, "explore", path, "--time", "5s", "--engine", "bfs")
            refused = isinstance(answer, str) and answer.startswith("exit code 2")
            return self.say(file, "refused", "yes", "yes" if refused else "no")
        states = int(row["states_noreduce"].rstrip("+") or 0)
        whole = row["complete"] == "yes" and states <= self.options.max_states
        answer = tideline(self.options, "explore", path, "--engine", "bfs", "--time",
                          f"{self.options.seconds if whole else self.options.seconds / 30}s")
        if isinstance(answer, str):
            if BY_DESIGN.search(answer):
                return self.skip(file, "read", "refused by design")
            return self.say(file, "read", "yes", answer.splitlines()[0])
        self.say(file, "read", "yes", "yes")
        if not whole:
            return self.skip(file, "states", "too large")
        self.say(file, "states", states, answer["statistics"]["states"])
        self.verdicts(row, path)

    def verdicts(self, row, path):
        file = row["file"]
        answer = tideline(self.options, "check", path, "--time", f"{self.options.seconds}s")
        if isinstance(answer, str):
            return self.say(file, "check", "an answer", answer.splitlines()[0])
        found, fails = {}, False
        for result in answer["properties"]:
            kind, verdict = result["kind"], result["verdict"]
            name = kind if kind in ("deadlock", "assertion") else result["name"]
            if kind == "model-error":     # assertions inside of atomic sequences fail as actions
                if verdict == "violated" and "assertion violated" not in json.dumps(result):
                    fails = True
                    continue
                name = "assertion"
            if found.get(name) not in ("violated", "unknown"):
                found[name] = verdict
        wanted = {"deadlock": row["deadlock_verdict"], "assertion": row["assertion_verdict"]}
        wanted["never" if "never" in found else "acceptance"] = row["accept_verdict"]
        for pair in row["ltl"].split():
            name, _, verdict = pair.partition(":")
            wanted[name] = verdict
        for name, verdict in wanted.items():
            if verdict not in DECIDED:
                continue
            if fails and found.get(name, "unknown") == "unknown":
                self.skip(file, name, "a model error ends runs that SPIN follows")
            elif name not in found and "violated" in found.values():
                self.skip(file, name, "the search has ended with another violation")
            else:
                self.say(file, name, verdict, found.get(name, "nothing said"))
        if row["np_verdict"] in DECIDED:
            answer = tideline(self.options, "check", path, "--non-progress", "--no-trace", "--time",
                              f"{self.options.seconds}s")
            verdict = answer if isinstance(answer, str) else answer["properties"][0]["verdict"]
            self.say(file, "non-progress", row["np_verdict"], verdict)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--max-states", type=int, default=2_000_000)
    parser.add_argument("--seconds", type=int, default=60, help="for one call")
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    benchmarks = Path(os.environ.get("TIDELINE_BENCHMARKS", ROOT.parent / "shared/benchmarks"))
    options.folder = benchmarks / "promela"
    if not (options.folder / "promela.csv").exists():
        print(f"skipped: there is no {options.folder / 'promela.csv'}")
        return SKIPPED
    rows = [row for row in read_table(options.folder) if options.only in row["file"]]
    comparison = Comparison(options, read_explained())
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(comparison.model, rows))
    for result in comparison.results:
        if result["result"] == "DIFFERENT":
            print("{file}: {what}: expected {expected}, found {found}".format(**result))
    for what in ("read", "states", "refused"):
        counts = Counter(r["result"] for r in comparison.results if r["what"] == what)
        print(f"{what}: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    verdicts = [r for r in comparison.results if r["what"] not in ("read", "states", "refused")]
    counts = Counter(r["result"] for r in verdicts)
    print("verdicts: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    large = {row["file"] for row in rows if row["complete"] == "yes" and int(row["states_noreduce"]) > MANY_STATES}
    for what, among in (("counts", [r for r in comparison.results if r["what"] == "states"]), ("verdicts", verdicts)):
        compared = [r for r in among if r["result"] != "skipped"]
        agree = [r for r in compared if r["result"] == "ok"]
        print(f"{len(agree)} of {len(compared)} {what} agree, above {MANY_STATES:,} states "
              f"{sum(r['file'] in large for r in agree)} of {sum(r['file'] in large for r in compared)}")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(comparison.results, indent=1), encoding="utf-8")
    return 1 if any(r["result"] == "DIFFERENT" for r in comparison.results) else 0


if __name__ == "__main__":
    sys.exit(main())
