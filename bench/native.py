#!/usr/bin/env python3
"""Native code beside the interpreter, on one core.

A  whole processes: `explore --engine bfs` with --exec interpreter, native and auto, which take turns; processor time, since
   that is what other programs on the machine disturb least. The best of several runs counts.
B  taking steps alone, on states that lie in the cache (bench/step_times.cpp).
C  how long it takes to make native code: all models of BEEM and all nets.
"""

import argparse
import json
import math
import subprocess
import sys

from measure import BENCHMARKS, ROOT, machine, tideline, write_results
from tables import show

INSTANCES = ("adding.6", "bopdp.3", "brp2.6", "elevator2.3", "extinction.4", "iprotocol.4", "lamport.6", "leader_filters.5",
             "lifts.7", "peterson.4", "rether.6", "szymanski.4")
STEP_TIMES = ROOT / "build/bench/bench/step_times"
TARGET_STEPS, TARGET_WHOLE, TARGET_COMPILE, AIM_RATE = 3.0, 1.8, 0.2, 4.0


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def beem(name):
    return BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve"


def whole(name, repetitions):
    best = {}
    for _ in range(repetitions):
        for how in ("interpreter", "native", "auto"):
            done, answer = tideline("explore", beem(name), "--engine", "bfs", "--model-errors=divine", "--exec", how)
            best[how] = min(best.get(how, math.inf), done.processor_seconds)
            states = answer["statistics"]["states"]
    return {"model": name, "states": states, **best}


def step_times(files):
    done = subprocess.run([STEP_TIMES, *files], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def end_to_end(repetitions):
    rows = [whole(name, repetitions) for name in INSTANCES if beem(name).is_file()]
    ratio = mean(row["interpreter"] / row["native"] for row in rows)
    rate = mean(row["states"] / row["native"] / 1e6 for row in rows)
    lines = [(row["model"], f"{row['states']:,}", *(f"{row[how]:.2f}" for how in ("interpreter", "native", "auto")),
              f"{row['interpreter'] / row['native']:.2f}", f"{row['states'] / row['native'] / 1e6:.2f}") for row in rows]
    lines.append(("geometric mean", "", "", "", "", f"{ratio:.2f}", f"{rate:.2f}"))
    show("native/end-to-end", ("model", "states", "interpreter, s", "native, s", "auto, s", "ratio", "M states/s"), lines)
    print()
    return rows, ratio, rate


def steps_alone():
    rows = step_times([beem(name) for name in INSTANCES if beem(name).is_file()])
    ratio = mean(row["interpreter_s"] / row["native_s"] for row in rows)
    lines = [(name, row["actions"], row["state_bytes"], f"{row['steps'] / row['sample']:.1f}", f"{row['interpreter_s'] * 1e9:.0f}",
              f"{row['native_s'] * 1e9:.0f}", f"{row['interpreter_s'] / row['native_s']:.2f}", f"{row['compile_s'] * 1e3:.2f}")
             for name, row in zip(INSTANCES, rows)]
    lines.append(("geometric mean", "", "", "", "", "", f"{ratio:.2f}", ""))
    show("native/steps", ("model", "actions", "bytes a state", "steps a state", "interpreter, ns", "native, ns", "ratio",
                          "to make it, ms"), lines)
    print()
    return rows, ratio


def compile_times():
    found = {"models of BEEM": sorted(f for f in (BENCHMARKS / "beem").glob("*/*.dve") if ".prop" not in f.name),
             "nets": sorted((BENCHMARKS / "mcc").rglob("*.pnml"))}
    lines, worst = [], 0.0
    for kind, files in found.items():
        times = sorted((row["compile_s"], row["actions"]) for row in step_times(files))
        if not times:
            continue
        worst = max(worst, times[-1][0])
        lines.append((kind, len(times), f"{times[len(times) // 2][0] * 1e3:.2f}", f"{times[-1][0] * 1e3:.2f}", times[-1][1]))
    show("native/compile", ("", "how many", "median, ms", "worst, ms", "actions of the worst"), lines)
    print()
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    if not (BENCHMARKS / "beem").is_dir():
        print(f"bench native: skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
        return
    if not STEP_TIMES.is_file():
        sys.exit("bench native: run `make bench SUITE=native`, which builds step_times")
    show("native/machine", ("measured on",), [(machine(),)])
    print()
    rows, whole_ratio, rate = end_to_end(options.repetitions)
    alone, steps_ratio = steps_alone()
    worst = compile_times()

    def judged(good):
        return "ok" if good else "missed"
    show("native/summary", ("figure", "value", "target", ""), [
        ("whole processes, interpreter over native, at least", f"{whole_ratio:.2f}", TARGET_WHOLE, judged(whole_ratio >= TARGET_WHOLE)),
        ("steps alone, interpreter over native, at least", f"{steps_ratio:.2f}", TARGET_STEPS, judged(steps_ratio >= TARGET_STEPS)),
        ("million states a second on one core, at least", f"{rate:.2f}", AIM_RATE, judged(rate >= AIM_RATE)),
        ("seconds to make native code, at most", f"{worst:.3f}", TARGET_COMPILE, judged(worst <= TARGET_COMPILE))])
    write_results("native", {"end_to_end": rows, "steps": alone})


if __name__ == "__main__":
    main()
