#!/usr/bin/env python3
"""Asks the program random questions in every way there is, for as long as wanted, and compares the answers.

    soak.py --tideline PROGRAM --soak PROGRAM [--seconds N] [--jobs N] [--from SEED] [--models N] [--scenarios N] [--out DIR]
    soak.py --tideline PROGRAM --seed SEED                 one scenario alone, command by command

Half of the time the program `soak` compares all engines with an oracle, on tiny models, within its own process; a sixth of it
every allocation and every call for a file of such cases fails. The rest
of the time is for what needs processes: scenarios in which runs are killed and resumed, ranks die, and limits and
signals come at random moments. Whatever happens, the answer is that of a run in peace, or *unknown* with exit code 3.
Every case has a seed; of several jobs each has its own, SEEDS_APART from those of the job before. DIR gets report.json and a folder for each case that failed; `make tables` then puts the figures
into docs/trust.md.
"""

import argparse
import copy
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))
import tables  # noqa: E402

HANGS_S = 120
MOST_KILLS = 10
SEEDS_APART = 10**8
INTERRUPTS = [signal.SIGINT, signal.SIGTERM]
EXIT_CODES = {"holds": 0, "violated": 1, "unknown": 3}
# What an answer of one thread has whatever happened to the run.
VARYING = ["time_s", "measure_time_s", "peak_rss_bytes", "bytes_per_state"]


class Failure(Exception):
    """Something that must not be."""


def require(fact, otherwise):
    if not fact:
        raise Failure(otherwise)


class Model:
    """Counters that begin again a few times, beside something that goes round; some thousand states."""

    def __init__(self, chance):
        self.ends = [chance.randint(4, 30) for _ in range(chance.randint(2, 3))]
        self.rounds = chance.randint(0, 2)
        self.turns = chance.choice([0, 0, 3, 7, 20])  # 0: nothing goes round, and there is a deadlock
        self.starts = [chance.randint(0, end - 1) for end in self.ends]
        self.chance = chance

    def text(self):
        names = [f"c{i}" for i in range(len(self.ends))]
        lines = [f"byte {', '.join(names)}, again, m;"]
        for name, end, start in zip(names, self.ends, self.starts):
            lines += [f"process {name.upper()} {{", "  state s;", "  init s;", "  trans",
                      f"    s -> s {{ guard {name} < {end}; effect {name} = {name} + 1; }},",
                      f"    s -> s {{ guard {name} == {end} && again < {self.rounds};"
                      f" effect {name} = {start}, again = again + 1; }};", "}"]
        if self.turns:
            lines += ["process Round {", "  state off, on;", "  init off;", "  trans off -> on { }, on -> off "
                      f"{{ effect m = (m + 1) % {self.turns}; }};", "}"]
        return "\n".join([*lines, "system async;", ""])

    def atom(self):
        which = self.chance.randrange(len(self.ends))
        value = self.chance.randint(0, self.ends[which])
        return self.chance.choice([f"c{which} == {value}", f"c{which} >= {value}", f"again == {self.rounds}",
                                   f"c0 + c1 < {self.chance.randint(1, sum(self.ends[:2]) + 1)}"])

    def measure(self):
        return self.chance.choice(["again, c0", "c0", "c0 + c1", "again, c0 + c1", "c1, c0", "again", "-c0"])

    def question(self, kinds):
        p, q = f'"{self.atom()}"', f'"{self.atom()}"'
        return {"deadlock": ["--deadlock"],
                "invariant": ["--invariant", self.atom()],
                "reach": ["--reach", f"{self.atom()} && {self.atom()}"],
                "ltl": ["--ltl", self.chance.choice([f"G({p} -> F {q})", f"F G {p}", f"G F {p}", f"{p} U {q}",
                                                     f"G({p} -> ({q} || X {p}))"])],
                "ctl": ["--ctl", self.chance.choice([f"AG EF {p}", f"AF {p}", f"AG({p} -> AF {q})", f"EG {p}",
                                                     f"E({p} U {q})"])]}[self.chance.choice(kinds)]


STATES = ["deadlock", "invariant", "reach"]
ALL = [*STATES, "ltl", "ctl"]
ENGINES = {"states": ["auto", "portfolio", "bfs", "dfs", "cache", "sweep", "symbolic"],
           "ltl": ["auto", "portfolio", "scc", "ndfs", "cndfs", "map", "owcty", "owcty-map", "sweep", "symbolic"],
           "ctl": ["auto", "portfolio", "ctl", "sweep", "symbolic"]}
TAKE_THREADS = ["auto", "portfolio", "bfs", "cndfs", "map", "owcty", "owcty-map", "ctl", "sweep", "symbolic"]
RANKED = {"states": ["bfs", "sweep"], "ltl": ["map", "owcty", "owcty-map"]}


def family(question):
    kind = question[0][2:]
    return kind if kind in ("ltl", "ctl") else "states"


class Scenario:
    """One model, one question, and something that happens to the run."""

    def __init__(self, seed, options):
        self.seed, self.options = seed, options
        self.chance = random.Random(seed)
        self.commands = []
        self.kills = 0
        self.kind = self.chance.choice(list(options.kinds))
        self.model = Model(self.chance)

    def run(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tideline-soak-", dir=self.options.scratch))
        (self.folder / "model.dve").write_text(self.model.text())
        failure = None
        try:
            KINDS[self.kind](self)
        except Failure as error:
            failure = str(error)
        finally:
            if failure and self.options.out:
                kept = Path(self.options.out) / f"scenario-{self.seed}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(self.folder, kept)
                (kept / "case.txt").write_text("\n".join([f"soak.py --seed {self.seed}", *self.commands, failure, ""]))
            shutil.rmtree(self.folder)
        return failure

    # --- Running the program.

    def start(self, words):
        self.commands.append(" ".join(f"'{word}'" if " " in word else word for word in ["tideline", *words]))
        if self.options.verbose:
            print(self.commands[-1], flush=True)
        (self.folder / "answer.json").unlink(missing_ok=True)
        for old in self.folder.glob("run*.json"):
            old.unlink()
        self.err = open(self.folder / "stderr", "w+")
        return subprocess.Popen([self.options.tideline, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=self.err,
                                start_new_session=True)

    def wait(self, process):
        try:
            process.wait(HANGS_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise Failure("it hangs")
        self.err.seek(0)
        self.said = self.err.read()
        self.err.close()
        return process.returncode

    def check(self, *words):
        return ["check", "model.dve", *words, "--json", "answer.json", "--trace", "run.json"]

    def answer(self, code):
        """Of a run that ended by itself or by a limit."""
        require(code in (0, 1, 3), f"exit code {code}: {self.said[-500:]}")
        try:
            answer = json.loads((self.folder / "answer.json").read_text())
        except (OSError, ValueError) as error:
            raise Failure(f"the JSON answer: {error}")
        require(answer["exit_code"] == code, f"the answer says exit code {answer['exit_code']}, the program {code}")
        verdicts = [p["verdict"] for p in answer["properties"]]
        for p in answer["properties"]:
            require(p["verdict"] != "unknown" or p["reason"], "unknown without a reason")
        require(EXIT_CODES["violated" if "violated" in verdicts else "unknown" if "unknown" in verdicts else "holds"] == code,
                f"exit code {code} with {verdicts}")
        for run in sorted(self.folder.glob("run*.json")):
            replayed = subprocess.run([self.options.tideline, "trace", run.name, "--quiet"], cwd=self.folder,
                                      capture_output=True, text=True, timeout=HANGS_S)
            require(replayed.returncode == 0, f"{run.name} does not replay: {replayed.stdout}{replayed.stderr}")
        return answer

    def in_peace(self, *words):
        return self.answer(self.wait(self.start(self.check(*words))))

    def expected(self, question):
        """By two engines that have little in common."""
        first = {"states": "bfs", "ltl": "scc", "ctl": "ctl"}[family(question)]
        answers = [self.in_peace(*question, "--engine", engine) for engine in (first, "symbolic")]
        self.require_same_verdict(answers[1], answers[0])
        return answers[0]

    @staticmethod
    def require_same_verdict(answer, expected):
        got, right = answer["properties"][0], expected["properties"][0]
        require(got["verdict"] == right["verdict"],
                f"{got['verdict']} ({got.get('reason', '')}), but in peace it is {right['verdict']}")

    def require_right_or_unknown(self, answer, expected):
        if answer["properties"][0]["verdict"] != "unknown":
            self.require_same_verdict(answer, expected)
            return
        require(answer["exit_code"] == 3, "unknown, but the exit code is not 3")

    # --- What can happen to it.

    def sleep(self, most):
        time.sleep(self.chance.random() ** 2 * most)

    def await_signals(self, process):
        """The program is ready for interrupts, or has ended."""
        while process.poll() is None:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                return
            if re.search(r"SigCgt:.*[2367abef]$", status, re.M):  # bit 1 is SIGINT
                return
            time.sleep(0.002)

    def interrupt(self, process, most):
        self.await_signals(process)
        self.sleep(most)
        if process.poll() is None:
            process.send_signal(self.chance.choice(INTERRUPTS))

    def threads(self, engine):
        return ["--threads", str(self.chance.randint(2, 8))] if engine in TAKE_THREADS and self.chance.random() < 0.5 else []

    def engine_words(self, question):
        engine = self.chance.choice(ENGINES[family(question)])
        words = [*question, "--engine", engine, *self.threads(engine)]
        if engine == "sweep":
            words += ["--progress", self.model.measure()]
        if engine == "cache":
            words += ["--cache", "1000000"]
        return words

    def limited(self):
        question = self.model.question(ALL)
        expected = self.expected(question)
        limit = self.chance.choice([["--time", f"{self.chance.randint(1, 200)}ms"], ["--memory", f"{self.chance.randint(16, 80)}M"]])
        if family(question) == "states" and self.chance.random() < 0.3:
            limit = ["--depth", str(self.chance.randint(1, 40))]
            answer = self.in_peace(*question, "--engine", self.chance.choice(["bfs", "dfs"]), *limit)
        else:
            answer = self.in_peace(*self.engine_words(question), *limit)
        self.require_right_or_unknown(answer, expected)

    def interrupted(self):
        question = self.model.question(ALL)
        expected = self.expected(question)
        process = self.start(self.check(*self.engine_words(question)))
        self.interrupt(process, 0.3)
        self.require_right_or_unknown(self.answer(self.wait(process)), expected)

    def resume_until_done(self, words, resume, strike):
        """strike(process) ends a run in the middle, or not. Returns the answer of the one that ends by itself."""
        saved = self.folder / "saved"
        begins, had_answer = True, False
        for times in range(MOST_KILLS + 2):
            process = self.start(words if begins else resume)
            if times < MOST_KILLS:
                strike(process)
            code = self.wait(process)
            begins = not saved.exists() or "there is no checkpoint in" in self.said  # it was killed before the first one
            if begins and code == 2:
                continue
            if had_answer and code == 2 and ("cannot open the folder" in self.said or "is not complete" in self.said):
                shutil.rmtree(saved)  # a rank died while all of them removed the checkpoint of a run that had its answer
                begins = True
                continue
            had_answer = (self.folder / "answer.json").exists()
            if code in (0, 1) and "`tideline resume" in self.said:
                continue  # interrupted when it knew the verdict and not yet everything else
            if (self.folder / "answer.json").exists() and code in (0, 1):
                # The folder itself stays if it was there when the run began, made by one that was killed at once.
                left = [str(path) for path in saved.rglob("*") if path.is_file()]
                require(not left, f"the checkpoint is not removed: {left}")
                return self.answer(code)
            if code == 3 and (self.folder / "answer.json").exists() and "a rank has died" not in self.said:
                self.answer(code)
            elif code not in (3, -signal.SIGKILL):
                raise Failure(f"exit code {code}: {self.said[-500:]}")
        raise Failure("left in peace, it has no answer")

    def saved_words(self, question, *more):
        return self.check(*question, "--engine", "sweep", "--progress", self.measure, *more, "--checkpoint", "saved",
                          "--checkpoint-every", self.chance.choice(["0s", "0s", "10ms"]))

    def killed(self):
        question = self.model.question(ALL)
        self.measure = self.model.measure()
        expected = self.expected(question)
        threads = self.threads("sweep")
        # A run that is saved keeps no passed states, and so may visit states twice.
        peace = self.in_peace(*question, "--engine", "sweep", "--progress", self.measure, *threads, "--checkpoint", "peace")

        def strike(process):
            if self.chance.random() < 0.5:
                self.interrupt(process, 0.5)
            else:
                self.sleep(0.7)
                self.kills += process.poll() is None
                process.kill()

        answer = self.resume_until_done(self.saved_words(question, *threads),
                                        ["resume", "saved", "--json", "answer.json", "--trace", "run.json"], strike)
        self.require_same_verdict(answer, expected)
        if not threads:
            self.require_same_figures(answer, peace)

    @staticmethod
    def require_same_figures(answer, peace):
        for name in sorted({*answer["statistics"], *peace["statistics"]} - set(VARYING)):
            got, right = answer["statistics"].get(name), peace["statistics"].get(name)
            require(got == right, f"{name} is {got}, but {right} in peace")

    def ranked_words(self, question):
        engine = self.chance.choice(RANKED[family(question)])
        words = [*question, "--engine", engine, "--ranks", str(self.chance.randint(2, 4))]
        if engine == "sweep":
            words += ["--progress", self.model.measure()]
        if self.chance.random() < 0.3:
            words += ["--threads", "2"]
        return words

    def ranks_of(self, process):
        """The processes of a job that are ranks."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != process.pid:
                try:
                    environment = (entry / "environ").read_bytes()
                    program = os.readlink(entry / "exe")
                    if os.readlink(entry / "cwd") == str(self.folder.resolve()) and b"OMPI_COMM_WORLD_RANK=" in environment \
                            and program == os.path.realpath(self.options.tideline):
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found

    def kill_a_rank(self, process, most):
        time.sleep(0.1)
        self.sleep(most)
        ranks = self.ranks_of(process)
        if ranks and process.poll() is None:
            try:
                os.kill(self.chance.choice(ranks), signal.SIGKILL)
                self.kills += 1
                return True
            except ProcessLookupError:
                pass
        return False

    def ranked(self):
        question = self.model.question([*STATES, "ltl"])
        expected = self.expected(question)
        process = self.start(self.check(*self.ranked_words(question)))
        event = self.chance.choice(["none", "none", "interrupt", "death"])
        if event == "interrupt":
            self.interrupt(process, 1.0)
        killed = event == "death" and self.kill_a_rank(process, 1.0)
        code = self.wait(process)
        if killed and "a rank has died" in self.said:  # perhaps after the answer
            require(code == 3, f"exit code {code} after a rank has died: {self.said[-500:]}")
            return
        answer = self.answer(code)
        self.require_right_or_unknown(answer, expected)
        if event == "none":
            self.require_same_verdict(answer, expected)
            one, many = expected["statistics"], answer["statistics"]
            complete = answer["properties"][0]["verdict"] == ("violated" if question[0] == "--reach" else "holds")
            if "sweep" not in answer["engine"] and family(question) == "states" and complete:
                for name in ["states", "transitions", "deadlocks"]:
                    require(one.get(name) == many.get(name), f"{many.get(name)} {name}, but {one.get(name)} by one process")

    def ranked_killed(self):
        question = self.model.question(STATES)
        self.measure = self.model.measure()
        expected = self.expected(question)

        def strike(process):
            if self.chance.random() < 0.3:
                self.interrupt(process, 1.0)
            else:
                self.kill_a_rank(process, 1.0)

        answer = self.resume_until_done(self.saved_words(question, "--ranks", str(self.chance.randint(2, 3))),
                                        ["resume", "saved", "--json", "answer.json", "--trace", "run.json"], strike)
        self.require_same_verdict(answer, expected)


# What happens to a run, and how.
KINDS = {"limits": Scenario.limited, "signals": Scenario.interrupted, "kills and resumes": Scenario.killed,
         "ranks": Scenario.ranked, "ranks killed and resumed": Scenario.ranked_killed}
NEED_MPI = ["ranks", "ranks killed and resumed"]


def kinds_here(tideline, scratch):
    """Ranks need MPI."""
    model = Path(scratch) / "one.dve"
    model.write_text("process P { state s; init s; trans s -> s { }; }\nsystem async;\n")
    result = subprocess.run([tideline, "check", str(model), "--deadlock", "--ranks", "2"], capture_output=True, text=True,
                            timeout=HANGS_S)
    return list(KINDS) if result.returncode == 0 else [kind for kind in KINDS if kind not in NEED_MPI]


def run_cases(options, seconds, *ways):
    """The cases within one process, asked in these ways. One that crashes or hangs ends it; the others go on after that seed."""
    reports, end, first = [], time.monotonic() + seconds, options.first
    left = options.models
    while time.monotonic() < end and left != 0:
        report = Path(options.scratch) / "cases.json"
        report.unlink(missing_ok=True)
        words = [options.soak, *ways, "--from", str(first), "--seconds", str(max(1, round(end - time.monotonic()))), "--json", str(report)]
        if options.out:
            words += ["--save", options.out]
        if left is not None:
            words += ["--models", str(left)]
        result = subprocess.run(words, stderr=subprocess.PIPE, text=True)
        sys.stderr.write(result.stderr)
        if report.exists():
            reports.append(json.loads(report.read_text()))
            break
        lost = re.findall(r"^soak: seed (\d+), (.*)$", result.stderr, re.M)
        seed, command = (int(lost[-1][0]), lost[-1][1]) if lost else (first, "before the first case")
        reports.append({"cases": 1, "failures": [{"seed": seed, "command": command, "what": f"exit code {result.returncode}"}]})
        if left is not None:
            left = max(0, left - (seed - first + 1))
        first = seed + 1
    return reports


def run_scenarios(options, seconds):
    counts, failures, kills = Counter(), [], 0
    end = time.monotonic() + seconds
    seed = options.first
    while time.monotonic() < end and (options.scenarios is None or seed < options.first + options.scenarios):
        scenario = Scenario(seed, options)
        failure = scenario.run()
        counts[scenario.kind] += 1
        kills += scenario.kills
        if failure:
            failures.append({"seed": seed, "kind": scenario.kind, "commands": scenario.commands, "what": failure})
            print(f"scenario {seed} ({scenario.kind}): {failure}\n  " + "\n  ".join(scenario.commands), file=sys.stderr, flush=True)
        seed += 1
    return {"scenarios": sum(counts.values()), "first_seed": options.first, "last_seed": seed - 1, "by_kind": dict(counts),
            "kills": kills, "failures": failures}


def run_job(options, number):
    """The reports of the cases, and that of the scenarios, by one of the jobs."""
    options = copy.copy(options)
    options.first += number * SEEDS_APART
    with tempfile.TemporaryDirectory() as options.scratch:
        reports = run_cases(options, options.seconds / 2) if options.soak else []
        if options.soak and options.models is None:
            reports += run_cases(options, options.seconds / 6, "--everywhere")
        return reports, run_scenarios(options, options.seconds / 3)


def together(scenarios):
    """The reports of several jobs as one."""
    counts = Counter()
    for report in scenarios:
        counts.update(report["by_kind"])
    return {"scenarios": sum(counts.values()), "seeds": [[report["first_seed"], report["last_seed"]] for report in scenarios],
            "by_kind": dict(counts), "kills": sum(report["kills"] for report in scenarios),
            "failures": [failure for report in scenarios for failure in report["failures"]]}


def write_tables(options, reports, scenarios, seconds, passed, failed):
    """The figures of a run, for the documents."""
    def added(name):
        total = Counter()
        for report in reports:
            total.update(report.get(name, {}))
        return total

    def number(count):
        return f"{count:,}" if count else ""

    by_engine = {}
    for report in reports:
        for engine, row in report.get("cases_by_engine", {}).items():
            by_engine.setdefault(engine, Counter()).update(row)
    columns = [*ALL, "count"]
    tables.write("soak/cases", ["engine", *columns],
                 [[engine, *(number(row[column]) for column in columns)] for engine, row in by_engine.items()])
    rows = [*added("models_by_kind").items()]
    tables.write("soak/ways", ["what", "number"],
                 [[f"models: {kind}", number(count)] for kind, count in rows]
                 + [[f"cases: {way}", number(count)] for way, count in added("cases_by_way").items()]
                 + [[f"verdicts: {verdict}", number(count)] for verdict, count in added("verdicts").items()])
    tables.write("soak/scenarios", ["what happens to a run", "scenarios"],
                 [[kind, number(scenarios["by_kind"].get(kind, 0))] for kind in KINDS])
    total = [sum(report.get(name, 0) for report in reports) for name in ("models", "questions", "cases")]
    tables.write("soak/summary",
                 ["minutes", "jobs", "first seed", "models", "questions", "cases", "scenarios", "kills", "passed", "failed"],
                 [[f"{seconds / 60:.0f}", str(options.jobs), str(options.first), *map(number, total),
                   number(scenarios["scenarios"]), number(scenarios["kills"]), number(passed), str(failed)]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tideline", required=True)
    parser.add_argument("--soak", help="the program for cases within one process")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--jobs", type=int, default=1, help="so many at a time")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first seed")
    parser.add_argument("--models", type=int, help="at most so many models for cases within one process")
    parser.add_argument("--scenarios", type=int, help="at most so many scenarios")
    parser.add_argument("--kind", choices=list(KINDS), help="scenarios of this kind alone")
    parser.add_argument("--out", help="a folder for the report, and for cases that fail")
    parser.add_argument("--seed", type=int, help="this scenario alone")
    options = parser.parse_args()
    options.tideline = str(Path(options.tideline).resolve())
    options.verbose = options.seed is not None
    began = time.monotonic()
    if options.out:
        Path(options.out).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as options.scratch:
        options.kinds = [kind for kind in kinds_here(options.tideline, options.scratch) if options.kind in (None, kind)]
        if options.verbose:
            failure = Scenario(options.seed, options).run()
            print(failure or "ok")
            return 1 if failure else 0
    with ThreadPoolExecutor(options.jobs) as jobs:
        done = list(jobs.map(lambda number: run_job(options, number), range(options.jobs)))
    reports = [report for cases, _ in done for report in cases]
    scenarios = together([report for _, report in done])
    for kind in KINDS:
        print(f"{kind:36}{scenarios['by_kind'].get(kind, 'no MPI here' if kind not in options.kinds else 0):>12}")
    total = sum(report["cases"] for report in reports) + scenarios["scenarios"]
    failed = sum(len(report["failures"]) for report in [*reports, scenarios])
    if options.out:
        write_tables(options, reports, scenarios, time.monotonic() - began, total - failed, failed)
        Path(options.out, "report.json").write_text(json.dumps(
            {"cases": reports, "scenarios": scenarios, "passed": total - failed, "failed": failed}, indent=2) + "\n")
    print(f"{scenarios['scenarios']} scenarios with {scenarios['kills']} kills (seeds {', '.join(f'{first} to {last}' for first, last in scenarios['seeds'])})")
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
