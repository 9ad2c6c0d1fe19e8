#!/usr/bin/env python3
"""The sweep-line as it is typed: `check MODEL --engine sweep` without a measure beside `check MODEL --engine bfs`.

  A  time, memory  of whole processes, one thread, on BEEM's models and on our models of the papers' examples. The property is
                   `--invariant true`, which makes both engines visit every state: a search for a deadlock ends at the first
                   one. For the same reason model errors do not end a run (--model-errors divine). Runs are logged for
                   counterexamples, as they are by default. Times are medians of runs that take turns
  B  measures      the states stored and visited with the measure that the sweep has found, beside those with the measure that
                   `tideline progress` finds on a sample of 200,000 states
  C  first layer   seconds spent on finding the measure before the first layer is swept, on all of BEEM's models and on the
                   nets of the contest
  D                the summary, with targets

A run that reaches the limit of time counts as if it had ended there, in tables with '>' before it. Runs are kept in
build/bench/sweep-runs.jsonl, so that an interrupted suite continues; those of another build of Tideline do not count.
"""

import argparse
import csv
import json
import math
import os
import re
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import columns_paper
import tables
from columns import configured
from journal import Journal
from measure import BENCHMARKS, RESULTS, ROOT, TIDELINE, machine, run, write_results

FIGURES = ("states", "visited", "stored_peak", "sweeps", "layers", "time_s", "measure_time_s", "coverage", "coverage_least",
           "coverage_most")
LEAST = 50_000                  # states of a model of part A
LARGE = 500_000                 # above it the stricter targets count
SAMPLE = 200_000                # states on which part B looks for a measure
FIRST_LAYER_LIMIT = 3           # seconds of a run of part C
# Our models of the papers' examples: the largest value of a constant in the papers, or one that gives enough states.
FAMILIES = [(example.model, example.constant, max(example.lines)) for example in columns_paper.EXAMPLES[:2]]
FAMILIES += [("stop_and_wait_channels.psl", "K", 500)]

TARGETS = {"time": 1.5, "memory": 0.6, "large_time": 1.3, "large_memory": 0.5, "large_mean": 1.0, "stored": 1.3, "first": 0.3}


class Model(NamedTuple):
    name: str
    file: Path
    states: int         # as recorded; 0: not recorded
    exact: bool         # else a lower bound

    def arguments(self):
        """The model, and for a language that has an error state, that searches go on from there."""
        return [self.file, "--model-errors", "divine"] if self.file.suffix == ".dve" else [self.file]


def beem_models():
    table = BENCHMARKS / "beem/beem.csv"
    if not table.is_file():
        print(f"bench sweep: BEEM's models are left out, {table} is not there (see TIDELINE_BENCHMARKS)")
        return []
    with table.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["type"] == "statespace"]
    models = [Model(row["dve_file"].removesuffix(".dve"), table.parent / row["model"] / row["dve_file"], int(row["states"]),
                    row["states_exact"] == "yes") for row in rows]
    return sorted((model for model in models if model.file.is_file()), key=lambda model: model.states)


def contest_nets():
    files = sorted((BENCHMARKS / "mcc").glob("*/model.pnml"))
    return [Model(file.parent.name, file, 0, False) for file in files]


def family_models(folder):
    files = [configured(folder, *family) for family in FAMILIES]
    return [Model(file.stem, file, 0, False) for file in files]


# --- runs -------------------------------------------------------------------------------------------------------------


def answer_of(command, model, *arguments, seconds):
    """One run with its answer. Without --quiet, as it is typed: what a measure is worth is then tried out for the notes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.json"
        done = run([TIDELINE, command, *model.arguments(), *arguments, "--time", f"{seconds}s", "--json", file])
        if done.status not in (0, 1, 3):
            sys.exit(f"tideline {command} {model.file} {' '.join(map(str, arguments))}: exit code {done.status}\n{done.output}")
        answer = json.loads(file.read_text(encoding="utf-8"))
    statistic = answer["statistics"]
    return {"machine": machine(), "seconds": done.seconds, "peak_bytes": statistic["peak_rss_bytes"], "limit": None if done.status != 3 else seconds,
            **{name: statistic.get(name) for name in FIGURES}}


class Runs:
    """The runs of the suite, each made once."""

    def __init__(self, options):
        self.options, self.journal = options, Journal("sweep", options.other_builds)

    def timed(self, model, engine, turn):
        limit = self.options.limit
        return self.journal.once(model.name, f"{engine} {turn}", limit, lambda: answer_of(
            "check", model, "--engine", engine, "--invariant", "true", seconds=limit))

    def sampled(self, model):
        """A sweep with the measure of a large sample; None when there is no measure that helps."""
        limit = self.options.limit
        return self.journal.once(model.name, "sampled", limit, lambda: self._sampled(model, limit))

    def first_layer(self, model):
        """Seconds before the first layer; the limit when it was not reached."""
        return self.journal.once(model.name, "first layer", FIRST_LAYER_LIMIT, lambda: answer_of(
            "check", model, "--engine", "sweep", "--invariant", "true", seconds=FIRST_LAYER_LIMIT))

    def _sampled(self, model, limit):
        with tempfile.TemporaryDirectory() as folder:
            measure = Path(folder) / "measure"
            done = run([TIDELINE, "progress", *model.arguments(), "--limit", SAMPLE, "--time", f"{limit}s", "--quiet",
                        "--save", measure])
            if done.status not in (0, 3):
                sys.exit(f"tideline progress {model.file}: exit code {done.status}\n{done.output}")
            if not measure.is_file():
                return {"stored_peak": None, "limit": limit}
            return answer_of("explore", model, "--engine", "sweep", "--progress-file", measure, "--quiet", seconds=limit)


# --- the parts --------------------------------------------------------------------------------------------------------


def medians(runs, model, repetitions):
    """Both engines of part A, taking turns."""
    turns = {"bfs": [], "sweep": []}
    for turn in range(repetitions):
        for engine, results in turns.items():
            results.append(runs.timed(model, engine, turn))
    bfs, sweep = ({"seconds": statistics.median(r["seconds"] for r in results),
                   "bytes": statistics.median(r["peak_bytes"] for r in results),
                   "limit": any(r["limit"] for r in results)} for results in turns.values())
    last, states = turns["sweep"][-1], turns["bfs"][-1]["states"]
    return {"name": model.name, "states": states, "bfs": bfs, "sweep": sweep, "sweeps": last["sweeps"],
            "time_ratio": sweep["seconds"] / bfs["seconds"], "memory_ratio": sweep["bytes"] / bfs["bytes"],
            "stored": None if sweep["limit"] else last["stored_peak"] / states,
            "visited": None if sweep["limit"] else last["visited"] / states, "measure_s": last["measure_time_s"]}


def add_sampled(row, result):
    """Part B: what the measure of a large sample stores, and how much more the one that was found stores."""
    known = not result["limit"] and result["stored_peak"] is not None
    row["sampled"] = result["stored_peak"] / row["states"] if known else None
    row["sampled_visited"] = result["visited"] / row["states"] if known else None
    row["stored_ratio"] = row["stored"] / row["sampled"] if known and row["stored"] is not None else None


def number(value, form, absent="-"):
    return absent if value is None else format(value, form)


def cells(row):
    mark = ">" if row["sweep"]["limit"] else ""
    return [row["name"], f"{row['states']:,}", f"{row['bfs']['seconds']:.2f}", f"{mark}{row['sweep']['seconds']:.2f}",
            f"{mark}{row['time_ratio']:.2f}", f"{row['bfs']['bytes'] / 1e6:.1f}", f"{row['sweep']['bytes'] / 1e6:.1f}",
            f"{row['memory_ratio']:.2f}", number(row["stored"], ".1%"), number(row["visited"], ".0%"), number(row["sweeps"], ","),
            number(row["measure_s"], ".2f"), number(row["sampled"], ".1%"), number(row["stored_ratio"], ".2f"),
            number(row["sampled_visited"], ".0%")]


HEADINGS = ["model", "states", "bfs s", "sweep s", "ratio", "bfs MB", "sweep MB", "ratio", "stored", "visited", "sweeps", "measure s",
            "sampled", "ratio", "visited"]
WIDTHS = [25, 12, 8, 9, 8, 8, 9, 7, 8, 9, 7, 10, 9, 7, 9]


def line(texts):
    first, *rest = zip(texts, WIDTHS)
    return f"{first[0]:<{first[1]}}" + "".join(f"{text:>{width}}" for text, width in rest)


def parts_a_and_b(runs, models, options):
    print(f"A, B. Whole processes, medians of {options.runs} runs that take turns. 'stored' and 'visited': per cent of the states;\n"
          "      'sampled': stored with the measure of a large sample; then stored over sampled, and what that measure visits\n")
    print(line(HEADINGS))
    with ThreadPoolExecutor(options.jobs) as pool:      # counts only, so they may run side by side
        list(pool.map(runs.sampled, models))
    rows = []
    for model in models:
        row = medians(runs, model, options.runs)
        if row["bfs"]["limit"]:
            print(f"{model.name:<25}left out: bfs reaches the limit of {options.limit} s")
            continue
        add_sampled(row, runs.sampled(model))
        rows.append(row)
        print(line(cells(row)), flush=True)
    return rows


def part_c(runs, models, nets):
    """Models whose first layer was late, and how many were looked at."""
    print(f"\nC. Seconds before the first layer is swept, where they are above {TARGETS['first']}\n")
    result = {}
    for kind, group in (("models", models), ("nets", nets)):
        times = {model.name: number_of_seconds(runs.first_layer(model)) for model in group}
        late = {name: seconds for name, seconds in times.items() if seconds > TARGETS["first"]}
        result[kind] = {"looked_at": len(times), "late": late}
        for name, seconds in sorted(late.items(), key=lambda pair: -pair[1]):
            print(f"{name:<40}{seconds:>8.2f}" + (" or more" if seconds >= FIRST_LAYER_LIMIT else ""), flush=True)
    return result


def number_of_seconds(result):
    """Without the figure the limit was reached before the measure was found."""
    return FIRST_LAYER_LIMIT if result["measure_time_s"] is None else result["measure_time_s"]


def part_d(rows, first):
    print("\nD. Summary\n")
    summary = []

    def say(what, value, target, good, form=".2f"):
        summary.append({"what": what, "value": value, "target": target, "ok": good})
        print(f"{what:<100}{value:>8{form}}   target {target:<6} {'ok' if good else 'MISSED'}", flush=True)

    def at_most(what, value, target):
        say(f"{what}, at most", value, target, value <= target)

    def nine_of_ten(what, good):
        if good:
            say(f"{what}: on how many of {len(good)}, at least", sum(good), math.ceil(0.9 * len(good)), sum(good) >= 0.9 * len(good),
                ",")

    rows = [row for row in rows if row["states"] >= LEAST]
    if rows:
        at_most("median of sweep's time over bfs's", statistics.median(row["time_ratio"] for row in rows), TARGETS["time"])
        at_most("median of sweep's memory over bfs's", statistics.median(row["memory_ratio"] for row in rows), TARGETS["memory"])
    good = [row for row in rows if row["states"] > LARGE and halves(row)]
    if good:
        where = f"more than {LARGE:,} states, at most half of them stored"
        nine_of_ten(f"{where}: time at most {TARGETS['large_time']}", [r["time_ratio"] <= TARGETS["large_time"] for r in good])
        nine_of_ten(f"{where}: memory at most {TARGETS['large_memory']}", [r["memory_ratio"] <= TARGETS["large_memory"] for r in good])
        forward = [r["time_ratio"] <= TARGETS["large_time"] for r in good
                   if r["sampled_visited"] is not None and r["sampled_visited"] <= TARGETS["large_time"]]
        nine_of_ten(f"of these, where the sample's measure visits a state at most {TARGETS['large_time']} times: time at most "
                    f"{TARGETS['large_time']}", forward)
        at_most(f"{where}: geometric mean of time", statistics.geometric_mean(r["time_ratio"] for r in good), TARGETS["large_mean"])
    nine_of_ten(f"stored at most {TARGETS['stored']} of what the sample's measure stores",
                [row["stored_ratio"] is not None and row["stored_ratio"] <= TARGETS["stored"] for row in rows
                 if row["sampled"] is not None])
    for kind, result in first.items():
        if result["looked_at"]:
            say(f"first layer later than {TARGETS['first']} s: how many of {result['looked_at']} {kind}", len(result["late"]), 0,
                not result["late"], ",")
    return summary


def halves(row):
    """Whether the better one of the two measures stores at most half."""
    known = [part for part in (row["stored"], row["sampled"]) if part is not None]
    return bool(known) and min(known) <= 0.5


def write_tables(rows, first, summary):
    """As the documents have them, see the comments `table: sweep/...` there."""
    tables.write("sweep/models", HEADINGS, list(map(cells, rows)))
    tables.write("sweep/summary", ["figure", "value", "target", ""],
          [[s["what"], format(s["value"], ".2f" if isinstance(s["value"], float) else ","), f"{s['target']}",
            "ok" if s["ok"] else "missed"] for s in summary])
    late = {name: seconds for result in first.values() for name, seconds in result["late"].items()}
    tables.write("sweep/first-layer", ["model", "seconds before the first layer"],
          [[name, f"{seconds:.2f}"] for name, seconds in sorted(late.items(), key=lambda pair: -pair[1])])


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABC", help="which parts to run (default: all; A and B go together, D always)")
    parser.add_argument("--runs", type=int, default=5, metavar="R", help="runs of each engine, of which the median counts")
    parser.add_argument("--most-states", type=int, default=5_000_000, metavar="N", help="recorded states of a model of A, at most")
    parser.add_argument("--models", type=re.compile, default=re.compile(""), metavar="REGEX", help="only these models and nets")
    parser.add_argument("--limit", type=int, default=120, metavar="S", help="seconds that a run may take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="runs side by side where only counts matter (B)")
    parser.add_argument("--other-builds", action="store_true",
                        help="count runs in the journal that another build of Tideline has made")
    options = parser.parse_args()
    options.parts = set(options.parts.upper().replace(",", ""))
    if not options.parts <= set("ABCD"):
        parser.error("--parts: there are A, B, C and D")
    return options


def main():
    options = read_options()
    runs = Runs(options)
    beem = [model for model in beem_models() if options.models.search(model.name)]
    nets = [net for net in contest_nets() if options.models.search(net.name)]
    rows, first = [], {}
    print(f"{machine()}\n")
    with tempfile.TemporaryDirectory() as folder:
        if options.parts & set("AB"):
            large = [model for model in beem if model.exact and LEAST <= model.states <= options.most_states]
            families = [model for model in family_models(folder) if options.models.search(model.name)]
            rows = parts_a_and_b(runs, [*large, *families], options)
    if "C" in options.parts:
        first = part_c(runs, beem, nets)
    summary = part_d(rows, first)
    write_tables(rows, first, summary)
    runs.journal.show_machines("sweep/machine")
    write_results("sweep", {"runs": options.runs, "models": rows, "first_layer": first, "summary": summary})


if __name__ == "__main__":
    main()
