"""A journal of runs: a line of JSON for every run, in build/bench/SUITE-runs.jsonl. An interrupted suite continues where it was;
runs of another build of Tideline do not count, unless requested.
"""

import hashlib
import json
import threading

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

    def once(self, instance, what, limit, make):
        """The result of make(), or of an earlier run. One that ended at its limit counts only for this limit or a smaller one."""
        known = self.known.get((instance, what))
        if known and not (known.get("limit") and limit and known["limit"] < limit):
            return known
        result = make()
        with self.lock:
            self.known[instance, what] = result
            with open(self.file, "a", encoding="utf-8") as journal:
                entry = {"program": self.program, "instance": instance, "what": what, "result": result}
                journal.write(json.dumps(entry) + "\n")
        return result
