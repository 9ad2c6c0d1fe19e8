#!/usr/bin/env python3
"""Peterson's algorithm for N processes, checked by SPIN and by Tideline on the same machine, one after the other.

The algorithm is written once in Promela and once in DVE, step for step (see spin_runs.py), so that the state counts must
be equal, and the script insists on it. Mutual exclusion is an assertion there and an invariant here; both searches visit
every state. SPIN compiles its search with gcc, Tideline interprets: the time gcc takes is shown separately. SPIN runs
without partial order reduction, and a second time with it; what our reduction does is in part H of the suite por.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from measure import tideline, write_results
from spin_runs import PROMELA, build_search, dve_text, missing_programs, run_search


def measure_spin(folder, n, reduction):
    build_seconds = build_search(folder, PROMELA.format(n=n), reduction)
    done, states = run_search(folder)
    if "errors: 0" not in done.output:
        sys.exit(f"pan found errors:\n{done.output}")
    return {"tool": "spin, reduction" if reduction else "spin", "n": n, "states": states, "seconds": done.seconds,
            "build_seconds": build_seconds, "peak_bytes": done.peak_bytes}


def measure_tideline(folder, n):
    file = folder / f"peterson{n}.dve"
    file.write_text(dve_text(n))
    done, answer = tideline("check", file, "--engine", "bfs", "--invariant", "inside <= 1")
    if answer["properties"][0]["verdict"] != "holds":
        sys.exit(f"tideline says {answer['properties'][0]['verdict']} for N = {n}")
    return {"tool": "tideline", "n": n, "states": answer["statistics"]["states"], "seconds": done.seconds,
            "build_seconds": 0.0, "peak_bytes": done.peak_bytes}


def show(result, ours):
    print(f"{result['n']:>2}  {result['tool']:<16}{result['states']:>10}{result['build_seconds']:>9.2f}{result['seconds']:>9.2f}"
          f"{result['states'] / result['seconds'] / 1e6:>11.2f}{result['peak_bytes'] / 2**20:>9.1f}"
          f"{result['seconds'] / ours['seconds']:>11.2f}{result['peak_bytes'] / ours['peak_bytes']:>9.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 3, 4, 5], metavar="N")
    options = parser.parse_args()

    if missing := missing_programs():
        print(f"bench spin: skipped, there is no {' and no '.join(missing)} (scripts/setup --bench)")
        return

    print(f"{'':<28}{'':>10}{'':>9}{'':>9}{'million':>11}{'memory':>9}{'relative to tideline':>22}")
    print(f"{'N':>2}  {'tool':<16}{'states':>10}{'build s':>9}{'check s':>9}{'states/s':>11}{'MiB':>9}{'time':>11}{'memory':>9}")
    results = []
    for n in options.processes:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            ours = measure_tideline(folder, n)
            rows = [ours, measure_spin(folder, n, reduction=False), measure_spin(folder, n, reduction=True)]
        if rows[1]["states"] != ours["states"]:
            sys.exit(f"the models differ: {rows[1]['states']} states in SPIN, {ours['states']} in Tideline")
        for row in rows:
            show(row, ours)
        results += rows
    write_results("spin", results)


if __name__ == "__main__":
    main()
