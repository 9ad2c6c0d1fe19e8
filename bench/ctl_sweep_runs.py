"""What ctl_sweep.py runs beside the protocol: `tideline check --ctl` on models of BEEM and of models/, and a journal of these runs.

The questions are ours: BEEM has none in CTL. Each model has a proposition p, taken from its LTL properties or goals, that is true
in some states and not in others; the formulas ask about it. The protocol's own properties are those of the paper.
"""

import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import journal
from measure import BENCHMARKS, RESULTS, ROOT, timed

SECONDS, MEMORY = 120, "4G"

# Smaller ones first; the measures found for the first four are monotone or nearly so.
PROPOSITIONS = {
    "bopdp.2": "IOP.active", "bridge.2": "on_right == 6", "leader_filters.3": "P_0.elected", "lifts.4": "Wheels.moving_up",
    "brp2.2": "RClient.ok", "peterson.2": "P_0.CS", "synapse.2": "Cache_0.dirty", "lup.2": "lup0.load_data",
}
ALWAYS = ("AG EF p", "AG AF p")
FORMULAS = (*ALWAYS, "EF AG !p", "AG (p -> AF !p)", "A(!p U p)", "AG (p -> EX E(p U !p))")

PROTOCOL = ROOT / "models/stop_and_wait.dve"
PROTOCOL_PROPERTIES = {
    "P1": 'AG EF "r == N + 1"',
    "P2": 'AG AF "first > 0 && first < 64 || second > 0 && second < 64 || r == N + 1"',
}


class Question(NamedTuple):
    model: str          # bridge.2, or 30-2 for the protocol
    name: str           # of the formula
    file: Path
    formula: str
    always: bool        # AG EF p or AG AF p, which the published algorithm answers

    def arguments(self):
        return ["check", self.file, "--ctl", self.formula, "--model-errors=divine"]


def beem_questions(models):
    found = []
    for model in models:
        file = BENCHMARKS / "beem" / model.split(".")[0] / f"{model}.dve"
        if not file.is_file():
            print(f"{model}: skipped, {file} is not there")
            continue
        found += [Question(model, form, file, re.sub(r"\bp\b", f'"{PROPOSITIONS[model]}"', form), form in ALWAYS)
                  for form in FORMULAS]
    return found


def protocol_questions(packets):
    """For the numbers of packets that models/stop_and_wait.dve takes; its network has two messages."""
    found = []
    for n in packets:
        file = RESULTS / "models" / f"stop_and_wait.{n}.dve"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(re.sub(r"const byte N = \d+;", f"const byte N = {n};", PROTOCOL.read_text(encoding="utf-8")),
                        encoding="utf-8")
        found += [Question(f"stop-and-wait {n}-2", name, file, formula, True) for name, formula in PROTOCOL_PROPERTIES.items()]
    return found


class Journal(journal.Journal):
    def __init__(self, other_builds):
        super().__init__("ctl-sweep", other_builds)

    def out_of_the_box(self, question, engine):
        """`check` as a user would call it: seconds and peak memory of the whole process, and its statistics."""
        what = f"out of the box {engine}: {question.formula}"
        return self.once(question.model, what, SECONDS, lambda: self._ask(question, "--engine", engine))

    def given_measure(self, question, *words):
        """The sweep-line with the measure that it found itself; None: it found none."""
        text = self.out_of_the_box(question, "sweep")["measure"]
        if not text:
            return None
        sweep = ["--sweep", ",".join(words)] if words else []
        with tempfile.NamedTemporaryFile("w", suffix=".measure", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            return self.once(question.model, f"sweep {','.join(words)}: {question.formula}", SECONDS,
                             lambda: self._ask(question, "--engine", "sweep", "--progress-file", file.name, *sweep))

    def _ask(self, question, *arguments):
        found = timed(*question.arguments(), *arguments, "--time", f"{SECONDS}s", "--memory", MEMORY)
        result = {**found._asdict(), "answer": None, "statistics": found.answer["statistics"],
                  "verdict": found.answer["properties"][0]["verdict"]}
        return {**result, "limit": SECONDS} if result["verdict"] == "unknown" else result
