#!/usr/bin/env python3
"""SPIN and Tideline on the same systems and the same machine, taking turns.

Each system is written once in Promela and once in DVE, step for step (spin_pairs.py), so that the state counts must be equal,
and the script insists on it. Both search all states and check that a property holds in each: an assertion there, an
invariant here. SPIN compiles its search by gcc -O3; what SPIN and gcc need for that is a column of its own. Times are
processor time of whole processes, which other programs on the machine disturb least, the best of several runs. SPIN also runs with its partial order reduction, for comparison only; what
our reduction does is in part H of the suite por.

On a machine without SPIN and gcc, use searches that were built elsewhere, with the same C library:

    bench/spin.py --prepare DIR      builds the searches into DIR
    bench/spin.py --prepared DIR     runs them; the times of SPIN and gcc are those of the machine that built them
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

from measure import machine, tideline, write_results
from spin_pairs import all_pairs
from spin_runs import build_search, missing_programs, run_search
from tables import seconds, show

TARGET_SEARCH, TARGET_COMPILED = 0.25, 0.1
# The first target is about searching: shorter ones are mostly the start of a process. The second is about models up to a size.
SHORT_STATES, COMPILED_STATES = 100_000, 10_000_000
WAYS = ("full", "reduced")


def prepare(folder, pairs):
    """Builds the searches of these systems, and notes how long each took."""
    notes = {"machine": machine(), "build_seconds": {}}
    for pair in pairs:
        for way in WAYS:
            place = folder / pair.name / way
            place.mkdir(parents=True, exist_ok=True)
            took = build_search(place, pair.promela, reduction=way == "reduced")
            notes["build_seconds"].setdefault(pair.name, {})[way] = took
            for file in place.iterdir():
                if file.name != "pan":
                    file.unlink()
    (folder / "notes.json").write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")


def prepared(folder):
    file = folder / "notes.json"
    if not file.is_file():
        sys.exit(f"bench spin: {file} is not there; --prepare {folder} makes it, on a machine with spin and gcc")
    for search in folder.glob("*/*/pan"):
        if not os.access(search, os.X_OK):
            search.chmod(0o755)     # lost on the way from another machine
    return json.loads(file.read_text(encoding="utf-8"))


def measure_ours(pair, file):
    done, answer = tideline("check", file, "--engine", "bfs", "--threads", "1", "--invariant", pair.invariant)
    if (verdict := answer["properties"][0]["verdict"]) != "holds":
        sys.exit(f"tideline says {verdict} for {pair.title}")
    return answer["statistics"]["states"], done


def measure(pair, folder, build_seconds, repetitions):
    best, peak, depth, states = {}, {}, dict.fromkeys(WAYS, 10_000), {}
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / f"{pair.name}.dve"
        file.write_text(pair.dve)
        for _ in range(repetitions):
            states["ours"], ours = measure_ours(pair, file)
            runs = {"ours": ours}
            for way in WAYS:
                search = runs[way] = run_search(folder / pair.name / way, depth[way])
                depth[way], states[way] = search.depth, search.states
                if search.errors:
                    sys.exit(f"SPIN finds errors in {pair.title}")
            if states["full"] != states["ours"]:
                sys.exit(f"{pair.title}: the models differ: {states['full']} states in SPIN, {states['ours']} in Tideline")
            for tool, done in runs.items():
                best[tool] = min(best.get(tool, math.inf), done.processor_seconds)
                peak[tool] = max(peak.get(tool, 0), done.peak_bytes)
    return {"name": pair.name, "system": pair.title, "states": states["ours"], "reduced_states": states["reduced"],
            "seconds": best["ours"], "spin_seconds": best["full"], "spin_reduced_seconds": best["reduced"],
            "build_seconds": build_seconds["full"], "peak_bytes": peak["ours"], "spin_peak_bytes": peak["full"],
            "over_search": best["ours"] / best["full"], "over_whole": best["ours"] / (best["full"] + build_seconds["full"]),
            "over_memory": peak["ours"] / peak["full"]}


def show_pairs(rows):
    show("spin/pairs", ("system", "states", "Tideline, s", "SPIN, s", "ratio", "SPIN and gcc before, s", "ratio with them",
                        "Tideline, MiB", "SPIN, MiB", "ratio", "SPIN with reduction, s"),
         [(row["system"], f"{row['states']:,}", seconds(row["seconds"]), seconds(row["spin_seconds"]), f"{row['over_search']:.2f}",
           seconds(row["build_seconds"]), f"{row['over_whole']:.3f}", f"{row['peak_bytes'] / 2**20:.0f}",
           f"{row['spin_peak_bytes'] / 2**20:.0f}", f"{row['over_memory']:.2f}", seconds(row["spin_reduced_seconds"]))
          for row in rows])
    print()


def show_summary(rows):
    def line(figure, ratios, target):
        ratios = list(ratios)
        return [] if not ratios else [(figure, f"{statistics.geometric_mean(ratios):.3f}", f"{max(ratios):.3f}", target,
                                       "ok" if max(ratios) <= target else "missed")]

    show("spin/summary", ("our time as a part of SPIN's", "geometric mean", "worst", "at most", ""),
         line(f"its search alone, from {SHORT_STATES:,} states on",
              (row["over_search"] for row in rows if row["states"] >= SHORT_STATES), TARGET_SEARCH) +
         line(f"with SPIN and gcc, up to {COMPILED_STATES:,} states",
              (row["over_whole"] for row in rows if row["states"] <= COMPILED_STATES), TARGET_COMPILED))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these of " + ", ".join(p.name for p in all_pairs()))
    parser.add_argument("--prepare", type=Path, metavar="DIR", help="only build the searches of SPIN, into DIR")
    parser.add_argument("--prepared", type=Path, metavar="DIR", help="run the searches in DIR")
    options = parser.parse_args()
    pairs = [pair for pair in all_pairs() if not options.only or pair.name in options.only]

    if not options.prepared and (missing := missing_programs()):
        print(f"bench spin: skipped, there is no {' and no '.join(missing)} (scripts/setup --bench, or --prepared)")
        return
    if options.prepare:
        prepare(options.prepare, pairs)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.prepared or Path(scratch)
        if not options.prepared:
            prepare(folder, pairs)
        notes = prepared(folder)
        show("spin/machine", ("measured on", "SPIN's searches built on"), [(machine(), notes["machine"])])
        print()
        rows = []
        for pair in pairs:
            rows.append(measure(pair, folder, notes["build_seconds"][pair.name], options.repetitions))
            print(f"{pair.title}: {rows[-1]['seconds']:.2f} s, SPIN {rows[-1]['spin_seconds']:.2f} s", flush=True)
        print()
    show_pairs(rows)
    show_summary(rows)
    write_results("spin", rows)


if __name__ == "__main__":
    main()
