#!/usr/bin/env python3
"""Compares Tideline with the numbers recorded for the BEEM benchmark.

The table beem.csv records, for each instance, the number of states and often of transitions, deadlocked states
and BFS levels, whether a deadlock is reachable, and for each reachability goal a verdict and the length of a
shortest run. Every exact count up to --max-states is compared by one full exploration, and the goals of an
instance by one call that checks them together, of smaller ones by a sweep, too; all of that again with partial
order reduction, which has to find the same deadlocked states and give the same verdicts. Recorded verdicts of larger
instances are checked, too, with a time and a memory limit; running into one of these is reported and is not a
difference. Verdicts of LTL properties of instances up to LTL_STATES states are compared twice, through the property
processes that come with BEEM and through our own translation of the formula, with the engines of LTL_ENGINES, with and
without partial order reduction.

The table has no products of a model with its property process; products.csv beside this script has
those that S. Evangelista and L. M. Kristensen published for their sweep-line experiments on LTL. Where the table
has no verdict for an LTL property and they have one, it is in verdicts.csv and is compared, too.

A difference that is understood is listed in explained.csv beside this script, with the reason; one that is known
but not understood is listed with a reason that begins with "open:". Any other one makes the exit code 1. Exit code
77: the benchmarks are not there (see TIDELINE_BENCHMARKS).
"""

import argparse
import concurrent.futures
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77
# Larger instances run one at a time, so that their memory does not add up.
ALONE_FROM = 1_000_000
LTL_STATES = 3_100_000
# How infinite runs are searched, and up to how many states of the system.
LTL_ENGINES = (
    (("scc",), LTL_STATES),
    (("ndfs",), LTL_STATES),
    (("owcty-map",), LTL_STATES),
    (("owcty-map", "--threads", "2", "--map-values", "3"), LTL_STATES),
    (("cndfs", "--threads", "2"), 300_000),
    (("map", "--threads", "2"), 100_000),
    (("sweep",), LTL_STATES),
    (("sweep", "--threads", "2"), 30_000),
)
BY_SWEEP = ", sweep"
REDUCED = ", reduced"


# Goals: a Boolean formula over named expressions becomes one DVE expression. DVE gives && and || the same
# precedence, so every operation is put in parentheses.

def goal_expression(formula, propositions):
    tokens = re.findall(r"->|&&|\|\||[!()]|\w+", formula)
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def operand():
        token = take()
        if token in ("!", "not"):
            return f"(not {operand()})"
        if token == "(":
            inner = binary(0)
            take()
            return inner
        return f"({propositions[token]})"

    levels = [("->", "imply"), ("||", "||"), ("&&", "&&")]

    def binary(level):
        if level == len(levels):
            return operand()
        spelled, operator = levels[level]
        left = binary(level + 1)
        while peek() == spelled:
            take()
            left = f"({left} {operator} {binary(level + 1)})"
        return left

    expression = binary(0)
    if position != len(tokens):
        raise ValueError(f"cannot read the goal {formula!r}")
    return expression


def parse_propositions(text):
    """ "a := x == 1; b := P.q" as a dictionary."""
    pairs = (part.split(":=", 1) for part in text.split(";") if part.strip())
    return {name.strip(): expression.strip() for name, expression in pairs}


class Instance:
    """All rows of the table about one model file."""

    def __init__(self, name, rows, products, verdicts, folder):
        first = rows[0]
        self.name = name
        self.file = folder / first["model"] / first["dve_file"]
        self.states = int(first["states"])
        self.exact = first["states_exact"] == "yes"
        self.space = next((row for row in rows if row["type"] == "statespace"), None)
        self.deadlock = next((row for row in rows if row["type"] == "deadlock"), None)
        self.goals = [row for row in rows if row["type"] == "reachability"]
        self.ltl = [row for row in rows if row["type"] == "LTL"]
        self.products = products
        self.verdicts = {row["prop_id"]: row["verdict"] for row in verdicts}


def read_by_instance(file):
    rows = defaultdict(list)
    with open(HERE / file, newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            rows[row["instance"]].append(row)
    return rows


def read_table(folder):
    rows = defaultdict(list)
    products, verdicts = read_by_instance("products.csv"), read_by_instance("verdicts.csv")
    with open(folder / "beem.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            rows[f"{row['model']}.{row['instance']}"].append(row)
    instances = [Instance(name, group, products[name], verdicts[name], folder) for name, group in rows.items()]
    return sorted(instances, key=lambda instance: instance.states)


def read_explained():
    with open(HERE / "explained.csv", newline="", encoding="utf-8") as table:
        return {(row["instance"], row["what"], row["recorded"], row["ours"]): row["why"] for row in csv.DictReader(table)}


class Checker:
    """Runs Tideline on instances and turns its answers into comparisons: dictionaries with the columns below."""

    columns = ("instance", "what", "recorded", "ours", "result", "why", "seconds")

    def __init__(self, options):
        self.options = options
        self.explained = read_explained()

    def tideline(self, *arguments):
        """The JSON answer and the seconds it took; the answer is the error text when there is none."""
        start = time.monotonic()
        done = subprocess.run([self.options.tideline, *map(str, arguments), *self.options.extra, "--model-errors=divine",
                               "--json", "-"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        seconds = round(time.monotonic() - start, 3)
        try:
            return json.loads(done.stdout), seconds
        except json.JSONDecodeError:
            lines = done.stderr.strip().splitlines() or [""]
            return f"exit code {done.returncode}: {lines[0]}", seconds

    def compare(self, instance, what, recorded, ours, seconds):
        recorded, ours = str(recorded), str(ours)
        why = ""
        if recorded == ours:
            result = "ok"
        elif recorded in ("", "unknown"):
            result = "new"
        elif why := self.explained.get((instance.name, what.removesuffix(REDUCED).removesuffix(BY_SWEEP), recorded, ours), ""):
            result = "open" if why.startswith("open:") else "explained"
        else:
            result = "DIFFERENT"
        return dict(zip(self.columns, (instance.name, what, recorded, ours, result, why, seconds)))

    def passed_over(self, instance, what, recorded, result, why, seconds=0.0):
        return dict(zip(self.columns, (instance.name, what, recorded, "", result, why, seconds)))

    def counted(self, instance):
        return instance.exact and instance.states <= self.options.max_states

    def check(self, instance):
        if not self.counted(instance):
            why = f"more than {self.options.max_states} states" if instance.exact else "recorded count is a lower bound"
            yield self.passed_over(instance, "states", instance.states, "skipped", why)
            if instance.deadlock:
                yield self.passed_over(instance, "deadlock", instance.deadlock["verdict"], "skipped", why)
        else:
            yield from self.check_counts(instance)
        yield from self.check_goals(instance)
        for row in () if self.options.no_ltl else instance.ltl:
            yield from self.check_ltl(instance, row)
        for row in instance.products:
            yield from self.check_product(instance, row)

    def check_ltl(self, instance, row):
        what = "LTL " + row["prop_id"]
        published = instance.verdicts.get(row["prop_id"])
        recorded = published or row["verdict"]
        if not self.counted(instance) or (instance.states > LTL_STATES and not published):
            yield self.passed_over(instance, what, recorded, "skipped", "too large")
            return
        with tempfile.NamedTemporaryFile("w", suffix=".props") as definitions:
            for name, expression in parse_propositions(row["aps"]).items():
                definitions.write(f"define {name} = {expression}\n")
            definitions.flush()
            process = [instance.file.parent / row["prop_dve_file"]]
            formula = [instance.file, "--properties", definitions.name, "--ltl", row["formula"]]
            for arguments, how in ((process, "process"), (formula, "formula")):
                for engine, most_states in LTL_ENGINES:
                    if engine[0] == "sweep":
                        most_states = min(most_states, self.options.sweep_states)
                    if instance.states > most_states and not published:
                        continue
                    name = engine[0] + (f" x{engine[2]}" if len(engine) > 1 else "")
                    for reduction, suffix in (([], ""), (["--por"], REDUCED)):
                        answer, seconds = self.tideline("check", *arguments, "--engine", *engine, *reduction)
                        ours = answer if isinstance(answer, str) else answer["properties"][0]["verdict"]
                        yield self.compare(instance, f"{what}, {how}, {name}{suffix}", recorded, ours, seconds)

    def check_product(self, instance, row):
        what = f"product with {row['property']}, "
        if int(row["states"]) > self.options.max_states:
            yield self.passed_over(instance, what + "states", row["states"], "skipped", "larger than --max-states")
            return
        answer, seconds = self.tideline("explore", "--product", instance.file.with_suffix(f".{row['property']}.dve"))
        for key in ("states", "transitions"):
            ours = answer if isinstance(answer, str) else answer["statistics"]["product_" + key]
            yield self.compare(instance, what + key, row[key], ours, seconds)

    def check_counts(self, instance):
        answer, seconds = self.tideline("explore", instance.file, "--engine", "bfs")
        if isinstance(answer, str):
            yield self.compare(instance, "states", instance.states, answer, seconds)
            return
        statistics = answer["statistics"]
        row = instance.space
        yield self.compare(instance, "states", instance.states, statistics["states"], seconds)
        for what, column, key in (("transitions", "edges", "transitions"),
                                  ("deadlocked states", "deadlock_states", "deadlocks"),
                                  ("BFS levels", "bfs_levels", "levels")):
            if row[column]:
                yield self.compare(instance, what, row[column], statistics[key], seconds)
        if instance.deadlock:
            ours = "reachable" if statistics["deadlocks"] else "unreachable"
            yield self.compare(instance, "deadlock", instance.deadlock["verdict"], ours, seconds)
        if other := re.match(r"differ:states=(\d+)", row["cross_check"]):
            yield self.compare(instance, "states, another tool", other[1], statistics["states"], seconds)
        answer, seconds = self.tideline("explore", instance.file, "--engine", "bfs", "--por")
        ours = answer if isinstance(answer, str) else answer["statistics"]["deadlocks"]
        yield self.compare(instance, "deadlocked states" + REDUCED, str(statistics["deadlocks"]), ours, seconds)

    def check_goals(self, instance):
        counted = self.counted(instance)
        goals = []
        for row in instance.goals:
            if counted or (row["verdict"] != "unknown" and not self.options.no_hunt):
                goals.append(row)
            else:
                why = "no verdict recorded" if row["verdict"] == "unknown" else "larger than --max-states"
                yield self.passed_over(instance, "goal " + row["prop_id"], row["verdict"], "skipped", why)
        if not goals:
            return

        arguments = ["check", instance.file]
        for row in goals:
            arguments += ["--reach", goal_expression(row["formula"], parse_propositions(row["aps"]))]
        if not counted:
            arguments += ["--time", self.options.hunt_time, "--memory", self.options.hunt_memory]
        searches = [(["bfs"], ""), (["bfs", "--por"], REDUCED)]
        if counted and instance.states <= self.options.sweep_states:
            searches += [(["sweep", "--sweep-from", "0"], BY_SWEEP), (["sweep", "--por"], BY_SWEEP + REDUCED)]
        for engine, how in searches:
            answer, seconds = self.tideline(*arguments, "--engine", *engine)
            if isinstance(answer, str):
                for row in goals:
                    yield self.compare(instance, f"goal {row['prop_id']}{how}", row["verdict"], answer, seconds)
                continue
            verdicts = [entry for entry in answer["properties"] if entry["kind"] == "reach"]
            for row, entry in zip(goals, verdicts, strict=True):
                yield from self.compare_goal(instance, row, entry, how, seconds)

    def compare_goal(self, instance, row, entry, how, seconds):
        what = f"goal {row['prop_id']}{how}"
        if entry["verdict"] == "unknown" and not self.counted(instance):
            yield self.passed_over(instance, what, row["verdict"], "undecided", entry.get("reason") or "", seconds)
            return
        ours = {"holds": "reachable", "violated": "unreachable"}.get(entry["verdict"], entry["verdict"])
        yield self.compare(instance, what, row["verdict"], ours, seconds)
        if ours == "reachable" and row["ce_length"] and not how:
            yield self.compare(instance, what + ", states of the run", row["ce_length"], len(entry["trace"]["states"]), seconds)


def run_all(checker, instances, jobs):
    """Yields comparisons instance by instance: small ones in parallel, in order; large ones one at a time."""
    alone = [i for i in instances if i.states >= ALONE_FROM]
    together = [i for i in instances if i.states < ALONE_FROM]
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        for comparisons in pool.map(lambda instance: list(checker.check(instance)), together):
            yield from comparisons
    for instance in alone:
        yield from checker.check(instance)


def show(comparison):
    colour = {"DIFFERENT": "\033[31m", "ok": "\033[32m"}.get(comparison["result"], "")
    if not sys.stdout.isatty():
        colour = ""
    print(f"{comparison['instance']:<22}{comparison['what']:<33}{comparison['recorded']:>12}{comparison['ours']:>13}  "
          f"{colour}{comparison['result']:<10}{colour and chr(27) + '[0m'} {comparison['why']}".rstrip(), flush=True)


def write_results(path, comparisons, summary):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"summary": summary, "comparisons": comparisons}, indent=1) + "\n", encoding="utf-8")
    with open(path.with_suffix(".csv"), "w", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, Checker.columns)
        writer.writeheader()
        writer.writerows(comparisons)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline", help="the program to test")
    parser.add_argument("--max-states", type=int, default=10_000_000, help="largest instance to explore")
    parser.add_argument("--sweep-states", type=int, default=300_000,
                        help="largest instance to sweep: a measure is looked for each time (default 300000)")
    parser.add_argument("--jobs", type=int, default=2, help="small instances at a time")
    parser.add_argument("--no-hunt", action="store_true", help="skip the goals of instances beyond --max-states")
    parser.add_argument("--hunt-time", default="120s", help="time limit for each of those (default 120s)")
    parser.add_argument("--hunt-memory", default="8G", help="memory limit for each of those (default 8G)")
    parser.add_argument("--no-ltl", action="store_true", help="skip properties of infinite runs")
    parser.add_argument("--with", dest="extra", type=shlex.split, default=[], metavar="OPTIONS",
                        help="more options for every run: --with '--exec native', --with '--store tree'")
    parser.add_argument("--only", metavar="NAME", help="only instances whose name begins with this: lamport, lamport.3")
    parser.add_argument("--out", type=Path, default=ROOT / "build/conformance/beem.json",
                        help="machine-readable results; a table with the extension .csv is written beside it")
    return parser.parse_args()


def main():
    options = parse_arguments()
    folder = Path(os.environ.get("TIDELINE_BENCHMARKS", ROOT / "../shared/benchmarks")) / "beem"
    if not (folder / "beem.csv").is_file():
        print(f"conformance with BEEM: skipped, {folder / 'beem.csv'} is not there (see TIDELINE_BENCHMARKS)")
        return SKIPPED
    instances = read_table(folder)
    if options.only:
        instances = [i for i in instances if i.name == options.only or i.name.startswith(options.only + ".")]

    print(f"{'instance':<22}{'what':<33}{'recorded':>12}{'ours':>13}  result")
    comparisons = []
    for comparison in run_all(Checker(options), instances, options.jobs):
        show(comparison)
        comparisons.append(comparison)

    counts = Counter(comparison["result"] for comparison in comparisons)
    summary = {"max_states": options.max_states, "with": options.extra, "results": counts}
    write_results(options.out, comparisons, summary)
    print("\n" + shlex.join(options.extra) + (": " if options.extra else "") +
          ", ".join(f"{number} {result}" for result, number in counts.most_common()) + f". Table: {options.out}, {options.out.with_suffix('.csv')}")
    return 1 if counts["DIFFERENT"] or not (counts["ok"] or options.only) else 0


if __name__ == "__main__":
    sys.exit(main())
