"""What ltl_sweep.py runs: Tideline on an LTL instance of BEEM, and a journal of these runs.

Out of the box `check --engine sweep` finds its own progress measure. Every other run of the sweep-line on the instance is given
that measure, so that what they are compared by is the search alone. Runs that reach a limit are recorded as such.
"""

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import journal
from measure import RESULTS, ask, timed

MEASURES = RESULTS / "measures"
MEMORY = "4G"
LEAST_FOR_MEASURE = 10      # seconds for the run that finds the measure, whatever the limit of others; finding takes one or two


class Setting(NamedTuple):
    """How to search: an engine with its options, and words of --sweep for the sweep-line."""
    name: str
    engine: str = "sweep"
    words: tuple = ()
    options: tuple = ()

    def arguments(self, measure):
        words = ["--sweep", ",".join(self.words)] if self.words else []
        given = ["--progress-file", measure, *words] if self.sweeps() else []
        if self.engine == "explore":    # the sweep alone
            return ["explore", "--product", "--engine", "sweep", *given]
        return ["check", "--no-trace", "--engine", self.engine, *self.options, *given]

    def sweeps(self):
        return self.engine in ("sweep", "explore")

    def key(self):
        return " ".join([self.engine, ",".join(self.words), *self.options]).strip()


# The algorithms of the paper as published, and ours.
NDFS = Setting("NDFS", "ndfs", options=("--ndfs", "classic", "--regions", "off"))
MAP = Setting("MAP", "map", options=("--regions", "off"))
SWEEP = Setting("Sweep", "explore", words=("paper",))
ONLINE = Setting("on-line", words=("paper",))
OFFLINE = Setting("off-line", words=("paper", "offline"))
OURS = Setting("ours")


def figures(setting, answer):
    """The result of a run, in the terms of the paper: the most `stored` at a time, and all expansions as `visited`."""
    found = answer["statistics"]
    result = {"peak_bytes": found["peak_rss_bytes"], "edges": found["product_transitions"]}
    if setting.sweeps():
        result |= {name: found[name] for name in ("persistent", "sweeps", "layers", "regress_edges")}
        result |= {"stored": found["stored_peak"], "sweep_visited": found["visited"]}
    else:
        result["stored"] = found["product_states"]
    if setting.engine == "explore":
        return {**result, "verdict": "none" if answer["complete"] else "unknown", "visited": found["visited"]}
    return {**result, "verdict": answer["properties"][0]["verdict"], "visited": found["expansions"],
            "automaton": found["automaton"], "candidates": found.get("candidates"),
            "cycle": {"layer": "S", "across": "M"}.get(found.get("cycle"), "")}


class Journal(journal.Journal):
    """Runs of the suite."""

    def __init__(self, seconds, jobs, other_builds):
        super().__init__("ltl-sweep", other_builds)
        self.seconds, self.jobs = seconds, jobs

    def run(self, instance, setting):
        """The figures of a run; a verdict `unknown` is a limit reached, or no measure found to sweep with."""
        measure = None
        if setting.sweeps():
            measure = self.measure_file(instance)
            if measure is None:
                return {"verdict": "unknown", "limit": self.seconds}
        return self.once(instance.name, setting.key(), self.seconds, lambda: self._run(instance, setting, measure))

    def time(self, instance, setting):
        """Seconds that Tideline takes for the search, the measure given; None: a limit was reached. Nothing else may run."""
        if self.run(instance, setting)["verdict"] == "unknown":
            return None
        measure = self.measure_file(instance) if setting.sweeps() else None
        timed = self.once(instance.name, f"time {setting.key()}", None, lambda: self._time(instance, setting, measure))
        return timed["seconds"]

    def out_of_the_box(self, instance, engine):
        """`check` as a user would call it: seconds and peak memory of the whole process, runs included; for the sweep-line
        the measure that it found, and the seconds that took."""
        return self.once(instance.name, f"out of the box {engine}", self.seconds, lambda: self._out_of_the_box(instance, engine))

    def measure_file(self, instance):
        """Where --progress-file finds the measure; None: there is none. Written once, as another run may be reading it."""
        patient = self.with_limit(max(self.seconds, LEAST_FOR_MEASURE))
        text = patient.out_of_the_box(instance, "sweep")["measure"] + "\n"
        file = MEASURES / f"{instance.name}.measure"
        with self.lock:
            MEASURES.mkdir(parents=True, exist_ok=True)
            if not file.is_file() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")
        return file if text.strip() else None

    def with_limit(self, seconds):
        """The same journal for runs with another limit of time."""
        other = copy.copy(self)
        other.seconds = seconds
        return other

    def all(self, pairs):
        """Makes many runs side by side, where only counts matter. In the order of the pairs."""
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda pair: self.run(*pair), pairs))

    def _limited(self, instance, command, *arguments):
        return (command, instance.file, *arguments, "--model-errors=divine", "--time", f"{self.seconds}s", "--memory", MEMORY)

    def _run(self, instance, setting, measure):
        _, answer = ask(*self._limited(instance, *setting.arguments(measure), "--quiet"))
        return self._ended(figures(setting, answer))

    def _time(self, instance, setting, measure):
        found = timed(*self._limited(instance, *setting.arguments(measure), "--quiet"))
        return {"seconds": found.search_seconds, "repetitions": found.repetitions}

    def _out_of_the_box(self, instance, engine):
        question = [] if instance.formula else ["--invariant", "true"]
        found = timed(*self._limited(instance, "check", "--engine", engine, *question))
        return self._ended({**found._asdict(), "verdict": found.answer["properties"][0]["verdict"], "answer": None})

    def _ended(self, result):
        return {**result, "limit": self.seconds} if result["verdict"] == "unknown" else result
