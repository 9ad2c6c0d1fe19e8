"""What ltl_sweep.py runs: Tideline on an LTL instance of BEEM, with a progress measure that it has found itself, and
a journal of these runs.

Runs that reach a limit are recorded as such.
"""

import copy
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import journal
from measure import RESULTS, TIDELINE, run

MEASURES = RESULTS / "measures"
SAMPLE = 200_000            # states on which tideline progress tries measures
MEMORY = "4G"


class Setting(NamedTuple):
    """How to search: an engine, and words of --sweep for the sweep-line."""
    name: str
    engine: str = "sweep"
    words: tuple = ()

    def arguments(self, measure):
        if self.engine == "explore":    # the sweep alone
            return ["explore", "--product", "--engine", "sweep", "--progress-file", measure]
        words = ["--sweep", ",".join(self.words)] if self.words else []
        sweep = ["--progress-file", measure, *words] if self.engine == "sweep" else []
        return ["check", "--no-trace", "--engine", self.engine, *sweep]


NDFS = Setting("NDFS", "ndfs")
MAP = Setting("MAP", "map")
SWEEP = Setting("Sweep", "explore")
ONLINE = Setting("on-line", words=("paper", "online"))
OFFLINE = Setting("off-line", words=("paper",))
OURS = Setting("ours")


def figures(setting, answer, done):
    """The result of a run, in the terms of the paper: the most `stored` at a time, and all expansions as `visited`."""
    statistics = answer["statistics"]
    result = {"seconds": done.seconds, "peak_bytes": statistics["peak_rss_bytes"]}
    if setting.engine in ("explore", "sweep"):
        result |= {name: statistics[name] for name in ("persistent", "sweeps", "layers", "regress_edges")}
        result |= {"stored": statistics["stored_peak"], "sweep_visited": statistics["visited"]}
    else:
        result["stored"] = statistics["product_states"]
    if setting.engine == "explore":
        return {**result, "verdict": "none" if answer["complete"] else "unknown", "visited": statistics["visited"]}
    return {**result, "verdict": answer["properties"][0]["verdict"], "visited": statistics["expansions"],
            "automaton": statistics["automaton"], "candidates": statistics.get("candidates"),
            "cycle": {"layer": "S", "across": "M"}.get(statistics.get("cycle"), "")}


class Journal(journal.Journal):
    """Runs of the suite."""

    def __init__(self, seconds, jobs, other_builds):
        super().__init__("ltl-sweep", other_builds)
        self.seconds, self.jobs = seconds, jobs

    def run(self, instance, setting):
        """The figures of a run; a verdict `unknown` is a limit reached, or no measure found to sweep with."""
        measure = None
        if setting.engine in ("sweep", "explore"):
            measure = self.measure_file(instance)
            if measure is None:
                return {"verdict": "unknown", "limit": self.seconds}
        what = f"{setting.engine} {','.join(setting.words)}".strip()
        return self.once(instance.name, what, self.seconds, lambda: self._run(instance, setting, measure))

    def measure(self, instance):
        """The measure that Tideline finds, and what it predicts for it: for the product where there is a property."""
        return self.once(instance.name, "measure", None, lambda: self._measure(instance))

    def measure_file(self, instance):
        """Where --progress-file finds it; None: there is none. Written once, as another run may be reading it."""
        text = self.measure(instance)["measure"] + "\n"
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

    def _ask(self, instance, command, arguments, seconds):
        done = run([TIDELINE, command, instance.file, *arguments, "--model-errors=divine", "--time", f"{seconds}s",
                    "--memory", MEMORY, "--quiet", "--json", "-"])
        if done.status not in (0, 1, 3):
            sys.exit(f"tideline {command} {instance.file} {' '.join(map(str, arguments))}: exit code {done.status}\n"
                     f"{done.output}")
        return done, json.loads(done.output)

    def _run(self, instance, setting, measure):
        command, *arguments = setting.arguments(measure)
        done, answer = self._ask(instance, command, arguments, self.seconds)
        result = figures(setting, answer, done)
        return {**result, "limit": self.seconds} if result["verdict"] == "unknown" else result

    def _measure(self, instance):
        product = ["--product"] if instance.formula else []
        done, answer = self._ask(instance, "progress", ["--limit", SAMPLE, *product], 120)
        best = answer["candidates"][0] if answer["candidates"] else {"measure": "", "score": None, "predicted": None}
        return {"measure": best["measure"], "score": best["score"], "predicted": best["predicted"],
                "sample": answer["sample"], "seconds": done.seconds}
