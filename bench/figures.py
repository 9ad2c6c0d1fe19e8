#!/usr/bin/env python3
"""The headline figures of all suites: what was committed, what was measured now, and what has become worse.

A suite writes all that it has measured to build/bench/. FIGURES says which few numbers of that are its headline figures, mostly
ratios of two runs that took turns on one machine. bench/figures/SUITE.json has those that were last committed, each with the
machine and the version that it was measured with.

    python3 bench/figures.py [SUITE ...]             compares what was measured here with what is committed
    python3 bench/figures.py --accept [SUITE ...]    makes it the committed one; figures that were not measured stay

A figure has changed when it differs by more than the noise of its kind:

    count   numbers of states, of models, of answers: nothing is noise
    ratio   of times or memory within one run: NOISE, since the better of two runs on a machine that is not quite idle
            differs by a tenth from one day to the next
    speed   seconds and states a second: the same, and only compared between runs on machines of the same name
"""

import argparse
import json
import re
import statistics
import sys
from typing import NamedTuple

import plot
from measure import RESULTS, ROOT, machine, version

COMMITTED = ROOT / "bench/figures"
NOISE = {"count": 0.0, "ratio": 0.1, "speed": 0.1}
PICTURE = RESULTS / "figures.svg"


class Figure(NamedTuple):
    value: float
    better: str         # "less" or "more"
    kind: str           # of NOISE
    machine: str = ""
    version: str = ""


# --- what the figures of a suite are: from its results to a dictionary ------------------------------------------------


def mean_of(rows, ratio):
    return statistics.geometric_mean([ratio(row) for row in rows])


def of_explore(rows):
    for row in rows:
        yield f"{row['instance']}: million states a second", Figure(row["rate_median"] / 1e6, "more", "speed")
        yield f"{row['instance']}: memory over packed states", Figure(row["bytes_a_state"] / row["state_bytes"], "less", "ratio")


def of_gpu(results):
    for row in results["models"]:
        yield f"{row['model']}: million states a second", Figure(row["states"] / row["seconds"] / 1e6, "more", "speed")
    for row in results["sweeps"]:
        yield f"{row['model']}, swept: million states a second", Figure(row["visited"] / row["seconds"] / 1e6, "more", "speed")
        yield f"{row['model']}, swept: on the card at most, part of all", Figure(row["stored_peak"] / row["visited"], "less", "ratio")


def of_native(results):
    if rows := results["end_to_end"]:
        yield "whole processes, interpreter over native", Figure(mean_of(rows, lambda r: r["interpreter"] / r["native"]), "more", "ratio")
        yield "million states a second", Figure(mean_of(rows, lambda r: r["states"] / r["native"] / 1e6), "more", "speed")
    if rows := results["steps"]:
        yield "steps alone, interpreter over native", Figure(mean_of(rows, lambda r: r["interpreter_s"] / r["native_s"]), "more", "ratio")


def of_spin(rows):
    for row in rows:
        yield f"{row['system']}: time over SPIN's search", Figure(row["over_search"], "less", "ratio")
        yield f"{row['system']}: time over SPIN and gcc", Figure(row["over_whole"], "less", "ratio")
        yield f"{row['system']}: memory over SPIN's", Figure(row["over_memory"], "less", "ratio")


def of_profile(results):
    for row in results["rows"]:
        yield (f"{row['engine']}, {row['model']}: time over that of memory alone",
               Figure(row["seconds_a_state"] / row["limit_a_state"], "less", "ratio"))


def of_ltl(formulas):
    for kind in ("buchi", "generalised"):
        ours, theirs = (sum(formula[kind][name] for formula in formulas) for name in ("states", "reference_states"))
        yield f"{kind}: states over Spot's", Figure(ours / theirs, "less", "count")


def of_store(results):
    times = {entry["name"]: entry["real_time"] for entry in results["benchmarks"]}

    def beside(ours, theirs):
        pairs = [(name, theirs + name.removeprefix(ours)) for name in times if name.startswith(ours)]
        found = [times[name] / times[other] for name, other in pairs if other in times]
        if found:
            yield f"{ours} over {theirs}", Figure(statistics.geometric_mean(found), "less", "ratio")

    yield from beside("insert/batched", "insert/plain")
    yield from beside("lookup/batched", "lookup/plain")
    yield from beside("insert/batched", "insert/std::unordered_set")
    yield from beside("successors/", "reference_successors/")


def of_forecast(rows):
    parts = [part for row in rows for part in row["parts"]]
    if parts:
        yield "within a factor of two, part", Figure(sum(0.5 <= p["estimated"] / p["seen"] <= 2 for p in parts) / len(parts), "more",
                                                    "ratio")


def of_level_forecast(rows):
    said = [second for row in rows for second in row["seconds"] if second["said"] and second["seen"]]
    if said:
        yield "within a factor of two, part", Figure(sum(0.5 <= s["said"]["done"] / s["seen"] <= 2 for s in said) / len(said), "more",
                                                    "ratio")


def of_por(results):
    if rows := results.get("A"):
        yield "states over LTSmin's", Figure(mean_of(rows, lambda r: r["reduced"] / r["ltsmin"]), "less", "count")
    if rows := results.get("B"):
        yield "our models: states over all", Figure(mean_of(rows, lambda r: r["reduced"] / r["states"]), "less", "count")
    if rows := results.get("C"):
        yield "time of a state, reduced over not", Figure(statistics.median(r["reduced_us"] / r["whole_us"] for r in rows), "less",
                                                         "ratio")
    if rows := [row for row in results.get("H") or () if not row["left_out"]]:
        yield "states over SPIN's", Figure(mean_of(rows, lambda r: r["reduced"] / r["spin_reduced"]), "less", "count")


def of_saturation(results):
    if rows := results.get("contest"):
        yield "nets with the recorded numbers", Figure(sum(row.get("right") is True for row in rows), "more", "count")
    if rows := results.get("answers"):
        yield "right answers", Figure(sum(row["result"] == "right" for row in rows), "more", "count")


MORE = re.compile(r"at least|speed|early termination|printed number|best score|on which")


def of_summary(results):
    """A suite with targets: those of its summary."""
    for entry in results["summary"]:
        name, value = re.sub(r", worst: .*", ", worst", entry["what"]), entry["value"]
        yield name, Figure(value, "more" if MORE.search(name) else "less", "count" if isinstance(value, int) else "ratio")


def of_scaling_summary(results):
    for what, mean, *_ in results["summary"]:
        yield what, Figure(float(mean), "more" if "speed" in what else "less", "ratio")


# By name of the file in build/bench/. The suite scaling is computed from others and has none.
FIGURES = {
    "explore": of_explore, "gpu": of_gpu, "native": of_native, "spin": of_spin, "profile": of_profile, "ltl": of_ltl, "store_bench": of_store,
    "exec_bench": of_store, "forecast": of_forecast, "level-forecast": of_level_forecast, "por": of_por,
    "saturation": of_saturation, "owcty": of_summary, "sweep": of_summary, "ltl-sweep": of_summary, "ctl-sweep": of_summary,
    "columns": of_summary, "threads": of_scaling_summary, "cluster": of_scaling_summary,
}
# Suites whose results have other names.
FILES = {"store": ("store_bench", "exec_bench"), "forecast": ("forecast", "level-forecast"), "scaling": ()}


def measured(name):
    """The figures of the last run of a suite here; empty where it has not run."""
    file = RESULTS / f"{name}.json"
    if not file.is_file():
        return {}
    found = json.loads(file.read_text(encoding="utf-8"))
    where, which, results = machine(), version(), found
    if isinstance(found, dict) and "results" in found:
        where, which, results = found["machine"], found.get("version", which), found["results"]
        if isinstance(results, dict) and results.get("machines"):
            where = ", ".join(results["machines"])
    return {what: figure._replace(machine=where, version=which) for what, figure in FIGURES[name](results)}


def committed(name):
    file = COMMITTED / f"{name}.json"
    if not file.is_file():
        return {}
    return {what: Figure(**figure) for what, figure in json.loads(file.read_text(encoding="utf-8")).items()}


def accept(name, now):
    """Makes figures the committed ones, beside those that were not measured."""
    COMMITTED.mkdir(exist_ok=True)
    figures = {what: {**figure._asdict(), "value": float(f"{figure.value:.4g}") if figure.kind != "count" else figure.value}
               for what, figure in {**committed(name), **now}.items()}
    (COMMITTED / f"{name}.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# --- comparing --------------------------------------------------------------------------------------------------------


class Change(NamedTuple):
    suite: str
    figure: str
    then: float | None
    now: float | None
    judged: str         # "", "better", "WORSE", "new", "not measured", "other machine"

    def factor(self):
        return self.now / self.then if self.then and self.now is not None else None


def judge(then, now):
    if then is None or now is None:
        return "new" if then is None else "not measured"
    if now.kind == "speed" and then.machine != now.machine:
        return "other machine"
    if abs(now.value - then.value) <= NOISE[now.kind] * abs(then.value) + 1e-9:
        return ""
    return "better" if (now.value < then.value) == (now.better == "less") else "WORSE"


def compare(suite, then, now):
    return [Change(suite, what, then[what].value if what in then else None, now[what].value if what in now else None,
                   judge(then.get(what), now.get(what))) for what in {**then, **now}]


def show(changes):
    def number(value):
        return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3g}"

    width = max(len(change.figure) for change in changes)
    print(f"{'suite':<15}{'figure':<{width}}{'then':>12}{'now':>12}{'change':>9}")
    for change in changes:
        factor = change.factor()
        percent = "" if factor is None else f"{(factor - 1) * 100:+.0f} %"
        print(f"{change.suite:<15}{change.figure:<{width}}{number(change.then):>12}{number(change.now):>12}{percent:>9}  "
              f"{change.judged}".rstrip())
    judged = [change.judged for change in changes]
    print(f"\n{judged.count('WORSE')} worse, {judged.count('better')} better, {judged.count('')} within the noise, "
          f"{judged.count('new')} new, {judged.count('not measured')} not measured, {judged.count('other machine')} of another machine")


def draw(changes, path):
    """A bar for each figure that was measured then and now: to the right it has grown, to the left it has shrunk."""
    drawn = [change for change in changes if change.factor() and change.judged != "other machine"]
    if not drawn:
        return
    row, left, middle, half = 16, 20, 760, 220
    drawing = plot.Drawing(1040, 70 + row * len(drawn))
    drawing.text(left, 26, "Figures now over those committed (orange: worse, green: better, grey: within the noise)", size=15, bold=True)
    colours = {"WORSE": plot.COLOURS[1], "better": plot.COLOURS[2], "": plot.COLOURS[3]}
    drawing.line([(middle, 44), (middle, 54 + row * len(drawn))])
    for at, change in enumerate(drawn):
        y = 50 + row * at
        grown = max(-1.0, min(1.0, change.factor() - 1))     # twice as much, or nothing, fills the half
        drawing.text(left, y + 11, f"{change.suite}: {change.figure}"[:90], size=10)
        drawing.bar(middle + half * min(grown, 0), y + 2, max(half * abs(grown), 1), row - 4, colours[change.judged])
        drawing.text(middle + half + 10, y + 11, f"{change.factor():.2f}", size=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.write(path)
    print(f"Drawn to {path.relative_to(ROOT)}")


def files_of(suites):
    """The names of results of these suites; all of them without a suite."""
    if not suites or "all" in suites:
        return list(FIGURES)
    names = [name for suite in suites for name in FILES.get(suite, (suite,))]
    if unknown := [name for name in names if name not in FIGURES]:
        sys.exit(f"figures: unknown suite {', '.join(unknown)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--accept", action="store_true", help="what was measured here becomes the committed figure")
    options = parser.parse_args()
    changes = []
    for name in files_of(options.suites):
        then, now = committed(name), measured(name)
        if options.accept and now:
            accept(name, now)
        elif not options.accept:
            changes += compare(name, then, now)
    if changes:
        show(changes)
        draw(changes, PICTURE)


if __name__ == "__main__":
    main()
