#!/usr/bin/env python3
"""OWCTY with the MAP heuristic on BEEM's LTL instances: the experiments of Barnat, Brim and Rockai (see
owcty_paper.py), our figures beside theirs. The instances are those at hand, not the paper's: compare percentages.

  A  Fig. 3         which violated instances there are: no transition of the product is an accepting cycle by itself
  B  Figs 5, 6      how many terminate early with V = 0..3 values passed on, breadth-first or depth-first, one worker
  C  Figs 7, 8      the same with W = 1..4 workers
  D  Fig. 9         how much runs with V = 3, W = 4 differ
  E  Figs 13 to 15  how runs on valid instances scale, beside nested depth-first search and plain exploration
  F                 the summary, with targets

B to D have rows for our way of passing on values, and for the published one (--map-choice paper). Visited states, memory and
time are sums over all instances; memory is the peak of each process and time the wall-clock time of each, start and reading
included; with --jobs other runs go on meanwhile. A run that ends at its limit of time counts as not terminated, and is named.
With one worker all but time and memory is the same in every run. Runs are kept in build/bench/owcty-runs.jsonl; --seconds makes
as many as fit, and a row appears when all of its runs are made.
"""

import argparse
import itertools
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import owcty_paper as paper
import plot
import tables
from journal import SlicedJournal, add_slice_options
from measure import RESULTS, ROOT, machine, write_results
from owcty_runs import BEEM, NESTED, Products, Setting, ask, instances_at_hand

# Fig. 13: the largest instances at hand of each line that are valid; then some of other models.
VALID = ("anderson.6.prop4", "elevator2.3.prop4", "lamport.7.prop4", "rether.7.prop5", "szymanski.4.prop4",
         "leader_election.5.prop2", "pgm_protocol.8.prop3", "lup.3.prop2", "peterson.4.prop4")
LIMIT, LIMIT_VALID = 120, 240    # seconds of a run of parts B to D, and of E, unless requested otherwise

TARGET_EARLY = {1: 73, 3: 87}    # per cent of all instances, breadth-first with V values and one worker
TARGET_SPEEDUP = 1.7             # of two workers over one
TARGET_MEMORY = 1.1              # of two workers over one, at most
TARGET_OVER_EXPLORE = 3.0        # time of OWCTY over that of plain exploration, at most


# --- A: the violated instances ----------------------------------------------------------------------------------------


def choose_violated(at_hand, products, most):
    """The instances of Fig. 3, and the table that says what happened to each line of the figure."""
    taken, lines = [], []
    for model, formula in paper.VIOLATED:
        wanted = paper.normal(model, formula)
        of_line = [i for i in at_hand if i.model == model and paper.normal(model, i.formula) == wanted]
        line = {"model": model, "formula": formula, "taken": [], "self_loop": [], "large": [], "not_explored": [],
                "not_violated": [i.name for i in of_line if i.recorded != "violated"]}
        for instance in of_line:
            if instance.recorded != "violated":
                continue
            size = products.size(instance, most)
            if size["self_loops"]:
                line["self_loop"].append(instance.name)
            elif size["states"] > most:
                line["large"].append(instance.name)
            elif not size["complete"]:
                line["not_explored"].append(instance.name)
            else:
                line["taken"].append(instance.name)
                taken.append(instance)
        lines.append(line)
    return taken, lines


def show_violated(lines, most, products):
    def numbers(names):
        """lamport.1.prop2, lamport.5.prop2 as "prop2: 1 5"."""
        return f"{names[0].split('.')[2]}: {' '.join(name.split('.')[1] for name in names)}" if names else "-"

    print(f"A. Violated instances of Fig. 3, at most {most:,} product states; numbers are those of the instances\n")
    print(f"{'model':<14}{'formula':<52}{'taken':<20}{'self-loop':<19}{'larger':<14}")
    for line in lines:
        print(f"{line['model']:<14}{line['formula']:<52}{numbers(line['taken']):<20}{numbers(line['self_loop']):<19}"
              f"{numbers(line['large'] + line['not_explored']):<14}".rstrip())
    names = [name for line in lines for name in line["taken"]]
    states = sum(products.known[name]["states"] for name in names)
    absent = [f"{line['model']} {line['formula']}" for line in lines if not line["taken"]]
    print(f"\n{len(names)} instances with {states:,} product states; the paper has {paper.INSTANCES} with "
          f"{paper.ALL['bfs', 0, 1].states:,}")
    print(f"Lines of Fig. 3 without an instance: {'; '.join(absent) if absent else 'none'}")
    for name in (name for line in lines for name in line["not_explored"]):
        print(f"{name}: left out, its product was not explored in time")


# --- B, C, D: early termination ---------------------------------------------------------------------------------------


class Experiment:
    """Runs settings on the violated instances, each setting and repetition only once."""

    def __init__(self, instances, journal, limit=LIMIT, jobs=1):
        self.instances, self.journal, self.limit, self.jobs, self.done = instances, journal, limit, jobs, {}

    def runs(self, setting, repetition=0):
        """One for each instance; None: some are left to another slice."""
        if (setting, repetition) not in self.done:
            with ThreadPoolExecutor(max(1, self.jobs // setting.workers)) as pool:
                made = list(pool.map(lambda instance: self._run(instance, setting, repetition), self.instances))
            self.done[setting, repetition] = made if all(made) else None
        return self.done[setting, repetition]

    def complete(self):
        return {key: runs for key, runs in self.done.items() if runs}

    def unfinished(self):
        return [(run["instance"], str(setting)) for (setting, _), runs in self.complete().items() for run in runs
                if run["verdict"] == "unknown"]

    def _run(self, instance, setting, repetition):
        known = [result["seconds"] for (name, _), result in list(self.journal.known.items()) if name == instance.name]
        return self.journal.once_in_time(instance.name, f"{setting} run {repetition}", self.limit,
                                         max(known, default=self.limit), lambda: self._make(instance, setting))

    def _make(self, instance, setting):
        done, answer = ask(instance, setting, self.limit)
        verdict = answer["properties"][0]["verdict"]
        if verdict == "holds":
            sys.exit(f"{instance.name} is violated, but tideline says that it holds with {setting}")
        statistics = answer["statistics"]
        # Nested DFS is always early, as it ends with the first cycle that it closes.
        early = verdict == "violated" and (setting.engine == "ndfs" or statistics["early"] == 1)
        return {"instance": instance.name, "verdict": verdict, "states": statistics["product_states"], "early": early,
                "rounds": statistics.get("rounds"), "automaton": statistics["automaton"], "seconds": done.seconds,
                "peak_bytes": done.peak_bytes, "limit": self.limit if verdict == "unknown" else None, "machine": machine()}


def totals(runs):
    return paper.Totals(sum(run["states"] for run in runs), sum(run["peak_bytes"] for run in runs) / 1e6,
                        sum(run["seconds"] for run in runs), sum(run["early"] for run in runs))


def percent_early(runs):
    return 100 * totals(runs).early / len(runs)


HEADING = ["", "states", "MB", "s", "early", "", "paper: states", "MB", "s", "early", ""]


def total_cells(total, instances, digits):
    if total is None:
        return [""] * 5
    return [f"{total.states:,.0f}", f"{total.megabytes:,.0f}", f"{total.seconds:,.{digits}f}", f"{total.early:g} of {instances}",
            f"{100 * total.early / instances:.0f}%"]


def show_settings(experiment, table, settings, only_early=False):
    """A row for each setting: sums over all instances, or over those that terminated early."""
    rows, left = [], []
    for setting in settings:
        if not (runs := experiment.runs(setting)):
            left.append(str(setting))
            continue
        if only_early:
            runs = [run for run in runs if run["early"]]
        theirs = (paper.EARLY if only_early else paper.ALL).get(setting.key())
        their_count = theirs.early if only_early and theirs else paper.INSTANCES
        if runs:
            rows.append([str(setting), *total_cells(totals(runs), len(runs), 1), *total_cells(theirs, their_count, 0)])
    if rows:
        tables.show(table, HEADING, rows)
    if left:
        print(f"left to another slice: {'; '.join(left)}")


def settings_of(orders=("bfs", "dfs"), values=(0, 1, 2, 3), workers=(1,), choices=("mixed", "paper")):
    """Without values there is nothing to choose."""
    return [Setting(order=order, values=v, workers=w, choice=choice)
            for choice, v, order, w in itertools.product(choices, values, orders, workers) if v or choice == choices[0]]


def part_b(experiment):
    settings = [*settings_of(), *settings_of(values=(1, 2, 3), choices=("masks",)),
                *settings_of(values=(2, 3), choices=("largest",)), NESTED]
    print("\nB. One worker, all instances (Fig. 5). 'paper': as published, with numbers of states for pointers; 'masks': its"
          "\n   orders, and values along every transition; 'largest': the V largest states of one order\n")
    show_settings(experiment, "owcty/figure-5", settings)
    print("\n   The same, only instances that terminated early (Fig. 6)\n")
    show_settings(experiment, "owcty/figure-6", [setting for setting in settings if setting.values], only_early=True)
    for setting in (Setting(values=1), Setting(values=3)):
        late = [run["instance"] for run in experiment.runs(setting) or [] if not run["early"]]
        print(f"\nNot early with {setting}: {' '.join(late) if late else 'none'}")


def part_c(experiment):
    print("\nC. One to four workers, one run each (Figs 7 and 8; the paper's are averages of ten runs)\n")
    workers = range(1, 5)
    show_settings(experiment, "owcty/figure-7", settings_of(values=(0,), workers=workers))
    print()
    show_settings(experiment, "owcty/figure-8", settings_of(values=(1, 2, 3), workers=workers))


def part_d(experiment, repetitions):
    print(f"\nD. V=3, W=4, {repetitions} runs (Fig. 9)\n")
    rows = []
    for setting in settings_of(values=(3,), workers=(4,)):
        runs = [experiment.runs(setting, repetition) for repetition in range(repetitions)]
        if not all(runs):
            print(f"left to another slice: {setting}")
            continue
        for name, of in (("maximum", max), ("minimum", min), ("average", lambda column: sum(column) / len(column))):
            ours = paper.Totals(*map(of, zip(*map(totals, runs))))
            rows.append([f"{setting}, {name}", *total_cells(ours, len(experiment.instances), 1),
                         *total_cells(paper.REPEATED[setting.order, name], paper.INSTANCES, 0)])
    if rows:
        tables.show("owcty/figure-9", HEADING, rows)


# --- E: valid instances -----------------------------------------------------------------------------------------------


ENGINES = ("owcty-map", "cndfs", "explore")


class Scaling:
    """Runs on valid instances: the best time and the largest peak of each setting."""

    def __init__(self, journal, limit, threads, repetitions):
        self.journal, self.limit, self.threads, self.repetitions = journal, limit, threads, repetitions

    def row(self, instance):
        """None: nothing is known yet."""
        settings = [Setting(engine=name, workers=workers) for name in ENGINES for workers in self.threads] + [NESTED]
        for repetition in range(self.repetitions):      # they take turns, so that noise affects all alike
            for setting in settings:
                self._run(instance, setting, repetition)
        best = {setting: self._best(instance, setting) for setting in settings}
        states = {made["states"] for made in best.values() if made}
        if len(states) > 1:
            sys.exit(f"{instance.name}: engines differ in the product states: {sorted(states)}")
        if not states:
            return None
        result = {"instance": instance.name, "formula": instance.formula, "states": states.pop(), "threads": list(self.threads)}
        for name in ENGINES:
            made = [best[Setting(engine=name, workers=workers)] for workers in self.threads]
            result[name] = [of and of["seconds"] for of in made]
            result[f"{name}_peak_bytes"] = [of and of["peak_bytes"] for of in made]
        result["ndfs"] = best[NESTED] and best[NESTED]["seconds"]
        return {**result, **ratios(result)}

    def _run(self, instance, setting, repetition):
        what = f"valid {setting} run {repetition}"
        first = self.journal.recorded(instance.name, f"valid {setting} run 0", self.limit)
        if repetition and first and first["limit"]:
            return
        self.journal.once_in_time(instance.name, what, self.limit, self._expected(instance), lambda: self._make(instance, setting))

    def _expected(self, instance):
        known = [result["seconds"] for (name, what), result in self.journal.known.items()
                 if name == instance.name and what.startswith("valid")]
        return max(known, default=self.limit)

    def _make(self, instance, setting):
        done, answer = ask(instance, setting, self.limit)
        if done.status == 1:
            sys.exit(f"{instance.name} is valid, but tideline finds a violation with {setting}")
        return {"states": answer["statistics"]["product_states"], "seconds": done.seconds, "peak_bytes": done.peak_bytes,
                "limit": self.limit if done.status == 3 else None, "machine": machine()}

    def _best(self, instance, setting):
        known = [self.journal.recorded(instance.name, f"valid {setting} run {repetition}", None)
                 for repetition in range(self.repetitions)]
        made = [result for result in known if result and not result["limit"]]
        if not made:
            return None
        return {"states": made[0]["states"], "seconds": min(of["seconds"] for of in made),
                "peak_bytes": max(of["peak_bytes"] for of in made)}


def ratio(upper, lower):
    return upper / lower if upper and lower else None


def ratios(row):
    owcty, peaks = (dict(zip(row["threads"], row[name])) for name in ("owcty-map", "owcty-map_peak_bytes"))
    return {"speedups": [ratio(owcty[1], seconds) for seconds in owcty.values()], "speedup": ratio(owcty[1], owcty.get(2)),
            "memory_ratio": ratio(peaks.get(2), peaks[1]), "most_memory_ratio": ratio(peaks[row["threads"][-1]], peaks[1]),
            "over_explore": ratio(owcty[1], row["explore"][0]), "over_ndfs": ratio(owcty[1], row["ndfs"])}


def cell(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def part_e(at_hand, journal, options):
    threads = options.threads
    print(f"\nE. Valid instances with weak automata, best of {options.repetitions} (Figs 13 to 15). Seconds of OWCTY (BFS, V=1),"
          "\n   cndfs and plain exploration of the product with so many workers, and of nested DFS; '-': not within "
          f"{options.limit_valid} s,\n   or not run yet\n")
    scaling, named = Scaling(journal, options.limit_valid, threads, options.repetitions), {instance.name: instance for instance in at_hand}
    rows = [row for name in VALID if name in named and options.models in name and (row := scaling.row(named[name]))]
    if not rows:
        return []
    tables.show("owcty/figure-14", ["instance", "states", *(f"{name} {w}" for name in ENGINES for w in threads), "nested DFS"],
                [[row["instance"], f"{row['states']:,}", *(cell(s) for name in ENGINES for s in row[name]), cell(row["ndfs"])]
                 for row in rows])
    print("\n   Speed-up of OWCTY over one worker (Fig. 15), beside the paper's; memory over one worker's; one worker over"
          " others\n")
    tables.show("owcty/figure-15", ["instance", *(f"speed-up {w}" for w in threads[1:]), *(f"paper {w}" for w in threads[1:]),
                                    "memory, 2 over 1", f"{threads[-1]} over 1", "over exploration", "over nested DFS"],
                [[row["instance"], *map(cell, row["speedups"][1:]), *(cell(value) for value in paper_speedups(row, threads)[1:]),
                  *(cell(row[name]) for name in ("memory_ratio", "most_memory_ratio", "over_explore", "over_ndfs"))]
                 for row in rows])
    return rows


def paper_speedups(row, threads):
    """Fig. 14 has the model of the first part of the name, with 1, 2, 4, 8 and 16 workers."""
    times = dict(zip((1, 2, 4, 8, 16), paper.SCALING.get(row["instance"].split(".")[0], ((), None))[0]))
    return [ratio(times.get(1), times.get(count)) for count in threads]


# --- F and the drawing ------------------------------------------------------------------------------------------------


def part_f(experiment, scaling):
    """The summary, as printed and as a list for the results."""
    lines = []

    def say(what, value, target, good, unit=""):
        lines.append({"what": what, "value": value, "target": target, "ok": good})
        print(f"{what:<88}{value:>7.2f}{unit:<2} target {target}{unit:<2} {'ok' if good else 'MISSED'}")

    print("\nF. Summary\n")
    for values, target in TARGET_EARLY.items() if experiment.instances else ():
        if not (runs := experiment.runs(Setting(values=values))):
            continue
        value = percent_early(runs)
        say(f"early termination, BFS, V={values}, W=1", value, target, round(value) >= target, " %")
    for name, what, target, better in (
            ("speedup", "speed-up of two workers over one", TARGET_SPEEDUP, float.__ge__),
            ("memory_ratio", "memory of two workers over one", TARGET_MEMORY, float.__le__),
            ("over_explore", "time of OWCTY over exploration, W=1", TARGET_OVER_EXPLORE, float.__le__)):
        values = {row["instance"]: row[name] for row in scaling if row[name] is not None}
        if values:
            worst = (min if better == float.__ge__ else max)(values, key=values.get)
            reached = sum(better(value, target) for value in values.values())
            say(f"{what}, worst: {worst}; reached by {reached} of {len(values)}", values[worst], target,
                reached == len(values))
    return lines


def draw(experiment, scaling, path):
    """Bars for part B and a small chart for each instance of part E, as far as they were measured."""
    settings = [Setting(order=order, values=values) for order in ("bfs", "dfs") for values in (1, 2, 3)]
    bars = all(experiment.done.get((setting, 0)) for setting in settings)
    if not bars and not scaling:
        return
    charts_top = 320 if bars else 0
    rows = (len(scaling) + 3) // 4
    drawing = plot.Drawing(980, charts_top + (340 + 190 * rows if scaling else 0))
    if bars:
        drawing.text(20, 28, "Violated instances that end early, one worker", size=15, bold=True)
        drawing.legend(70, 52, [f"Tideline, {len(experiment.instances)} instances", f"paper, {paper.INSTANCES} instances"])
        plot.grouped_bars(drawing, 70, 80, 880, 200, [f"{s.order.upper()}, V={s.values}" for s in settings],
                          [[percent_early(experiment.runs(s)) for s in settings],
                           [100 * paper.ALL[s.key()].early / paper.INSTANCES for s in settings]])
    if scaling:
        drawing.text(20, charts_top + 28, "Valid instances: seconds against the number of workers W", size=15, bold=True)
        drawing.legend(70, charts_top + 52, ["OWCTY (BFS, V=1)", "cndfs", "plain exploration", "nested DFS (one worker)"])
    for at, row in enumerate(scaling):
        alone = [row["ndfs"] if workers == 1 else None for workers in row["threads"]]
        plot.line_chart(drawing, 50 + 235 * (at % 4), charts_top + 95 + 190 * (at // 4), 180, 120, row["instance"],
                        row["threads"],
                        [row["owcty-map"], row["cndfs"], row["explore"], alone])
    if scaling:
        draw_speedups(drawing, charts_top + 80 + 190 * rows, scaling)
    RESULTS.mkdir(parents=True, exist_ok=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def draw_speedups(drawing, top, scaling):
    """Fig. 15: ours and the paper's, a line for each instance; the same colour is the same model."""
    threads = scaling[0]["threads"]
    published = [row for row in scaling if row["instance"].split(".")[0] in paper.SCALING and any(row["speedups"])]
    if not published:
        return
    highest = max(value for row in published for value in (*row["speedups"], *paper_speedups(row, threads)) if value)
    drawing.text(20, top + 20, "Speed-up of OWCTY over one worker", size=15, bold=True)
    drawing.legend(70, top + 44, [row["instance"] for row in published])
    plot.line_chart(drawing, 70, top + 80, 380, 130, "Tideline", threads,
                    [row["speedups"] for row in published], highest)
    plot.line_chart(drawing, 550, top + 80, 380, 130, "paper, the same models", threads,
                    [paper_speedups(row, threads) for row in published], highest)


def read_options():
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="A,B,C,D,E,F", help="which parts to run (default: all)")
    parser.add_argument("--most-states", type=int, default=20_000_000, metavar="N",
                        help="product states of a violated instance, at most (default: more than any has)")
    parser.add_argument("--models", default="", metavar="TEXT", help="part E: only instances with this in their names")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="threads of runs side by side in parts B to D")
    parser.add_argument("--limit", type=int, default=LIMIT, metavar="S",
                        help=f"seconds a run of parts B to D may take (default {LIMIT})")
    parser.add_argument("--limit-valid", type=int, default=LIMIT_VALID, metavar="S",
                        help=f"seconds a run of part E may take (default {LIMIT_VALID})")
    parser.add_argument("--runs", type=int, default=4, metavar="R", help="runs of part D")
    parser.add_argument("--repetitions", type=int, default=3, metavar="R",
                        help="runs of part E, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", metavar="W",
                        default=[w for w in (1, 2, 4, 8, 16, 32, 64) if w < cores] + [cores],
                        help="workers in part E (default: powers of two up to the number of cores)")
    add_slice_options(parser)
    options = parser.parse_args()
    options.parts = set(options.parts.upper().replace(",", ""))
    if not options.parts <= set("ABCDEF"):
        parser.error("--parts: there are A, B, C, D, E and F")
    options.threads = sorted({1, *options.threads})
    return options


def main():
    options = read_options()
    if not (BEEM / "beem.csv").is_file():
        print(f"bench owcty: skipped, {BEEM / 'beem.csv'} is not there (see TIDELINE_BENCHMARKS)")
        return
    at_hand, products = instances_at_hand(), Products()
    violated, lines, scaling, summary = [], [], [], []
    if options.parts & set("ABCD"):
        violated, lines = choose_violated(at_hand, products, options.most_states)
    journal = SlicedJournal("owcty", options.seconds, options.report)
    experiment = Experiment(violated, journal, options.limit, options.jobs)
    if "A" in options.parts:
        show_violated(lines, options.most_states, products)
    if violated and "B" in options.parts:
        part_b(experiment)
    if violated and "C" in options.parts:
        part_c(experiment)
    if violated and "D" in options.parts:
        part_d(experiment, options.runs)
    if "E" in options.parts:
        scaling = part_e(at_hand, journal, options)
    for name, setting in experiment.unfinished():
        print(f"{name}: {setting} did not end within {options.limit} s and counts as not terminated")
    if "F" in options.parts:
        summary = part_f(experiment, scaling)
    draw(experiment, scaling, RESULTS / "owcty.svg")
    journal.show_machines("owcty/machine")
    journal.say_what_is_left()
    write_results("owcty", {
        "most_states": options.most_states, "figure_3": lines,
        "settings": [{"setting": str(setting), "repetition": repetition, "totals": totals(runs)._asdict(), "runs": runs}
                     for (setting, repetition), runs in experiment.complete().items()],
        "valid": scaling, "summary": summary})


if __name__ == "__main__":
    main()
