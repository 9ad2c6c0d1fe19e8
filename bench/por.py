#!/usr/bin/env python3
"""Partial order reduction: what it leaves out, and what it costs.

  A  BEEM          states that a search for deadlocks visits, beside those of LTSmin's stubborn sets (recorded on another
                   machine, see por.csv of the benchmarks): every deadlock is preserved, model errors are not (explore --por);
                   and with model errors preserved as well (check --deadlock --por)
  B  our models    the same without another tool
  C  time          of a state with and without reduction, on the instances of A where it leaves out next to nothing
  D  Petri nets    markings for a deadlock and for a formula that none satisfies, with and without reduction and --reduce-net
  E  Fig. 11       products of BEEM's instances with automata, beside the provisos of the paper (see por_paper.py)
  F  Fig. 10       how many violated instances end early, with and without reduction
  G  Fig. 12       memory for leader election
  H  SPIN          the same protocols in Promela and in DVE, each tool with its reduction, in the same run

Times of C are medians of runs that take turns, others are those of single runs. Counts do not depend on the machine, except
those of searches that a limit ends.
"""

import argparse
import csv
import math
import re
import statistics

import plot
from measure import BENCHMARKS, RESULTS, ROOT, machine, write_results
from por_lassos import part_e, part_f, part_g
from por_nets import part_d
from por_runs import compare, count, dve_file, explore, skipped, title
from por_spin import part_h

MODELS = sorted([*(ROOT / "models").glob("*.psl"), *(ROOT / "models").glob("*.dve")])


def part_a():
    table = BENCHMARKS / "por.csv"
    if not table.is_file():
        skipped("A", f"{table} is not there (see TIDELINE_BENCHMARKS)")
        return []
    title("A. BEEM: states visited when all deadlocks are to be found")
    print(f"{'':<24}{'states':>10}{'reduced':>10}{'LTSmin':>10}{'ratio':>8}{'errors kept':>13}")
    rows = []
    with table.open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            row = compare(dve_file(line["dve_file"])) | {"ltsmin": int(line["ltsmin_por_states"]),
                                                         "ltsmin_whole": int(line["full_states"])}
            rows.append(row)
            print(f"{row['model']:<24}{row['states']:>10,}{row['reduced']:>10,}{row['ltsmin']:>10,}"
                  f"{row['reduced'] / row['ltsmin']:>8.2f}{count(row['with_errors']):>13}", flush=True)
    for row in rows:
        if row["states"] != row["ltsmin_whole"]:
            print(f"{row['model']}: LTSmin has {row['ltsmin_whole']:,} states without reduction")
    ratios = [row["reduced"] / row["ltsmin"] for row in rows]
    print(f"\nat or below LTSmin's count: {sum(r <= 1 for r in ratios)} of {len(ratios)} (target: two thirds); "
          f"geometric mean of the ratios {math.exp(statistics.fmean(map(math.log, ratios))):.2f} (target: at most 1)")
    return rows


def part_b():
    title("B. Our models: the same")
    print(f"{'':<30}{'states':>10}{'reduced':>10}{'ratio':>8}{'errors kept':>13}")
    rows = []
    for file in MODELS:
        row = compare(file)
        rows.append(row)
        print(f"{row['model']:<30}{row['states']:>10,}{row['reduced']:>10,}{row['reduced'] / row['states']:>8.3f}"
              f"{count(row['with_errors']):>13}", flush=True)
    return rows


def part_c(rows, repetitions):
    title(f"C. Microseconds a state where at least 95% of the states are left ({machine()}; medians of {repetitions})")
    print(f"{'':<24}{'whole':>8}{'reduced':>9}{'ratio':>8}")
    result = []
    for row in rows:
        if row["reduced"] < 0.95 * row["states"]:
            continue
        file, times = dve_file(row["model"]), {"": [], "--por": []}
        for _ in range(repetitions):
            for option, seconds in times.items():
                figures = explore(file, *([option] if option else []))
                seconds.append(1e6 * figures["time_s"] / figures["states"])
        whole, reduced = (statistics.median(times[option]) for option in ("", "--por"))
        result.append({"model": row["model"], "whole_us": whole, "reduced_us": reduced})
        print(f"{row['model']:<24}{whole:>8.2f}{reduced:>9.2f}{reduced / whole:>8.2f}", flush=True)
    if result:
        ratios = [r["reduced_us"] / r["whole_us"] for r in result]
        print(f"\nmedian ratio {statistics.median(ratios):.2f} (target: at most 1.25)")
    return result


# --- drawings ---------------------------------------------------------------------------------------------------------


def draw_bars(heading, groups, legend, series, path):
    drawing = plot.Drawing(980, 370)
    drawing.text(20, 28, heading, size=15, bold=True)
    drawing.legend(70, 54, legend)
    plot.grouped_bars(drawing, 70, 85, 890, 200, groups, series, tilt=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.write(path)
    print(f"Drawn to {path.relative_to(ROOT)}")


def draw(results, folder):
    """Beside LTSmin, and beside the paper's provisos, as far as they were measured."""
    if beem := results.get("A"):
        draw_bars("States left by reduction when all deadlocks are to be found, of all states",
                  [row["model"].removesuffix(".dve") for row in beem], ["Tideline", "LTSmin (recorded)"],
                  [[100 * row["reduced"] / row["states"] for row in beem],
                   [100 * row["ltsmin"] / row["ltsmin_whole"] for row in beem]],
                  folder / "por-ltsmin.svg")
    if products := (results.get("E") or {}).get("rows"):
        theirs = [[100 * row["paper"][way] / row["paper"]["whole"] for row in products] for way in ("stack", "sort")]
        ours = [[100 * row[way] / row["whole"] for row in products] for way in ("ample", "stubborn")]
        draw_bars("States of the product left by reduction, of all its states (Fig. 11)",
                  [row["instance"] for row in products],
                  ["Tideline, --por=ample", "Tideline, --por", "paper, stack proviso", "paper, topological sort proviso"],
                  [*ours, *theirs], folder / "por-figure11.svg")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABCDEFGH", help="which parts to run (default: all)")
    parser.add_argument("--repetitions", type=int, default=5, metavar="R", help="runs for each time of part C")
    parser.add_argument("--most-states", type=int, default=1_000_000, metavar="N",
                        help="product states of an instance of part F, at most")
    parser.add_argument("--nets", type=re.compile, default=re.compile(""), metavar="REGEX", help="only these nets in part D")
    parser.add_argument("--pictures", action="store_true", help="draw to docs/pictures/, not to build/bench/")
    options = parser.parse_args()
    options.parts = set(options.parts.upper().replace(",", ""))
    if not options.parts <= set("ABCDEFGH"):
        parser.error("--parts: there are A, B, C, D, E, F, G and H")
    return options


def main():
    options = read_options()
    beem = part_a() if options.parts & set("AC") else []
    runs = {"A": lambda: beem, "B": part_b, "C": lambda: part_c(beem, options.repetitions), "D": lambda: part_d(options.nets),
            "E": part_e, "F": lambda: part_f(options.most_states), "G": part_g, "H": part_h}
    results = {part: run() for part, run in runs.items() if part in options.parts}
    draw(results, ROOT / "docs/pictures" if options.pictures else RESULTS)
    write_results("por", results)


if __name__ == "__main__":
    main()
