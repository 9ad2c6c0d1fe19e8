"""Parts E, F and G of the suite por: the experiments with partial order reduction of Barnat, Brim and Rockai (see por_paper.py),
our figures beside theirs.
"""

import csv
import json
import math
import sys

import por_paper as paper
from journal import SlicedJournal
from measure import ROOT, run
from owcty import Experiment, choose_violated, totals
from owcty_runs import BEEM, Products, Setting, instances_at_hand
from por_runs import count, judged, limited, skipped, title

BOUND = ROOT / "build/bench/bench/por_bound"
TARGET_MEMORY = 7           # times less memory for leader election with eight processes
ELECTION_LIMITS = ("--time", "120s", "--memory", "8G")


# --- E: states of products --------------------------------------------------------------------------------------------


def product_states(file, *options):
    """owcty builds the whole product before it looks for cycles, so a violation does not end it early."""
    _, answer = limited("check", file, "--no-trace", "--engine", "owcty", *options)
    return answer["statistics"]["product_states"], answer["properties"][0]["verdict"]


def measure_products(files):
    rows = []
    for name, file in files.items():
        found = {way: product_states(file, *options) for way, options in (
            ("whole", ()), ("ample", ("--por=ample",)), ("stubborn", ("--por",)))}
        verdicts = {verdict for _, verdict in found.values()}
        if len(verdicts) != 1 or "unknown" in verdicts:
            sys.exit(f"{name}: the verdicts are {found}")
        rows.append({"instance": name, **{way: states for way, (states, _) in found.items()}, "no_condition": None,
                     "paper": paper.PRODUCTS[name]._asdict()})
    return rows


def add_bounds(rows, files):
    """What the same sets would visit without a condition on cycles."""
    if not BOUND.is_file():
        print(f"bench por, part E: without the last column, {BOUND.relative_to(ROOT)} is not there (make bench builds it)")
        return
    done = run([BOUND, *files.values()])
    if done.status:
        sys.exit(f"{BOUND}: exit code {done.status}\n{done.output}")
    for row, bound in zip(rows, json.loads(done.output)):
        if (bound["states"], bound["reduced"]) != (row["whole"], row["stubborn"]):
            sys.exit(f"{row['instance']}: por_bound counts {bound}, tideline {row}")
        row["no_condition"] = bound["no_condition"]


def part_e():
    files = {name: BEEM / name.split(".")[0] / f"{name}.dve" for name in paper.PRODUCTS}
    if missing := [str(file) for file in files.values() if not file.is_file()]:
        skipped("E", f"{missing[0]} is not there (see TIDELINE_BENCHMARKS)")
        return {}
    rows = measure_products(files)
    add_bounds(rows, files)
    title("E. States of the product (Fig. 11), in the paper: without reduction, with the stack proviso, with the\n"
          "   topological sort proviso; here: without reduction, with ample sets, with stubborn sets. 'no condition': the same\n"
          "   sets without any condition on cycles, which is unsound: no condition that makes sets larger leaves fewer")
    print(f"{'':<24}{'paper':^40}  |{'Tideline':^61}")
    print(f"{'':<24}{'whole':>8}{'stack':>16}{'sort':>16}  |{'whole':>8}{'--por=ample':>16}{'--por':>16}{'no condition':>16}")
    for row in rows:
        show_products(row["instance"], row)
    total = {way: sum(row[way] for row in rows) if all(row[way] is not None for row in rows) else None
             for way in ("whole", "ample", "stubborn", "no_condition")}
    total["paper"] = {way: sum(row["paper"][way] for row in rows) for way in ("whole", "stack", "sort")}
    show_products("all", total)
    return {"rows": rows, "targets": judge_products(rows, total)}


def show_products(name, row):
    def cell(states, whole):
        return f"{'-':>16}" if states is None else f"{states:>8,} {100 * states / whole:>5.1f}%".rjust(16)

    theirs = row["paper"]
    print(f"{name:<24}{theirs['whole']:>8,}{cell(theirs['stack'], theirs['whole'])}{cell(theirs['sort'], theirs['whole'])}  |"
          f"{row['whole']:>8,}" + "".join(cell(row[way], row["whole"]) for way in ("ample", "stubborn", "no_condition")),
          flush=True)


def judge_products(rows, total):
    """The targets, as printed and for the results."""
    different = [row["instance"] for row in rows if row["whole"] != row["paper"]["whole"]]
    targets = {"whole products as printed": not different}
    print(f"\nwithout reduction as printed: {len(rows) - len(different)} of {len(rows)} (target: all) {judged(not different)}")
    for way, name in (("ample", "--por=ample"), ("stubborn", "--por")):
        for proviso in ("stack", "sort"):
            good = total[way] <= total["paper"][proviso]
            targets[f"{name} at or below {proviso}"] = good
            below = sum(row[way] <= row["paper"][proviso] for row in rows)
            print(f"{name:<12} {total[way]:,} states in all, {proviso} proviso {total['paper'][proviso]:,} (target: at or below) "
                  f"{judged(good)}; at or below it in {below} of {len(rows)} rows")
    return targets


# --- F: early termination ---------------------------------------------------------------------------------------------


def part_f(most):
    if not (BEEM / "beem.csv").is_file():
        skipped("F", f"{BEEM / 'beem.csv'} is not there (see TIDELINE_BENCHMARKS)")
        return {}
    violated, _ = choose_violated(instances_at_hand(), Products(), most)
    experiment = Experiment(violated, SlicedJournal("owcty", math.inf))
    without, in_order = (experiment.runs(Setting(reduction=reduction)) for reduction in (False, True))
    with_it = experiment.runs(Setting(order="dfs", reduction=True))
    title(f"F. States visited on {len(violated)} violated instances with at most {most:,} product states, and how many end\n"
          "   early (Fig. 10): owcty-map, one value, one thread; breadth-first, with --por depth-first unless said otherwise")
    show_figure_10({"Tideline": without, "Tideline, --por": with_it, "Tideline, --por, breadth-first": in_order})
    show_changes(without, with_it)
    fewer = totals(with_it).early < totals(without).early
    print(f"early endings: {totals(without).early} without, {totals(with_it).early} with reduction (target: no fewer) "
          f"{judged(not fewer)}; {totals(in_order).early} with reduction and breadth-first")
    show_other_settings(experiment)
    return {"most_states": most, "targets": {"no fewer early endings": not fewer},
            "settings": [{"setting": str(setting), "totals": totals(runs)._asdict(), "runs": runs}
                         for (setting, _), runs in experiment.done.items()]}


def show_figure_10(ours):
    print(f"{'':<50}{'states':>12}{'average':>10}{'early':>9}")
    for which, words in (("all", "all"), ("early", "only those that end early")):
        for name, runs in ours.items():
            total = totals(chosen := [run for run in runs if which == "all" or run["early"]])
            show_early(f"{words}: {name}", total.states, total.states / max(1, len(chosen)), total.early, len(chosen))
        for (rows, tool), row in paper.EARLY.items():
            if rows == which:
                show_early(f"  paper: {tool}", *row)


def show_other_settings(experiment):
    print(f"\n   The same with other orders and more values, for which the paper has no runs with reduction\n\n"
          f"{'':<24}{'states':>12}{'--por':>12}{'early':>9}{'--por':>9}{'s':>8}{'--por':>8}")
    for setting in (Setting(order=order, values=values) for order in ("bfs", "dfs") for values in (1, 2, 3)):
        whole, reduced = (totals(experiment.runs(setting._replace(reduction=reduction))) for reduction in (False, True))
        print(f"{str(setting):<24}{whole.states:>12,}{reduced.states:>12,}{whole.early:>9}{reduced.early:>9}"
              f"{whole.seconds:>8.1f}{reduced.seconds:>8.1f}", flush=True)


def show_early(name, states, average, early, instances):
    print(f"{name:<50}{states:>12,}{average:>10,.0f}{f'{early}/{instances}':>9}")


def show_changes(without, with_it):
    pairs = list(zip(without, with_it))
    both = [pair for pair in pairs if pair[0]["early"] and pair[1]["early"]]
    whole, reduced = (sum(pair[i]["states"] for pair in both) for i in (0, 1))
    print(f"\nwhere both end early ({len(both)}): {whole:,} states without, {reduced:,} with reduction")
    gained = [w["instance"] for w, r in pairs if r["early"] and not w["early"]]
    lost = [w["instance"] for w, r in pairs if w["early"] and not r["early"]]
    print(f"early only with reduction: {' '.join(gained) or 'none'}; only without: {' '.join(lost) or 'none'}")
    for instance in (r["instance"] for pair in pairs for r in pair if r["verdict"] == "unknown"):
        print(f"{instance}: did not end in time, and counts as not early")


# --- G: leader election -----------------------------------------------------------------------------------------------


def elections():
    """(parameters, file) of BEEM's instances."""
    with open(BEEM / "beem.csv", encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            file = BEEM / row["model"] / row["prop_dve_file"]
            if row["model"] == "leader_election" and row["formula"] == "F elected" and file.is_file():
                yield row["parameters"], file


def measure_election(file):
    cells = {}
    for way, options in (("whole", ()), ("reduced", ("--por",))):
        done, answer = limited("check", file, "--no-trace", "--engine", "owcty-map", *ELECTION_LIMITS, *options)
        figures, verdict = answer["statistics"], answer["properties"][0]["verdict"]
        if verdict not in ("holds", "unknown"):
            sys.exit(f"{file.stem}, {way}: {verdict}, but it holds")
        cells[way] = {"ended": verdict == "holds", "states": figures["product_states"], "table_bytes": figures["table_bytes"],
                      "peak_bytes": figures["peak_rss_bytes"], "seconds": done.seconds}
    return cells


def part_g():
    if not (BEEM / "beem.csv").is_file():
        skipped("G", f"{BEEM / 'beem.csv'} is not there (see TIDELINE_BENCHMARKS)")
        return []
    title("G. Leader election, F(elected) (Fig. 12): owcty-map, one thread; MB: of the table of states, and the peak of the\n"
          f"   process; '>': ended by a limit ({' '.join(ELECTION_LIMITS)})")
    columns = f"{'states':>12}{'table MB':>10}{'peak MB':>9}{'s':>8}"
    print(f"{'':<40}{'whole':^39}  |{'--por':^39}  |{'times less memory':>18}")
    print(f"{'':<40}{columns}  |{columns}  |{'table':>9}{'peak':>9}")
    rows = []
    for parameters, file in elections():
        rows.append({"instance": file.stem, "parameters": parameters, **measure_election(file)})
        show_election(rows[-1])
    for n, row in paper.ELECTIONS.items():
        whole, reduced = (f"{gb} GB, {seconds} s" if cell else "did not fit"
                          for cell in row for seconds, gb in [cell or (None, None)])
        print(f"{f'paper, N={n}':<40}{whole:>39}  |{reduced:>39}")
    eight = [row for row in rows if row["parameters"] == "N=8" and row["whole"]["ended"] and row["reduced"]["ended"]]
    for row in eight:
        ratio = row["whole"]["table_bytes"] / row["reduced"]["table_bytes"]
        print(f"\nN=8: {ratio:,.0f} times less memory for states (target: {TARGET_MEMORY}; the paper's processes: "
              f"{paper.ELECTIONS[8].whole[1] / paper.ELECTIONS[8].reduced[1]:.1f}) {judged(ratio >= TARGET_MEMORY)}")
    return rows


def show_election(row):
    def cell(figures):
        states = f"{'' if figures['ended'] else '>'}{figures['states']:,}"
        return (f"{states:>12}{figures['table_bytes'] / 1e6:>10,.1f}{figures['peak_bytes'] / 1e6:>9,.1f}"
                f"{figures['seconds']:>8.2f}")

    def times(name):
        mark = "" if row["whole"]["ended"] else ">"
        return f"{mark}{row['whole'][name] / row['reduced'][name]:,.0f}"

    print(f"{row['instance'] + ' (' + row['parameters'] + ')':<40}{cell(row['whole'])}  |{cell(row['reduced'])}  |"
          f"{times('table_bytes'):>9}{times('peak_bytes'):>9}", flush=True)
