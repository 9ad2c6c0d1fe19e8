#!/usr/bin/env python3
"""The tables that suites write, and the documents that show them.

A suite prints its tables by show(), which also writes them as Markdown to build/bench/tables/SUITE/NAME.md. A document has a
table between two comments on lines of their own,

    <!-- table: ltl-sweep/stored -->
    <!-- end -->

and this program puts it there, so that no figure is typed by hand:

    python3 bench/tables.py             puts the tables at hand into the documents; others stay as they are
    python3 bench/tables.py --check     only checks that the comments are paired and name tables of the list below

A new table gets a line in TABLES.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/bench/tables"
DOCUMENTS = ("README.md", "docs/*.md", "bench/*.md")

TABLES = {
    "sweep/models": "check --engine sweep out of the box beside bfs: time and memory of the whole process",
    "sweep/summary": "figures beside targets",
    "sweep/first-layer": "models on which the first layer comes late",
    "sweep/machine": "where these were measured",
    "columns/end-to-end": "check out of the box on the paper's networks: time and memory of the whole process",
    "columns/table-1": "Table 1, master and slaves",
    "columns/table-2": "Table 2, two-phase commit",
    "columns/table-3": "Table 3, stop-and-wait",
    "columns/orders": "columns on and off, tuples and the product of the parts' orders",
    "columns/stop-and-wait": "which parts of stop-and-wait are in the measure",
    "columns/figure-6-master_slave": "Figure 6, state space caching",
    "columns/figure-6-two_phase_commit": "Figure 6, state space caching",
    "columns/figure-6-stop_and_wait_channels": "Figure 6, state space caching",
    "columns/beem": "the instances of ltl-sweep with measures of different origin",
    "forecast/summary": "what a sweep says it has seen beside what it has",
    "level-forecast/summary": "what a breadth-first search says it has seen beside what it has",
    "ltl-sweep/end-to-end": "check out of the box on the instances of Table 1: time and memory of the whole process",
    "ltl-sweep/products": "states and edges of the products",
    "ltl-sweep/stored": "Table 1, states stored at a time",
    "ltl-sweep/visited": "Table 1, states visited",
    "ltl-sweep/persistent": "Table 1, persistent states",
    "ltl-sweep/edges": "edges followed",
    "ltl-sweep/times": "seconds of the searches, measures given",
    "ltl-sweep/over-sweep": "states visited over those of Sweep",
    "ltl-sweep/over-ndfs": "states visited over those of nested depth-first search",
    "ltl-sweep/averages": "the averages of section 6, over all valid instances at hand",
    "ltl-sweep/scores": "Table 2",
    "ltl-sweep/ablation-visited": "each idea switched off: states visited",
    "ltl-sweep/ablation-stored": "each idea switched off: states stored at a time",
    "ltl-sweep/beside-bfs": "the sweep beside breadth-first search",
    "ltl-sweep/machine": "where the times of beside-bfs were measured",
    "ltl-sweep/summary": "figures beside targets",
    "ctl-sweep/end-to-end": "check out of the box: time and memory of the whole process",
    "ctl-sweep/table-1": "Table 1",
    "ctl-sweep/averages": "averages of the lines of Table 1 that the paper has",
    "ctl-sweep/violations": "what section 5 says about violated properties",
    "ctl-sweep/formulas": "formulas of all shapes on BEEM's models, measures monotone or not",
    "ctl-sweep/ablation": "each idea switched off",
    "ctl-sweep/beside-bfs": "the sweep beside breadth-first search",
    "ctl-sweep/machine": "where the times of table-1 and beside-bfs were measured",
    "ctl-sweep/summary": "figures beside targets",
    "owcty/figure-5": "OWCTY with MAP, one worker, all violated instances",
    "owcty/figure-6": "OWCTY with MAP, one worker, only instances that terminate early",
    "owcty/figure-7": "OWCTY without values, one to four workers",
    "owcty/figure-8": "OWCTY with MAP, one to four workers",
    "owcty/figure-9": "OWCTY with MAP, how much runs differ",
    "owcty/figure-14": "valid instances: seconds by workers",
    "owcty/figure-15": "valid instances: speed-ups and memory",
    "owcty/machine": "where the other tables were measured",
    "native/end-to-end": "explore by interpreter and by native code: processor time of the whole process",
    "native/steps": "taking steps alone, by interpreter and by native code",
    "native/compile": "time to make native code, all models",
    "native/summary": "figures beside targets",
    "disk/models": "check --store disk beside states in memory: processor time, memory and disk space of the whole process",
    "disk/summary": "processor time over that with states in memory",
    "disk/machine": "where disk/models was measured",
    "native/machine": "where the other tables were measured",
    "profile/time": "where the time goes, by engine and model",
    "profile/memory": "lines of memory a state against what the machine gives",
    "profile/machine": "where the other tables were measured, and what its memory gives",
    "spin/pairs": "SPIN and Tideline on the same systems: time and memory of whole processes",
    "spin/summary": "figures beside targets",
    "spin/machine": "where the other tables were measured",
    "promela/full": "SPIN and Tideline on Promela models of others, all states: time and memory of whole processes",
    "promela/reduced": "the same with partial order reduction on both sides",
    "promela/summary": "figures beside targets",
    "promela/missing": "models that are not compared, and why",
    "promela/machine": "where the other tables were measured",
    "gpu/machine": "where the other tables were measured",
    "gpu/models": "engine gpu beside bfs by all threads: time of whole processes",
    "gpu/sweep": "sweeps on the card, with less memory than the states take",
    "gpu/summary": "figures beside targets",
    "certificates/cost": "check with and without --certificate, and tideline-certify: processor time, bytes",
    "certificates/summary": "figures beside targets",
    "certificates/machine": "where the other tables were measured",
    "stores/bytes": "bytes a state, plain, as trees and as hashes",
    "stores/time": "processor time, plain, as trees and as hashes",
    "stores/summary": "figures beside targets",
    "stores/machine": "where the other tables were measured",
    "limits/worst": "tests/limits/limits.py --measure: by how much limits were exceeded, by engine",
    "soak/summary": "make soak: how much was compared",
    "soak/cases": "make soak: cases by engine and question",
    "soak/ways": "make soak: cases by what is special about them",
    "soak/scenarios": "make soak: scenarios by what happens to a run",
    "fuzz/targets": "make fuzz: for how long each target was fuzzed so far",
    "threads/bfs": "breadth-first search with 1, 2, 4, ... threads: time, speed, memory",
    "threads/sweep": "the sweep-line with 1, 2, 4, ... threads",
    "threads/holds": "LTL engines with 1, 2, 4, ... threads on properties that hold",
    "threads/violated": "LTL engines with 1, 2, 4, ... threads on violated properties",
    "threads/summary": "figures beside targets",
    "threads/machine": "where the other tables were measured",
    "cluster/time": "ranks beside threads: seconds",
    "cluster/memory": "ranks beside threads: peak memory",
    "cluster/messages": "batches and bytes that ranks send",
    "cluster/summary": "figures beside targets",
    "cluster/machine": "where the other tables were measured",
    "scaling/machine": "where the model's points were measured",
    "scaling/parameters": "the parameters of the model of scaling",
    "scaling/check": "the model beside what was measured",
    "scaling/predictions": "what the model says about larger machines",
    "scaling/search": "simulated searches by many ranks",
    "scaling/real": "what real ranks have sent beside simulated ones",
    "scaling/settle": "simulated ends of levels",
    "scaling/balance": "how evenly hashes spread states over ranks",
}

BEGIN = re.compile(r"<!-- table: (\S+) -->")
END = "<!-- end -->"


def seconds(value):
    """Three digits, whatever the size."""
    return "-" if value is None else f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def megabytes(value):
    return f"{value / 1e6:.0f}"


def write(name, heading, rows):
    """Writes a table: a heading and rows of cells, the first of each left-aligned and the others right-aligned."""
    if name not in TABLES:
        raise KeyError(f"bench/tables.py does not list the table {name}")
    lines = [list(map(str, heading)), ["---", *["---:"] * (len(heading) - 1)], *(list(map(str, row)) for row in rows)]
    if wrong := [line for line in lines if len(line) != len(heading)]:
        raise ValueError(f"{name}: not as many cells as columns: {wrong[0]}")
    path = FOLDER / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n", encoding="utf-8")


def show(name, heading, rows):
    """Prints a table, the first column to the left, and writes it."""
    write(name, heading, rows)
    cells = [list(map(str, line)) for line in (heading, *rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(heading))]
    for line in cells:
        print("  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))]), flush=True)


def written(name):
    path = FOLDER / f"{name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def fill(text, table):
    """The text with table(name) between the comments, where that is not None; the names met; and what is wrong."""
    lines, names, mistakes = [], [], []
    inside = None           # the name of the table that began, and what was there
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        begin = BEGIN.fullmatch(line.strip())
        if begin and inside:
            mistakes.append(f"{number}: the table {inside[0]} before has no {END}")
        if line.strip() == END and not inside:
            mistakes.append(f"{number}: {END} without a table")
        if begin:
            inside = (begin[1], [])
            names.append(begin[1])
            if begin[1] not in TABLES:
                mistakes.append(f"{number}: there is no table {begin[1]}; bench/tables.py has the list")
            lines.append(line)
        elif inside and line.strip() == END:
            new = table(inside[0])
            lines += inside[1] if new is None else [new]
            lines.append(line)
            inside = None
        elif inside:
            inside[1].append(line)
        else:
            lines.append(line)
    if inside:
        mistakes.append(f"the table {inside[0]} has no {END}")
    return "".join(lines), names, mistakes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args()
    wrong, missing, changed = [], [], []
    for path in sorted(path for pattern in DOCUMENTS for path in ROOT.glob(pattern)):
        document, text = path.relative_to(ROOT), path.read_text(encoding="utf-8")
        filled, names, mistakes = fill(text, written)
        wrong += [f"{document}:{mistake}" for mistake in mistakes]
        missing += [f"{document}: {name}" for name in names if written(name) is None]
        if not options.check and not mistakes and filled != text:
            path.write_text(filled, encoding="utf-8")
            changed.append(str(document))
    if wrong:
        sys.exit("\n".join(wrong))
    if options.check:
        return
    if missing:
        print("left as they are, no suite has written them here:", *missing, sep="\n  ")
    print("changed:", " ".join(changed) if changed else "nothing")


if __name__ == "__main__":
    main()
