#!/usr/bin/env python3
"""OWCTY with the MAP heuristic on BEEM's LTL instances: the experiments of Barnat, Brim and Rockai (see
owcty_paper.py), our figures beside theirs. The instances are those at hand, not the paper's: compare percentages.

  A  Fig. 3         which violated instances there are: no transition of the product is an accepting cycle by itself,
                    and the product has at most --most-states states
  B  Figs 5, 6      how many terminate early with V = 0..3 values passed on, breadth-first or depth-first, one worker
  C  Figs 7, 8      the same with W = 1..4 workers
  D  Fig. 9         how much runs with V = 3, W = 4 differ
  E  Figs 13 to 15  how runs on valid instances scale, beside nested depth-first search and plain exploration
  F                 the summary, with targets

Visited states, memory and time are sums over all instances; memory is the peak of each process and time the wall-clock
time of each, start and reading included. A run that ends at its limit of time counts as not terminated, and is named.
With one worker all but time and memory is the same in every run.
"""

import argparse
import os
import sys

import owcty_paper as paper
import plot
from measure import RESULTS, ROOT, write_results
from owcty_runs import BEEM, LIMIT_SECONDS, NESTED, Products, Setting, ask, instances_at_hand

TOO_SHORT = 100_000          # product states of a valid instance below which its times are too short to measure
LARGE = 2_000_000            # product states from which on valid instances beyond Fig. 13 are taken
VALID_INSTANCES = 8          # and up to how many there are in all

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

    def __init__(self, instances):
        self.instances, self.done = instances, {}

    def runs(self, setting, repetition=0):
        if (setting, repetition) not in self.done:
            self.done[setting, repetition] = [self._run(instance, setting) for instance in self.instances]
        return self.done[setting, repetition]

    def _run(self, instance, setting):
        done, answer = ask(instance, setting)
        verdict = answer["properties"][0]["verdict"]
        if verdict == "holds":
            sys.exit(f"{instance.name} is violated, but tideline says that it holds with {setting}")
        statistics = answer["statistics"]
        # Nested DFS is always early, as it ends with the first cycle that it closes.
        early = verdict == "violated" and (setting.engine == "ndfs" or statistics["early"] == 1)
        return {"instance": instance.name, "verdict": verdict, "states": statistics["product_states"], "early": early,
                "rounds": statistics.get("rounds"), "automaton": statistics["automaton"], "seconds": done.seconds,
                "peak_bytes": done.peak_bytes}

    def unfinished(self):
        return [(run["instance"], str(setting)) for (setting, _), runs in self.done.items() for run in runs
                if run["verdict"] == "unknown"]


def totals(runs):
    return paper.Totals(sum(run["states"] for run in runs), sum(run["peak_bytes"] for run in runs) / 1e6,
                        sum(run["seconds"] for run in runs), sum(run["early"] for run in runs))


def percent_early(runs):
    return 100 * totals(runs).early / len(runs)


def show_heading():
    columns = f"{'states':>12}{'of V=0':>8}{'MB':>8}{'s':>8}{'early':>9}{'':>6}"
    print(f"\n{'':<24}{'Tideline':^51}  |{'paper':^51}")
    print(f"{'':<24}{columns}  |{columns}")


def show_totals(name, ours, count, all_states, theirs, their_count):
    """A row; all_states: what V = 0 visits here, for the percentage."""
    def cells(total, instances, whole, digits):
        if total is None:
            return ""
        early = f"{total.early:g}/{instances}"
        return (f"{total.states:>12,.0f}{100 * total.states / whole:>7.0f}%{total.megabytes:>8,.0f}"
                f"{total.seconds:>8,.{digits}f}{early:>9}{100 * total.early / instances:>5.0f}%")
    print(f"{name:<24}{cells(ours, count, all_states, 1)}  |"
          f"{cells(theirs, their_count, paper.ALL['bfs', 0, 1].states, 0)}", flush=True)


def show_settings(experiment, settings):
    all_states = totals(experiment.runs(Setting(values=0))).states
    show_heading()
    for setting in settings:
        runs = experiment.runs(setting)
        show_totals(str(setting), totals(runs), len(runs), all_states, paper.ALL.get(setting.key()), paper.INSTANCES)


def show_early_only(experiment, settings):
    all_states = totals(experiment.runs(Setting(values=0))).states
    show_heading()
    for setting in settings:
        runs = [run for run in experiment.runs(setting) if run["early"]]
        theirs = paper.EARLY.get(setting.key())
        if runs:
            show_totals(str(setting), totals(runs), len(runs), all_states, theirs, theirs.early if theirs else 0)


def part_b(experiment):
    orders = ("bfs", "dfs")
    settings = [Setting(order=order, values=values) for order in orders for values in range(4)]
    settings += [Setting(order=order, values=values, choice="masks") for order in orders for values in (1, 2, 3)]
    settings += [Setting(order=order, values=values, choice="largest") for order in orders for values in (2, 3)]
    settings.append(NESTED)
    print("\nB. One worker, all instances (Fig. 5); 'masks': the orders of the paper, with numbers of states for pointers;"
          "\n   'largest': the V largest states of one order, which the paper has not")
    show_settings(experiment, settings)
    print("\n   The same, only instances that terminated early (Fig. 6)")
    show_early_only(experiment, [setting for setting in settings if setting.values])
    for setting in (Setting(values=1), Setting(values=3)):
        late = [run["instance"] for run in experiment.runs(setting) if not run["early"]]
        print(f"\nNot early with {setting}: {' '.join(late) if late else 'none'}")


def part_c(experiment):
    print("\nC. One to four workers, one run each (Figs 7 and 8; the paper's are averages of ten runs)."
          f" This machine has {os.cpu_count()} cores")
    for values in range(4):
        show_settings(experiment, [Setting(order=order, values=values, workers=workers)
                                   for order in ("bfs", "dfs") for workers in range(1, 5)])


def part_d(experiment, repetitions):
    print(f"\nD. V=3, W=4, {repetitions} runs (Fig. 9)")
    all_states = totals(experiment.runs(Setting(values=0))).states
    show_heading()
    for order in ("bfs", "dfs"):
        rows = [totals(experiment.runs(Setting(order=order, values=3, workers=4), repetition))
                for repetition in range(repetitions)]
        for name, of in (("maximum", max), ("minimum", min), ("average", lambda column: sum(column) / len(column))):
            show_totals(f"{order.upper()} {name}", paper.Totals(*map(of, zip(*rows))), len(experiment.instances),
                        all_states, paper.REPEATED[order, name], paper.INSTANCES)


# --- E: valid instances -----------------------------------------------------------------------------------------------


def choose_valid(at_hand, products, most):
    """The largest instance of each line of Fig. 13, then the largest of each other model."""
    def fits(instance):
        return (instance.recorded != "violated" and instance.system_states <= most
                and (size := products.size(instance, most))["complete"] and size["states"] <= most
                and products.valid_and_weak(instance))

    chosen = []
    for model, formula in paper.VALID:
        wanted = paper.normal(model, formula)
        of_line = [i for i in at_hand if i.model == model and paper.normal(model, i.formula) == wanted]
        largest = next(filter(fits, sorted(of_line, key=lambda i: -i.system_states)), None)
        states = products.known[largest.name]["states"] if largest else 0
        if states >= TOO_SHORT:
            chosen.append(largest)
        elif largest:
            print(f"{model} {formula}: left out, the largest valid instance is {largest.name} with {states:,} states")
        else:
            print(f"{model} {formula}: left out, there is no valid instance")
    others = [i for i in at_hand if i.recorded == "holds" and LARGE / 2 <= i.system_states <= most]
    others = [(size["states"], i) for i in others if (size := products.size(i, most))["states"] >= LARGE]
    for _, instance in sorted(others, reverse=True, key=lambda other: other[0]):
        if len(chosen) < VALID_INSTANCES and instance.model not in [c.model for c in chosen] and fits(instance):
            chosen.append(instance)
    return chosen


def measure_valid(instance, settings, repetitions, states):
    """Best time and largest peak of each setting. Settings take turns, so that noise affects all alike."""
    best = {setting: {"seconds": None, "peak_bytes": 0} for setting in settings}
    for _ in range(repetitions):
        for setting in settings:
            done, answer = ask(instance, setting)
            if done.status == 1:
                sys.exit(f"{instance.name} is valid, but tideline finds a violation with {setting}")
            if done.status == 3:
                print(f"{instance.name}: {setting} did not end within {LIMIT_SECONDS} s")
                continue
            if answer["statistics"]["product_states"] != states:
                sys.exit(f"{instance.name}, {setting}: not {states} product states, but "
                         f"{answer['statistics']['product_states']}")
            cell = best[setting]
            cell["seconds"] = min(done.seconds, cell["seconds"] or done.seconds)
            cell["peak_bytes"] = max(done.peak_bytes, cell["peak_bytes"])
    return best


def ratio(upper, lower):
    return upper / lower if upper and lower else None


def measure_scaling(instance, states, threads, repetitions):
    engines = {name: [Setting(engine=name, workers=workers) for workers in threads]
               for name in ("owcty-map", "cndfs", "explore")}
    best = measure_valid(instance, [s for of in engines.values() for s in of] + [NESTED], repetitions, states)
    result = {"instance": instance.name, "formula": instance.formula, "states": states, "threads": list(threads)}
    for name, settings in engines.items():
        result[name] = [best[setting]["seconds"] for setting in settings]
        result[f"{name}_peak_bytes"] = [best[setting]["peak_bytes"] for setting in settings]
    result["ndfs"], result["ndfs_peak_bytes"] = best[NESTED]["seconds"], best[NESTED]["peak_bytes"]
    one = threads.index(1)
    two = threads.index(2) if 2 in threads else None
    owcty, peaks = result["owcty-map"], result["owcty-map_peak_bytes"]
    result["speedup"] = ratio(owcty[one], owcty[two]) if two is not None else None
    result["memory_ratio"] = ratio(peaks[two], peaks[one]) if two is not None else None
    result["over_explore"] = ratio(owcty[one], result["explore"][one])
    result["over_ndfs"] = ratio(owcty[one], result["ndfs"])
    return result


def cell(value, width, digits=2):
    return f"{'-':>{width}}" if value is None else f"{value:>{width},.{digits}f}"


def part_e(at_hand, products, options):
    print(f"\nE. Valid instances with weak automata, best of {options.repetitions} (Figs 13 to 15). Seconds of OWCTY"
          f" (BFS, V=1), cndfs\n   and plain exploration of the product, each for W = {', '.join(map(str, options.threads))}"
          " workers, and of nested DFS\n")
    results = [(i, products.known[i.name]["states"]) for i in choose_valid(at_hand, products, options.most_valid)]
    wide = 8 * len(options.threads)
    print(f"\n{'instance':<26}{'states':>11}{'OWCTY':>{wide}} |{'cndfs':>{wide}} |{'explore':>{wide}} |{'NDFS':>8}")
    for at, (instance, states) in enumerate(results):
        results[at] = row = measure_scaling(instance, states, options.threads, options.repetitions)
        times = " |".join("".join(cell(s, 8) for s in row[name]) for name in ("owcty-map", "cndfs", "explore"))
        print(f"{row['instance']:<26}{row['states']:>11,}{times} |{cell(row['ndfs'], 8)}", flush=True)
    show_ratios(results)
    return results


def show_ratios(results):
    """Our ratios beside the targets and those of Fig. 14."""
    print(f"\n{'':<26}{'speed-up W=2':>18}{'paper':>8}{'memory W=2/1':>18}{'MB':>8}{'OWCTY/explore':>19}"
          f"{'OWCTY/NDFS':>12}{'paper':>8}")
    for row in results:
        def judged(name, target, better):
            value = row[name]
            word = "" if value is None else "ok" if better(value, target) else "MISSED"
            return f"{cell(value, 11)} {word:<6}"

        times, nested = paper.SCALING.get(row["instance"].split(".")[0], ((None, None), None))
        peak = row["owcty-map_peak_bytes"][row["threads"].index(1)]
        print(f"{row['instance']:<26}{judged('speedup', TARGET_SPEEDUP, float.__ge__)}{cell(ratio(times[0], times[1]), 8)}"
              f"{judged('memory_ratio', TARGET_MEMORY, float.__le__)}{peak / 1e6:>8,.0f}"
              f" {judged('over_explore', TARGET_OVER_EXPLORE, float.__le__)}"
              f"{cell(row['over_ndfs'], 12)}{cell(ratio(times[0], nested), 8)}")


# --- F and the drawing ------------------------------------------------------------------------------------------------


def part_f(experiment, scaling):
    """The summary, as printed and as a list for the results."""
    lines = []

    def say(what, value, target, good, unit=""):
        lines.append({"what": what, "value": value, "target": target, "ok": good})
        print(f"{what:<88}{value:>7.2f}{unit:<2} target {target}{unit:<2} {'ok' if good else 'MISSED'}")

    print("\nF. Summary\n")
    for values, target in TARGET_EARLY.items() if experiment.instances else ():
        value = percent_early(experiment.runs(Setting(values=values)))
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
    bars = all((setting, 0) in experiment.done for setting in settings)
    if not bars and not scaling:
        return
    charts_top = 320 if bars else 0
    rows = (len(scaling) + 3) // 4
    drawing = plot.Drawing(980, charts_top + (80 + 190 * rows if scaling else 0))
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
                        [f"W={workers}" for workers in row["threads"]],
                        [row["owcty-map"], row["cndfs"], row["explore"], alone])
    RESULTS.mkdir(parents=True, exist_ok=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def read_options():
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="A,B,C,D,E,F", help="which parts to run (default: all)")
    parser.add_argument("--most-states", type=int, default=1_000_000, metavar="N",
                        help="product states of a violated instance, at most")
    parser.add_argument("--most-valid", type=int, default=10_000_000, metavar="N",
                        help="product states of a valid instance, at most")
    parser.add_argument("--runs", type=int, default=4, metavar="R", help="runs of part D")
    parser.add_argument("--repetitions", type=int, default=3, metavar="R",
                        help="runs of part E, of which the best counts")
    parser.add_argument("--threads", type=int, nargs="+", metavar="W",
                        default=[w for w in (1, 2, 4, 8, 16, 32, 64) if w < cores] + [cores],
                        help="workers in part E (default: powers of two up to the number of cores)")
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
    experiment = Experiment(violated)
    if "A" in options.parts:
        show_violated(lines, options.most_states, products)
    if violated and "B" in options.parts:
        part_b(experiment)
    if violated and "C" in options.parts:
        part_c(experiment)
    if violated and "D" in options.parts:
        part_d(experiment, options.runs)
    if "E" in options.parts:
        scaling = part_e(at_hand, products, options)
    for name, setting in experiment.unfinished():
        print(f"{name}: {setting} did not end within {LIMIT_SECONDS} s and counts as not terminated")
    if "F" in options.parts:
        summary = part_f(experiment, scaling)
    draw(experiment, scaling, RESULTS / "owcty.svg")
    write_results("owcty", {
        "most_states": options.most_states, "most_valid": options.most_valid, "figure_3": lines,
        "settings": [{"setting": str(setting), "repetition": repetition, "totals": totals(runs)._asdict(), "runs": runs}
                     for (setting, repetition), runs in experiment.done.items()],
        "valid": scaling, "summary": summary})


if __name__ == "__main__":
    main()
