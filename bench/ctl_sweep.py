#!/usr/bin/env python3
"""CTL-Sweep: the experiments of Lilleskare, Kristensen and Høyland (see ctl_sweep_paper.py) on their stop-and-wait protocol, and
CTL formulas of all shapes on BEEM's models. For every figure of the paper there are three: ours, that of its algorithm run here,
and the one printed.

  A            check out of the box: time and memory of the whole process, a measure to be found, beside engine ctl
  B  Table 1   states, edges and the most states stored at a time; what the check of P1 (AG EF) and of P2 (AG AF) costs beyond
               the sweep alone, and what it costs with the path to every state in a log on disk, for runs
  C            what section 5 says about violated properties
  D            formulas of all shapes, measures monotone or not: what is stored, visited, read again and on disk
  E            the SCCs of every layer beside ours, which computes few
  F            Sweep beside breadth-first search: time and resident memory
  G            the summary, with targets

B, C and F sweep the C++ type of examples/stop_and_wait through the library (ctl_sweep_times.cpp), whose measure is monotone and
given. All ways of searching take turns in one process, each as many times in a row as it takes to be measured; medians are
compared. Memory is measured in separate processes. A, D and E run tideline on models in DVE. All but C is kept in a journal
(ctl_sweep_runs.py). Tables go to build/bench/tables/ctl-sweep/; `python3 bench/tables.py` puts them into the documents.
"""

import argparse
import json
import statistics
import sys

import ctl_sweep_paper as paper
import plot
import tables
from ctl_sweep_runs import PROPOSITIONS, Journal, beem_questions, protocol_questions
from measure import BENCHMARKS, RESULTS, ROOT, machine, run, write_results
from tables import megabytes, seconds

PROGRAM = ROOT / "build/bench/bench/ctl_sweep_times"
LARGER = ("30-4", "40-4")           # beyond Table 1; they take long, so noise matters less
PROPERTIES = ("P1", "P2")

TARGET_CHECK = 40                   # per cent over the sweep alone, at most
TARGET_TRACES = 60
TARGET_TIME = 1.0                   # of the sweep over that of breadth-first search
TARGETS_FROM = ("20-3", *LARGER)    # smaller ones take milliseconds, where a constant counts


# --- the protocol, through the library --------------------------------------------------------------------------------


def program(*arguments):
    if not PROGRAM.is_file():
        sys.exit(f"bench ctl-sweep: {PROGRAM.relative_to(ROOT)} is not built; make bench SUITE=ctl-sweep builds it")
    done = run([PROGRAM, *arguments])
    if done.status != 0:
        sys.exit(f"{PROGRAM}: exit code {done.status}\n{done.output}")
    return json.loads(done.output)


def measure(name, repetitions, journal):
    """All ways of searching a configuration: counts, times and memory."""
    return journal.once(name, f"protocol, {repetitions} runs", None, lambda: make_measurement(name, repetitions))


def make_measurement(name, repetitions):
    [row] = program(repetitions, name)
    require(row)
    peaks = {way: program("alone", way, name)["peak_rss_bytes"] for way in ("bfs", "sweep")}
    return {**row, "peak_bytes": peaks, "machine": machine()}


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


def part_b(rows):
    print("\nB. Table 1; times are medians. Check and runs: per cent over the sweep alone, ours, as published run here, and"
          " printed\n")
    body = []
    for row in rows:
        name, counts = row["configuration"], row["counts"]["sweep"]
        line = paper.TABLE_1.get(name)
        for which in PROPERTIES:
            printed = [f"{line.peak:.1f}%", f"{line.milliseconds[which]}", f"{line.check[which]:+.0f}%",
                       f"{line.traces[which]:+.0f}%"] if line else ["-"] * 4
            body.append([f"{name} {which}", f"{counts['states']:,}", f"{counts['edges']:,}", f"{peak(row, which):.1f}%",
                         f"{1000 * median(row, 'sweep'):.1f}",
                         *(f"{more(row, way):+.0f}%" for way in (which, f"{which} published", f"{which} with log",
                                                                 f"{which} published with log")), *printed])
    tables.show("ctl-sweep/table-1",
                ["", "states", "edges", "peak", "sweep, ms", "check", "published", "check and runs", "published and runs",
                 "paper: peak", "paper: sweep, ms", "paper: check", "paper: check and runs"], body)


def show_averages(rows):
    """Of all lines that the paper has, both properties."""
    print("\n   Averages of the lines that the paper has, per cent over the sweep alone\n")
    lines = [(row, paper.TABLE_1[row["configuration"]], which) for row in rows if row["configuration"] in paper.TABLE_1
             for which in PROPERTIES]
    body = []
    for what, suffix, printed in (("check", "", "check"), ("check and runs", " with log", "traces")):
        columns = ([more(row, which + suffix) for row, _, which in lines],
                   [more(row, f"{which} published{suffix}") for row, _, which in lines],
                   [getattr(line, printed)[which] for _, line, which in lines])
        body.append([what, *(f"{statistics.mean(column):+.0f}%" for column in columns)])
    tables.show("ctl-sweep/averages", [f"average of {len(lines)} lines", "ours", "published, run here", "paper"], body)


def part_c(configurations):
    print("\nC. Properties that do not hold: P1 when only expected packets are acknowledged, and P3, AG AF (acknowledgement sent)\n")
    body = []
    rows = program("violations", *configurations)
    for ours, published in zip(rows[::2], rows[1::2]):
        if ours["violated"] != published["violated"]:
            sys.exit(f"ours and the published algorithm disagree: {ours}, {published}")
        says = paper.VIOLATED[ours["property"], ours["always_ack"]]
        body.append([f"{ours['configuration']} {ours['property']}", "all" if ours["always_ack"] else "expected",
                     "violated" if ours["violated"] else "holds", f"{ours['states']:,}", f"{published['states']:,}",
                     ours["steps"] or "-", "violated" if says else "holds"])
    tables.show("ctl-sweep/violations", ["", "acknowledged", "here", "states visited", "published: states visited",
                                         "steps of the run", "paper says"], body)


def part_f(rows):
    print("\nF. Sweep beside breadth-first search. With runs: parents in memory, and the log on disk\n")
    body = []
    for row in rows:
        times = [f"{seconds(median(row, a))}, {seconds(median(row, b))} ({median(row, b) / median(row, a):.2f})"
                 for a, b in (("bfs with runs", "sweep with log"), ("bfs", "sweep"))]
        bfs, sweep = row["peak_bytes"]["bfs"], row["peak_bytes"]["sweep"]
        body.append([row["configuration"], f"{row['counts']['bfs']['states']:,}", f"{peak(row):.1f}%", *times,
                     f"{bfs / 1e6:.1f}, {sweep / 1e6:.1f} ({sweep / bfs:.2f})"])
    tables.show("ctl-sweep/beside-bfs", ["BFS, Sweep (ratio)", "states", "stored", "with runs, s", "states alone, s",
                                         "peak, MB"], body)


# --- tideline check ---------------------------------------------------------------------------------------------------


def part_a(questions, journal):
    print("\nA. check out of the box, whole processes: seconds, of which for finding the measure, and the peak of resident memory\n")
    body = []
    for q in questions:
        sweep, ctl = (journal.out_of_the_box(q, engine) for engine in ("sweep", "ctl"))
        require_same(q, sweep, ctl)
        body.append([f"{q.model}: `{q.name}`", ctl["verdict"], seconds(sweep["seconds"]), seconds(sweep["measure_seconds"]),
                     megabytes(sweep["peak_bytes"]), seconds(ctl["seconds"]), megabytes(ctl["peak_bytes"]),
                     f"{sweep['seconds'] / ctl['seconds']:.2f}", f"{sweep['peak_bytes'] / ctl['peak_bytes']:.2f}"])
    tables.show("ctl-sweep/end-to-end", ["", "verdict", "sweep, s", "of which measure, s", "sweep, MB", "ctl, s", "ctl, MB",
                                         "time over ctl", "memory over ctl"], body)


def require_same(question, *results):
    verdicts = {result["verdict"] for result in results} - {"unknown"}
    if len(verdicts) > 1:
        sys.exit(f"{question.model}, {question.formula}: {verdicts}")


def part_d(questions, journal):
    print("\nD. Formulas of all shapes, with the measure that was found: states stored at a time, visited, and passes over the\n"
          "   layers on disk\n")
    body = []
    for q in questions:
        found, ctl = journal.out_of_the_box(q, "sweep"), journal.out_of_the_box(q, "ctl")["statistics"]
        figures, states = found["statistics"], ctl["states"]
        body.append([f"{q.model}: `{q.name}`", found["verdict"], f"{states:,}",
                     "yes" if figures["regress_edges"] == 0 else "no", f"{figures['stored_peak'] / states:.3f}",
                     f"{figures['visited'] / states:.3f}", figures.get("passes", "-"),
                     f"{figures.get('layer_file_bytes', 0) / 1e6:.1f}", seconds(found["measure_seconds"]),
                     seconds(found["search_seconds"]), seconds(ctl["time_s"])])
    tables.show("ctl-sweep/formulas", ["", "verdict", "states", "monotone", "stored", "visited", "passes", "on disk, MB",
                                       "measure, s", "search, s", "ctl, s"], body)


def part_e(questions, journal):
    print("\nE. The SCCs of every layer (--sweep paper) beside ours, which computes few; measures given, monotone ones only\n")
    body = []
    for q in (q for q in questions if q.always):
        found = journal.out_of_the_box(q, "sweep")
        if not found["measure"] or found["statistics"]["regress_edges"] != 0:
            continue
        ours, published = journal.given_measure(q), journal.given_measure(q, "paper")
        require_same(q, ours, published)
        body.append([f"{q.model}: `{q.name}`", ours["verdict"], f"{ours['statistics']['layers']:,}",
                     f"{ours['statistics']['scc_searches'] + ours['statistics']['cycle_searches']:,}",
                     f"{published['statistics']['scc_searches']:,}", seconds(ours["search_seconds"]),
                     seconds(published["search_seconds"])])
    tables.show("ctl-sweep/ablation", ["", "verdict", "layers", "layers searched", "published: layers searched", "s",
                                       "published: s"], body)


# --- the summary and the drawing --------------------------------------------------------------------------------------


def part_g(rows):
    summary = []

    def say(what, value, target, good, unit=""):
        summary.append({"what": what, "value": value, "target": target, "ok": good})
        body.append([what, f"{value:.2f}{unit}", f"{target}{unit}", "ok" if good else "missed"])

    print("\nG. Summary\n")
    body = []
    for row in rows:
        name = row["configuration"]
        if line := paper.TABLE_1.get(name):
            say(f"{name}: most states stored at a time, at most", round(peak(row), 1), line.peak,
                round(peak(row), 1) <= line.peak, "%")
    for row in (row for row in rows if row["configuration"] in TARGETS_FROM):
        for which in PROPERTIES:
            for suffix, what, target in (("", "check", TARGET_CHECK), (" with log", "check with runs on disk", TARGET_TRACES)):
                value = more(row, which + suffix)
                say(f"{row['configuration']}: {what} of {which} over the sweep alone, at most", value, target,
                    value <= target, "%")
        ratio = median(row, "sweep") / median(row, "bfs")
        say(f"{row['configuration']}: time of Sweep over that of breadth-first search, at most", ratio, TARGET_TIME,
            ratio <= TARGET_TIME)
    tables.show("ctl-sweep/summary", ["", "measured", "target", ""], body)
    return summary


def draw(rows, path):
    drawing = plot.Drawing(1100, 930)
    drawing.text(20, 28, "States stored at a time, per cent of all", size=15, bold=True)
    drawing.legend(600, 28, ["Tideline", "paper"])
    names = [row["configuration"] for row in rows]
    lines = [paper.TABLE_1.get(name) for name in names]
    plot.value_bars(drawing, 70, 50, 1000, 190, names, [[peak(row) for row in rows], [line and line.peak for line in lines]])
    draw_costs(drawing, 320, rows, "What a check costs over the sweep alone, per cent", "", "check")
    draw_costs(drawing, 630, rows, "What a check costs with runs on disk, per cent", " with log", "traces")
    RESULTS.mkdir(parents=True, exist_ok=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def draw_costs(drawing, top, rows, heading, suffix, printed):
    """Ours, as published and as printed, in whole per cent; what is less than nothing has no bar."""
    drawing.text(20, top, heading, size=15, bold=True)
    drawing.legend(600, top, ["Tideline", "published, run here", "paper"])
    pairs = [(row, which) for row in rows for which in PROPERTIES]
    here = [[max(0, round(more(row, which + way + suffix))) for row, which in pairs] for way in ("", " published")]
    theirs = [round(getattr(line, printed)[which]) if (line := paper.TABLE_1.get(row["configuration"])) else None
              for row, which in pairs]
    plot.value_bars(drawing, 70, top + 22, 1000, 190, [f"{row['configuration']} {which}" for row, which in pairs],
                    [*here, theirs], tilt=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABCDEFG", help="which parts to run (default: all)")
    parser.add_argument("--repetitions", type=int, default=7, metavar="R", help="runs of each way to search (default 7)")
    parser.add_argument("--larger", nargs="*", default=LARGER, metavar="N-C",
                        help="configurations beyond Table 1 (default: 30-4 40-4, which take most of the time)")
    parser.add_argument("--larger-repetitions", type=int, default=3, metavar="R", help="runs of these (default 3)")
    parser.add_argument("--quick", action="store_true", help="Table 1 and the smallest models only, three repetitions")
    parser.add_argument("--other-builds", action="store_true",
                        help="count runs in the journal that another build of Tideline has made, perhaps on another machine")
    options = parser.parse_args()
    parts = set(options.parts.upper().replace(",", ""))
    if not parts <= set("ABCDEFG"):
        parser.error("--parts: there are A to G")
    repetitions = 3 if options.quick else options.repetitions
    journal, rows, summary = Journal(options.other_builds), [], []
    questions = protocol_questions((22, 30) if options.quick else (22, 30, 60))
    if (BENCHMARKS / "beem").is_dir():
        questions += beem_questions(list(PROPOSITIONS)[:2] if options.quick else PROPOSITIONS)
    else:
        print(f"bench ctl-sweep: models of BEEM are skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
    if "A" in parts:
        part_a(questions, journal)
    if parts & set("BFG"):
        rows = [measure(name, repetitions, journal) for name in paper.TABLE_1]
        rows += [measure(name, options.larger_repetitions, journal) for name in (() if options.quick else options.larger)]
        journal.show_machines("ctl-sweep/machine")
    if "B" in parts:
        part_b(rows)
        show_averages(rows)
    if "C" in parts:
        part_c(("22-2", "20-3"))
    if "D" in parts:
        part_d(questions, journal)
    if "E" in parts:
        part_e(questions, journal)
    if "F" in parts:
        part_f(rows)
    if "G" in parts:
        summary = part_g(rows)
    if rows:
        draw(rows, RESULTS / "ctl-sweep.svg")
    write_results("ctl-sweep", {"repetitions": repetitions, "configurations": rows, "summary": summary})


if __name__ == "__main__":
    main()
