#!/usr/bin/env python3
"""Saturation: Petri nets from PNML files, with variable orders that Tideline chooses.

  A  beside others: nets for which times of other tools are known, on one core of this class of machine
  B  families at growing size: time and nodes as functions of the size, drawn
  C  the contest's nets at hand: numbers of markings and edges beside those recorded
  D  the contest's examinations, all of them, beside the recorded answers (saturation_contest.py)
  E  the search for cycles while saturating: work saved, and what each idea gains (saturation_hybrid.py)
  F  random LTL formulas on all nets at hand, beside the states alone and an explicit search, drawn (saturation_random.py)
  G  the verdicts of F compared

A wrong number, answer or verdict makes the exit code 1.

Times are of the whole process, reading the net included. A run ends at --time seconds and --memory. Runs from D on are kept in
build/bench/saturation-runs.jsonl, so that an interrupted suite continues where it was.
"""

import argparse
import csv
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import nets
import plot
from journal import Journal
from measure import RESULTS, ROOT, TIDELINE, run, write_results
from saturation_contest import CONTEST, part_d
from saturation_hybrid import part_e
from saturation_random import draw_scatter, draw_times, part_f, part_g


class Rival(NamedTuple):
    tool: str
    seconds: float


# Others' times, one core of this class of machine. Meddly's are of its own examples, with orders written by hand.
KNOWN = {
    ("kanban", 50): (Rival("Meddly", 0.21), Rival("ITS-reach", 10.3)),
    ("kanban", 200): (Rival("Meddly", 14.6),),
    ("slots", 50): (Rival("Meddly", 6.6),),
    ("philosophers", 1000): (Rival("Meddly", 0.03),),
    ("philosophers", 100): (Rival("LTSmin", 0.45), Rival("ITS-reach", 0.33)),
    ("kanban", 10): (Rival("LTSmin", 0.85),),
    ("fms", 20): (Rival("LTSmin", 0.54),),
    ("fms", 50): (Rival("ITS-reach", 2.6),),
    ("tokens", 10): (Rival("ITS-reach", 1.9),),
    ("Railroad-PT-010", None): (Rival("LTSmin", 9.0),),
    ("SharedMemory-PT-000010", None): (Rival("LTSmin", 16.0),),
    ("Peterson-PT-3", None): (Rival("LTSmin", 17.0),),
    ("LamportFastMutEx-PT-4", None): (Rival("ITS-reach", 3.1),),
}
EXPLICIT = {"kanban 5": ("kanban", 5, Rival("verifypn", 8.4)), "Peterson-PT-3": ("Peterson-PT-3", None, Rival("verifypn", 15.0))}
SIZES = {
    "philosophers": (10, 30, 100, 300, 1000, 3000, 10_000, 30_000),
    "kanban": (5, 10, 20, 50, 100, 200, 500, 1000),
    "fms": (5, 10, 20, 50, 100, 200),
    "slots": (5, 10, 20, 50, 100, 200),
    "tokens": (5, 8, 10, 12, 15),
    "memory": (5, 10, 20, 30, 50, 60),
    "pool": (1, 2, 3, 5, 8),
    "railroad": (5, 10, 20, 30, 50),
}


def title(text):
    print(f"\n{text}\n", flush=True)


def net_file(folder, family, size):
    """The net of a family of ours, or of the contest; nothing when that is not at hand."""
    if size is None:
        path = CONTEST / family / "model.pnml"
        return path if path.is_file() else None
    path = Path(folder) / f"{family}-{size}.pnml"
    if not path.exists():
        path.write_text("\n".join(nets.FAMILIES[family](size).pnml()) + "\n", encoding="utf-8")
    return path


def explore(path, options, *arguments):
    """Seconds and statistics; nothing when a limit ended it."""
    done = run([TIDELINE, "explore", path, *arguments, "--time", f"{options.time}s", "--memory", options.memory,
                "--quiet", "--json", "-"])
    if done.status == 3:
        return None
    if done.status != 0:
        sys.exit(f"tideline explore {path}: exit code {done.status}\n{done.output}")
    return {"seconds": done.seconds, **json.loads(done.output)["statistics"]}


def best_of(count, path, options, *arguments):
    results = [explore(path, options, *arguments) for _ in range(count)]
    return min(results, key=lambda r: r["seconds"]) if all(results) else None


def count_text(states):
    digits = str(states)  # there may be thousands of them
    return f"{int(digits):,}" if len(digits) <= 12 else f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"


# --- A: beside others -------------------------------------------------------------------------------------------------


def part_a(folder, options):
    title("A. Beside others: seconds of the whole process, best of 3")
    print(f"{'net':<24}{'states':>16}{'seconds':>9}{'nodes':>10}{'peak':>11}   others")
    rows = []
    runs = [(family, size, rivals, "symbolic") for (family, size), rivals in KNOWN.items()]
    runs += [(family, size, (rival,), "bfs") for family, size, rival in EXPLICIT.values()]
    for family, size, rivals, engine in runs:
        name = f"{family} {size}" if size else family
        path = net_file(folder, family, size)
        if path is None:
            print(f"{name:<24} skipped, {CONTEST / family} is not there")
            continue
        found = best_of(3, path, options, "--engine", engine)
        row = {"net": name, "engine": engine, "rivals": [rival._asdict() for rival in rivals], "found": found}
        rows.append(row)
        beside = ", ".join(f"{rival.tool} {rival.seconds:g} s" for rival in rivals)
        if not found:
            print(f"{name:<24}{'':>16}{'-':>9}{'':>21}   {beside}", flush=True)
            continue
        row["ahead"] = found["seconds"] <= min(rival.seconds for rival in rivals)
        nodes = f"{found['nodes']:>10,}{found['nodes_peak']:>11,}" if engine == "symbolic" else f"{'explicit':>21}"
        print(f"{name:<24}{count_text(found['states']):>16}{found['seconds']:>9.2f}{nodes}   {beside}"
              f"{'' if row['ahead'] else '  behind'}", flush=True)
    ahead = sum(row.get("ahead", False) for row in rows)
    print(f"\nahead of the best of them on {ahead} of {len(rows)}")
    return rows


# --- B: growing -------------------------------------------------------------------------------------------------------


def part_b(folder, options):
    title("B. Families at growing size")
    print(f"{'net':<24}{'states':>16}{'seconds':>9}{'nodes':>10}{'peak':>11}{'MiB':>8}   order")
    rows = []
    for family, sizes in SIZES.items():
        for size in sizes:
            found = explore(net_file(folder, family, size), options, "--engine", "symbolic")
            if not found:
                print(f"{family} {size}: not within the limits", flush=True)
                break
            rows.append({"family": family, "size": size, **found})
            print(f"{family + ' ' + str(size):<24}{count_text(found['states']):>16}{found['seconds']:>9.2f}"
                  f"{found['nodes']:>10,}{found['nodes_peak']:>11,}{found['peak_rss_bytes'] / 2**20:>8.0f}   {found['order']}",
                  flush=True)
    return rows


def draw(rows, path):
    drawing = plot.Drawing(1000, 420)
    drawing.text(20, 28, "Saturation: time and nodes as the nets grow", size=15, bold=True)
    drawing.legend(20, 52, list(SIZES))
    for left, key, what in ((70, "seconds", "seconds"), (560, "nodes_peak", "nodes at the peak")):
        plot.log_chart(drawing, left, 110, 400, 250, what, "size of the net",
                       [[(row["size"], row[key]) for row in rows if row["family"] == family] for family in SIZES])
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


# --- C: the contest's nets --------------------------------------------------------------------------------------------


def part_c(options):
    if not CONTEST.is_dir():
        title(f"C. The contest's nets: skipped, {CONTEST} is not there (see TIDELINE_BENCHMARKS)")
        return []
    title("C. The contest's nets: numbers of markings and edges beside those recorded")
    print(f"{'net':<38}{'states':>16}{'seconds':>9}{'nodes':>10}{'peak':>11}")
    rows, wrong, unknown = [], 0, 0
    with (CONTEST / "mcc.csv").open(newline="", encoding="utf-8") as file:
        recorded = {row["instance"]: row for row in csv.DictReader(file) if row["category"] == "StateSpace"}
    for name in sorted(recorded):
        expected = recorded[name]
        found = explore(CONTEST / name / "model.pnml", options, "--engine", "symbolic")
        row = {"net": name, "found": found, "expected": expected["expected"]}
        rows.append(row)
        if not found:
            unknown += 1
            print(f"{name:<38}{expected['expected']:>16}{'-':>9}", flush=True)
            continue
        row["right"] = (str(found["states"]) == expected["expected"]
                        and (not expected["edges"] or str(found["transitions"]) == expected["edges"]))
        wrong += not row["right"]
        print(f"{name:<38}{count_text(found['states']):>16}{found['seconds']:>9.2f}{found['nodes']:>10,}{found['nodes_peak']:>11,}"
              f"{'' if row['right'] else '   WRONG, recorded ' + expected['expected'] + ' and ' + expected['edges']}", flush=True)
    print(f"\n{len(rows) - wrong - unknown} right, {wrong} wrong, {unknown} not within the limits")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABCDEFG", help="which parts to run (default: all)")
    parser.add_argument("--time", type=int, default=300, metavar="S", help="seconds for a run (default 300)")
    parser.add_argument("--memory", default="4G", help="for a run (default 4G)")
    parser.add_argument("--formula-time", type=float, default=3, metavar="S", help="E, F: seconds for a formula (default 3)")
    parser.add_argument("--formulas", type=int, default=50, metavar="N", help="F: formulas per net (default 50)")
    parser.add_argument("--max-nets", type=int, metavar="N", help="F: at most this many nets, smallest first")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="F: of the formulas (default 1)")
    parser.add_argument("--explicit", default="scc", metavar="ENGINE", help="F, G: the explicit engine (default scc)")
    parser.add_argument("--pictures", action="store_true", help="F: draw to docs/pictures/, not to build/bench/")
    parser.add_argument("--nets", type=re.compile, default="", metavar="REGEX",
                        help="from D on: only nets in whose name this occurs")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="from D on: runs side by side (default 1)")
    parser.add_argument("--other-builds", action="store_true",
                        help="count runs in the journal that another build of Tideline has made")
    options = parser.parse_args()
    parts = set(options.parts.upper().replace(",", ""))
    RESULTS.mkdir(parents=True, exist_ok=True)
    journal, chosen, results = Journal("saturation", options.other_builds), options.nets.search, {}
    with tempfile.TemporaryDirectory() as folder:
        if "A" in parts:
            results["beside"] = part_a(folder, options)
        if "B" in parts:
            results["families"] = part_b(folder, options)
            if results["families"]:
                draw(results["families"], RESULTS / "saturation.svg")
        if "C" in parts:
            results["contest"] = part_c(options)
        if "D" in parts:
            results["answers"] = part_d(chosen, journal, options)
        if "E" in parts:
            results["hybrid"] = part_e(chosen, journal, options)
        if parts & {"F", "G"}:
            rows = results["random"] = part_f(folder, chosen, journal, options)
            results["agreement"] = part_g(rows, options)
            if rows:
                draw_random(rows, options)
    write_results("saturation", results)
    return 1 if wrong(results) else 0


def wrong(results):
    """Whether anything contradicts a recorded answer or another engine."""
    return (any(row.get("right") is False for row in results.get("contest", ()))
            or any(entry["result"] == "wrong" for entry in results.get("answers", ()))
            or any(row["differ"] for row in results.get("hybrid", {}).get("variants", ()))
            or bool(results.get("agreement", {}).get("differ")))


def draw_random(rows, options):
    pictures = ROOT / "docs/pictures" if options.pictures else RESULTS
    draw_scatter(rows, options.formula_time, pictures / "hybrid-scatter.svg")
    draw_times(rows, options.formula_time, pictures / "hybrid-times.svg")
    print(f"\nDrawn to {pictures.relative_to(ROOT)}/hybrid-scatter.svg and hybrid-times.svg")


if __name__ == "__main__":
    sys.exit(main())
