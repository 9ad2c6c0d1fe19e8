#!/usr/bin/env python3
"""Peterson's algorithm for N processes, checked by SPIN and by Tideline on the same machine, one after the other.

The algorithm is written once in Promela and once in DVE, step for step: each statement (or d_step) of the one is
one transition of the other, so that the state counts must be equal, and the script insists on it. Mutual exclusion
is an assertion there and an invariant here; both searches visit every state. SPIN compiles its search with gcc,
Tideline interprets: the time gcc takes is shown separately. SPIN runs without partial order reduction, which Tideline
does not have, and a second time with it.
"""

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from measure import run, tideline, write_results

PROMELA = """
#define N {n}
byte level[N];   /* the level a process has reached; 0: it does not want to enter */
byte last[N];    /* who came last to a level */
byte inside;     /* how many are in the critical section */

active [N] proctype P() {{
  byte l, k;     /* the level to leave, the next process to look at */
idle:
  l = 1;
announce:
  level[_pid] = l;
  d_step {{ last[l] = _pid; k = 0 }};
look:
  if
  :: d_step {{ (k < N && (k == _pid || level[k] < l)) -> k = k + 1 }}; goto look
  :: d_step {{ (l < N - 1 && (k == N || last[l] != _pid)) -> l = l + 1; k = 0 }}; goto announce
  :: d_step {{ (l == N - 1 && (k == N || last[l] != _pid)) -> l = 0; k = 0; inside = inside + 1; assert(inside == 1) }}
  fi;
  d_step {{ level[_pid] = 0; inside = inside - 1 }};
  goto idle
}}
"""

DVE_GLOBALS = """
byte level[{n}];  // the level a process has reached; 0: it does not want to enter
byte last[{n}];   // who came last to a level
byte inside;    // how many are in the critical section
"""

DVE_PROCESS = """
process P_{i} {{
  byte l, k;  // the level to leave, the next process to look at
  state idle, announce, arrive, look, critical;
  init idle;
  trans
    idle -> announce {{ effect l = 1; }},
    announce -> arrive {{ effect level[{i}] = l; }},
    arrive -> look {{ effect last[l] = {i}, k = 0; }},
    look -> look {{ guard (k < {n}) && ((k == {i}) || (level[k] < l)); effect k = k + 1; }},
    look -> announce {{ guard (l < {n} - 1) && ((k == {n}) || (last[l] != {i})); effect l = l + 1, k = 0; }},
    look -> critical {{ guard (l == {n} - 1) && ((k == {n}) || (last[l] != {i}));
                       effect l = 0, k = 0, inside = inside + 1; }},
    critical -> idle {{ effect level[{i}] = 0, inside = inside - 1; }};
}}
"""


def dve_text(n):
    return DVE_GLOBALS.format(n=n) + "".join(DVE_PROCESS.format(n=n, i=i) for i in range(n)) + "\nsystem async;\n"


def measure_spin(folder, n, reduction):
    (folder / "peterson.pml").write_text(PROMELA.format(n=n))
    flags = [] if reduction else ["-DNOREDUCE"]
    made = run(["spin", "-a", "peterson.pml"], cwd=folder)
    built = run(["gcc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=16000", *flags, "-o", "pan", "pan.c"], cwd=folder)
    if made.status or built.status:
        sys.exit(f"spin -a or gcc failed:\n{made.output}{built.output}")
    # SPIN reserves memory for the deepest run in advance: find the least power of ten that is enough.
    depth = 10_000
    while "max search depth too small" in (done := run(["./pan", f"-m{depth}"], cwd=folder)).output:
        depth *= 10
    if "errors: 0" not in done.output or "Search not completed" in done.output:
        sys.exit(f"pan did not complete a search without errors:\n{done.output}")
    states = int(re.search(r"(\d+) states, stored", done.output)[1])
    return {"tool": "spin, reduction" if reduction else "spin", "n": n, "states": states, "seconds": done.seconds,
            "build_seconds": made.seconds + built.seconds, "peak_bytes": done.peak_bytes}


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

    missing = [program for program in ("spin", "gcc") if not shutil.which(program)]
    if missing:
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
