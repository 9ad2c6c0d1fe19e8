"""Part H of the suite por: the reductions of SPIN and of Tideline on the same protocols, written in Promela and in DVE.

The models are translations of BEEM's into Promela that others have made, and Peterson's algorithm of spin_pairs.py. Those are
compared that have the same number of states in both languages without reduction. SPIN also shrinks models before it searches:
it merges statements and forgets variables that are no longer read. That is switched off here (-o1 -o2 -o3), so that
the counts show reductions alone; what SPIN visits with all of it, as it comes, is a column of its own.
"""

import math
import statistics
import tempfile
from pathlib import Path

from measure import BENCHMARKS
from por_runs import compare, count, dve_file, explore, skipped, title
from spin_pairs import peterson
from spin_runs import build_search, missing_programs, run_search

TRANSLATIONS = BENCHMARKS / "promela/utwente-fmt+spins/tests/beem/all"
PLAIN = ("-o1", "-o2", "-o3")
PROCESSES = (3, 4, 5)


def spin_states(promela, reduction, options=PLAIN):
    """States, seconds of the search and seconds of the build."""
    with tempfile.TemporaryDirectory() as folder:
        build_seconds = build_search(Path(folder), promela, reduction, options)
        search = run_search(Path(folder))
    return {"states": search.states, "seconds": search.seconds, "build_seconds": build_seconds}


def beside_spin(name, promela, dve):
    """A row, or what differs."""
    whole, ours = spin_states(promela, reduction=False), explore(dve)["states"]
    if whole["states"] != ours:
        return {"model": name, "spin_states": whole["states"], "states": ours, "left_out": True}
    reduced, default = spin_states(promela, reduction=True), spin_states(promela, reduction=True, options=())
    return {**compare(dve), "model": name, "left_out": False, "spin_states": whole["states"], "spin_reduced": reduced["states"],
            "spin_default": default["states"], "spin_seconds": whole["seconds"], "spin_reduced_seconds": reduced["seconds"],
            "spin_build_seconds": reduced["build_seconds"]}


def twins(folder):
    """(name, Promela, DVE file) of each protocol that is there in both languages."""
    for file in sorted(TRANSLATIONS.glob("*.pm")):
        if dve := dve_file(f"{file.stem}.dve"):
            yield file.stem, file.read_text(encoding="utf-8"), dve
    for n in PROCESSES:
        pair = peterson(n)
        dve = Path(folder) / f"{pair.name}.dve"
        dve.write_text(pair.dve)
        yield pair.title, pair.promela, dve


def show(row):
    print(f"{row['model']:<24}{row['states']:>10,}{row['spin_reduced']:>11,}{row['reduced']:>11,}"
          f"{row['reduced'] / row['spin_reduced']:>7.2f}{count(row['with_errors']):>12}{row['spin_default']:>11,}"
          f"{row['spin_build_seconds']:>9.2f}{row['spin_reduced_seconds']:>8.2f}{row['reduced_seconds']:>8.2f}", flush=True)


def part_h():
    if missing := missing_programs():
        skipped("H", f"there is no {' and no '.join(missing)} (scripts/setup --bench)")
        return []
    if not TRANSLATIONS.is_dir():
        print(f"bench por, part H: without BEEM's models in Promela, {TRANSLATIONS} is not there (see TIDELINE_BENCHMARKS)")
    title("H. SPIN and Tideline on the same protocols: states without reduction (equal), with SPIN's and with ours; with ours\n"
          "   that preserves model errors as well ('-': the model has a deadlock, which ends that search); SPIN's defaults,\n"
          "   which also merge statements and forget dead variables; seconds: of building SPIN's search, and of the\n"
          "   processes that search")
    print(f"{'':<24}{'states':>10}{'SPIN':>11}{'Tideline':>11}{'ratio':>7}{'errors kept':>12}{'defaults':>11}"
          f"{'build s':>9}{'SPIN s':>8}{'ours s':>8}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, promela, dve in twins(folder):
            rows.append(beside_spin(name, promela, dve))
            if not rows[-1]["left_out"]:
                show(rows[-1])
    show_summary(rows)
    return rows


def show_summary(rows):
    def wins(rival):
        return sum(row["reduced"] <= row[rival] for row in compared)

    compared = [row for row in rows if not row["left_out"]]
    ratios = [row["reduced"] / row["spin_reduced"] for row in compared]
    if compared:
        print(f"\nat or below SPIN's count: {wins('spin_reduced')} of {len(compared)}; geometric mean of the ratios "
              f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}; at or below SPIN's with its defaults: "
              f"{wins('spin_default')} of {len(compared)}")
    different = [f"{row['model']} ({row['spin_states']:,} in SPIN, {row['states']:,} here)" for row in rows if row["left_out"]]
    if different:
        print(f"left out, since the number of states differs without reduction: {'; '.join(different)}")
