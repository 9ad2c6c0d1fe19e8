#!/usr/bin/env python3
"""How well a sweep tells how much of it is done: BEEM's models whose sweep is a single one.

A model is swept to its end with the measure that `tideline progress` finds on a sample, and then again with a limit of a part
of that time. The answer of the second run says which part of the states it has seen (`coverage`, with a range); the first run
knows. An estimate is good when it is wrong by a factor of two at most. Models that need several sweeps are left out, as nothing
is said about these as a whole.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from measure import RESULTS, ROOT, TIDELINE, run, write_results
from sweep import Model, answer_of, beem_models

PARTS = (0.1, 0.2, 0.5)         # of the time
JUDGED = 0.2                    # the part with a target
TARGET = 0.9                    # of the models
LEAST_SECONDS = 0.05            # shorter sweeps are over before a limit is looked at


def sweep(model, measure, seconds):
    return answer_of("explore", model, "--engine", "sweep", "--progress-file", measure, "--quiet", seconds=seconds)


def estimates(model: Model, folder, options):
    """The parts that were seen and those that were estimated; None: the model needs several sweeps, or is too short."""
    measure = Path(folder) / f"{model.name}.measure"
    done = run([TIDELINE, "progress", *model.arguments(), "--limit", options.sample, "--time", f"{options.limit}s", "--quiet",
                "--save", measure])
    if done.status not in (0, 3):
        sys.exit(f"tideline progress {model.file}: exit code {done.status}\n{done.output}")
    whole = sweep(model, measure, options.limit) if measure.is_file() else {"limit": options.limit}
    if whole["limit"] or whole["sweeps"] != 1 or whole["time_s"] < LEAST_SECONDS:
        return None
    row = {"name": model.name, "states": whole["states"], "layers": whole["layers"], "parts": []}
    for part in PARTS:
        cut = sweep(model, measure, part * whole["time_s"])
        if cut["coverage"]:
            row["parts"].append({"part": part, "seen": cut["visited"] / whole["states"], "estimated": cut["coverage"],
                                 "least": cut["coverage_least"], "most": cut["coverage_most"]})
    return row


def good(part):
    return 0.5 <= part["estimated"] / part["seen"] <= 2


def cell(part):
    return f"{part['seen']:.0%}: {part['estimated']:.0%} ({100 * part['least']:.0f}-{100 * part['most']:.0f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least-states", type=int, default=50_000, metavar="N", help="recorded states of a model, at least")
    parser.add_argument("--most-states", type=int, default=5_000_000, metavar="N", help="and at most")
    parser.add_argument("--models", type=re.compile, default=re.compile(""), metavar="REGEX", help="only these models")
    parser.add_argument("--sample", type=int, default=60_000, metavar="N", help="states on which a measure is looked for")
    parser.add_argument("--limit", type=int, default=60, metavar="S", help="seconds that a run may take")
    options = parser.parse_args()
    models = [model for model in beem_models() if model.exact and options.models.search(model.name)
              and options.least_states <= model.states <= options.most_states]

    print("Part of the states seen: the estimate (its range), after a tenth, a fifth and half of the time\n")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            row = estimates(model, folder, options)
            if row:
                rows.append(row)
                print(f"{row['name']:<22}{row['states']:>12,}{row['layers']:>9,} layers  "
                      + "".join(f"{cell(part):<22}{'' if good(part) else 'x':<3}" for part in row["parts"]), flush=True)
    print(f"\n{len(rows)} of {len(models)} models have a single sweep of {LEAST_SECONDS} s or more\n")
    lines = ["| after | models | within a factor of two | the range holds the truth |", "| --- | ---: | ---: | ---: |"]
    for part in PARTS:
        there = [entry for row in rows for entry in row["parts"] if entry["part"] == part]
        if not there:
            continue
        near = sum(map(good, there))
        held = sum(entry["least"] <= entry["seen"] <= entry["most"] for entry in there)
        judged = (f"  target {TARGET:.0%} {'ok' if near >= TARGET * len(there) else 'MISSED'}") if part == JUDGED else ""
        print(f"after {part:.0%} of the time: {near} of {len(there)} within a factor of two, {held} in the range{judged}")
        lines.append(f"| {part:.0%} of the time | {len(there)} | {near} | {held} |")
    folder = RESULTS / "tables/forecast"    # where tables.py finds it
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Table for the documents: {(folder / 'summary.md').relative_to(ROOT)}")
    write_results("forecast", rows)


if __name__ == "__main__":
    main()
