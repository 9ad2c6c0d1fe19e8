#!/usr/bin/env python3
"""What ranks cost: the engines that run as several processes, beside as many threads in one process, on one machine.

  A  time           N ranks (`--ranks N`, processes that mpirun starts) and N threads, whole processes, the start of mpirun
                    included; and four ranks beside as many threads as there are cores, where there are fewer than four
  B  memory         the peak of the largest rank, beside that of one process with as many threads
  C  messages       how many batches a rank sends, and the bytes of a state that was sent
  D                 the summary, with targets

An engine that this build does not run on ranks is named and left out. Medians of --runs runs; model errors do not end a run
(--model-errors divine). Run it on a machine that does nothing else.
"""

import argparse
import statistics

import plot
import tables
from measure import RESULTS, ROOT, write_results
from scaling_runs import Case, Runs, add_options, at_hand, cores, powers_of_two

CASES = [Case(engine, name) for engine in ("bfs", "sweep") for name in ("lamport.6", "leader_filters.7", "anderson.6")]
CASES += [Case("owcty-map", name, "holds") for name in ("rether.7.prop5", "leader_filters.7.prop2")]
ALWAYS = 4              # ranks that are tried however few cores there are

LOSS = 1.35             # time of four ranks on two cores over that of two threads, at most
HALF_MEMORY = 0.6       # memory of the larger one of two ranks over that of one process, at most
SPEED_16 = 0.6          # speed of 16 ranks over that of 16 threads, at least


def key(option, count):
    return f"--{option}", count


class Row:
    """What was measured for a case, by ("threads" or "ranks", how many)."""

    def __init__(self, case, found):
        self.case, self.found = case, found

    def of(self, option, count, name):
        result = self.found.get((option, count))
        return result[name] if result and not result["limit"] else None

    def ratio(self, name, upper, lower):
        above, below = self.of(*upper, name), self.of(*lower, name)
        return above / below if above and below else None


def measure(runs, cases, threads, ranks):
    settings = [("threads", count) for count in threads] + [("ranks", count) for count in ranks]
    runs.all(cases, [key(*setting) for setting in settings])
    rows = [Row(case, {setting: found for setting in settings if (found := runs.median(case, key(*setting)))}) for case in cases]
    return [row for row in rows if row.found]


def counted(number, thing):
    return f"{number} {thing}{'s' if number != 1 else ''}"


def cell(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def show(rows, threads, ranks):
    print("A. Seconds\n")
    both = [count for count in ranks if count in threads]
    tables.show("cluster/time", ["instance", "engine", *(counted(n, "thread") for n in threads),
                                 *(counted(n, "rank") for n in ranks), *(f"ranks over threads, {n}" for n in both)],
                [[row.case.instance, row.case.engine, *(cell(row.of("threads", n, "seconds")) for n in threads),
                  *(cell(row.of("ranks", n, "seconds")) for n in ranks),
                  *(cell(row.ratio("seconds", ("ranks", n), ("threads", n))) for n in both)] for row in rows])
    print("\nB. Peak memory, MB\n")
    tables.show("cluster/memory", ["instance", "engine", "1 thread", *(f"largest of {counted(n, 'rank')}" for n in ranks),
                                   *(f"{counted(n, 'rank')} over 1 thread" for n in ranks)],
                [[row.case.instance, row.case.engine, cell(megabytes(row.of("threads", 1, "peak_bytes")), 0),
                  *(cell(megabytes(row.of("ranks", n, "peak_bytes")), 0) for n in ranks),
                  *(cell(row.ratio("peak_bytes", ("ranks", n), ("threads", 1))) for n in ranks)] for row in rows])
    print("\nC. Messages\n")
    several = [n for n in ranks if n > 1]
    tables.show("cluster/messages", ["instance", "engine", *(f"batches a rank, {n} ranks" for n in several),
                                     *(f"bytes sent a transition, {n} ranks" for n in several)],
                [[row.case.instance, row.case.engine, *(cell(over(row.of("ranks", n, "batches"), n), 0) for n in several),
                  *(cell(over(row.of("ranks", n, "batch_bytes"), row.of("ranks", n, "transitions")), 1) for n in several)]
                 for row in rows])


def megabytes(value):
    return over(value, 1e6)


def over(value, divisor):
    return value / divisor if value and divisor else None


def summarise(rows, threads):
    """Targets are about particular machines: where this is another, nothing is said."""
    wanted = [(f"four ranks over two threads, on {cores()} cores: time", "seconds", ("ranks", 4), ("threads", 2), LOSS, max)
              ] if threads[-1] == 2 else []
    wanted += [("the larger one of two ranks over one process: memory", "peak_bytes", ("ranks", 2), ("threads", 1), HALF_MEMORY,
                max),
               ("16 ranks over 16 threads: speed", "seconds", ("threads", 16), ("ranks", 16), SPEED_16, min)]
    lines = []
    for what, name, upper, lower, asked, worst in wanted:
        for engine in dict.fromkeys(row.case.engine for row in rows):
            found = {row.case.instance: value for row in rows
                     if row.case.engine == engine and (value := row.ratio(name, upper, lower))}
            if found:
                place, mean = worst(found, key=found.get), statistics.geometric_mean(found.values())
                lines.append([f"{engine}: {what}", cell(mean), cell(found[place]), place, asked,
                              "ok" if worst(mean, asked) == asked else "missed"])
    print("\nD. Summary\n")
    tables.show("cluster/summary", ["figure", "geometric mean", "worst", "of", "asked", ""], lines)
    return lines


def draw(rows, path):
    """The speed of ranks over that of as many threads, where both were measured with most of them; and memory."""
    both = [count for option, count in {key for row in rows for key in row.found} if option == "ranks"
            and any(row.of("threads", count, "seconds") for row in rows)]
    most = max(both, default=0)
    compared = [row for row in rows if row.ratio("seconds", ("threads", most), ("ranks", most))]
    if not compared:
        return
    drawing = plot.Drawing(980, 440)
    drawing.text(20, 28, f"{most} ranks beside {most} threads of one process, on one machine", size=15, bold=True)
    drawing.text(960, 28, compared[0].found["ranks", most]["machine"], "end", 11, plot.GREY)
    drawing.legend(70, 52, [f"speed over {most} threads", "memory of the largest rank over one process"])
    plot.grouped_bars(drawing, 70, 90, 880, 230, [f"{row.case.engine}, {row.case.instance}" for row in compared],
                      [[100 * row.ratio("seconds", ("threads", most), ("ranks", most)) for row in compared],
                       [100 * (row.ratio("peak_bytes", ("ranks", most), ("threads", 1)) or 0) for row in compared]], tilt=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    counts = powers_of_two(cores())
    parser.add_argument("--models", default="", metavar="TEXT", help="only instances with this in their names")
    parser.add_argument("--threads", type=int, nargs="+", metavar="N", default=counts, help="numbers of threads")
    parser.add_argument("--ranks", type=int, nargs="+", metavar="N", default=sorted({*counts, 2, ALWAYS}), help="numbers of ranks")
    parser.add_argument("--pictures", action="store_true", help="draw to docs/pictures/, not to build/bench/")
    add_options(parser)
    return parser.parse_args()


def main():
    options = read_options()
    runs = Runs("cluster", options)
    threads = runs.workers("--threads") if options.report else sorted({1, *options.threads})
    ranks = runs.workers("--ranks") if options.report else sorted(options.ranks)
    cases = at_hand([case for case in CASES if options.models in case.instance])
    refused = {engine: why for engine in dict.fromkeys(case.engine for case in cases) if (why := runs.accepts(engine, "--ranks"))}
    for engine, why in refused.items():
        print(f"{engine} on ranks: skipped, {why}")
    rows = measure(runs, [case for case in cases if case.engine not in refused], threads, ranks)
    summary = []
    if rows:
        show(rows, threads, ranks)
        summary = summarise(rows, threads)
        runs.journal.show_machines("cluster/machine")
        draw(rows, (ROOT / "docs/pictures" if options.pictures else RESULTS) / "cluster.svg")
    runs.journal.say_what_is_left()
    write_results("cluster", {"machines": runs.journal.machines(), "refused": refused, "summary": summary, "rows": [
        {**row.case._asdict(), "found": {f"{option} {count}": found for (option, count), found in row.found.items()}}
        for row in rows]})


if __name__ == "__main__":
    main()
