#!/usr/bin/env python3
"""For how long each target was fuzzed by libFuzzer: ran.csv has a line for each run that found nothing.

    ran.py TARGET LOG    adds the run whose output is in LOG; scripts/fuzz calls it

It also writes the sums as a table, which `make tables` puts into docs/trust.md.
"""

import csv
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))
import tables  # noqa: E402

RUNS = Path(__file__).resolve().parent / "ran.csv"
COLUMNS = ["target", "seconds", "inputs", "new"]


def run_of(target, log):
    def number(pattern):
        found = re.search(pattern, log, re.M)
        if not found:
            raise SystemExit(f"ran.py: the log of {target} is not that of a run which ended by itself")
        return int(found[1])

    return {"target": target, "seconds": number(r"^Done \d+ runs in (\d+) second"),
            "inputs": number(r"^stat::number_of_executed_units: *(\d+)"), "new": number(r"^stat::new_units_added: *(\d+)")}


def main():
    target, log = sys.argv[1:]
    with RUNS.open("a", encoding="utf-8", newline="") as file:
        csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(run_of(target, Path(log).read_text(errors="replace")))
    sums = defaultdict(Counter)
    with RUNS.open(encoding="utf-8", newline="") as file:
        for run in csv.DictReader(file):
            sums[run["target"]].update({name: int(run[name]) for name in COLUMNS[1:]})
    tables.write("fuzz/targets", ["target", "minutes", "inputs", "new in the corpus"],
                 [[f"`{name}`", f"{total['seconds'] / 60:.0f}", f"{total['inputs']:,}", f"{total['new']:,}"]
                  for name, total in sums.items()])


if __name__ == "__main__":
    main()
