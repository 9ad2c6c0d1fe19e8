#!/usr/bin/env python3
"""What threads bring: speed and memory of the parallel engines with 1, 2, 4, ... threads on large instances of BEEM.

  A  bfs                 every state of a model is visited (`check --invariant true`)
  B  sweep               the same by the sweep-line, with the measure that `tideline progress` finds; a state that is visited
                         again counts again
  C  LTL, holds          owcty-map, owcty, map and cndfs on properties that hold: the whole product is visited
  D  LTL, violated       the same engines on violated properties: how soon the first lasso is found, which is a matter of luck
                         as well; states are those of the product that were met
  E                      the summary, with targets

Times are those of whole processes, reading the model included; speed is states over that time. Medians of --runs runs. A run that
reaches --limit is marked with '>'. Model errors do not end a run (--model-errors divine). Run it on a machine that does nothing
else.
"""

import argparse
import statistics

import plot
import tables
from measure import RESULTS, ROOT, write_results
from scaling_runs import Case, Runs, add_options, at_hand, cores, powers_of_two

MODELS = ("lamport.6", "lamport.7", "iprotocol.6", "leader_filters.7", "anderson.6")
SWEPT = ("lamport.6", "iprotocol.6", "leader_filters.7", "peg_solitaire.2")
VALID = ("leader_filters.7.prop2", "rether.7.prop5", "elevator2.3.prop4", "anderson.6.prop4")
VIOLATED = ("elevator2.3.prop2", "lamport.7.prop2", "iprotocol.6.prop4", "anderson.6.prop3")
LTL_ENGINES = ("owcty-map", "owcty", "map", "cndfs")

PARTS = {
    "A": [Case("bfs", name) for name in MODELS],
    "B": [Case("sweep", name) for name in SWEPT],
    "C": [Case(engine, name, "holds") for name in VALID for engine in LTL_ENGINES],
    "D": [Case(engine, name, "violated") for name in VIOLATED for engine in LTL_ENGINES],
}
TABLES = {"A": "threads/bfs", "B": "threads/sweep", "C": "threads/holds", "D": "threads/violated"}
HEADINGS = {"A": "breadth-first search", "B": "the sweep-line", "C": "properties that hold", "D": "violated properties"}

# (engine, threads): the speed-up that is asked for, on properties that hold.
SPEEDUPS = {("bfs", 16): 10, ("sweep", 16): 8, ("owcty-map", 16): 9, ("bfs", 4): 3.2, ("sweep", 4): 3.2, ("owcty-map", 4): 3.2}
MEMORY = 1.15           # of the most threads over one, at most


class Row:
    """A case with all numbers of threads: what was measured, by threads; missing where a run was left to another slice."""

    def __init__(self, case, found):
        self.case, self.found = case, found

    def speedup(self, threads):
        one, many = self.found.get(1), self.found.get(threads)
        return one["seconds"] / many["seconds"] if one and many and not one["limit"] and not many["limit"] else None

    def memory_ratio(self):
        one, most = self.found.get(1), max(self.found)
        return self.found[most]["peak_bytes"] / one["peak_bytes"] if one and most > 1 else None

    def seconds(self, threads):
        if not (result := self.found.get(threads)):
            return "-"
        return (">" if result["limit"] else "") + tables.seconds(result["seconds"])

    def speed(self, threads):
        """Million states per second."""
        result = self.found.get(threads)
        return f"{result['states'] / result['seconds'] / 1e6:.2f}" if result else "-"

    def states(self, threads):
        return f"{self.found[threads]['states']:,.0f}" if threads in self.found else "-"

    def megabytes(self, threads):
        return tables.megabytes(self.found[threads]["peak_bytes"]) if threads in self.found else "-"


def ratio(value):
    return "-" if value is None else f"{value:.2f}"


def measure(runs, cases, threads):
    rows = []
    runs.all(cases, [("--threads", count) for count in threads])
    for case in cases:
        found = {count: result for count in threads if (result := runs.median(case, ("--threads", count)))}
        if found:
            rows.append(Row(case, found))
        else:
            print(f"{case.instance}, {case.engine}: not measured yet")
    return rows


def show_complete(name, rows, threads):
    """Where all states are visited."""
    most, ends = threads[-1], sorted({threads[0], threads[-1]})
    heading = ["instance", "engine", "states", *(f"s, {count}" for count in threads),
               *(f"speed-up {count}" for count in threads[1:]),
               *(f"M states/s, {count}" for count in ends), "MB, 1", f"memory, {most} over 1"]
    tables.show(name, heading, [
        [row.case.instance, row.case.engine, row.states(min(row.found)), *map(row.seconds, threads),
         *(ratio(row.speedup(count)) for count in threads[1:]), *map(row.speed, ends), row.megabytes(1),
         ratio(row.memory_ratio())] for row in rows])


def show_violated(name, rows, threads):
    ends = sorted({threads[0], threads[-1]})
    heading = ["instance", "engine", *(f"s, {count}" for count in threads), *(f"states met, {count}" for count in threads),
               *(f"MB, {count}" for count in ends)]
    tables.show(name, heading, [
        [row.case.instance, row.case.engine, *map(row.seconds, threads), *map(row.states, threads),
         *map(row.megabytes, ends)] for row in rows])


def summarise(rows, threads):
    """Speed-ups of each engine beside what is asked for; `rows`: without violated properties."""
    lines = []
    for engine in dict.fromkeys(row.case.engine for row in rows):
        of_engine = [row for row in rows if row.case.engine == engine]
        for count in threads[1:]:
            found = {row.case.instance: value for row in of_engine if (value := row.speedup(count))}
            if found:
                lines.append(summary_line(f"{engine}: speed-up of {count} threads", found, min, SPEEDUPS.get((engine, count))))
        found = {row.case.instance: value for row in of_engine if (value := row.memory_ratio())}
        if found:
            lines.append(summary_line(f"{engine}: memory of {threads[-1]} threads over one", found, max, MEMORY))
    tables.show("threads/summary", ["figure", "geometric mean", "worst", "of", "asked", ""], lines)
    return lines


def summary_line(what, found, worst, asked):
    place = worst(found, key=found.get)
    mean = statistics.geometric_mean(found.values())
    good = worst(mean, asked or mean) == asked
    return [what, f"{mean:.2f}", f"{found[place]:.2f}", place, asked or "-", "" if asked is None else "ok" if good else "missed"]


def draw(rows, threads, path):
    """A chart of speed-ups for each engine; in one colour what one instance has."""
    engines = list(dict.fromkeys(row.case.engine for row in rows))
    drawing = plot.Drawing(1200, 60 + 260 * ((len(engines) + 2) // 3))
    drawing.text(20, 26, "Speed-up over one thread, against the number of threads", size=15, bold=True)
    drawing.text(1180, 26, rows[0].found[min(rows[0].found)]["machine"], "end", 11, plot.GREY)
    for at, engine in enumerate(engines):
        left, top = 50 + 390 * (at % 3), 100 + 260 * (at // 3)
        of_engine = [row for row in rows if row.case.engine == engine]
        plot.line_chart(drawing, left, top, 210, 170, engine, threads,
                        [[row.speedup(count) for count in threads] for row in of_engine])
        for line, (row, colour) in enumerate(zip(of_engine, plot.COLOURS)):
            drawing.text(left + 218, top + 14 + 14 * line, row.case.instance, size=10, colour=colour)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABCD", help="which parts to run (default: all; E always)")
    parser.add_argument("--models", default="", metavar="TEXT", help="only instances with this in their names")
    parser.add_argument("--engines", nargs="+", metavar="NAME", help="only these engines")
    parser.add_argument("--threads", type=int, nargs="+", metavar="N", default=powers_of_two(cores()),
                        help="numbers of threads (default: powers of two up to the number of cores)")
    parser.add_argument("--pictures", action="store_true", help="draw to docs/pictures/, not to build/bench/")
    add_options(parser)
    options = parser.parse_args()
    options.parts = options.parts.upper().replace(",", "")
    if not set(options.parts) <= set(PARTS):
        parser.error("--parts: there are A, B, C and D")
    return options


def main():
    options = read_options()
    runs = Runs("threads", options)
    threads = runs.workers("--threads") if options.report else sorted({1, *options.threads})
    rows = {}
    for part in options.parts:
        cases = [case for case in PARTS[part] if options.models in case.instance
                 and (not options.engines or case.engine in options.engines)]
        print(f"\n{part}. {HEADINGS[part].capitalize()}\n")
        rows[part] = measure(runs, at_hand(cases), threads)
        if rows[part]:
            (show_violated if part == "D" else show_complete)(TABLES[part], rows[part], threads)
    complete = [row for part in options.parts if part != "D" for row in rows[part]]
    print("\nE. Summary\n")
    summary = summarise(complete, threads) if complete else []
    if complete and len(threads) > 1:
        draw(complete, threads, (ROOT / "docs/pictures" if options.pictures else RESULTS) / "threads.svg")
    runs.journal.show_machines("threads/machine")
    runs.journal.say_what_is_left()
    write_results("threads", {"machines": runs.journal.machines(), "summary": summary, "rows": [
        {**row.case._asdict(), "found": row.found} for part in rows.values() for row in part]})


if __name__ == "__main__":
    main()
