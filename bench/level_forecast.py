#!/usr/bin/env python3
"""How well a breadth-first search tells how much of it is done: BEEM's models, each counted once to its end.

While it runs, `--status json` says which part of the states seems to be expanded (`completion`, with a range); at the end it is
known. Each object, one a second, is one judgement: it is good when the number of states that follows from it is wrong by a factor
of two at most.
"""

import argparse
import json
import re
import subprocess

import tables
from measure import TIDELINE, write_results
from sweep import beem_models

BANDS = ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1))    # of the states


def judgements(model, limit):
    """What was said and what was true, once a second; None: the search did not come to its end."""
    done = subprocess.run([TIDELINE, "explore", *model.arguments(), "--engine", "bfs", "--por=off", "--quiet", "--status", "json",
                           "--json", "-", "--time", f"{limit}s"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    states = json.loads(done.stdout)["statistics"]["states"]
    rows = []
    for line in done.stderr.splitlines():
        status = json.loads(line) if line.startswith("{") else {}
        if status.get("engine") != "bfs" or status["ended"] or status["states"] == 0:
            continue
        true = (status["states"] - status["frontier"]) / states
        rows.append({"seen": true, "said": status.get("completion")})
    return {"name": model.name, "states": states, "seconds": rows}


def good(row):
    return 0.5 <= row["said"]["done"] / row["seen"] <= 2


def held(row):
    return row["said"]["least"] <= row["seen"] <= row["said"]["most"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least-states", type=int, default=1_500_001, metavar="N", help="recorded states of a model, at least")
    parser.add_argument("--most-states", type=int, default=15_000_000, metavar="N", help="and at most")
    parser.add_argument("--models", type=re.compile, default=re.compile(""), metavar="REGEX", help="only these models")
    parser.add_argument("--limit", type=int, default=60, metavar="S", help="seconds that a run may take")
    options = parser.parse_args()
    models = [model for model in beem_models() if model.exact and options.models.search(model.name)
              and options.least_states <= model.states <= options.most_states]
    rows = []
    for model in models:
        row = judgements(model, options.limit)
        if not row or not row["seconds"]:
            continue
        rows.append(row)
        said = [second for second in row["seconds"] if second["said"]]
        print(f"{row['name']:<22}{row['states']:>12,} states, {len(row['seconds']):>3} s, said in {len(said):>3}, "
              f"good {sum(map(good, said)):>3}, in the range {sum(map(held, said)):>3}", flush=True)
    lines = []
    seconds = [second for row in rows for second in row["seconds"]]
    for low, high in BANDS:
        band = [second for second in seconds if low <= second["seen"] < high or (high == 1 and second["seen"] == 1)]
        said = [second for second in band if second["said"]]
        lines.append([f"{low:.0%} to {high:.0%}", len(band), len(said), len(said) - sum(map(good, said)), sum(map(held, said))])
    print(f"\n{len(rows)} of {len(models)} models\n")
    tables.show("level-forecast/summary",
                ["states expanded", "seconds", "with an estimate", "wrong by a factor of two or more", "the range holds the truth"],
                lines)
    write_results("level-forecast", rows)


if __name__ == "__main__":
    main()
