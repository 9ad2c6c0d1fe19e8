"""Parts F and G of the suite saturation: random LTL formulas by class (random_formulas.py) on all nets at hand, those of the contest
and some of our families. Three things are timed, as whole processes with a limit of seconds: the search for cycles while
saturating (Hyb-MC), the states alone by saturation, once per net, and an explicit search of the product.

A point in the drawings is a formula about a net. A run that reached its limit is drawn at the limit.
"""

import collections
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nets
import plot
import random_formulas
from measure import TIDELINE, run
from random_formulas import CLASSES
from saturation_contest import CONTEST, examinations
from saturation_runs import check, share, solved, tideline

FAMILIES = {"philosophers": (10, 100), "kanban": (5, 50), "fms": (5, 20), "slots": (5, 20), "tokens": (5, 10)}
READING = 1.0           # seconds: nets that take longer to read are left out
PAPER = "paper: 7,850 formulas about 157 nets, 600 s; 2,811 hold, 3,565 are violated, 1,474 not decided by any tool"
SEARCHES = {"hybrid": "Hyb-MC", "explicit": "explicit", "space": "states alone"}


# --- Runs -------------------------------------------------------------------------------------------------------------


def nets_at_hand(chosen, folder):
    """(name, file), the contest's first."""
    found = [(name, CONTEST / name / "model.pnml") for name in dict.fromkeys(rows[0]["instance"] for rows in examinations(chosen))]
    for family, sizes in FAMILIES.items():
        for size in sizes:
            if chosen(f"{family}-{size}"):
                path = Path(folder) / f"{family}-{size}.pnml"
                path.write_text("\n".join(nets.FAMILIES[family](size).pnml()) + "\n", encoding="utf-8")
                found.append((path.stem, path))
    return found


def quick_to_read(path):
    return run([TIDELINE, "simulate", path, "--random", "--steps", 1]).seconds <= READING


def run_net(name, path, journal, options):
    """A row for each formula."""
    limits = f"{options.formula_time:g}s {options.memory}"

    def once(what, make):
        return journal.once(name, f"{what} {limits}", None, make)

    def states():
        done, answer = tideline("explore", path, options.formula_time, options.memory, "--engine", "symbolic")
        return {"verdict": "complete" if answer["complete"] else "unknown", "seconds": done.seconds}

    def search(engine, formula):
        return once(f"random {engine} {formula}", lambda: check(path, options.formula_time, options.memory, "--engine", engine,
                                                                "--ltl", formula))

    space = once("states", states)
    return [{"net": name, "class": kind, "formula": formula, "space": space, "hybrid": search("symbolic", formula),
             "explicit": search(options.explicit, formula)}
            for kind, formula in random_formulas.formulas(path, options.formulas, options.seed)]


def run_all(at_hand, journal, options):
    with ThreadPoolExecutor(options.jobs) as pool:
        taken = [net for net, quick in zip(at_hand, pool.map(lambda net: quick_to_read(net[1]), at_hand)) if quick]
        for name in {name for name, _ in at_hand} - {name for name, _ in taken}:
            print(f"{name}: left out, takes more than {READING:g} s to read")
        return [row for rows in pool.map(lambda net: run_net(*net, journal, options), taken) for row in rows]


# --- Tables -----------------------------------------------------------------------------------------------------------


def show_classes(rows):
    print(f"{'class':<14}{'formulas':>9}" + "".join(f"{name:>14}" for name in SEARCHES.values())
          + f"{'hold':>9}{'violated':>10}{'neither':>9}")
    table = []
    for kind in (*CLASSES, "all"):
        of = [row for row in rows if kind in (row["class"], "all")]
        verdicts = collections.Counter(verdict(row) for row in of)
        table.append({"class": kind, "formulas": len(of), **{key: sum(solved(row[key]) for row in of) for key in SEARCHES},
                      **verdicts})
        print(f"{kind:<14}{len(of):>9,}" + "".join(f"{table[-1][key]:>14,}" for key in SEARCHES)
              + f"{verdicts['holds']:>9,}{verdicts['violated']:>10,}{verdicts['unknown']:>9,}")
    return table


def verdict(row):
    """The verdict of the searches that finished; differences are shown elsewhere."""
    return row["hybrid"]["verdict"] if solved(row["hybrid"]) else row["explicit"]["verdict"]


def beside(rows, other):
    """How often Hyb-MC is done sooner, and the other, of the formulas that one of them solves."""
    either = [row for row in rows if solved(row["hybrid"]) or solved(row[other])]
    sooner = sum(order(row, other) > 0 for row in either)
    return sooner, sum(order(row, other) < 0 for row in either), len(either)


def order(row, other):
    """Positive where Hyb-MC is done and the other is not or takes longer."""
    mine, theirs = (row[key]["seconds"] if solved(row[key]) else math.inf for key in ("hybrid", other))
    return (theirs > mine) - (theirs < mine)


def compared(rows):
    """The rows that both Hyb-MC and the explicit search decide."""
    return [row for row in rows if solved(row["hybrid"]) and solved(row["explicit"])]


def differing(rows):
    return [row for row in compared(rows) if row["hybrid"]["verdict"] != row["explicit"]["verdict"]]


# --- Drawings ---------------------------------------------------------------------------------------------------------


def draw_scatter(rows, limit, path):
    drawing = plot.Drawing(1000, 580)
    drawing.text(20, 28, "Random LTL formulas: Hyb-MC beside the states alone, and beside an explicit search", size=15, bold=True)
    drawing.legend(20, 52, CLASSES)
    span = (0.7 * min(row[key]["seconds"] for row in rows for key in SEARCHES), 1.3 * limit)
    for left, other in ((75, "space"), (575, "explicit")):
        scatter(drawing, left, 110, 390, rows, other, limit, span)
    drawing.text(20, 567, f"{len(rows):,} formulas about {len({row['net'] for row in rows})} nets; above the diagonal Hyb-MC is done "
                 f"sooner; dashed: the limit of {limit:g} s", size=11, colour=plot.GREY)
    drawing.write(path)


def scatter(drawing, left, top, side, rows, other, limit, span):
    drawing.text(left, top - 12, f"{SEARCHES[other]}, seconds", bold=True)
    place = plot.log_axes(drawing, left, top, side, side, span, span, "Hyb-MC, seconds", down=True)
    drawing.line([place(span[0], span[0]), place(span[1], span[1])], plot.GREY)
    drawing.line([place(span[0], limit), place(limit, limit), place(limit, span[0])], plot.GREY, dash="4,3")
    for row in rows:
        x, y = (min(row[key]["seconds"], limit) if solved(row[key]) else limit for key in ("hybrid", other))
        drawing.dot(*place(x, y), plot.COLOURS[CLASSES.index(row["class"])], 2.2, 0.55)


def magnitudes(rows, other, limit):
    """How many formulas take the other so many times as long in orders of magnitude; those that neither solves are left out."""
    counts = collections.Counter()
    for row in rows:
        if solved(row["hybrid"]) or solved(row[other]):
            mine, theirs = (row[key]["seconds"] if solved(row[key]) else limit for key in ("hybrid", other))
            counts[round(math.log10(theirs / mine))] += 1
    return counts


def decade_counts(rows, key):
    """How many runs that were done took up to 0.01, 0.1, ... seconds, more than the tenth; and how many were not done."""
    return collections.Counter(max(-2, math.ceil(math.log10(row[key]["seconds"]))) if solved(row[key]) else None for row in rows)


def draw_times(rows, limit, path):
    drawing = plot.Drawing(1000, 400)
    drawing.text(20, 28, "Random LTL formulas: times", size=15, bold=True)
    for left, other in ((65, "space"), (375, "explicit")):
        counts = magnitudes(rows, other, limit)
        reach = max(map(abs, counts), default=1)
        groups = range(-reach, reach + 1)
        drawing.text(left - 45, 68, f"Hyb-MC beside {SEARCHES[other]}", bold=True)
        plot.value_bars(drawing, left, 90, 250, 230, [f"{group:+d}" if group else "0" for group in groups],
                        [[counts[group] or None for group in groups]])
        drawing.text(left + 250, 358, "orders of magnitude; +1: Hyb-MC", "end", 11, plot.GREY)
        drawing.text(left + 250, 373, "took a tenth of the time", "end", 11, plot.GREY)
    keys = ("hybrid", "space", "explicit")
    counts = [decade_counts(rows, key) for key in keys]
    decades = range(-2, max(-1, math.ceil(math.log10(limit))) + 1)
    drawing.text(640, 68, "Runs by their time", bold=True)
    x = 685
    for number, key in enumerate(keys):
        drawing.bar(x, 76, 9, 9, plot.COLOURS[number])
        drawing.text(x + 13, 85, SEARCHES[key], size=11)
        x += 23 + 7 * len(SEARCHES[key])
    groups = [f"{min(10.0**decade, limit):g} s" for decade in decades] + ["not done"]
    plot.value_bars(drawing, 685, 90, 295, 230, groups, [[of[decade] or None for decade in (*decades, None)] for of in counts])
    drawing.text(980, 358, "up to so many seconds", "end", 11, plot.GREY)
    drawing.write(path)


# --- The parts --------------------------------------------------------------------------------------------------------


def part_f(folder, chosen, journal, options):
    print(f"\nF. Random LTL formulas: {options.formulas} per net, seed {options.seed}, {options.formula_time:g} s and {options.memory} "
          f"each; solved\n", flush=True)
    rows = run_all(nets_at_hand(chosen, folder)[:options.max_nets], journal, options)
    if not rows:
        print("skipped, there are no such nets")
        return rows
    show_classes(rows)
    print(f"{len({row['net'] for row in rows})} nets ({PAPER})\n")
    for other in ("space", "explicit"):
        sooner, later, either = beside(rows, other)
        print(f"Hyb-MC beside {SEARCHES[other]}, of {either:,} formulas that one of the two solves: sooner {sooner:,} "
              f"({share(sooner, either)}), later {later:,}")
    early = [row["hybrid"] for row in rows if row["hybrid"]["verdict"] == "violated"]
    print(f"violations found before all states were known: {sum(result.get('early', 0) for result in early):,} of {len(early):,}")
    return rows


def part_g(rows, options):
    """From the runs of F: nothing more has to be run."""
    print(f"\nG. Random LTL formulas: Hyb-MC and the explicit engine {options.explicit}, where both are done\n")
    both, different = compared(rows), differing(rows)
    print(f"{len(both):,} verdicts about {len({row['net'] for row in both})} nets compared, {len(different)} differ")
    for row in different:
        print(f"WRONG  {row['net']}: {row['formula']}: Hyb-MC says {row['hybrid']['verdict']}, {options.explicit} "
              f"{row['explicit']['verdict']}")
    return {"compared": len(both), "nets": len({row["net"] for row in both}), "differ": different}
