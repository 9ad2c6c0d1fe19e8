"""What owcty.py runs: Tideline with some setting on an LTL instance of BEEM, and the sizes of products."""

import csv
import json
import os
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from measure import BENCHMARKS, RESULTS, TIDELINE, run

BEEM = BENCHMARKS / "beem"


class Setting(NamedTuple):
    """A row of the figures: how to search."""
    engine: str = "owcty-map"
    order: str = "bfs"
    values: int = 1
    workers: int = 1
    choice: str = "mixed"
    reduction: bool = False

    def arguments(self):
        if self.engine == "explore":
            return ["explore", "--product", "--threads", self.workers]
        heuristic = ["--worker-order", self.order, "--map-values", self.values, "--map-choice", self.choice]
        return ["check", "--no-trace", "--engine", self.engine, "--threads", self.workers,
                *(heuristic if self.engine == "owcty-map" else []), *(["--por"] if self.reduction else [])]

    def key(self):
        """Where the paper has this row, if anywhere."""
        if self.engine == "ndfs":
            return "ndfs"
        return None if self.reduction or self.choice in ("largest", "masks") else (self.order, self.values, self.workers)

    def __str__(self):
        if self.engine != "owcty-map":
            return {"ndfs": "nested DFS"}.get(self.engine, f"{self.engine}, W={self.workers}")
        choice = "" if self.choice == "mixed" else f", {self.choice}"
        return f"{self.order.upper()}, V={self.values}, W={self.workers}{choice}{', POR' if self.reduction else ''}"


NESTED = Setting(engine="ndfs")


class Instance(NamedTuple):
    model: str
    name: str           # lamport.5.prop4
    file: Path
    formula: str
    recorded: str       # BEEM's verdict: holds, violated or unknown
    system_states: int  # of the model alone; where BEEM's tool gave up, a lower bound


def instances_at_hand():
    found = []
    with open(BEEM / "beem.csv", encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            if row["type"] != "LTL":
                continue
            file = BEEM / row["model"] / row["prop_dve_file"]
            if not file.is_file():
                print(f"{file.stem}: skipped, {file} is not there")
                continue
            found.append(Instance(row["model"], file.stem, file, row["formula"], row["verdict"], int(row["states"])))
    return found


def ask(instance, setting, seconds):
    """One run of Tideline. Exit code 3 is a limit reached."""
    command, *arguments = setting.arguments()
    done = run([TIDELINE, command, instance.file, *arguments, "--model-errors=divine", "--time", f"{seconds}s",
                "--quiet", "--json", "-"])
    if done.status not in (0, 1, 3):
        sys.exit(f"tideline on {instance.name}, {setting}: exit code {done.status}\n{done.output}")
    answer = json.loads(done.output)
    return done._replace(peak_bytes=answer["statistics"]["peak_rss_bytes"]), answer


class Products:
    """Sizes of products, which never change: measured once and kept in a file."""

    def __init__(self):
        self.file = RESULTS / "owcty-products.json"
        self.known = json.loads(self.file.read_text()) if self.file.is_file() else {}
        self.lock = threading.Lock()    # several may be measured side by side

    def size(self, instance, most):
        """States, edges, accepting self-loops, and whether this is the whole product: it need not be where it is clear that
        there are more than `most` states."""
        entry = self.known.get(instance.name)
        if not entry or "edges" not in entry or not (entry["complete"] or entry["states"] > most):
            _, answer = ask(instance, Setting(engine="explore", workers=os.cpu_count()), seconds=max(20, most // 50_000))
            statistics = answer["statistics"]
            entry = {"states": statistics["product_states"], "edges": statistics["product_transitions"],
                     "self_loops": statistics["accepting_self_loops"], "complete": answer["complete"]}
            self._keep(instance, entry)
        return entry

    def _keep(self, instance, entry):
        with self.lock:
            self.known[instance.name] = entry
            RESULTS.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self.known, indent=1) + "\n", encoding="utf-8")
