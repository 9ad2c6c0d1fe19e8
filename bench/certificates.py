#!/usr/bin/env python3
"""What certificates cost: to write, in bytes, and to check.

Whole processes take turns: `check` without and with `--certificate`, and `tideline-certify`. Processor time with one thread, since that is
what other programs on the machine disturb least, and seconds of the clock for `tideline-certify` as it comes, with all processors. The
best of several runs counts. The states themselves, compressed, are
those of the table of `--store tree`, where the engine can have one.
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

from measure import BENCHMARKS, TIDELINE, machine, run, tideline, write_results
from tables import show

CERTIFY = TIDELINE.with_name("tideline-certify")
STATES = ("--invariant", "1 == 1")  # true: every state is visited
CASES = (("iprotocol.4", "bfs", STATES), ("szymanski.4", "bfs", STATES), ("lifts.7", "bfs", STATES), ("pgm_protocol.8", "bfs", STATES),
         ("leader_election.4", "bfs", STATES), ("iprotocol.4", "sweep", STATES), ("lup.2.prop2", "scc", ()),
         ("elevator.4.prop3", "scc", ()), ("peterson.4.prop4", "scc", ()), ("elevator.4.prop3", "owcty", ()),
         ("peterson.4.prop4", "owcty", ()), ("lifts.6", "ctl", ("--ctl", "AG EF Wheels.staying")))
TARGET_WRITING, TARGET_SIZE, TARGET_CHECKING = 1.6, 1.2, 3


def beem(name):
    return BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve"


def certify(model, properties, certificate, *options):
    done = run([CERTIFY, model, *properties, certificate, *options])
    if done.status != 0:
        sys.exit(f"tideline-certify {model}: exit code {done.status}\n{done.output}")
    return done


def measured(name, engine, properties, repetitions):
    model = beem(name)
    best = {"search": math.inf, "writing": math.inf, "checking": math.inf, "memory": math.inf, "search_clock": math.inf,
            "checking_clock": math.inf}

    def keep(what, value):
        best[what] = min(best[what], value)
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / "certificate"
        for _ in range(repetitions):
            done, _ = tideline("check", model, *properties, "--engine", engine, "--no-trace")
            keep("search", done.processor_seconds)
            keep("search_clock", done.seconds)
            done, answer = tideline("check", model, *properties, "--engine", engine, "--no-trace", "--certificate", certificate)
            keep("writing", done.processor_seconds)
            keep("checking_clock", certify(model, properties, certificate).seconds)
            done = certify(model, properties, certificate, "--threads", "1")
            keep("checking", done.processor_seconds)
            keep("memory", done.peak_bytes)
    written = answer["certificate"]
    compressed = None
    if engine == "bfs":
        _, trees = tideline("check", model, *properties, "--engine", engine, "--no-trace", "--store", "tree")
        compressed = trees["statistics"]["table_bytes"] / written["states"]
    return {"model": name, "engine": engine, "states": written["states"], "bytes": written["bytes"] / written["states"],
            "compressed": compressed, **best}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    if not (BENCHMARKS / "beem").is_dir():
        print(f"bench certificates: skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
        return
    show("certificates/machine", ("measured on", "threads"), [(machine(), 1)])
    print()
    rows = [measured(*case, options.repetitions) for case in CASES if beem(case[0]).is_file()]
    show("certificates/cost", ("model", "engine", "states", "search, s", "with a certificate, s", "over search", "checking, s",
                               "over search", "all processors, s of the clock", "over search", "bytes a state", "as a tree",
                               "checker's memory, MiB"),
         [(row["model"], row["engine"], f"{row['states']:,}", f"{row['search']:.2f}", f"{row['writing']:.2f}",
           f"{row['writing'] / row['search']:.2f}", f"{row['checking']:.2f}", f"{row['checking'] / row['search']:.2f}",
           f"{row['checking_clock']:.2f}", f"{row['checking_clock'] / row['search_clock']:.2f}",
           f"{row['bytes']:.2f}", f"{row['compressed']:.2f}" if row["compressed"] else "", f"{row['memory'] / 2**20:.0f}")
          for row in rows])
    print()

    def line(figure, value, target):
        return figure, f"{value:.2f}", target, "ok" if value <= target else "missed"
    show("certificates/summary", ("figure", "value", "target", ""),
         [line("search with a certificate over search, at most", max(row["writing"] / row["search"] for row in rows), TARGET_WRITING),
          line("bytes over those of states as trees, at most",
               max(row["bytes"] / row["compressed"] for row in rows if row["compressed"]), TARGET_SIZE),
          line("checking over search, one thread each, at most", max(row["checking"] / row["search"] for row in rows), TARGET_CHECKING),
          line("checking with all processors over search with one thread, by the clock, at most",
               max(row["checking_clock"] / row["search_clock"] for row in rows), TARGET_CHECKING)])
    write_results("certificates", rows)


if __name__ == "__main__":
    main()
