"""Part D of the suite por: markings of the contest's nets that a search visits, with and without reduction and --reduce-net, for
two questions that need all of them: is there a deadlock (where there is none), and a formula of which it is recorded that no
marking is found.
"""

import csv
import sys
import tempfile

from measure import BENCHMARKS
from por_runs import limited, skipped, title
from saturation_hybrid import single_formulas

CONTEST = BENCHMARKS / "mcc"
SECONDS = 10
WAYS = {"whole": (), "por": ("--por",), "reduced_net": ("--reduce-net",), "both": ("--por", "--reduce-net")}
COLUMNS = {"whole": "whole", "por": "--por", "reduced_net": "--reduce-net", "both": "both"}
FILES = ("ReachabilityCardinality.xml", "ReachabilityFireability.xml")


def find_markings(net, arguments, kinds):
    """The four cells of a row."""
    row = {}
    for way, options in WAYS.items():
        _, answer = limited("check", net, *arguments, "--no-trace", "--engine", "bfs", "--time", f"{SECONDS}s", *options)
        verdict = next(p["verdict"] for p in answer["properties"] if p["kind"] in kinds)
        row[way] = {"states": answer["statistics"].get("states", 0), "ended": verdict != "unknown", "verdict": verdict}
    verdicts = {row[way]["verdict"] for way in WAYS} - {"unknown"}
    if len(verdicts) > 1:
        sys.exit(f"{net}, {' '.join(map(str, arguments))}: the verdicts differ: {row}")
    return row


def recorded_answers():
    """Of formulas about reachability: (net, id) -> TRUE or FALSE."""
    with (CONTEST / "mcc.csv").open(encoding="utf-8", newline="") as table:
        return {(row["instance"], row["formula_id"]): row["expected"] for row in csv.DictReader(table)
                if row["category"].startswith("Reachability")}


def unreachable_goal(net, recorded, folder):
    """(id, file) of the first formula for which all markings have to be searched: AG that is true, or EF that is false."""
    for file in (net.parent / name for name in FILES):
        for formula, alone in single_formulas(file, folder) if file.is_file() else ():
            nothing_found = "TRUE" if "all-paths" in alone.read_text(encoding="utf-8") else "FALSE"
            if recorded.get((net.parent.name, formula)) == nothing_found:
                return formula, alone
    return None


def shown(cell):
    return f"{'' if cell['ended'] else '>'}{cell['states']:,}"


def show(name, row):
    print(f"{name[:43]:<44}" + "".join(f"{shown(row[way]):>13}" for way in WAYS), flush=True)


def show_heading(what):
    title(f"D. Petri nets: markings visited for {what}; '>': ended by a limit of {SECONDS} s")
    print(f"{'':<44}" + "".join(f"{column:>13}" for column in COLUMNS.values()))


def show_summary(rows):
    """How many end within the limit, and how many markings are left where all four do."""
    def total(way, chosen):
        return sum(row[way]["states"] for row in chosen)

    ended = [row for row in rows if all(row[way]["ended"] for way in WAYS)]
    print("\nwithin the limit: " + ", ".join(f"{COLUMNS[way]} {sum(row[way]['ended'] for row in rows)}" for way in WAYS)
          + f" of {len(rows)}\nmarkings of the {len(ended)} where all four are: "
          + ", ".join(f"{COLUMNS[way]} {total(way, ended):,}" for way in WAYS))


def part_d(names):
    nets = [net for net in sorted(CONTEST.rglob("model.pnml")) if names.search(net.parent.name)]
    if not nets:
        skipped("D", f"there are no nets in {CONTEST} (see TIDELINE_BENCHMARKS)")
        return {}
    show_heading("a deadlock")
    deadlocks = []
    for net in nets:
        deadlocks.append({"net": net.parent.name, **find_markings(net, ("--deadlock",), ("deadlock",))})
        show(deadlocks[-1]["net"], deadlocks[-1])
    show_summary(deadlocks)
    return {"deadlocks": deadlocks, "goals": unreachable_goals(nets)}


def unreachable_goals(nets):
    if not (CONTEST / "mcc.csv").is_file():
        skipped("D, formulas", f"{CONTEST / 'mcc.csv'} is not there (see TIDELINE_BENCHMARKS)")
        return []
    show_heading("a formula that none satisfies")
    recorded, rows = recorded_answers(), []
    with tempfile.TemporaryDirectory() as folder:
        for net in nets:
            if not (found := unreachable_goal(net, recorded, folder)):
                continue
            formula, file = found
            row = {"net": net.parent.name, "formula": formula,
                   **find_markings(net, ("--formulas", file), ("reach", "invariant"))}
            # Nothing is found: what should be reachable is not, or an invariant holds.
            for way in WAYS:
                if row[way]["verdict"] not in ("unknown", "holds" if "all-paths" in file.read_text() else "violated"):
                    sys.exit(f"{formula}, {way}: {row[way]['verdict']}, but it is recorded that nothing is found")
            rows.append(row)
            show(formula.replace("Reachability", "").replace("-2025", ""), row)
    show_summary(rows)
    return rows
