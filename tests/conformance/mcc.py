#!/usr/bin/env python3
"""Compares Tideline with the numbers recorded for nets of the Model Checking Contest.

The table mcc.csv records, for each net, how many markings are reachable, how many arcs the reachability graph has,
the most tokens in a place and the most tokens in a marking. The counts come from one exploration; that the recorded
numbers of tokens are bounds, and that they are reached, is checked as four properties of another.

Any difference makes the exit code 1. Exit code 77: the benchmarks are not there (see TIDELINE_BENCHMARKS).
"""

import argparse
import csv
import json
import os
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
PLACE = "{http://www.pnml.org/version-2009/grammar/pnml}place"


def read_table(folder):
    """The row of each instance, smallest first."""
    with open(folder / "mcc.csv", newline="", encoding="utf-8") as table:
        rows = {row["instance"]: row for row in csv.DictReader(table)}
    return sorted(rows.values(), key=lambda row: int(row["states"]))


def tideline(options, *arguments):
    """The JSON answer, or the error text when there is none."""
    done = subprocess.run([options.tideline, *map(str, arguments), *options.extra, "--json", "-", "--quiet"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        lines = done.stderr.strip().splitlines() or [""]
        return f"exit code {done.returncode}: {lines[0]}"


def token_properties(row, file):
    """Name, option and expression of properties that must all hold."""
    places = [f"'{place.get('id')}'" for place in ElementTree.parse(file).iter(PLACE)]
    total, most = int(row["max_token_per_marking"]), int(row["max_token_in_place"])
    everything = f"tokens({', '.join(places)})"
    yield "most tokens in a marking, bound", "--invariant", f"{everything} <= {total}"
    yield "most tokens in a marking, reached", "--reach", f"{everything} >= {total}"
    if row["kind"] == "PT":  # of a coloured net the numbers are about its unfolded places
        yield "most tokens in a place, bound", "--invariant", balanced("&&", [f"{p} <= {most}" for p in places])
        yield "most tokens in a place, reached", "--reach", balanced("||", [f"{p} >= {most}" for p in places])


def balanced(operator, parts):
    """Joined in pairs, because the depth of expressions is limited."""
    while len(parts) > 1:
        parts = [f"({f' {operator} '.join(parts[i:i + 2])})" for i in range(0, len(parts), 2)]
    return parts[0]


def compare(options, row):
    """Dictionaries with the keys instance, what, recorded, ours and seconds."""
    def entry(what, recorded, ours):
        return {"instance": row["instance"], "what": what, "recorded": recorded, "ours": ours,
                "seconds": round(time.monotonic() - start, 3)}

    file = options.folder / row["instance"] / "model.pnml"
    start = time.monotonic()
    answer = tideline(options, "explore", file)
    for what, column in (("states", "states"), ("transitions", "edges")):
        ours = answer if isinstance(answer, str) else answer["statistics"][what]
        yield entry(what, int(row[column]), ours)
    for what, option, expression in token_properties(row, file):
        start = time.monotonic()
        answer = tideline(options, "check", file, option, expression)
        yield entry(what, "holds", answer if isinstance(answer, str) else answer["properties"][0]["verdict"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--max-states", type=int, default=10_000_000, help="skip larger nets")
    parser.add_argument("--with", dest="extra", type=shlex.split, default=[], metavar="OPTIONS",
                        help="more options for every run: --with '--engine bfs --exec native'")
    parser.add_argument("--only", default="", help="only instances whose name begins with this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write all comparisons as JSON")
    options = parser.parse_args()
    options.folder = Path(os.environ.get("TIDELINE_BENCHMARKS", ROOT.parent / "shared/benchmarks")) / "mcc"
    if not (options.folder / "mcc.csv").exists():
        print(f"mcc: skipped, there are no nets at {options.folder}")
        return SKIPPED

    rows = [row for row in read_table(options.folder)
            if row["instance"].startswith(options.only) and int(row["states"]) <= options.max_states]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = [entry for list_ in pool.map(lambda row: list(compare(options, row)), rows) for entry in list_]
    wrong = [entry for entry in results if entry["recorded"] != entry["ours"]]
    for entry in wrong:
        print(f"mcc: {entry['instance']}: {entry['what']}: recorded {entry['recorded']}, ours {entry['ours']}")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"mcc: {shlex.join(options.extra)}{': ' if options.extra else ''}{len(rows)} nets, {len(results)} comparisons, {len(wrong)} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
