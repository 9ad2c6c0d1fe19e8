"""A journal of runs: a line of JSON for every run, in build/bench/SUITE-runs.jsonl. An interrupted suite continues where it was;
runs of another build of Tideline do not count, unless requested.

A suite that takes long can be run in slices: a slice makes the runs that fit into --seconds and leaves the others to the next
one. So a suite of an hour can be run on a machine that is there for ten minutes at a time. --report makes no runs, and works with
a journal that may come from elsewhere.
"""

import hashlib
import json
import threading
import time

import tables
from measure import RESULTS, TIDELINE


class Journal:
    """Makes each run only once."""

    def __init__(self, suite, other_builds=False):
        self.file = RESULTS / f"{suite}-runs.jsonl"
        self.program = hashlib.sha256(TIDELINE.read_bytes()).hexdigest()[:16]
        self.known, self.lock = {}, threading.Lock()
        RESULTS.mkdir(parents=True, exist_ok=True)
        text = self.file.read_text(encoding="utf-8") if self.file.is_file() else ""
        whole = text[:text.rfind("\n") + 1]    # without a line that was cut off when the suite was interrupted
        if whole != text:
            self.file.write_text(whole, encoding="utf-8")
        for entry in map(json.loads, whole.splitlines()):
            if other_builds or entry["program"] == self.program:
                self.known[entry["instance"], entry["what"]] = entry["result"]

    def recorded(self, instance, what, limit):
        """The result of an earlier run, or None. One that ended at its limit counts only for this limit or a smaller one."""
        known = self.known.get((instance, what))
        return None if known and known.get("limit") and limit and known["limit"] < limit else known

    def once(self, instance, what, limit, make):
        """The result of an earlier run, or else of make()."""
        if known := self.recorded(instance, what, limit):
            return known
        result = make()
        with self.lock:
            self.known[instance, what] = result
            with open(self.file, "a", encoding="utf-8") as journal:
                entry = {"program": self.program, "instance": instance, "what": what, "result": result}
                journal.write(json.dumps(entry) + "\n")
        return result


    def machines(self):
        """Where the runs were made that say so: those whose time counts."""
        return sorted({result["machine"] for result in self.known.values() if "machine" in result})

    def show_machines(self, table):
        made = [result["machine"] for result in self.known.values() if "machine" in result]
        print()
        tables.show(table, ["measured on", "runs"], [[name, f"{made.count(name):,}"] for name in self.machines()])


class SlicedJournal(Journal):
    """Makes each run only once, and none that would not end in time."""

    def __init__(self, suite, seconds, report=False):
        super().__init__(suite, other_builds=report)
        self.end, self.report, self.left = time.monotonic() + seconds, report, set()

    def once_in_time(self, instance, what, limit, expected, make):
        """As once(); `expected`: the seconds that a run may take. None: left to another slice."""
        if self.report:
            limit = None
        elif time.monotonic() + expected < self.end:
            return self.once(instance, what, limit, make)
        known = self.recorded(instance, what, limit)
        if known is None:
            self.left.add((instance, what))
        return known

    def say_what_is_left(self):
        if self.left and not self.report:
            print(f"{len(self.left)} runs are left: run the suite again")


def add_slice_options(parser):
    parser.add_argument("--seconds", type=int, default=10**6, metavar="S",
                        help="ends after so long; run the suite again for the rest (default: when all is done)")
    parser.add_argument("--report", action="store_true",
                        help="make no runs: write the tables from the journal, whatever machine and build it is of")
