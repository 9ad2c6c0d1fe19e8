#!/usr/bin/env python3
"""Speed and memory of a full exploration on one core: `tideline explore` on four BEEM instances.

Targets: at least 0.6 million states a second on each; on the two larger ones at most the size of a state plus 12 bytes of
memory per state. Speed is states over the whole run of the process. Memory per state is (peak - start) / states, where start is
the peak of a run on a model with a handful of states.
"""

import argparse
import statistics
import sys

from measure import BENCHMARKS, ROOT, tideline, write_results

INSTANCES = ("lamport.6", "szymanski.4", "peterson.4", "rether.5")
LARGE = ("lamport.6", "rether.5")
TARGET_RATE = 0.6e6
TARGET_EXTRA_BYTES = 12


def measure(name, file, repetitions, start_bytes):
    runs = [tideline("explore", file, "--engine", "bfs", "--model-errors=divine") for _ in range(repetitions)]
    answer = runs[0][1]["statistics"]
    states = answer["states"]
    rates = sorted(states / run.seconds for run, _ in runs)
    peak = max(run.peak_bytes for run, _ in runs)
    return {
        "instance": name, "states": states, "transitions": answer["transitions"],
        "rate_best": rates[-1], "rate_median": statistics.median(rates), "target_rate": TARGET_RATE,
        "state_bytes": answer["state_bytes"], "bytes_a_state": (peak - start_bytes) / states, "peak_bytes": peak,
        "target_bytes_a_state": answer["state_bytes"] + TARGET_EXTRA_BYTES if name in LARGE else None,
    }


def show(result):
    bytes_target = result["target_bytes_a_state"]
    rate_ok = result["rate_median"] >= result["target_rate"]
    bytes_ok = bytes_target is None or result["bytes_a_state"] <= bytes_target
    print(f"{result['instance']:<13}{result['states']:>10}{result['rate_best'] / 1e6:>11.2f}{result['rate_median'] / 1e6:>9.2f}"
          f"{result['target_rate'] / 1e6:>8.1f} {'ok' if rate_ok else 'MISSED':<7}"
          f"{result['state_bytes']:>6}{result['bytes_a_state']:>9.1f}{bytes_target or '-':>8} {'ok' if bytes_ok else 'MISSED'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()

    if not (BENCHMARKS / "beem").is_dir():
        print(f"bench explore: skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
        return
    start_bytes = tideline("explore", ROOT / "models/peterson.dve", "--engine", "bfs")[0].peak_bytes

    print(f"{'':<23}{'million states a second':>32}{'':<6}{'bytes per state':>23}")
    print(f"{'instance':<13}{'states':>10}{'best':>11}{'median':>9}{'target':>8} {'':<7}{'state':>6}{'used':>9}{'target':>8}")
    results = []
    for name in INSTANCES:
        file = BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve"
        if not file.is_file():
            print(f"{name:<13} skipped, {file} is not there")
            continue
        results.append(measure(name, file, options.repetitions, start_bytes))
        show(results[-1])
        sys.stdout.flush()
    write_results("explore", results)


if __name__ == "__main__":
    main()
