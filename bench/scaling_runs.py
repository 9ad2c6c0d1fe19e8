"""What threads.py and cluster.py run: Tideline with an engine and so many threads or ranks on an instance, in slices
(journal.py). Every run says on which machine it was made.
"""

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from journal import SlicedJournal, add_slice_options
from measure import BENCHMARKS, TIDELINE, machine, run

BEEM = BENCHMARKS / "beem"
MEASURE_SAMPLE = 200_000        # states on which the measure of a sweep is looked for
FIGURES = ("transitions", "levels", "layers", "state_bytes", "table_bytes", "batches", "batch_bytes", "rounds", "early")
STATES = {"bfs": "states", "sweep": "visited"}      # what is counted as a state; else those of the product


class Case(NamedTuple):
    """An engine on an instance of BEEM."""
    engine: str
    instance: str           # lamport.6, or with a property lamport.6.prop2
    kind: str = "states"    # or the verdict that the property must have: holds, violated

    def file(self):
        return BEEM / self.instance.split(".")[0] / f"{self.instance}.dve"

    def arguments(self):
        question = ["--invariant", "true"] if self.kind == "states" else ["--no-trace"]
        return ["check", self.file(), "--engine", self.engine, *question, "--model-errors", "divine"]


def name_of(case, workers, turn):
    return f"{case.engine} {workers[0]} {workers[1]} run {turn}"


def add_options(parser):
    parser.add_argument("--runs", type=int, default=3, metavar="R", help="runs of each kind, of which the median counts")
    parser.add_argument("--limit", type=int, default=150, metavar="S", help="seconds that a run may take")
    add_slice_options(parser)


class Runs:
    """The runs of a suite, each made once; None: one that is left to another slice."""

    def __init__(self, suite, options):
        self.options, self.journal = options, SlicedJournal(suite, options.seconds, options.report)

    def all(self, cases, settings):
        """Makes all runs, every one of them once, then again. What has reached its limit is not repeated. settings: options
        and their values, ("--threads", 4)."""
        for turn in range(self.options.runs):
            for case in cases:
                for workers in settings:
                    first = self.recorded(case, workers, 0)
                    if turn == 0 or first and not first["limit"]:
                        self.run(case, workers, turn)

    def run(self, case, workers, turn):
        limit = self.options.limit
        return self.journal.once_in_time(case.instance, name_of(case, workers, turn), limit, self._expected(case, workers[0]),
                                         lambda: self._run(case, workers, limit))

    def recorded(self, case, workers, turn):
        return self.journal.recorded(case.instance, name_of(case, workers, turn), None)

    def median(self, case, workers):
        """The medians of the runs that were made, taken separately; None: there was none."""
        made = [done for turn in range(self.options.runs) if (done := self.recorded(case, workers, turn))]
        if not made:
            return None
        columns = {name: [done[name] for done in made] for name in made[0]}
        numbers = {name: statistics.median(column) for name, column in columns.items() if is_numbers(column)}
        return {**made[0], **numbers, "limit": any(done["limit"] for done in made)}

    def accepts(self, engine, option):
        """An empty text, or why this program does not run the engine with that option."""
        kind = "states" if engine in STATES else "holds"
        tiny = Case(engine, "peterson.1" if kind == "states" else "peterson.1.prop4", kind)
        found = self.journal.once_in_time(tiny.instance, f"{engine} accepts {option}", None, 5, lambda: self._refusal(tiny, option))
        return found["refusal"] if found else "not tried in this slice"

    def workers(self, option):
        """The numbers of threads or of ranks with which runs were made."""
        return sorted({int(words[2]) for _, what in self.journal.known if (words := what.split())[1:2] == [option]})

    def _expected(self, case, option):
        """Seconds that another run of the case may take, by those that were made."""
        known = [result["seconds"] for (instance, what), result in self.journal.known.items()
                 if instance == case.instance and what.startswith(f"{case.engine} {option} ")]
        return max(known, default=self.options.limit)

    def _run(self, case, workers, limit):
        with tempfile.TemporaryDirectory() as folder:
            measure = []
            if case.engine == "sweep":      # the same for all, so that the work is the same
                measure = ["--progress-file", self._measure_file(case, Path(folder))]
            done = run([TIDELINE, *case.arguments(), *measure, *workers, "--time", f"{limit}s", "--quiet", "--json", "-"])
        if done.status not in (0, 1, 3):
            sys.exit(f"tideline on {case.instance}, {case.engine}, {workers}: exit code {done.status}\n{done.output}")
        answer = json.loads(done.output)
        verdict, found = answer["properties"][0]["verdict"], answer["statistics"]
        if verdict not in ("unknown", "holds" if case.kind == "states" else case.kind):
            sys.exit(f"{case.instance}, {case.engine}, {workers}: the verdict is {verdict}")
        return {"machine": machine(), "seconds": done.seconds, "search_seconds": found["time_s"], "verdict": verdict,
                "peak_bytes": found["peak_rss_bytes"], "states": found[STATES.get(case.engine, "product_states")],
                "limit": limit if verdict == "unknown" else None, **{name: found.get(name) for name in FIGURES}}

    def _measure_file(self, case, folder):
        """With the measure that `tideline progress` finds on a sample."""
        file = folder / "measure"
        found = self.journal.once(case.instance, "measure", None, lambda: self._find_measure(case, file))
        file.write_text(found["measure"], encoding="utf-8")
        return file

    def _find_measure(self, case, file):
        done = run([TIDELINE, "progress", case.file(), "--model-errors", "divine", "--limit", MEASURE_SAMPLE, "--quiet",
                    "--save", file])
        if not file.is_file():
            sys.exit(f"tideline progress {case.instance}: exit code {done.status}\n{done.output}")
        return {"measure": file.read_text(encoding="utf-8")}

    def _refusal(self, case, option):
        done = run([TIDELINE, *case.arguments(), option, 2, "--quiet"])
        return {"refusal": "" if done.status in (0, 1) else done.output.strip().splitlines()[-1]}


def is_numbers(values):
    return all(isinstance(value, (int, float)) for value in values)


def at_hand(cases):
    """The cases whose models are at hand; the others are named."""
    for case in cases:
        if not case.file().is_file():
            print(f"{case.instance}: skipped, {case.file()} is not there (see TIDELINE_BENCHMARKS)")
    return [case for case in cases if case.file().is_file()]


def powers_of_two(most):
    return [2**power for power in range(most.bit_length()) if 2**power <= most]


def cores():
    return os.cpu_count() or 1
