#!/usr/bin/env python3
"""CTL-Sweep on a stop-and-wait protocol: the experiments of Lilleskare, Kristensen and Høyland (see ctl_sweep_paper.py), our
figures beside theirs. The protocol is the C++ type of examples/stop_and_wait, swept through the library by
ctl_sweep_times.cpp; its measure is monotone.

  A  Table 1   states, edges and the most states stored at a time; what the check of P1 (AG EF) and of P2 (AG AF) costs beyond
               the sweep alone, and what it costs with the path to every state in a log on disk, for runs
  B            Sweep beside breadth-first search: time and resident memory
  C            the summary, with targets

All ways of searching take turns in one process, and the medians are compared. Memory is measured in separate processes.
"""

import argparse
import json
import statistics
import sys

import ctl_sweep_paper as paper
import plot
from measure import RESULTS, ROOT, run, write_results

PROGRAM = ROOT / "build/bench/bench/ctl_sweep_times"
LARGER = ("30-4", "40-4")           # beyond Table 1
LARGER_REPETITIONS = 3              # they take long, so noise matters less
TIMED = ("20-3", *LARGER)           # smaller ones take milliseconds, too short to measure

TARGET_CHECK = 40                   # per cent over the sweep alone, at most
TARGET_TRACES = 60
TARGET_TIME = 1.0                   # of the sweep over that of breadth-first search


def measure(configurations, repetitions):
    rows = []
    for name in configurations:
        done = run([PROGRAM, min(repetitions, LARGER_REPETITIONS) if name in LARGER else repetitions, name])
        if done.status != 0:
            sys.exit(f"{PROGRAM}: exit code {done.status}\n{done.output}")
        rows += json.loads(done.output)
        require(rows[-1])
    return rows


def require(row):
    """The counts of every way to search, and those of the paper, are the same; both properties hold."""
    line = paper.TABLE_1.get(row["configuration"])
    for way, counts in row["counts"].items():
        same = all(counts[what] == row["counts"]["bfs"][what] for what in ("states", "edges"))
        printed = not line or (counts["states"], counts["edges"]) == (line.states, line.edges)
        if not same or not printed or counts["violated"]:
            sys.exit(f"{row['configuration']}, {way}: {counts}, but breadth-first search has {row['counts']['bfs']}"
                     + (f" and the paper {line.states} states, {line.edges} edges" if line else ""))


def median(row, way):
    return statistics.median(row["seconds"][way])


def more(row, way, than="sweep"):
    """Per cent that one way takes more than another."""
    return 100 * (median(row, way) / median(row, than) - 1)


def peak(row, way="sweep"):
    return 100 * row["counts"][way]["stored_peak"] / row["counts"][way]["states"]


def part_a(rows, repetitions):
    print(f"A. Table 1; times are medians of {repetitions} runs, {LARGER_REPETITIONS} at most for {' and '.join(LARGER)}. '+check' and"
          " '+runs': per cent over the\n   sweep alone. The counts are the paper's to the digit\n")
    columns = f"{'peak':>8}{'ms':>9}{'+check':>9}{'+runs':>9}"
    print(f"{'':<33}{'Tideline':^35}  |{'paper':^35}")
    print(f"{'':<9}{'states':>11}{'edges':>13}{columns}  |{columns}")
    for row in rows:
        name, counts = row["configuration"], row["counts"]["sweep"]
        line = paper.TABLE_1.get(name)
        for which in ("P1", "P2"):
            ours = (f"{peak(row, which):>7.1f}%{1000 * median(row, 'sweep'):>9.1f}{more(row, which):>+8.1f}%"
                    f"{more(row, f'{which} with log'):>+8.1f}%")
            theirs = (f"{line.peak:>7.1f}%{line.milliseconds[which]:>9.1f}{line.check[which]:>+8.1f}%"
                      f"{line.traces[which]:>+8.1f}%") if line else f"{'-':>8}{'-':>9}{'-':>9}{'-':>9}"
            sizes = f"{name:<6}{which:<3}{counts['states']:>11,}{counts['edges']:>13,}"
            print(f"{sizes}{ours}  |{theirs}{'' if name in TIMED else '   too short to be timed'}", flush=True)


def part_b(rows):
    print("\nB. Sweep beside breadth-first search. With runs: parents in memory, and the log on disk\n")
    columns = f"{'BFS':>9}{'Sweep':>9}{'ratio':>8}"
    print(f"{'':<6}{'states':>12}{'stored':>9} |{'seconds':^26} |{'seconds, with runs':^26} |{'peak of the process, MB':^26}")
    print(f"{'':<6}{'':>12}{'':>9} |{columns} |{columns} |{columns}")
    for row in rows:
        if row["configuration"] not in TIMED:
            continue
        row["peak_bytes"] = {way: json.loads(run([PROGRAM, "alone", way, row["configuration"]]).output)["peak_rss_bytes"]
                             for way in ("bfs", "sweep")}
        times = " |".join(f"{median(row, bfs):>9.2f}{median(row, sweep):>9.2f}{median(row, sweep) / median(row, bfs):>8.2f}"
                          for bfs, sweep in (("bfs", "sweep"), ("bfs with runs", "sweep with log")))
        bfs, sweep = (row["peak_bytes"][way] / 1e6 for way in ("bfs", "sweep"))
        print(f"{row['configuration']:<6}{row['counts']['bfs']['states']:>12,}{peak(row):>8.1f}% |{times} |"
              f"{bfs:>9.1f}{sweep:>9.1f}{sweep / bfs:>8.2f}", flush=True)


def part_c(rows):
    summary = []

    def say(what, value, target, good, unit=""):
        summary.append({"what": what, "value": value, "target": target, "ok": good})
        print(f"{what:<80}{value:>8.2f}{unit:<2} target {target}{unit} {'ok' if good else 'MISSED'}")

    print("\nC. Summary\n")
    for row in rows:
        name = row["configuration"]
        if line := paper.TABLE_1.get(name):
            say(f"{name}: most states stored at a time, at most", round(peak(row), 1), line.peak,
                round(peak(row), 1) <= line.peak, "%")
    for row in (row for row in rows if row["configuration"] in TIMED):
        for which in ("P1", "P2"):
            for suffix, what, target in (("", "check", TARGET_CHECK), (" with log", "check with runs on disk", TARGET_TRACES)):
                value = more(row, which + suffix)
                say(f"{row['configuration']}: {what} of {which} over the sweep alone, at most", value, target, value <= target, "%")
        ratio = median(row, "sweep") / median(row, "bfs")
        say(f"{row['configuration']}: time of Sweep over that of breadth-first search, at most", ratio, TARGET_TIME,
            ratio <= TARGET_TIME)
    return summary


def write_tables(rows, path):
    """The tables as the documents have them."""
    lines = ["| N-C | states | edges | peak (paper) | check of P1, P2 over the sweep (paper) | with runs on disk (paper) | time over BFS |"
             " memory over BFS |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        name, counts = row["configuration"], row["counts"]["sweep"]
        line, timed = paper.TABLE_1.get(name), name in TIMED

        def pair(suffix, printed):
            ours = ", ".join(f"{more(row, which + suffix):+.0f}%" for which in ("P1", "P2")) if timed else "-"
            theirs = ", ".join(f"{printed[which]:+.0f}%" for which in ("P1", "P2")) if printed else ""
            return ours + (f" ({theirs})" if theirs else "")

        memory = f"{row['peak_bytes']['sweep'] / row['peak_bytes']['bfs']:.2f}" if timed else "-"
        lines.append(f"| {name} | {counts['states']:,} | {counts['edges']:,} | {peak(row):.1f}%"
                     + (f" ({line.peak}%)" if line else "")
                     + f" | {pair('', line and line.check)} | {pair(' with log', line and line.traces)} | "
                     + (f"{median(row, 'sweep') / median(row, 'bfs'):.2f}" if timed else "-") + f" | {memory} |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Tables for the documents: {path.relative_to(ROOT)}")


def draw(rows, path):
    timed = [row for row in rows if row["configuration"] in TIMED]
    drawing = plot.Drawing(980, 310 + (290 if timed else 0))
    drawing.text(20, 28, "States stored at a time, per cent of all", size=15, bold=True)
    drawing.legend(500, 28, ["Tideline", "paper"])
    names = [row["configuration"] for row in rows]
    lines = [paper.TABLE_1.get(name) for name in names]
    plot.value_bars(drawing, 70, 70, 880, 190, names, [[peak(row) for row in rows], [line and line.peak for line in lines]])
    if timed:
        drawing.text(20, 328, "What a check costs over the sweep alone, per cent", size=15, bold=True)
        drawing.legend(420, 328, ["check", "check and runs", "paper, check", "paper, check and runs"])
        groups = [f"{row['configuration']}, {which}" for row in timed for which in ("P1", "P2")]
        ours = [[max(0, more(row, which + suffix)) for row in timed for which in ("P1", "P2")] for suffix in ("", " with log")]
        theirs = [[getattr(line, what)[which] if (line := paper.TABLE_1.get(row["configuration"])) else None
                   for row in timed for which in ("P1", "P2")] for what in ("check", "traces")]
        plot.value_bars(drawing, 70, 370, 880, 190, groups, [*ours, *theirs])
    RESULTS.mkdir(parents=True, exist_ok=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=7, metavar="R", help="runs of each way to search (default 7)")
    parser.add_argument("--quick", action="store_true", help="Table 1 only, three repetitions")
    options = parser.parse_args()
    configurations = (*paper.TABLE_1, *(() if options.quick else LARGER))
    repetitions = 3 if options.quick else options.repetitions
    if not PROGRAM.is_file():
        sys.exit(f"bench ctl-sweep: {PROGRAM.relative_to(ROOT)} is not built; make bench SUITE=ctl-sweep builds it")
    rows = measure(configurations, repetitions)
    part_a(rows, repetitions)
    part_b(rows)
    summary = part_c(rows)
    draw(rows, RESULTS / "ctl-sweep.svg")
    write_tables(rows, RESULTS / "ctl-sweep.md")
    write_results("ctl-sweep", {"repetitions": repetitions, "configurations": rows, "summary": summary})


if __name__ == "__main__":
    main()
