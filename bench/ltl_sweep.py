#!/usr/bin/env python3
"""LTL-Sweep on BEEM's LTL instances: the experiments of Evangelista and Kristensen (see ltl_sweep_paper.py), our figures
beside theirs. All progress measures are those that `tideline progress` finds; none is written by hand.

  A  the 13 instances of Table 1: sizes of the products, and which measures were found
  B  Table 1   stored, visited and persistent states as fractions of the product's, by nested DFS, MAP, Sweep (the whole
               product, no search for cycles), LTL-Sweep on-line and off-line as published, and LTL-Sweep as implemented here
  C            what LTL-Sweep expands over what Sweep expands, and each improvement switched off alone
  D  Table 2   the best score, stored times visited, over all instances with 100,000 to 10,000,000 product states
  E            Sweep beside breadth-first search on models with monotone measures: time and resident memory
  F            the summary, with targets

Visited states are expansions, in whatever part of the search. A run that ends at its limit of time is named; in D it has no
score. Runs are kept in a journal (sweep_runs.py), so that an interrupted suite continues where it was.
"""

import argparse
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

import ltl_sweep_paper as paper
import plot
from measure import RESULTS, ROOT, tideline, write_results
from owcty_runs import BEEM, Instance, Products, instances_at_hand
from sweep_runs import MAP, NDFS, OFFLINE, ONLINE, OURS, SWEEP, Journal, Setting

TABLE_1 = (NDFS, MAP, SWEEP, ONLINE, OFFLINE, OURS)
TABLE_2 = (MAP, NDFS, ONLINE, OFFLINE, OURS)
LEAST, MOST = 100_000, 10_000_000       # product states of D

# The improvements of LTL-Sweep made here, each switched off alone or replaced.
WITHOUT = {
    "off-line": ("offline",), "nested DFS in layers": ("nested",), "all candidates": ("all-candidates",),
    "no owners": ("no-owners",), "no pruning": ("no-prune",), "order as found": ("order-found",),
    "trimming": ("trimming",), "mpp": ("mpp",), "mpp, line moves back": ("mpp", "line-back"),
    "automaton not in measure": ("automaton-none",), "automaton first": ("automaton-first",),
}
ABLATION = tuple(Setting(name, words=words) for name, words in WITHOUT.items())

# Models for which monotone measures with many layers are found.
MONOTONE = ("bopdp.3", "bridge.3", "peg_solitaire.4", "leader_filters.5")

TARGET_RATIO = 1.5          # expansions of LTL-Sweep over those of Sweep, average
TARGET_STORED = 9           # instances on which Sweep stores at most what it does in the paper
TARGET_TIME = 1.0           # of Sweep over that of breadth-first search


def title(text):
    print(f"\n{text}\n", flush=True)


# --- A: the instances of Table 1 --------------------------------------------------------------------------------------


def show_instances(lines, journal, products):
    title("A. Instances of Table 1, and the measures found for them; predicted on a sample, then measured by Sweep")
    print(f"{'instance':<24}{'states':>11}{'edges':>12}{'':>17}{'s':>6}{'terms':>7}{'layers':>9}{'sweeps':>8}{'stored':>9}"
          f"{'(predicted)':>13}{'visited':>9}{'(predicted)':>13}")
    for line, instance in lines:
        found, swept = journal.measure(instance), journal.run(instance, SWEEP)
        size = products.size(instance, MOST)
        as_printed = "ok" if size["states"] == line.states else f"paper: {line.states:,}"
        print(f"{line.name:<24}{size['states']:>11,}{line.transitions:>12,} {as_printed:<16}{found['seconds']:>6.1f}"
              f"{found['measure'].count(',') + 1:>7}{whole(swept, 'layers', 9)}{whole(swept, 'sweeps', 8)}"
              f"{fraction(swept, 'stored', size, 9)}{prediction(found, 'stored_peak'):>13}"
              f"{fraction(swept, 'visited', size, 9)}{prediction(found, 'visited'):>13}", flush=True)
    print()
    for _, instance in lines:
        text = journal.measure(instance)["measure"]
        print(f"{instance.name:<24}{text[:150]}{' ...' if len(text) > 150 else ''}")


def prediction(found, name):
    if not found["predicted"]:
        return "-"
    return f"({found['predicted'][name] / found['sample']['states']:.3f})"


def whole(result, name, width):
    return f"{result[name]:>{width},}" if name in result else f"{'-':>{width}}"


def fraction(result, name, size, width):
    if result["verdict"] == "unknown" or name not in result:
        return f"{'-':>{width}}"
    return f"{result[name] / size['states']:>{width}.3f}"


# --- B: Table 1 -------------------------------------------------------------------------------------------------------


def part_b(lines, journal, products):
    title("B. Table 1. For each instance stored, visited and persistent states, as fractions of the product's states;"
          " S: cycle within a layer,\n   M: over several. 'on-line' and 'off-line' are the published algorithm;"
          " persistent states are those at the end")
    print(f"{'':<34}{'Tideline':^54}  |{'paper':^46}")
    print(f"{'':<34}{''.join(f'{s.name:>9}' for s in TABLE_1)}  |{''.join(f'{c:>9}' for c in paper.COLUMNS)}")
    journal.all([(instance, setting) for _, instance in lines for setting in TABLE_1])
    for line, instance in lines:
        size = products.size(instance, MOST)
        results = [journal.run(instance, setting) for setting in TABLE_1]
        if line is paper.VIOLATED[0]:
            print("-" * 135)
        for row, left in zip(("stored", "visited", "persistent"),
                             (line.name, f"{size['states']:,} st.", f"{line.transitions:,} ed.")):
            ours = "".join(kind(result.get("cycle", ""), row) + fraction(result, row, size, 7) for result in results)
            theirs = "".join(kind(f.cycle, row) + (f"{getattr(f, row):>7.3f}" if getattr(f, row) is not None else f"{'-':>7}")
                             for f in line.figures.values())
            print(f"{left:<23}{row:<11}{ours}  |{theirs}", flush=True)
    require_verdicts(lines, journal)
    for _, instance in lines:
        for setting in TABLE_1:
            if (result := journal.run(instance, setting))["verdict"] == "unknown":
                print(f"{instance.name}: {setting.name} did not end within {result.get('limit')} s")


def kind(letter, row):
    return f"{letter if row == 'stored' else '':>2}"


def require_verdicts(lines, journal):
    for line, instance in lines:
        expected = "holds" if line in paper.VALID else "violated"
        for setting in TABLE_1:
            verdict = journal.run(instance, setting)["verdict"]
            if verdict not in (expected, "unknown", "none"):
                sys.exit(f"{instance.name}: {setting.name} says {verdict}")


# --- C: what it costs, and what each improvement gains ----------------------------------------------------------------


def over_sweep(result):
    """Expansions over those of the sweep alone, on the same product with the same measure and order."""
    if result["verdict"] != "holds":
        return None
    return result["visited"] / result["sweep_visited"]


def average(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def cell(value, width, digits=2):
    return f"{'-':>{width}}" if value is None else f"{value:>{width}.{digits}f}"


def part_c(lines, journal, products):
    valid = [(line, instance) for line, instance in lines if line in paper.VALID]
    title("C. Where the property holds: expansions of LTL-Sweep over those of Sweep, same product, measure and order")
    print(f"{'instance':<26}{'Sweep':>12}{'LTL-Sweep':>12}{'ours':>8}{'on-line':>10}{'off-line':>10}  |"
          f"{'on-line':>9}{'off-line':>9}   paper")
    rows = []
    for line, instance in valid:
        ours = journal.run(instance, OURS)
        row = {"instance": line.name, "ours": over_sweep(ours), "on-line": over_sweep(journal.run(instance, ONLINE)),
               "off-line": over_sweep(journal.run(instance, OFFLINE)),
               **{f"paper {column}": line.figures[column].visited / line.figures["Sweep"].visited
                  for column in ("on-line", "off-line")}}
        rows.append(row)
        print(f"{line.name:<26}{whole(ours, 'sweep_visited', 12)}{whole(ours, 'visited', 12)}{cell(row['ours'], 8)}"
              f"{cell(row['on-line'], 10)}{cell(row['off-line'], 10)}  |{cell(row['paper on-line'], 9)}"
              f"{cell(row['paper off-line'], 9)}", flush=True)
    means = {name: average(row[name] for row in rows) for name in rows[0] if name != "instance"} if rows else {}
    if rows:
        print(f"{'average':<50}{cell(means['ours'], 8)}{cell(means['on-line'], 10)}{cell(means['off-line'], 10)}  |"
              f"{cell(means['paper on-line'], 9)}{cell(means['paper off-line'], 9)}")
    print(f"The paper's averages over all of its valid instances are {paper.AVERAGE_OVER_SWEEP['on-line']} and"
          f" {paper.AVERAGE_OVER_SWEEP['off-line']}.")
    show_ablation(lines, journal, products)
    return rows, means


def show_ablation(lines, journal, products):
    settings = (OURS, *ABLATION)
    journal.all([(instance, setting) for _, instance in lines for setting in settings])
    short = [f"{line.name.split('.')[0][:6]}.{line.name.split('.')[1]}" for line, _ in lines]
    for row, what in (("visited", "visited"), ("stored", "stored at a time")):
        title(f"   One thing changed at a time: states {what}, as fractions of the product's"
              + ("; on the right the average of C" if row == "visited" else ""))
        print(f"{'':<26}{''.join(f'{name:>9}' for name in short)}{'average' if row == 'visited' else '':>9}")
        for setting in settings:
            results = [journal.run(instance, setting) for _, instance in lines]
            cells = "".join(fraction(result, row, products.size(instance, MOST), 9)
                            for result, (_, instance) in zip(results, lines))
            mean = average(over_sweep(r) for r, (line, _) in zip(results, lines) if line in paper.VALID)
            print(f"{setting.name:<26}{cells}{cell(mean, 9) if row == 'visited' else ''}", flush=True)


# --- D: Table 2 -------------------------------------------------------------------------------------------------------


def choose_scored(at_hand, products, options):
    """Those with as many product states as the paper's."""
    taken, unknown = [], []
    likely = [i for i in at_hand if LEAST / 10 <= i.system_states <= options.most_states]
    with ThreadPoolExecutor(options.jobs) as pool:
        sizes = pool.map(lambda instance: products.size(instance, options.most_states), likely)
    for instance, size in zip(likely, sizes):
        if not size["complete"] and size["states"] <= options.most_states:
            unknown.append(instance.name)
        elif size["complete"] and LEAST <= size["states"] <= options.most_states:
            taken.append(instance)
    if unknown:
        print(f"Left out, the product was not explored in time: {' '.join(unknown)}")
    return taken


def score(result):
    return None if result["verdict"] == "unknown" else result["stored"] * result["visited"]


def part_d(at_hand, journal, products, options):
    title(f"D. Table 2. Instances with {LEAST:,} to {options.most_states:,} product states for which an algorithm has the"
          f" best score,\n   stored times visited, per cent. At most {journal.seconds} s a run")
    taken = choose_scored(at_hand, products, options)
    journal.all([(instance, setting) for instance in taken for setting in TABLE_2])
    groups = {"valid": [], "violated": []}
    undecided, unfinished = [], {}
    for instance in taken:
        results = {setting.name: journal.run(instance, setting) for setting in TABLE_2}
        verdicts = {result["verdict"] for result in results.values()} - {"unknown"}
        if len(verdicts) > 1:
            sys.exit(f"{instance.name}: the engines disagree: {results}")
        if not verdicts:
            undecided.append(instance.name)
            continue
        for name, result in results.items():
            if result["verdict"] == "unknown":
                unfinished.setdefault(name, []).append(instance.name)
        groups["valid" if verdicts == {"holds"} else "violated"].append((instance, results))
    best = {group: show_best(group, members) for group, members in groups.items()}
    for name, names in unfinished.items():
        print(f"{name}: no score, did not end in time or had no measure that helps: {' '.join(names)}")
    if undecided:
        print(f"No engine ended in time: {' '.join(undecided)}")
    show_scores(groups, products, options)
    return {"best": best, "scores": {group: [{"instance": i.name, **{n: score(r) for n, r in results.items()}}
                                             for i, results in members] for group, members in groups.items()}}


def show_best(group, members):
    """Per cent of the members for which each algorithm is best: among the paper's four, and with ours among them."""
    names = [setting.name for setting in TABLE_2]
    lines = {}
    for what, among in (("of the four", names[:-1]), ("of all five", names)):
        count = dict.fromkeys(among, 0)
        for _, results in members:
            scores = {name: score(results[name]) for name in among}
            least = min((s for s in scores.values() if s is not None), default=None)
            for name in among:
                count[name] += scores[name] is not None and scores[name] == least
        lines[what] = {name: 100 * count[name] / len(members) if members else None for name in among}
    print(f"{f'{len(members)} {group} instances':<30}{''.join(f'{name:>10}' for name in names)}")
    for what, values in lines.items():
        print(f"{'  best ' + what:<30}{''.join(cell(values.get(name), 10, 1) for name in names)}")
    theirs = paper.BEST_SCORE[group]
    print(f"{f'  paper, {paper.INSTANCES[group]} instances':<30}{''.join(cell(theirs.get(name), 10, 1) for name in names)}\n")
    return lines


def show_scores(groups, products, options):
    if not options.details:
        return
    print(f"\n{'instance':<30}{'states':>12}" + "".join(f"{s.name:>22}" for s in TABLE_2) + "   stored, visited")
    for members in groups.values():
        for instance, results in members:
            size = products.size(instance, options.most_states)
            cells = "".join(f"{fraction(r, 'stored', size, 12)},{fraction(r, 'visited', size, 9)}" for r in results.values())
            print(f"{instance.name:<30}{size['states']:>12,}{cells}")


# --- E: Sweep beside breadth-first search -----------------------------------------------------------------------------


def part_e(journal, repetitions):
    title(f"E. Sweep beside breadth-first search on whole models, monotone measures, median of {repetitions} runs that take"
          " turns.\n   First the states alone (explore), then with all that is needed to show runs (check)")
    print(f"{'':<20}{'':>12}{'':>8}{'':>9} |{'explore, s':^26} |{'check, s':^26} |{'peak of the process, MB':^26}")
    columns = f"{'BFS':>9}{'Sweep':>9}{'ratio':>8}"
    print(f"{'model':<20}{'states':>12}{'layers':>8}{'stored':>9} |{columns} |{columns} |{columns}")
    return [row for name in MONOTONE if (row := beside_bfs(name, journal, repetitions))]


def beside_bfs(name, journal, repetitions):
    file = BEEM / name.split(".")[0] / f"{name}.dve"
    if not file.is_file():
        print(f"{name}: skipped, {file} is not there")
        return None
    instance = Instance(name.split(".")[0], name, file, "", "", 0)
    measure = journal.measure_file(instance)
    if measure is None:
        print(f"{name}: skipped, no measure was found")
        return None
    row = {"model": name}
    for command in ("explore", "check"):
        seconds, peaks = {"bfs": [], "sweep": []}, {}
        for _ in range(repetitions):
            for engine in seconds:
                question = ["--invariant", "true"] if command == "check" else []
                given = ["--progress-file", measure] if engine == "sweep" else []
                _, answer = tideline(command, file, "--engine", engine, "--model-errors=divine", *question, *given)
                statistic = answer["statistics"]
                seconds[engine].append(statistic["time_s"])
                peaks[engine] = max(peaks.get(engine, 0), statistic["peak_rss_bytes"])
                if engine == "sweep":
                    row |= {key: statistic[key] for key in ("stored_peak", "layers", "sweeps", "regress_edges", "visited")}
                else:
                    row["states"] = statistic["states"]
        row[command] = {engine: statistics.median(values) for engine, values in seconds.items()}
        row[f"{command} peak"] = peaks
    times = " |".join(f"{cell(row[c]['bfs'], 9)}{cell(row[c]['sweep'], 9)}{cell(row[c]['sweep'] / row[c]['bfs'], 8)}"
                      for c in ("explore", "check"))
    peaks = row["explore peak"]
    print(f"{name:<20}{row['states']:>12,}{row['layers']:>8,}{row['stored_peak'] / row['states']:>9.3f} |{times} |"
          f"{peaks['bfs'] / 1e6:>9.0f}{peaks['sweep'] / 1e6:>9.0f}{peaks['sweep'] / peaks['bfs']:>8.2f}", flush=True)
    if row["regress_edges"]:
        print(f"  (not monotone: {row['regress_edges']:,} regress edges, {row['visited']:,} visited)")
    return row


# --- F and the drawing ------------------------------------------------------------------------------------------------


def part_f(lines, journal, products, means, beside):
    summary = []

    def say(what, value, target, good):
        summary.append({"what": what, "value": value, "target": target, "ok": good})
        print(f"{what:<100}{value:>8.2f}  target {target:<5} {'ok' if good else 'MISSED'}")

    title("F. Summary")
    if means.get("ours"):
        say("expansions of LTL-Sweep over those of Sweep, average of Table 1's valid instances, at most", means["ours"],
            TARGET_RATIO, means["ours"] <= TARGET_RATIO)
    reached = [line.name for line, instance in lines
               if (swept := journal.run(instance, SWEEP))["verdict"] != "unknown"
               and round(swept["stored"] / products.size(instance, MOST)["states"], 3) <= line.figures["Sweep"].stored]
    if len(lines) == len(paper.TABLE_1):
        say("instances of Table 1 on which Sweep stores at most the fraction printed, at least", len(reached), TARGET_STORED,
            len(reached) >= TARGET_STORED)
        others = [line.name for line, _ in lines if line.name not in reached]
        print(f"  more on: {' '.join(others) if others else 'none'}")
    for row in beside:
        ratio = row["explore"]["sweep"] / row["explore"]["bfs"]
        memory = row["explore peak"]["sweep"] / row["explore peak"]["bfs"]
        say(f"{row['model']}: time of Sweep over that of breadth-first search ({memory:.2f} of its memory), at most", ratio,
            TARGET_TIME, ratio <= TARGET_TIME)
    return summary


def draw(lines, rows, scored, journal, products, path):
    """Stored fractions of Table 1, ratios of C and percentages of D, as far as they were measured."""
    drawing = plot.Drawing(980, 70 + 290 * (bool(lines) + bool(rows) + bool(scored)))
    drawing.text(20, 28, "LTL-Sweep beside the published figures", size=15, bold=True)
    top = 90
    if lines:
        names = [line.name.replace(".prop", " ").replace("_", " ") for line, _ in lines]
        sizes = [products.size(instance, MOST)["states"] for _, instance in lines]
        stored = [[100 * journal.run(i, setting).get("stored", 0) / size for (_, i), size in zip(lines, sizes)]
                  for setting in (SWEEP, OURS)]
        drawing.text(20, top - 30, "States stored at a time, per cent of the product (Table 1)", bold=True)
        drawing.legend(500, top - 30, ["Sweep", "LTL-Sweep", "paper, Sweep", "paper, off-line"])
        plot.value_bars(drawing, 70, top, 880, 170, names,
                        [*stored, *([100 * line.figures[c].stored for line, _ in lines] for c in ("Sweep", "off-line"))],
                        tilt=True)
        top += 290
    if rows:
        drawing.text(20, top - 30, "Expansions of LTL-Sweep over those of Sweep, valid instances", bold=True)
        drawing.legend(500, top - 30, ["LTL-Sweep", "off-line, here", "paper, off-line", "paper, on-line"])
        series = [[row[name] for row in rows] for name in ("ours", "off-line", "paper off-line", "paper on-line")]
        plot.value_bars(drawing, 70, top, 880, 170, [row["instance"].replace("_", " ") for row in rows], series, tilt=True)
        top += 290
    if scored:
        names = [setting.name for setting in TABLE_2]
        drawing.text(20, top - 30, "Best score (stored times visited), per cent of the instances", bold=True)
        drawing.legend(500, top - 30, ["of all five", "of the paper's four", "paper"])
        labels = [f"{name}, {group}" for group in scored["best"] for name in names]
        series = [[scored["best"][group][what].get(name) for group in scored["best"] for name in names]
                  for what in ("of all five", "of the four")]
        series.append([paper.BEST_SCORE[group].get(name) for group in scored["best"] for name in names])
        plot.value_bars(drawing, 70, top, 880, 170, labels, series, tilt=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def write_tables(lines, rows, scored, beside, journal, products, path):
    """The tables as the documents have them."""
    text = []

    def table(heading, numbers, body):
        text.extend(["", f"| {' | '.join(heading)} |", f"| --- |{' ---: |' * numbers}", *body])

    def fractions(result, size):
        return " / ".join(fraction(result, what, size, 0) for what in ("stored", "visited"))

    body = []
    for line, instance in lines:
        size = products.size(instance, MOST)
        cells = [fractions(journal.run(instance, setting), size) for setting in TABLE_1]
        printed = [f"{f.stored:.3f} / {f.visited:.3f}" for f in (line.figures["Sweep"], line.figures["off-line"])]
        kinds = journal.run(instance, OURS).get("cycle", "")
        body.append(f"| {line.name} | {size['states']:,} | {' | '.join(cells)}{f' {kinds}' if kinds else ''} | {' | '.join(printed)} |")
    if body:
        table(["stored / visited", "states", *(s.name for s in TABLE_1), "paper: Sweep", "paper: off-line"], 9, body)
    if rows:
        names = ("ours", "on-line", "off-line", "paper on-line", "paper off-line")
        body = [f"| {row['instance']} | {' | '.join(cell(row[name], 0) for name in names)} |" for row in rows]
        means = [cell(average(row[name] for row in rows), 0) for name in names]
        table(["LTL-Sweep over Sweep", *names], 5, [*body, f"| average | {' | '.join(means)} |"])
    if scored:
        names = [setting.name for setting in TABLE_2]
        body = [f"| {len(scored['scores'][group])} {group}, best {what} | "
                + " | ".join(cell(values.get(name), 0, 1) for name in names) + " |"
                for group, best in scored["best"].items() for what, values in best.items()]
        body += [f"| paper, {paper.INSTANCES[group]} {group} | {' | '.join(cell(v.get(name), 0, 1) for name in names)} |"
                 for group, v in paper.BEST_SCORE.items()]
        table(["best score, per cent", *names], 5, body)
    if beside:
        body = [f"| {row['model']} | {row['states']:,} | {row['layers']:,} | {100 * row['stored_peak'] / row['states']:.1f}% | "
                + " | ".join(f"{row[c]['bfs']:.2f}, {row[c]['sweep']:.2f} ({row[c]['sweep'] / row[c]['bfs']:.2f})"
                             for c in ("explore", "check"))
                + " | " + "{:.0f}, {:.0f} ({:.2f})".format(*(row["explore peak"][e] / 1e6 for e in ("bfs", "sweep")),
                                                       row["explore peak"]["sweep"] / row["explore peak"]["bfs"]) + " |"
                for row in beside]
        table(["BFS, Sweep (ratio)", "states", "layers", "stored", "explore, s", "check, s", "peak, MB"], 6, body)
    path.write_text("\n".join(text).lstrip() + "\n", encoding="utf-8")
    print(f"Tables for the documents: {path.relative_to(ROOT)}")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="A,B,C,D,E,F", help="which parts to run (default: all)")
    parser.add_argument("--quick", action="store_true",
                        help="a few minutes: only small instances, at most 20 s per run, one repetition")
    parser.add_argument("--limit", type=int, default=20, metavar="S", help="seconds a run of D may take")
    parser.add_argument("--limit-table-1", type=int, default=300, metavar="S", help="seconds a run of B and C may take")
    parser.add_argument("--most-states", type=int, default=MOST, metavar="N", help="product states in D, at most")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="runs side by side where only counts matter (B, C, D)")
    parser.add_argument("--repetitions", type=int, default=5, metavar="R", help="runs of part E")
    parser.add_argument("--other-builds", action="store_true",
                        help="count runs in the journal that another build of Tideline has made")
    parser.add_argument("--details", action="store_true", help="list the instances of D")
    options = parser.parse_args()
    options.parts = set(options.parts.upper().replace(",", ""))
    if not options.parts <= set("ABCDEF"):
        parser.error("--parts: there are A, B, C, D, E and F")
    if options.quick:
        options.limit, options.limit_table_1, options.repetitions = 5, 20, 1
        options.most_states = min(options.most_states, 300_000)
    return options


def main():
    options = read_options()
    if not (BEEM / "beem.csv").is_file():
        print(f"bench ltl-sweep: skipped, {BEEM / 'beem.csv'} is not there (see TIDELINE_BENCHMARKS)")
        return
    at_hand, products = instances_at_hand(), Products()
    by_name = {instance.name: instance for instance in at_hand}
    journal = Journal(options.limit_table_1, options.jobs, options.other_builds)
    lines = [(line, by_name[line.name]) for line in paper.TABLE_1 if line.name in by_name]
    if options.quick:
        lines = [(line, instance) for line, instance in lines if line.states < 1_000_000]
    rows, means, scored, beside, summary = [], {}, None, [], []
    if "A" in options.parts:
        show_instances(lines, journal, products)
    if "B" in options.parts:
        part_b(lines, journal, products)
    if "C" in options.parts:
        rows, means = part_c(lines, journal, products)
    if "D" in options.parts:
        scored = part_d(at_hand, journal.with_limit(options.limit), products, options)
    if "E" in options.parts:
        beside = part_e(journal, options.repetitions)
    table_1 = lines if options.parts & set("ABC") else []
    if "F" in options.parts:
        summary = part_f(table_1, journal, products, means, beside)
    draw(table_1, rows, scored, journal, products, RESULTS / "ltl-sweep.svg")
    write_tables(table_1, rows, scored, beside, journal, products, RESULTS / "ltl-sweep.md")
    write_results("ltl-sweep", {
        "table_1": [{"instance": line.name, "states": products.size(instance, MOST)["states"],
                     "measure": journal.measure(instance),
                     **{s.name: journal.run(instance, s) for s in TABLE_1}} for line, instance in table_1],
        "over_sweep": rows, "averages": means, "table_2": scored, "beside_bfs": beside, "summary": summary})


if __name__ == "__main__":
    main()
