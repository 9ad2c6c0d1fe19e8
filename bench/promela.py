#!/usr/bin/env python3
"""SPIN and Tideline on the same Promela models of others, on the same machine, taking turns.

Every model of TIDELINE_BENCHMARKS/promela with more than 100,000 states that SPIN explores completely is searched by both, all
states: by SPIN without its reduction and the optimisations that change the number of states (-o1 -o2 -o3, -DNOREDUCE), as a
program that gcc -O2 has compiled; by `tideline explore` with one thread. The state counts must be equal. Then both answer the same
question with partial order reduction, where ours has something to leave out: is there an invalid end state or a violated
assertion (`tideline check --deadlock --assertions --por --engine bfs`)? Only models without one are among them, so that both
search to the end. Collapse compression is off on both sides, and hash tables are
what the tools choose: SPIN reserves 128 MiB for its own in advance, which is most of its memory on all but the largest models, so
those from a million states on have a mean of their own. Over all states SPIN goes on after errors (-c0) and checks assertions on
the way; explore only counts deadlocks. What SPIN and gcc need to make the search is a column of its own. Times are processor time of whole processes, memory is their peak.

A search that takes longer than --seconds of processor time is given up, and its model is not among the means.
"""

import argparse
import csv
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

from measure import BENCHMARKS, RESULTS, TIDELINE, machine, run, write_results
from spin_runs import TOO_DEEP, missing_programs
from tables import seconds, show

LEAST_STATES = 100_000
MANY_STATES = 1_000_000     # from there on the 128 MiB that SPIN reserves do not decide about its memory
TARGET_TIME, TARGET_MEMORY = 0.6, 0.5
REFUSED = re.compile(r"embedded C|priorities are not supported")
OVER_TIME = 128 + 24     # ended by the limit of processor time


def models(folder, only):
    with open(folder / "promela.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            states = row["states_noreduce"]
            if row["spin_ok"] == "yes" and row["complete"] == "yes" and int(states) > LEAST_STATES and only in row["file"]:
                yield row


def build(folder, model, reduction):
    """Makes the search; returns the seconds of processor time that takes, or nothing."""
    made = run(["spin", "-a", "-o1", "-o2", "-o3", model], cwd=folder)
    flags = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-DMEMLIM=16000"]
    built = run(["gcc", *flags, *([] if reduction else ["-DNOREDUCE"]), "-o", "pan", "pan.c"], cwd=folder)
    return None if built.status else made.processor_seconds + built.processor_seconds


def spin_search(folder, model, depth, limit, reduction):
    """(states, seconds, peak bytes, seconds before), or nothing where it takes too long."""
    before = build(folder, model, reduction)
    if before is None:
        return None
    deepest = 10_000
    while deepest <= depth:
        deepest *= 10
    while True:
        done = run(["prlimit", f"--cpu={limit}", "./pan", "-n", "-c0", f"-m{deepest}"], cwd=folder)
        if done.status == OVER_TIME:
            return None
        if TOO_DEEP not in done.output:
            break
        deepest *= 10
    stored = re.search(r"(\d+) states, stored", done.output)
    return (int(stored[1]), done.processor_seconds, done.peak_bytes, before) if stored else None


def our_search(model, limit, command, *options):
    """(states, seconds, peak bytes, states with something left out), or the reason why there is no result."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.json"
        done = run(["prlimit", f"--cpu={limit}", TIDELINE, command, model, "--threads", "1", "--quiet", "--json", file, *options])
        if done.status == OVER_TIME:
            return "time"
        if done.status not in (0, 1):
            return "refused by design" if REFUSED.search(done.output) else done.output.strip().splitlines()[-1]
        found = json.loads(file.read_text(encoding="utf-8"))["statistics"]
        return found["states"], done.processor_seconds, found["peak_rss_bytes"], found.get("reduced_states", 0)


def measure(row, folder, limit):
    model = (folder / row["file"]).resolve()
    name = f"{Path(row['file']).name} ({row['file'].split('+')[0]})"
    result = {"file": row["file"], "name": name, "states": int(row["states_noreduce"])}
    for way, options in (("full", ("explore",)),
                         ("reduced", ("check", "--deadlock", "--assertions", "--por", "--engine", "bfs", "--no-trace"))):
        if way == "reduced" and "violated" in (row["deadlock_verdict"], row["assertion_verdict"]):
            break       # a search that ends at an error depends on the order of states
        ours = our_search(model, limit, *options)
        if isinstance(ours, str):
            result[f"{way}_missing"] = f"Tideline: {ours}"
            break
        if way == "reduced" and not ours[3]:
            break       # nothing is left out: the numbers would be those above
        with tempfile.TemporaryDirectory() as scratch:
            spin = spin_search(Path(scratch), model, int(row["depth"] or 0), limit, way == "reduced")
        if spin is None:
            result[f"{way}_missing"] = "SPIN: time"
            break
        if way == "full" and spin[0] != ours[0]:
            result["full_missing"] = f"the counts differ: SPIN {spin[0]:,}, Tideline {ours[0]:,}"
            break
        result[way] = {"states": ours[0], "spin_states": spin[0], "seconds": ours[1], "spin_seconds": spin[1],
                       "build_seconds": spin[3], "peak_bytes": ours[2], "spin_peak_bytes": spin[2],
                       "over_time": ours[1] / max(spin[1], 0.01), "over_memory": ours[2] / spin[2]}
    return result


def show_ways(results):
    for way, title in (("full", "states"), ("reduced", "states left")):
        rows = [(r["name"], r[way]) for r in results if way in r]
        show(f"promela/{way}", ("model", title, *(() if way == "full" else ("SPIN's",)), "Tideline, s", "SPIN, s", "ratio",
                                "SPIN and gcc before, s", "Tideline, MiB", "SPIN, MiB", "ratio"),
             [(name, f"{m['states']:,}", *(() if way == "full" else (f"{m['spin_states']:,}",)), seconds(m["seconds"]),
               seconds(m["spin_seconds"]), f"{m['over_time']:.2f}", seconds(m["build_seconds"]), f"{m['peak_bytes'] / 2**20:.0f}",
               f"{m['spin_peak_bytes'] / 2**20:.0f}", f"{m['over_memory']:.2f}") for name, m in rows])
        print()


def show_summary(results):
    lines = []

    def line(title, way, key, target, least=0):
        ratios = [r[way][key] for r in results if way in r and r["states"] >= least]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            judged = "ok" if mean <= target else "missed"
            lines.append((title, len(ratios), f"{mean:.2f}", f"{statistics.median(ratios):.2f}", f"{max(ratios):.2f}",
                          target, judged))

    for least, size in ((0, ""), (MANY_STATES, f", from {MANY_STATES:,} on")):
        line(f"all states{size}: time", "full", "over_time", TARGET_TIME, least)
        line(f"all states{size}: memory", "full", "over_memory", TARGET_MEMORY, least)
    line("with reduction: time", "reduced", "over_time", TARGET_TIME)
    line("with reduction: memory", "reduced", "over_memory", TARGET_MEMORY)
    show("promela/summary", ("ours as a part of SPIN's", "models", "geometric mean", "median", "worst", "at most", ""), lines)
    print()
    missing = [(r["name"], r[f"{way}_missing"]) for r in results for way in ("full",) if f"{way}_missing" in r]
    show("promela/missing", ("model", "why it is not among them"), missing)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="of processor time, for one search")
    parser.add_argument("--only", default="", help="models whose path contains this")
    parser.add_argument("--keep", action="store_true", help="keep the results that are there for models that are not measured again")
    parser.add_argument("--note", default="", help="what else was going on, for the table of the machine")
    options = parser.parse_args()
    folder = BENCHMARKS / "promela"
    if not (folder / "promela.csv").is_file():
        sys.exit(f"bench promela: there is no {folder / 'promela.csv'}")
    if missing := missing_programs():
        print(f"bench promela: skipped, there is no {' and no '.join(missing)} (scripts/setup --bench)")
        return
    load = f"load {os.getloadavg()[0]:.1f} at the beginning"
    show("promela/machine", ("measured on", "remark"), [(machine(), options.note or load)])
    print()
    results = []
    for row in models(folder, options.only):
        results.append(measure(row, folder, options.seconds))
        last = results[-1]
        ratios = ", ".join(f"{way}: time {last[way]['over_time']:.2f}, memory {last[way]['over_memory']:.2f}"
                           for way in ("full", "reduced") if way in last)
        print(f"{last['name']}: {ratios or last.get('full_missing')}", flush=True)
    print()
    if options.keep and (file := RESULTS / "promela.json").is_file():
        measured = {result["file"]: result for result in results}
        before = json.loads(file.read_text(encoding="utf-8"))["results"]
        results = [measured.pop(result["file"], result) for result in before] + list(measured.values())
    show_ways(results)
    show_summary(results)
    write_results("promela", results)


if __name__ == "__main__":
    main()
