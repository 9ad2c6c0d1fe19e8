#!/usr/bin/env python3
"""Where the time of a search goes, and what the memory of the machine allows.

Five engines on three models of BEEM: one with small states, one with many steps from each state, one with wide states. All
runs are on one core and visit everything.

A  samples by perf, by what the code at hand is for (profile_samples.py), in per cent of the whole process
B  lines of memory that a search has to touch, estimated from its counts, and how long the machine needs for them
   (memory_speed.cpp), beside the time that was measured; cache misses where the machine counts them

The estimate: a lookup touches a line of the index and, if the state is known, the lines of that state; a state is written
once, and read once when its steps are taken. Logs, stacks, and tables that grow are left out. Lines are read at the speed of
random reads in batches that are asked for early, which is how the tables do it; the rest at that of copying.
"""

import argparse
import json
import math
import subprocess
import sys
from typing import NamedTuple

import measure
from measure import BENCHMARKS, ROOT, machine, write_results
from profile_samples import COUNTERS, NAMES, count, profile
from tables import show

PROGRAM = ROOT / "build/bench/bin/tideline"
MEMORY_SPEED = ROOT / "build/bench/bench/memory_speed"
LINE = 64
MODELS = (("szymanski.4", "prop4"), ("elevator2.3", "prop4"), ("leader_election.4", "prop2"))
OF_STATES, OF_RUNS = ("bfs", "dfs", "sweep"), ("owcty-map", "ndfs")


class Case(NamedTuple):
    engine: str
    model: str
    arguments: list


def cases(models):
    for model, prop in MODELS:
        if models and model not in models:
            continue
        folder = BENCHMARKS / "beem" / model.split(".", maxsplit=1)[0]
        common = ["--model-errors=divine", "--threads", "1"]
        for engine in OF_STATES:
            yield Case(engine, model, ["check", folder / f"{model}.dve", "--invariant", "true", "--engine", engine, *common])
        for engine in OF_RUNS:
            yield Case(engine, f"{model}.{prop}", ["check", folder / f"{model}.{prop}.dve", "--engine", engine, *common])


def lines_of(statistics):
    """Lines that lookups touch, and bytes that are written and read in order, for each state whose steps are taken."""
    states = statistics.get("product_states", statistics.get("states"))
    expanded = statistics.get("expansions", statistics.get("visited", states))
    lookups = statistics.get("product_transitions", statistics.get("transitions")) / expanded
    new = states / expanded
    width = statistics["state_bytes"]
    lines = lookups + max(lookups - new, 0) * math.ceil(width / LINE)
    return expanded, lines, width * (new + 1)


def measure_case(case, memory, repetitions):
    best, found = math.inf, {}
    for _ in range(repetitions):
        done, answer = measure.tideline(*case.arguments)
        found = answer["statistics"]
        # The search alone: a sweep looks for a progress measure first.
        best = min(best, done.processor_seconds - found.get("measure_time_s", 0))
    expanded, lines, in_order = lines_of(found)
    limit = lines * memory["batched_read_s"] + in_order / memory["copy_bytes_per_s"]
    quiet = [*map(str, case.arguments), "--quiet"]
    return {"engine": case.engine, "model": case.model, "expanded": expanded, "state_bytes": found["state_bytes"],
            "seconds_a_state": best / expanded, "lines_a_state": lines, "bytes_a_state": lines * LINE + in_order,
            "limit_a_state": limit, "peak_bytes": found["peak_rss_bytes"], "groups": profile(PROGRAM, quiet),
            "counters": {name: value and value / expanded for name, value in count(PROGRAM, quiet).items()}}


def show_time(rows):
    if any(row["groups"] for row in rows):
        used = [name for name in NAMES if any(row["groups"] and row["groups"][name] >= 0.005 for row in rows)]
        show("profile/time", ("engine", "model", "ns a state", *(f"{name}, %" for name in used)),
             [(row["engine"], row["model"], f"{row['seconds_a_state'] * 1e9:.0f}",
               *(f"{row['groups'][name] * 100:.0f}" if row["groups"] else "-" for name in used)) for row in rows])
    else:
        print("bench profile: no samples, perf is not there or may not sample (kernel.perf_event_paranoid)")
    print()


def show_memory(rows):
    show("profile/memory", ("engine", "model", "bytes in a state", "lines a state", "bytes moved a state",
                            "memory alone, ns a state", "measured, ns a state", "memory's part, %",
                            *(f"{name} a state" for name in COUNTERS)),
         [(row["engine"], row["model"], row["state_bytes"], f"{row['lines_a_state']:.1f}", f"{row['bytes_a_state']:.0f}",
           f"{row['limit_a_state'] * 1e9:.0f}", f"{row['seconds_a_state'] * 1e9:.0f}",
           f"{row['limit_a_state'] / row['seconds_a_state'] * 100:.0f}",
           *(f"{value:.2f}" if value is not None else "not counted" for value in row["counters"].values())) for row in rows])
    print()


def show_machine(memory):
    show("profile/machine", ("measured on", "reading, GB/s", "copying, GB/s", "random reads, one by one, ns",
                             "random reads, in batches, ns"),
         [(machine(), f"{memory['read_bytes_per_s'] / 1e9:.1f}", f"{memory['copy_bytes_per_s'] / 1e9:.1f}",
           f"{memory['random_read_s'] * 1e9:.0f}", f"{memory['batched_read_s'] * 1e9:.1f}")])
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="ENGINE", help="only these engines")
    parser.add_argument("--models", nargs="+", metavar="NAME", help="only these of " + ", ".join(name for name, _ in MODELS))
    options = parser.parse_args()
    if not (BENCHMARKS / "beem").is_dir():
        print(f"bench profile: skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
        return
    if not PROGRAM.is_file() or not MEMORY_SPEED.is_file():
        sys.exit("bench profile: run `make bench SUITE=profile`, which builds Tideline with line numbers")
    measure.TIDELINE = PROGRAM
    memory = json.loads(subprocess.run([MEMORY_SPEED], stdout=subprocess.PIPE, check=True).stdout)
    show_machine(memory)
    rows = []
    for case in cases(options.models):
        if options.only and case.engine not in options.only:
            continue
        rows.append(measure_case(case, memory, options.repetitions))
        print(f"{case.engine}, {case.model}: {rows[-1]['seconds_a_state'] * 1e9:.0f} ns a state", flush=True)
    print()
    show_time(rows)
    show_memory(rows)
    write_results("profile", {"memory": memory, "rows": rows})


if __name__ == "__main__":
    main()
