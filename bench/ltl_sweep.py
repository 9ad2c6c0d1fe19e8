#!/usr/bin/env python3
"""LTL-Sweep on BEEM's LTL instances: the experiments of Evangelista and Kristensen (see ltl_sweep_paper.py). For every figure
there are three: ours, that of the paper's algorithm run here, and the one printed. No progress measure is written by hand:
all runs of the sweep-line on an instance use the one that `check --engine sweep` finds for it.

  A            the 13 instances of Table 1 out of the box: time and memory of the whole process, beside nested DFS; sizes of
               the products
  B  Table 1   stored, visited and persistent states as fractions of the product's, edges followed and times, by nested DFS, MAP,
               Sweep (the whole product, no search for cycles), LTL-Sweep on-line and off-line as published, and LTL-Sweep
               as implemented here
  C            where the property holds: what is visited over what Sweep and nested DFS visit
  D  Table 2   the best score, stored times visited, over all instances with 100,000 to 10,000,000 product states, and the
               averages of section 6 over the valid ones
  E            Sweep beside breadth-first search on models with monotone measures: time and resident memory
  F            the summary, with targets
  G            each idea of ours switched off

Visited states are expansions, in whatever part of the search. Where a time is not that of the whole process it is that of the
search, with a measure given; finding the measure is a column of A. A run that ends at its limit is named; in D it has no score.
Counts and times do not depend on runs side by side: those whose time counts run alone. Runs are kept in a journal
(sweep_runs.py), so that an interrupted suite continues where it was. Tables go to build/bench/tables/ltl-sweep/; `python3
bench/tables.py` puts them into the documents.
"""

import argparse
import json
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

import ltl_sweep_paper as paper
import plot
import tables
from measure import RESULTS, ROOT, ask, machine, run, write_results
from owcty_runs import BEEM, Instance, Products, instances_at_hand
from sweep_runs import MAP, NDFS, OFFLINE, ONLINE, OURS, SWEEP, Journal, Setting
from tables import megabytes, seconds

TABLE_1 = (NDFS, MAP, SWEEP, ONLINE, OFFLINE, OURS)
TABLE_2 = (MAP, NDFS, ONLINE, OFFLINE, OURS)
LEAST, MOST = 100_000, 10_000_000       # product states of D
ASAP = ROOT / "build/bench/bench/asap_product"

# The ideas of LTL-Sweep as implemented here, each switched off alone or replaced.
WITHOUT = {
    "off-line": ("offline",), "nested DFS in layers": ("nested",), "all candidates": ("all-candidates",),
    "no owners": ("no-owners",), "no pruning": ("no-prune",), "no regions": ("no-regions",), "no columns": (),
    "order as found": ("order-found",), "order by bits": ("order-bits",),
    "trimming": ("trimming",), "mpp": ("mpp",), "mpp, line moves back": ("mpp", "line-back"),
    "automaton not in measure": ("automaton-none",), "automaton first": ("automaton-first",),
    "published": ("paper",), "published, graph of layers": ("paper", "prune"),
    "published, order by progress": ("paper", "order-progress"),
}
ABLATION = tuple(Setting(name, words=words, options=("--no-columns",) if name == "no columns" else ())
                 for name, words in WITHOUT.items())

# Models for which monotone measures with many layers are found.
MONOTONE = ("bopdp.3", "bridge.3", "peg_solitaire.4", "leader_filters.5")

TARGET_RATIO = 1.5          # expansions of LTL-Sweep over those of Sweep, average
TARGET_STORED = 9           # instances on which Sweep stores at most what it does in the paper
TARGET_TIME = 1.0           # of Sweep over that of breadth-first search


def title(text):
    print(f"\n{text}\n", flush=True)


def number(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def over(value, other, digits=2):
    return None if value is None or not other else round(value / other, digits)


def ended(result):
    return result["verdict"] != "unknown"


def average(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


# --- A: out of the box ------------------------------------------------------------------------------------------------


def part_a(lines, journal, products):
    title("A. check out of the box, whole processes, no measure given: seconds, of which for finding the measure, and the peak\n"
          "   of resident memory; the sweep-line and nested DFS. A run that reached its limit is marked with >")
    rows = []
    for line, instance in lines:
        ours, nested = (journal.out_of_the_box(instance, engine) for engine in ("sweep", "ndfs"))
        verdict = next((r["verdict"] for r in (ours, nested) if ended(r)), "unknown")
        both = ended(ours) and ended(nested)
        rows.append([line.name, verdict, at_least(ours, seconds(ours["seconds"])), seconds(ours["measure_seconds"]),
                     at_least(ours, megabytes(ours["peak_bytes"])), at_least(nested, seconds(nested["seconds"])),
                     at_least(nested, megabytes(nested["peak_bytes"])),
                     number(over(ours["seconds"], nested["seconds"])) if both else "-",
                     number(over(ours["peak_bytes"], nested["peak_bytes"])) if both else "-"])
    tables.show("ltl-sweep/end-to-end", ["instance", "verdict", "sweep, s", "of which measure, s", "sweep, MB", "NDFS, s",
                                         "NDFS, MB", "time over NDFS", "memory over NDFS"], rows)
    show_products(lines, products)
    print()
    for _, instance in lines:
        text = journal.out_of_the_box(instance, "sweep")["measure"]
        print(f"{instance.name:<24}{text[:150]}{' ...' if len(text) > 150 else ''}")


def at_least(result, text):
    return text if ended(result) else f"> {text}"


def show_products(lines, products):
    title("   Products: states and edges, and those printed. The tool behind the paper loses states where the property process\n"
          "   is stuck (asap_product.cpp)")
    asap = asap_counts([instance.file for line, instance in lines if differs(line, products.size(instance, MOST))])
    rows = []
    for line, instance in lines:
        size = products.size(instance, MOST)
        as_asap = asap.get(str(instance.file), {})
        rows.append([line.name, f"{size['states']:,}", f"{size['edges']:,}", f"{line.states:,}", f"{line.transitions:,}",
                     "yes" if not differs(line, size) else f"with its mistake: {as_asap['asap_states']:,},"
                     f" {as_asap['asap_transitions']:,}" if as_asap else "no"])
    tables.show("ltl-sweep/products", ["instance", "states", "edges", "paper: states", "paper: edges", "the same"], rows)


def differs(line, size):
    return (size["states"], size["edges"]) != (line.states, line.transitions)


def asap_counts(files):
    if not files or not ASAP.is_file():
        return {}
    return {row["model"]: row for row in json.loads(run([ASAP, *files]).output)}


# --- B: Table 1 -------------------------------------------------------------------------------------------------------


def fraction(result, what, size):
    if not ended(result):
        return "limit"
    return f"{result[what] / size['edges' if what == 'edges' else 'states']:.3f}" if what in result else "-"


def part_b(lines, journal, products):
    title("B. Table 1. Stored, visited and persistent states, as fractions of the product's states; S: cycle within a layer, M:\n"
          "   over several. NDFS, MAP, Sweep, on-line and off-line are the algorithms as published, run here; persistent\n"
          "   states are those at the end")
    journal.all([(instance, setting) for _, instance in lines for setting in TABLE_1])
    require_verdicts(lines, journal)
    for what in ("stored", "visited", "persistent"):
        settings = TABLE_1 if what != "persistent" else TABLE_1[2:]
        columns = paper.COLUMNS if what != "persistent" else paper.COLUMNS[2:]
        rows = []
        for line, instance in lines:
            size = products.size(instance, MOST)
            results = [journal.run(instance, setting) for setting in settings]
            cells = [f"{fraction(r, what, size)}{kind(r.get('cycle', ''), what)}" for r in results]
            printed = [line.figures[c] for c in columns]
            rows.append([line.name, *cells, *(f"{getattr(f, what):.3f}{kind(f.cycle, what)}" for f in printed)])
        title(f"   {what}")
        tables.show(f"ltl-sweep/{what}", ["instance", *(s.name for s in settings), *(f"paper: {c}" for c in columns)], rows)
    title("   edges followed, as fractions of the product's; the paper does not give them")
    tables.show("ltl-sweep/edges", ["instance", *(s.name for s in TABLE_1)],
                [[line.name, *(fraction(journal.run(instance, s), "edges", products.size(instance, MOST)) for s in TABLE_1)]
                 for line, instance in lines])
    title("   seconds of the search, with a measure given, and of finding it; the paper does not give any")
    tables.show("ltl-sweep/times", ["instance", *(s.name for s in TABLE_1), "measure"],
                [[line.name, *(seconds(journal.time(instance, s)) for s in TABLE_1),
                  seconds(journal.out_of_the_box(instance, "sweep")["measure_seconds"])] for line, instance in lines])
    print(f"limit, or - for a time: a run did not end within {journal.seconds} s")


def kind(letter, what):
    return f" {letter}" if letter and what == "stored" else ""


def require_verdicts(lines, journal):
    for line, instance in lines:
        expected = "holds" if line in paper.VALID else "violated"
        for setting in TABLE_1:
            verdict = journal.run(instance, setting)["verdict"]
            if verdict not in (expected, "unknown", "none"):
                sys.exit(f"{instance.name}: {setting.name} says {verdict}")


# --- C: what it costs -------------------------------------------------------------------------------------------------

RATIOS = ("ours", "on-line", "off-line")


def ratios(journal, instance, base):
    """What is visited over what `base` visits; all of it as published except ours."""
    below = journal.run(instance, base)
    results = {setting.name: journal.run(instance, setting) for setting in (OURS, ONLINE, OFFLINE)}
    return {name: result["visited"] / below["visited"] if result["verdict"] == "holds" and ended(below) else None
            for name, result in results.items()}


def part_c(lines, journal):
    valid = [(line, instance) for line, instance in lines if line in paper.VALID]
    means = {}
    for base, name in ((SWEEP, "over-sweep"), (NDFS, "over-ndfs")):
        title(f"C. Where the property holds: visited states over those of {base.name}, same product and measure. Averages are\n"
              "   over the instances of the table on which all ended")
        found = {line.name: ratios(journal, instance, base) for line, instance in valid}
        printed = {line.name: {c: line.figures[c].visited / line.figures[base.name].visited for c in RATIOS[1:]}
                   for line, _ in valid}
        rows = [[line.name, *(number(found[line.name][r]) for r in RATIOS), *(number(v) for v in printed[line.name].values())]
                for line, _ in valid]
        whole = [n for n in found if None not in found[n].values()]
        if whole:
            means[name] = {r: average(found[n][r] for n in whole) for r in RATIOS}
            rows.append([f"average of {len(whole)}", *(number(means[name][r]) for r in RATIOS),
                         *(number(average(printed[n][c] for n in whole)) for c in RATIOS[1:])])
        tables.show(f"ltl-sweep/{name}", [f"visited over {base.name}", *RATIOS, "paper: on-line", "paper: off-line"], rows)
    return means


# --- G: what each idea gains ------------------------------------------------------------------------------------------


def part_g(lines, journal, products):
    settings = (OURS, *ABLATION)
    journal.all([(instance, setting) for _, instance in lines for setting in settings])
    for what in ("visited", "stored"):
        title(f"G. One thing changed at a time: states {what}, as fractions of the product's")
        rows = [[setting.name, *(fraction(journal.run(instance, setting), what, products.size(instance, MOST))
                                 for _, instance in lines)] for setting in settings]
        tables.show(f"ltl-sweep/ablation-{what}", [what, *(line.name for line, _ in lines)], rows)


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
    return result["stored"] * result["visited"] if ended(result) else None


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
            if not ended(result):
                unfinished.setdefault(name, []).append(instance.name)
        groups["valid" if verdicts == {"holds"} else "violated"].append((instance, results))
    best = {group: best_of(members) for group, members in groups.items()}
    names = [setting.name for setting in TABLE_2]
    rows = [[f"{len(groups[group])} {group}, best {what}", *(number(values.get(name), 1) for name in names)]
            for group, lines in best.items() for what, values in lines.items()]
    rows += [[f"paper, {paper.INSTANCES[group]} {group}", *(number(v.get(name), 1) for name in names)]
             for group, v in paper.BEST_SCORE.items()]
    tables.show("ltl-sweep/scores", ["best score, per cent", *names], rows)
    for name, those in unfinished.items():
        print(f"{name}: no score, did not end in time or had no measure that helps: {' '.join(those)}")
    if undecided:
        print(f"No engine ended in time: {' '.join(undecided)}")
    averages = show_averages(groups["valid"])
    show_scores(groups, products, options)
    return {"best": best, "averages": averages,
            "scores": {group: [{"instance": i.name, **{n: score(r) for n, r in results.items()}}
                               for i, results in members] for group, members in groups.items()}}


def best_of(members):
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
    return lines


def show_averages(valid):
    """Over instances on which all five end. What Sweep visits is what the first part of LTL-Sweep does."""
    title("   Averages over the valid instances on which all five ended, and those of section 6: visited over Sweep and NDFS")
    whole = [results for _, results in valid if all(map(ended, results.values()))]
    base = {"Sweep": lambda results: results["on-line"]["sweep_visited"], "NDFS": lambda results: results["NDFS"]["visited"]}
    printed = {"Sweep": paper.AVERAGE_OVER_SWEEP, "NDFS": paper.AVERAGE_OVER_NDFS}
    found = {name: {r: average(results[r]["visited"] / of(results) for results in whole) for r in RATIOS}
             for name, of in base.items()}
    tables.show("ltl-sweep/averages",
                [f"here {len(whole)} of {len(valid)} valid instances, paper {paper.INSTANCES['valid']}", *RATIOS,
                 "paper: on-line", "paper: off-line"],
                [[f"visited over {name}", *(number(found[name][r]) for r in RATIOS),
                  *(number(printed[name][c], 1) for c in RATIOS[1:])] for name in base])
    return found


def show_scores(groups, products, options):
    if not options.details:
        return
    print(f"\n{'instance':<30}{'states':>12}" + "".join(f"{s.name:>22}" for s in TABLE_2) + "   stored, visited")
    for members in groups.values():
        for instance, results in members:
            size = products.size(instance, options.most_states)
            cells = "".join(f"{fraction(r, 'stored', size):>12},{fraction(r, 'visited', size):>9}" for r in results.values())
            print(f"{instance.name:<30}{size['states']:>12,}{cells}")


# --- E: Sweep beside breadth-first search -----------------------------------------------------------------------------


def part_e(journal, repetitions):
    title(f"E. Sweep beside breadth-first search on whole models, monotone measures, median of {repetitions} runs that take"
          " turns.\n   Out of the box with a measure to find; then with the measure given: check, with all that is needed to show\n"
          "   runs, and the states alone (explore). Peaks are those of check")
    found = [row for name in MONOTONE if (row := beside_bfs(name, journal, repetitions))]

    def pair(values, show=seconds):
        return f"{show(values['bfs'])}, {show(values['sweep'])} ({values['sweep'] / values['bfs']:.2f})"

    rows = [[row["model"], f"{row['states']:,}", f"{row['layers']:,}", f"{100 * row['stored_peak'] / row['states']:.1f}%",
             seconds(row["out of the box"]["seconds"]), seconds(row["out of the box"]["measure_seconds"]),
             pair(row["check"]), pair(row["check peak"], megabytes), pair(row["explore"])] for row in found]
    journal.show_machines("ltl-sweep/machine")
    tables.show("ltl-sweep/beside-bfs", ["BFS, Sweep (ratio)", "states", "layers", "stored", "out of the box, s",
                                         "of which measure, s", "check, s", "check, MB", "explore, s"], rows)
    for row in found:
        if row["regress_edges"]:
            print(f"{row['model']} is not monotone: {row['regress_edges']:,} regress edges, {row['visited']:,} visited")
    return found


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
    row = journal.once(name, f"beside bfs, {repetitions} runs", journal.seconds,
                       lambda: compared_with_bfs(instance, measure, journal.seconds, repetitions))
    if row.get("limit"):
        print(f"{name}: skipped, a run did not end within {row['limit']} s")
        return None
    return {"model": name, "out of the box": journal.out_of_the_box(instance, "sweep"), **row}


def compared_with_bfs(instance, measure, limit, repetitions):
    row = {"machine": machine()}
    for command in ("explore", "check"):
        times, peaks = {"bfs": [], "sweep": []}, {}
        for _ in range(repetitions):
            for engine in times:
                question = ["--invariant", "true"] if command == "check" else []
                given = ["--progress-file", measure] if engine == "sweep" else []
                done, answer = ask(command, instance.file, "--engine", engine, "--model-errors=divine", "--time", f"{limit}s",
                                   "--quiet", *question, *given)
                if done.status == 3:
                    return {"limit": limit}
                statistic = answer["statistics"]
                times[engine].append(statistic["time_s"])
                peaks[engine] = max(peaks.get(engine, 0), statistic["peak_rss_bytes"])
                if engine == "sweep":
                    row |= {key: statistic[key] for key in ("stored_peak", "layers", "sweeps", "regress_edges", "visited")}
                else:
                    row["states"] = statistic["states"]
        row[command] = {engine: statistics.median(values) for engine, values in times.items()}
        row[f"{command} peak"] = peaks
    return row


# --- F and the drawing ------------------------------------------------------------------------------------------------


def part_f(lines, journal, products, means, scored, beside):
    summary = []

    def say(what, value, target, good):
        summary.append({"what": what, "value": value, "target": target, "ok": good})

    title("F. Summary")
    if "over-sweep" in means:
        ours = means["over-sweep"]["ours"]
        say("visited by LTL-Sweep over Sweep, average of Table 1's valid instances, at most", ours, TARGET_RATIO,
            ours <= TARGET_RATIO)
    reached = [line.name for line, instance in lines if ended(swept := journal.run(instance, SWEEP))
               and round(swept["stored"] / products.size(instance, MOST)["states"], 3) <= line.figures["Sweep"].stored]
    if len(lines) == len(paper.TABLE_1):
        say("instances of Table 1 on which Sweep stores at most the fraction printed, at least", len(reached), TARGET_STORED,
            len(reached) >= TARGET_STORED)
    if scored:
        best = scored["best"]["valid"]["of all five"]["ours"]
        say("valid instances on which ours has the best score, per cent", best, "-", True)
    for row in beside:
        ratio = row["check"]["sweep"] / row["check"]["bfs"]
        say(f"{row['model']}: check with a measure given, time over that of breadth-first search, at most", ratio, TARGET_TIME,
            ratio <= TARGET_TIME)
    tables.show("ltl-sweep/summary", ["", "measured", "target", ""],
                [[s["what"], number(s["value"]), s["target"],
                  "" if s["target"] == "-" else "ok" if s["ok"] else "missed"] for s in summary])
    return summary


def draw(lines, scored, journal, products, path):
    """Stored fractions and ratios of Table 1, and percentages of D, as far as they were measured."""
    valid = [(line, instance) for line, instance in lines if line in paper.VALID]
    drawing = plot.Drawing(1240, 70 + 290 * (bool(lines) + bool(valid) + bool(scored)))
    drawing.text(20, 28, "LTL-Sweep beside the published figures", size=15, bold=True)
    top = 90
    if lines:
        names = [line.name.replace(".prop", " ").replace("_", " ") for line, _ in lines]
        sizes = [products.size(instance, MOST)["states"] for _, instance in lines]
        stored = [[100 * journal.run(i, setting).get("stored", 0) / size for (_, i), size in zip(lines, sizes)]
                  for setting in (SWEEP, OURS)]
        drawing.text(20, top - 30, "States stored at a time, per cent of the product (Table 1)", bold=True)
        drawing.legend(640, top - 30, ["Sweep", "LTL-Sweep", "paper, Sweep", "paper, off-line"])
        plot.value_bars(drawing, 70, top, 1140, 170, names,
                        [*stored, *([100 * line.figures[c].stored for line, _ in lines] for c in ("Sweep", "off-line"))],
                        tilt=True)
        top += 290
    if valid:
        drawing.text(20, top - 30, "Visited by LTL-Sweep over Sweep, valid instances", bold=True)
        drawing.legend(640, top - 30, ["LTL-Sweep", "off-line, here", "paper, off-line", "paper, on-line"])
        found = [ratios(journal, instance, SWEEP) for _, instance in valid]
        printed = [[line.figures[c].visited / line.figures["Sweep"].visited for line, _ in valid]
                   for c in ("off-line", "on-line")]
        plot.value_bars(drawing, 70, top, 1140, 170, [line.name.replace("_", " ") for line, _ in valid],
                        [[f["ours"] for f in found], [f["off-line"] for f in found], *printed], tilt=True)
        top += 290
    if scored:
        names = [setting.name for setting in TABLE_2]
        drawing.text(20, top - 30, "Best score (stored times visited), per cent of the instances", bold=True)
        drawing.legend(640, top - 30, ["of all five", "of the paper's four", "paper"])
        labels = [f"{name}, {group}" for group in scored["best"] for name in names]
        series = [[scored["best"][group][what].get(name) for group in scored["best"] for name in names]
                  for what in ("of all five", "of the four")]
        series.append([paper.BEST_SCORE[group].get(name) for group in scored["best"] for name in names])
        plot.value_bars(drawing, 70, top, 1140, 170, labels, series, tilt=True)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="A,B,C,D,E,F,G", help="which parts to run (default: all)")
    parser.add_argument("--quick", action="store_true",
                        help="a few minutes: only small instances, at most 20 s per run, one repetition")
    parser.add_argument("--limit", type=int, default=20, metavar="S",
                        help="seconds a run of D may take, beside finding the measure")
    parser.add_argument("--limit-table-1", type=int, default=300, metavar="S", help="seconds a run of other parts may take")
    parser.add_argument("--most-states", type=int, default=MOST, metavar="N", help="product states in D, at most")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="runs side by side where only counts matter (B, C, D, G)")
    parser.add_argument("--repetitions", type=int, default=5, metavar="R", help="runs of part E")
    parser.add_argument("--other-builds", action="store_true",
                        help="count runs in the journal that another build of Tideline has made, perhaps on another machine")
    parser.add_argument("--details", action="store_true", help="list the instances of D")
    options = parser.parse_args()
    options.parts = set(options.parts.upper().replace(",", ""))
    if not options.parts <= set("ABCDEFG"):
        parser.error("--parts: there are A to G")
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
    means, scored, beside, summary = {}, None, [], []
    if "A" in options.parts:
        part_a(lines, journal, products)
    if "B" in options.parts:
        part_b(lines, journal, products)
    if "C" in options.parts:
        means = part_c(lines, journal)
    if "D" in options.parts:
        scored = part_d(at_hand, journal.with_limit(options.limit), products, options)
    if "E" in options.parts:
        beside = part_e(journal, options.repetitions)
    table_1 = lines if options.parts & set("BC") else []
    if "F" in options.parts:
        summary = part_f(table_1, journal, products, means, scored, beside)
    if "G" in options.parts:
        part_g(lines, journal, products)
    draw(table_1, scored, journal, products, RESULTS / "ltl-sweep.svg")
    write_results("ltl-sweep", {
        "out_of_the_box": [{"instance": line.name, **{e: journal.out_of_the_box(instance, e) for e in ("sweep", "ndfs")}}
                           for line, instance in lines] if "A" in options.parts else [],
        "table_1": [{"instance": line.name, "states": products.size(instance, MOST)["states"],
                     **{s.name: journal.run(instance, s) for s in TABLE_1}} for line, instance in table_1]
        if "B" in options.parts else [],
        "averages": means, "table_2": scored, "beside_bfs": beside, "summary": summary})


if __name__ == "__main__":
    main()
