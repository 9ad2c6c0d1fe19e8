#!/usr/bin/env python3
"""States on disk beside states in memory.

`check --engine bfs` with runs, on one core: in memory, and with --store disk within a third and a tenth of the memory that the
first one took, but not less than 28 MiB. They take turns; processor time, since that is what other programs on the machine disturb least, and the best
of several runs counts. All must count the same states, transitions and levels.
"""

import argparse
import math

from measure import BENCHMARKS, machine, tideline, write_results
from tables import show

INSTANCES = ("elevator2.3", "lamport.6", "lifts.7", "rether.6")
SHARES = (3, 10)
LEAST_KIB = 28 << 10    # with less, there is no room beside the program itself
SAME = ("states", "transitions", "deadlocks", "levels", "depth")


def beem(name):
    return BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve"


def search(name, *words):
    return tideline("check", beem(name), "--invariant", "true", "--engine", "bfs", "--model-errors=divine", *words)


def rows_of(name, repetitions):
    """One row for each amount of memory, that of the search in memory first."""
    best, memory = {}, {}
    for repetition in range(repetitions):
        for share in (1, *SHARES):
            words = ("--store", "disk", "--memory", f"{memory[share]}K") if share > 1 else ()
            done, answer = search(name, *words)
            statistics = answer["statistics"]
            counts = {key: statistics[key] for key in SAME}
            if share == 1 and repetition == 0:
                memory = {other: max(done.peak_bytes // 1024 // other, LEAST_KIB) for other in SHARES}
                expected = counts
            if counts != expected:
                raise SystemExit(f"bench disk: {name} within {words}: {counts} instead of {expected}")
            if share not in best or done.processor_seconds < best[share]["seconds"]:
                best[share] = {"model": name, **counts, "state_bytes": statistics["state_bytes"], "share": share,
                               "limit": memory.get(share, 0) * 1024, "seconds": done.processor_seconds,
                               "peak": done.peak_bytes, "disk": statistics.get("disk_bytes", 0),
                               "runs": statistics.get("disk_runs", 0)}
    return list(best.values())


def mebibytes(count):
    return f"{count / (1 << 20):.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=INSTANCES)
    options = parser.parse_args()
    if not (BENCHMARKS / "beem").is_dir():
        print(f"bench disk: skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
        return
    show("disk/machine", ("measured on",), [(machine(),)])
    print()
    lines, results, ratios = [], [], {share: [] for share in SHARES}
    for name in options.models:
        if not beem(name).is_file():
            continue
        rows = rows_of(name, options.repetitions)
        results += rows
        for row in rows:
            ratio = row["seconds"] / rows[0]["seconds"]
            on_disk = row["share"] > 1
            if on_disk:
                ratios[row["share"]].append(ratio)
            lines.append((name, f"{row['states']:,}", row["state_bytes"], row["levels"],
                          f"1/{row['share']}" if on_disk else "in memory", mebibytes(row["limit"]) if on_disk else "",
                          mebibytes(row["peak"]), f"{row['seconds']:.1f}", f"{ratio:.1f}" if on_disk else "",
                          mebibytes(row["disk"]) if on_disk else "", row["runs"] if on_disk else ""))
    show("disk/models", ("model", "states", "bytes a state", "levels", "memory", "--memory, MiB", "peak, MiB", "processor time, s",
                         "ratio", "disk, MiB", "runs"), lines)
    print()
    show("disk/summary", ("memory", "processor time over that in memory, geometric mean"),
         [(f"1/{share}", f"{math.exp(sum(map(math.log, found)) / len(found)):.1f}") for share, found in ratios.items() if found])
    write_results("disk", results)


if __name__ == "__main__":
    main()
