#!/usr/bin/env python3
"""Compares what `tideline mcc` answers with the answers recorded for the Model Checking Contest.

Every examination of every net is run once, with a limit of time and memory, and each of its answers is compared with
mcc.csv. An answer is right, wrong, or unknown: there was none within the limits. A wrong one makes the exit code 1,
as do an error and an unexpected line. Exit code 77: the benchmarks are not there (see TIDELINE_BENCHMARKS).
"""

import argparse
import collections
import csv
import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
COUNTS = {"STATES": "states", "TRANSITIONS": "edges", "MAX_TOKEN_IN_PLACE": "max_token_in_place",
          "MAX_TOKEN_PER_MARKING": "max_token_per_marking"}


def read_table(folder):
    """The rows of each instance and category, smallest instances first."""
    examinations = collections.defaultdict(list)
    with open(folder / "mcc.csv", newline="", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            examinations[row["instance"], row["category"]].append(row)
    return sorted(examinations.values(), key=states_of)


def states_of(rows):
    """How many markings the net has; infinity where that is not recorded."""
    return int(rows[0]["states"]) if rows[0]["states"] else math.inf


def expected_of(rows):
    """The expected value of each line, by the text before it."""
    if rows[0]["category"] == "StateSpace":
        return {f"STATE_SPACE {what}": rows[0][column] for what, column in COUNTS.items()}
    return {f"FORMULA {row['formula_id']}": row["expected"] for row in rows}


def examine(options, rows):
    """Runs `tideline mcc` with the tideline, folder, time, memory and engine of the options. Dictionaries with the keys
    instance, category, what, recorded, ours (none: unknown), result, seconds and states (as recorded)."""
    instance, category = rows[0]["instance"], rows[0]["category"]
    command = [options.tideline, "mcc", options.folder / instance, category, "--time", options.time,
               "--memory", options.memory, "--engine", options.engine, "--quiet"]
    start = time.monotonic()
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    seconds = round(time.monotonic() - start, 3)
    answers, errors = {}, []
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) > 3 and words[3] == "TECHNIQUES" and " ".join(words[:2]) not in answers:
            answers[" ".join(words[:2])] = words[2]
        elif line != "CANNOT_COMPUTE":
            errors.append(line)
    if done.returncode not in (0, 3):
        errors.append(f"exit code {done.returncode}: {done.stderr.strip()[:200]}")
    expected = expected_of(rows)
    errors += [f"unasked: {what}" for what in answers.keys() - expected.keys()]
    for what, recorded in expected.items():
        ours = answers.get(what)
        result = "unknown" if ours is None else "right" if ours == recorded else "wrong"
        yield {"instance": instance, "category": category, "what": what, "recorded": recorded, "ours": ours,
               "result": result, "seconds": seconds, "states": rows[0]["states"]}
    for error in errors:
        yield {"instance": instance, "category": category, "what": error, "recorded": None, "ours": None,
               "result": "wrong", "seconds": seconds, "states": rows[0]["states"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--time", default="20s", help="time limit of an examination")
    parser.add_argument("--memory", default="4G", help="memory limit of an examination")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--max-states", type=int, default=math.inf, help="skip larger nets")
    parser.add_argument("--only", default="", help="only instances whose name begins with this")
    parser.add_argument("--category", default="", help="only examinations whose name begins with this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write all comparisons as JSON")
    options = parser.parse_args()
    options.folder = Path(os.environ.get("TIDELINE_BENCHMARKS", ROOT.parent / "shared/benchmarks")) / "mcc"
    if not (options.folder / "mcc.csv").exists():
        print(f"mcc answers: skipped, there are no nets at {options.folder}")
        return SKIPPED

    examinations = [rows for rows in read_table(options.folder)
                    if rows[0]["instance"].startswith(options.only)
                    and rows[0]["category"].startswith(options.category)
                    and states_of(rows) <= options.max_states]
    counts = collections.defaultdict(collections.Counter)
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for list_ in pool.map(lambda rows: list(examine(options, rows)), examinations):
            results += list_
            for entry in list_:
                counts[entry["category"]][entry["result"]] += 1
                if entry["result"] == "wrong":
                    print(f"mcc answers: {entry['instance']} {entry['category']}: {entry['what']}: recorded "
                          f"{entry['recorded']}, ours {entry['ours']}", flush=True)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    total = collections.Counter()
    for category, of_category in sorted(counts.items()):
        total += of_category
        print(f"{category:24} right {of_category['right']:5}  wrong {of_category['wrong']:3}  "
              f"unknown {of_category['unknown']:5}")
    print(f"mcc answers: {len(examinations)} examinations, {total['right']} right, {total['wrong']} wrong, "
          f"{total['unknown']} unknown")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
