#!/usr/bin/env python3
"""Engine gpu on the card of this machine, beside breadth-first search by all threads of its processor.

Whole processes, `explore`, the best of several runs; the rate that counts is states over the time of the whole process. The
table also has the time until the card begins to search (the driver's start, and its compiler), and the rate without that. Counts
have to be those of breadth-first search, and of the closed form where there is one. A model that would take the processor longer
than --limit is left to the card.

Part B sweeps on the card, see gpu_sweep.py.
"""

import argparse
import tempfile
from pathlib import Path

import gpu_sweep
from measure import BENCHMARKS, RESULTS, ROOT, TIDELINE, machine, run, tideline, write_results
from tables import show

# Philosophers with a fork between any two: each takes the left one, then the right one, and puts them back in this order. A
# fork lies there or is with one of two, whatever the others are; only that all have their right one does not happen.
PHILOSOPHER = """process P_{i} {{
  state none, left, both, right;
  init none;
  trans
    none -> left {{ guard not (P_{before}.both or P_{before}.right); }},
    left -> both {{ guard not (P_{after}.left or P_{after}.both); }},
    both -> right {{}},
    right -> none {{}};
}}
"""
PHILOSOPHERS = (16, 18, 20)
# Likewise as a net of places with at most one token, which take a bit each.
NETS = (18, 19)
MODELS = ("anderson.3", "anderson.6", "lamport.8", "phils.6", "frogs.4", "hanoi.3", "peterson.7", "szymanski.5", "leader_filters.7")
MANY, NARROW, WIDE = 30_000_000, 16, 64
TARGET_NARROW, TARGET_WIDE, TARGET_RATIO, TARGET_START = 300, 60, 15, 1.5


def philosophers(count):
    return "".join(PHILOSOPHER.format(i=i, before=(i - 1) % count, after=(i + 1) % count) for i in range(count)) + "system async;\n"


def net(count):
    places, transitions, arcs = [], [], []

    def move(name, sources, targets):
        transitions.append(f'<transition id="{name}"/>')
        arcs.extend(f'<arc id="{name}_from_{p}" source="{p}" target="{name}"/>' for p in sources)
        arcs.extend(f'<arc id="{name}_to_{p}" source="{name}" target="{p}"/>' for p in targets)
    for i in range(count):
        fork = f"fork{(i + 1) % count}"
        for place in ("none", "fork"):
            places.append(f'<place id="{place}{i}"><initialMarking><text>1</text></initialMarking></place>')
        places.extend(f'<place id="{place}{i}"/>' for place in ("left", "both", "right"))
        move(f"take_left{i}", (f"none{i}", f"fork{i}"), (f"left{i}",))
        move(f"take_right{i}", (f"left{i}", fork), (f"both{i}",))
        move(f"put_left{i}", (f"both{i}",), (f"right{i}", f"fork{i}"))
        move(f"put_right{i}", (f"right{i}",), (f"none{i}", fork))
    return ('<?xml version="1.0"?><pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="philosophers" '
            'type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">'
            + "".join(places + transitions + arcs) + "</page></net></pnml>\n")


def explore(model, *options):
    done, answer = tideline("explore", model, *options, codes=(0, 1, 3))
    return done.seconds, answer["statistics"], done.status != 3


def measured(name, model, expected, options):
    best = None
    for _ in range(options.repetitions):
        seconds, found, complete = explore(model, "--engine", "gpu")
        if best is None or seconds < best[0]:
            best = seconds, found
    seconds, found = best
    row = {"model": name, "states": found["states"], "transitions": found["transitions"], "levels": found["levels"],
           "state_bytes": found["state_bytes"], "seconds": seconds, "start": found["device_start_time_s"],
           "search": found["time_s"] - found["device_start_time_s"], "device_bytes": found["device_bytes"], "device": found["device"],
           "right": expected in (None, found["states"]), "complete": complete}
    cpu_seconds, cpu, _ = explore(model, "--engine", "bfs", "--threads", options.threads, "--time", f"{options.limit}s")
    if cpu["states"] >= found["states"]:
        row |= {"cpu_seconds": cpu_seconds,
                "right": row["right"] and all(cpu[n] == found[n] for n in ("states", "transitions", "deadlocks", "levels"))}
    return row


def summarise(rows, sweeps, threads):
    """The worst of the models with many states: those are what the targets are about."""
    many = [row for row in rows if row["states"] >= MANY]

    def rate(row):
        return row["states"] / row["seconds"] / 1e6

    def line(figure, values, target, at_least=True):
        if not values:
            return figure, "-", target, "not measured"
        value = min(values) if at_least else max(values)
        return figure, f"{value:.1f}", target, "ok" if (value >= target if at_least else value <= target) else "missed"
    narrow = [rate(row) for row in many if row["state_bytes"] <= NARROW]
    wide = [rate(row) for row in many if NARROW < row["state_bytes"] <= WIDE]
    compared = [row["cpu_seconds"] / row["seconds"] for row in many if "cpu_seconds" in row]
    show("gpu/summary", ("figure", "value", "target", ""), [
        line(f"million states a second, whole process, states of at most 16 bytes: least of {len(narrow)}", narrow, TARGET_NARROW),
        line(f"likewise of 17 to 64 bytes: least of {len(wide)}", wide, TARGET_WIDE),
        line(f"times as fast as bfs by {threads} threads: least of the {len(compared)} that bfs has finished", compared, TARGET_RATIO),
        line("longest time to the first kernel, the driver having compiled the model before, s", [row["start"] for row in rows],
             TARGET_START, False),
        *([gpu_sweep.summary(sweeps)] if sweeps else [])])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--threads", type=int, default=16, help="of breadth-first search")
    parser.add_argument("--limit", type=int, default=30, help="seconds for breadth-first search")
    parser.add_argument("--models", nargs="*", default=MODELS, help="instances of BEEM")
    parser.add_argument("--philosophers", nargs="*", type=int, default=PHILOSOPHERS)
    parser.add_argument("--nets", nargs="*", type=int, default=NETS)
    parser.add_argument("--parts", default="AB", help="A: breadth-first search; B: sweeps")
    parser.add_argument("--pictures", action="store_true", help="draw to docs/pictures/, not to build/bench/")
    options = parser.parse_args()
    if run([TIDELINE, "explore", ROOT / "models/peterson.dve", "--engine", "gpu"]).status != 0:
        print("bench gpu: skipped, there is no card that engine gpu can use")
        return
    rows = measure_models(options) if "A" in options.parts else []
    sweeps = []
    if "B" in options.parts:
        sweeps, points = gpu_sweep.measure_sweeps()
        gpu_sweep.show_sweeps(sweeps)
        gpu_sweep.draw(points, (ROOT / "docs/pictures" if options.pictures else RESULTS) / "gpu-sweep.svg")
        print()
    summarise(rows, sweeps, options.threads)
    write_results("gpu", {"models": rows, "sweeps": sweeps})


def measure_models(options):
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for count in options.philosophers:
            cases.append((f"philosophers, {count}", Path(folder) / f"philosophers{count}.dve", 3 ** count - 1))
            cases[-1][1].write_text(philosophers(count), encoding="utf-8")
        for count in options.nets:
            cases.append((f"philosophers, {count}, net", Path(folder) / f"philosophers{count}.pnml", 3 ** count - 1))
            cases[-1][1].write_text(net(count), encoding="utf-8")
        for name in options.models:
            model = BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve"
            if model.is_file():
                cases.append((name, model, None))
            else:
                print(f"bench gpu: {name} is skipped, {model} is not there (see TIDELINE_BENCHMARKS)")
        rows = [measured(*case, options) for case in cases]
    show("gpu/machine", ("measured on", "card", "threads"), [(machine(), rows[0]["device"], options.threads)])
    print()
    show("gpu/models", ("model", "states", "bytes", "levels", "gpu, s", "M states/s", "first kernel, s", "M states/s after it", "bfs, s",
                        "bfs over gpu", "counts"),
         [(row["model"], f"{row['states']:,}", row["state_bytes"], f"{row['levels']:,}", f"{row['seconds']:.2f}",
           f"{row['states'] / row['seconds'] / 1e6:.0f}", f"{row['start']:.2f}", f"{row['states'] / row['search'] / 1e6:.0f}",
           f"{row['cpu_seconds']:.1f}" if "cpu_seconds" in row else f"> {options.limit}",
           f"{row['cpu_seconds'] / row['seconds']:.1f}" if "cpu_seconds" in row else f"> {options.limit / row['seconds']:.0f}",
           "unfinished" if not row["complete"] else "right" if row["right"] else "WRONG") for row in rows])
    print()
    return rows


if __name__ == "__main__":
    main()
