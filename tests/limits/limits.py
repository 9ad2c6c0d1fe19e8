#!/usr/bin/env python3
"""Drives every phase of a run and every engine into every limit.

A run that reaches a limit ends with an answer: exit code 3 (or a verdict, where it was found before), the
reason in words, valid JSON where requested, and no more memory than the limit, 10% and 50 MB.
With --measure it must also end at most half a second after its time, or after an interrupt; that depends on the
machine, so it is not part of the tests that run everywhere. It also ends with the worst cases by engine, which `make tables`
puts into docs/trust.md.

    limits.py --tideline PROGRAM [--measure] [--no-memory] [--only WORD] [--jobs N]
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))
import tables  # noqa: E402

MEMORY_MB = 64
PATIENCE_S = 0.5
HANGS_S = 120  # no phase of these takes that long, limit or not


def long_formula(parts):
    """Its automaton has 3^parts states."""
    atoms = [f'"v{i} == 1"' for i in range(3 * parts)]
    conjuncts = [f"F({a} && X({b} U {c}))" for a, b, c in zip(*[iter(atoms)] * 3)]
    return f"!({' && '.join(conjuncts)})"


LTL = ["--ltl", 'G("x[0] == 3" -> F "x[1] >= 0")']
CTL = ["--ctl", 'AG EF "x[1] == 7"']

# The phase, the command that reaches it, and the limits that end it there: time in seconds, m for memory, i for an interrupt.
CASES = [
    ("reading a net", ["check", "long.pnml", "--deadlock"], [0.1, "m", "i"]),
    ("reading an LTS", ["check", "large.aut", "--deadlock"], [0.05, "m", "i"]),
    ("building actions", ["check", "actions.dve", "--deadlock"], [0.1, "m", "i"]),
    ("unfolding", ["check", "coloured.pnml", "--deadlock"], [0.2, "m", "i"]),
    ("reading, explore", ["explore", "long.pnml"], [0.1, "m", "i"]),
    ("reading, progress", ["progress", "long.pnml"], [0.1, "m", "i"]),
    ("reading, explain-por", ["explain-por", "long.pnml"], [0.1, "m", "i"]),
    ("bounds", ["check", "dense.pnml", "--deadlock"], [0.05]),
    ("reducing", ["check", "long.pnml", "--deadlock", "--reduce-net"], [0.6]),
    ("translating a formula", ["check", "bits.dve", "--ltl", long_formula(6)], [0.2, "i"]),
    ("looking for a measure", ["check", "scattered.dve", "--deadlock", "--engine", "sweep"], [0.3, "m", "i"]),
    ("proposing measures", ["progress", "scattered.dve", "--limit", "1000000000"], [0.3, "i"]),
    ("trying orders", ["check", "dense.pnml", "--deadlock", "--engine", "symbolic"], [0.5, "i"]),
    ("rebuilding a run, bfs", ["check", "deep.dve", "--reach", "c == 30", "--engine", "bfs"], [2.0, "m"]),
    ("rebuilding a run, sweep", ["check", "deep.dve", "--reach", "c == 10", "--engine", "sweep",
                                 "--progress", "c, b"], [1.0, "m"]),
    ("rebuilding a run, dfs", ["check", "deep.dve", "--reach", "c == 10", "--engine", "dfs"], [1.0, "m"]),
    ("a lasso", ["check", "deep.dve", "--ltl", 'G "c < 10"', "--engine", "scc"], [1.0, "m"]),
    ("writing a run", ["check", "deep.dve", "--reach", "c == 5", "--engine", "bfs", "--trace", "run.json"],
     [1.0]),
    ("writing a graph", ["explore", "scattered.dve", "--aut", "g.aut", "--max-states", "100000000"],
     [0.4, "m", "i"]),
    ("a place that fills for ever", ["check", "pump.pnml", "--deadlock"], [1.0, "m", "i"]),
    ("a place that fills, symbolic", ["check", "pump.pnml", "--deadlock", "--engine", "symbolic"],
     [1.0, "m", "i"]),
    ("a place that fills, explore", ["explore", "pump.pnml"], [1.0, "m", "i"]),
    ("mcc StateSpace", ["mcc", "exam", "StateSpace"], [0.5, "i"]),
    ("mcc Liveness", ["mcc", "exam", "Liveness"], [0.5, "i"]),
]
for engine in ["auto", "portfolio", "bfs", "gpu", "dfs", "bitstate", "walk", "cache", "sweep", "symbolic"]:
    CASES.append((f"states, {engine}", ["check", "scattered.dve", "--deadlock", "--engine", engine]
                  + (["--progress", "x[0]"] if engine == "sweep" else [])
                  + (["--device", "cpu"] if engine == "gpu" else [])
                  + (["--bits", "34"] if engine == "bitstate" else [])
                  + (["--walks", "1000000000"] if engine == "walk" else [])
                  + (["--cache", "100000000"] if engine == "cache" else []),  # a fast machine fills a million in 0.3 s
                  [0.3, "i"] + ([] if engine in ["walk", "cache"] else ["m"])))
for engine in ["auto", "scc", "ndfs", "cndfs", "map", "owcty", "gpu-owcty", "owcty-map", "sweep", "symbolic"]:
    CASES.append((f"infinite runs, {engine}", ["check", "scattered.dve", *LTL, "--engine", engine]
                  + (["--progress", "x[0]"] if engine == "sweep" else [])
                  + (["--device", "cpu"] if engine == "gpu-owcty" else []), [0.3, "i", "m"]))
CASES.append(("states, gpu-sweep", ["check", "scattered.dve", "--deadlock", "--engine", "gpu-sweep", "--device", "cpu",
                                    "--progress", "x[0]"], [0.3, "i", "m"]))
for store in ["tree", "hash"]:
    CASES.append((f"states as {store}", ["check", "scattered.dve", "--deadlock", "--engine", "bfs", "--store", store],
                  [0.3, "i", "m"]))
# The first ones end in the search, the last ones when states are sorted and written, if the machine is as fast as that.
CASES.append(("writing a certificate, bfs", ["check", "deep.dve", "--invariant", "c <= 250", "--engine", "bfs", "--no-trace",
                                             "--certificate", "proof"], [0.5, 3.0, 4.0, 5.0, 6.0, "i", "m"]))
CASES.append(("writing a certificate, scc", ["check", "deep.dve", "--ltl", 'F G "c == 250"', "--engine", "scc", "--no-trace",
                                             "--certificate", "proof"], [0.5, 4.0, 6.0, 8.0, "i", "m"]))
for engine in ["auto", "ctl", "sweep", "symbolic"]:
    CASES.append((f"CTL, {engine}", ["check", "scattered.dve", *CTL, "--engine", engine]
                  + (["--progress", "x[0]"] if engine == "sweep" else []), [0.3, "i", "m"]))
for engine in ["bfs", "sweep", "symbolic"]:
    CASES.append((f"states, {engine}, two threads", ["check", "scattered.dve", "--deadlock", "--engine", engine,
                                                     "--threads", "2"], [0.3, "i", "m"]))
for threads in ["1", "2"]:
    CASES.append((f"states on disk, threads {threads}",
                  ["check", "scattered.dve", "--deadlock", "--engine", "bfs", "--store", "disk", "--threads", threads],
                  [0.3, "i"]))
CASES.append(("rebuilding a run, states on disk", ["check", "deep.dve", "--reach", "c == 30", "--engine", "bfs", "--store", "disk"],
              [2.0]))
for engine in ["cndfs", "map", "owcty-map", "symbolic"]:
    CASES.append((f"infinite runs, {engine}, two threads",
                  ["check", "scattered.dve", *LTL, *LTL, "--engine", engine, "--threads", "2"], [0.3, "i", "m"]))
CASES.append(("CTL, symbolic, two threads", ["check", "scattered.dve", *CTL, *CTL, "--engine", "symbolic",
                                             "--threads", "2"], [0.3, "i", "m"]))
CASES.append(("trying orders, two threads", ["check", "dense.pnml", "--deadlock", "--engine", "symbolic",
                                             "--threads", "2"], [0.5, "i"]))


class Case:
    def __init__(self, program, folder, name, command, limit, options):
        self.program, self.folder, self.name, self.command = program, folder, name, command
        self.limit, self.options = limit, options
        self.failures = []

    def run(self):
        command = [self.program, *self.command, "--quiet"] if self.command[0] == "mcc" else \
            [self.program, *self.command]
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            answer_file = Path(own) / "answer.json"
            if self.command[0] != "mcc":
                command += ["--json", str(answer_file)]
            if self.limit == "m":
                command += ["--memory", f"{MEMORY_MB}M"]
            elif self.limit != "i":
                command += ["--time", f"{self.limit}s"]
            self.start(command)
            if self.limit == "i":
                self.interrupt()
            self.finish()
            self.judge(answer_file)
        return self

    def start(self, command):
        self.began = time.monotonic()
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.out = {}

        def drain(name, stream):  # a run of a million steps is long: its end is enough
            text = b""
            while piece := stream.read(1 << 16):
                text = (text + piece)[-(1 << 16):]
            self.out[name] = text.decode(errors="replace")

        self.readers = [threading.Thread(target=drain, args=pair)
                        for pair in [("out", self.process.stdout), ("err", self.process.stderr)]]
        for reader in self.readers:
            reader.start()

    def interrupt(self):
        """Once the program is ready for signals, and has worked for a moment since then."""
        ticks = os.sysconf("SC_CLK_TCK")
        ready_at = None
        while True:
            try:
                fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
                status = Path(f"/proc/{self.process.pid}/status").read_text()
            except OSError:
                break
            worked = (int(fields[11]) + int(fields[12])) / ticks
            if ready_at is None and re.search(r"SigCgt:.*[2367abef]$", status, re.M):  # bit 1 is SIGINT
                ready_at = worked
            if fields[0] == "Z" or (ready_at is not None and worked - ready_at >= 0.1):
                break
            time.sleep(0.005)
        self.began = time.monotonic()
        os.kill(self.process.pid, signal.SIGINT)  # Popen's own would reap it, and its figures

    def finish(self):
        watchdog = threading.Timer(HANGS_S, self.process.kill)
        watchdog.start()
        _, status, usage = os.wait4(self.process.pid, 0)
        watchdog.cancel()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - self.began
        self.peak_mb = usage.ru_maxrss / 1024
        for reader in self.readers:
            reader.join()

    def judge(self, answer_file):
        code = self.process.returncode
        expect = self.failures.append
        if code not in (0, 1, 3):
            expect(f"exit code {code}: {self.out['err'][-300:]}")
            return
        told = self.out["out"] + self.out["err"]
        reason = {"m": "memory", "i": "interrupt"}.get(self.limit, "time limit")
        if code == 3 and self.command[0] != "mcc" and reason not in told and "unbounded" not in told:
            expect(f"the reason is not told: {told[-300:]}")
        if self.command[0] != "mcc":
            try:
                answer = json.loads(answer_file.read_text())
                if answer["exit_code"] != code:
                    expect(f"the answer says exit code {answer['exit_code']}, the program {code}")
            except (OSError, ValueError, KeyError) as error:
                expect(f"the JSON answer: {error}")
        if self.limit == "m" and self.peak_mb > MEMORY_MB * 1.1 + 50:
            expect(f"{self.peak_mb:.0f} MB with a limit of {MEMORY_MB}")
        allowed = PATIENCE_S + (0 if isinstance(self.limit, str) else self.limit)
        if self.limit != "m" and self.options.measure and self.seconds > allowed:
            expect(f"{self.seconds:.2f} s, allowed are {allowed:.2f}")

    def engine(self):
        """Of its search, if it gets there."""
        words = self.command
        return words[words.index("--engine") + 1] if "--engine" in words else "before a search" if words[0] == "check" else words[0]

    def over(self):
        """By how much it was over its limit: seconds or MB."""
        if self.limit == "m":
            return max(0.0, self.peak_mb - MEMORY_MB)
        return max(0.0, self.seconds - (0 if self.limit == "i" else self.limit))

    def row(self):
        limit = {"m": f"memory {MEMORY_MB} MB", "i": "interrupt"}.get(self.limit, f"time {self.limit} s")
        return (f"{self.name:36} {limit:14} {self.process.returncode} {self.seconds:6.2f} s "
                f"{self.peak_mb:6.0f} MB  {'; '.join(self.failures) or 'ok'}")


def show_worst(cases):
    """Of each engine: by how much it was over a limit."""
    def worst(engine, is_meant, unit):
        of_engine = [case for case in cases if case.engine() == engine and is_meant(case.limit)]
        if not of_engine:
            return ["", ""]
        case = max(of_engine, key=Case.over)
        return [f"{case.over():.{2 if unit == 's' else 0}f} {unit}", case.name]

    engines = sorted({case.engine() for case in cases})
    tables.show("limits/worst", ["engine", "cases", "after its time", "in", "after an interrupt", "in", f"over {MEMORY_MB} MB", "in"],
                [[engine, str(sum(case.engine() == engine for case in cases)),
                  *worst(engine, lambda limit: not isinstance(limit, str), "s"), *worst(engine, lambda limit: limit == "i", "s"),
                  *worst(engine, lambda limit: limit == "m", "MB")] for engine in engines])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tideline", required=True)
    parser.add_argument("--measure", action="store_true", help="time counts, too; one run at a time")
    parser.add_argument("--no-memory", action="store_true", help="skip memory limits (sanitizers need memory themselves)")
    parser.add_argument("--only", default="", help="cases with this word in their name")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    program = str(Path(options.tideline).resolve())
    with tempfile.TemporaryDirectory() as folder:
        # By another program: the peak of a child begins with what its parent has.
        subprocess.run([sys.executable, Path(__file__).with_name("inputs.py"), folder], check=True)
        cases = [Case(program, folder, name, command, limit, options)
                 for name, command, limits in CASES if options.only in name for limit in limits
                 if limit != "m" or not options.no_memory]
        failed = 0
        with ThreadPoolExecutor(1 if options.measure else options.jobs) as pool:
            for case in pool.map(Case.run, cases):
                failed += bool(case.failures)
                if case.failures or options.measure:
                    print(case.row(), flush=True)
    if options.measure:
        show_worst(cases)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
