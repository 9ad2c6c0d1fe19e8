"""Shared by the whole-program benchmarks: running a program while watching its memory, and where files are."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TIDELINE = Path(os.environ.get("TIDELINE", ROOT / "build/release/bin/tideline"))
BENCHMARKS = Path(os.environ.get("TIDELINE_BENCHMARKS", ROOT / "../shared/benchmarks"))
RESULTS = ROOT / "build/bench"


class Run(NamedTuple):
    status: int
    seconds: float      # wall-clock time of the process, start and end included
    peak_bytes: int     # its largest resident memory, see run()
    output: str
    processor_seconds: float    # of all its threads, in the program and in the kernel


def run(command, cwd=None):
    """Runs a program to its end.

    The kernel's account of a process begins with the memory of its parent. A shell is in between, so that this is a shell's and
    not Python's: the figure that the program reports is then right, and the one measured here (which is never less than
    Python's own) is right for a program that takes more.
    """
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen(["sh", "-c", '"$@"; exit $?', "sh", *map(str, command)], cwd=cwd,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    return Run(process.returncode, seconds, usage.ru_maxrss * 1024, text, usage.ru_utime + usage.ru_stime)


def tideline(*arguments, codes=(0, 1)):
    """Runs Tideline and returns the run and its JSON answer. The peak is the one in the answer. `codes`: that are answers."""
    done = run([TIDELINE, *arguments, "--quiet", "--json", "-"])
    if done.status not in codes:
        sys.exit(f"tideline {' '.join(map(str, arguments))}: exit code {done.status}\n{done.output}")
    answer = json.loads(done.output)
    return done._replace(peak_bytes=answer["statistics"]["peak_rss_bytes"]), answer


def ask(*arguments):
    """The same with what Tideline says beside the answer, in `output`; limits may be reached."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        done = run([TIDELINE, *arguments, "--json", answer])
        if done.status not in (0, 1, 3):
            sys.exit(f"tideline {' '.join(map(str, arguments))}: exit code {done.status}\n{done.output}")
        return done, json.loads(answer.read_text(encoding="utf-8"))


class Timed(NamedTuple):
    """The medians of runs that together take a while, the largest peak, and the last answer."""
    seconds: float              # of the whole process
    measure_seconds: float      # of these, for finding a progress measure and trying it
    search_seconds: float       # what Tideline took, less that
    peak_bytes: int
    repetitions: int
    measure: str                # the progress measure that was found; empty: none
    answer: dict


SHORT, MOST_REPETITIONS = 1.0, 25       # seconds that repeated runs take together at least, and how many there are at most


def timed(*arguments):
    """ask(), repeated where a run is too short to be timed."""
    whole, finding, searching, peaks = [], [], [], []
    while sum(whole) < SHORT and len(whole) < MOST_REPETITIONS:
        done, answer = ask(*arguments)
        found = answer["statistics"]
        whole.append(done.seconds)
        finding.append(found.get("measure_time_s", 0))
        searching.append(found["time_s"] - finding[-1])
        peaks.append(found["peak_rss_bytes"])
    named = re.search(r"^note: progress measure[^:]*: (.+)$", done.output, re.MULTILINE)
    return Timed(*map(statistics.median, (whole, finding, searching)), max(peaks), len(whole), named[1] if named else "", answer)


def machine():
    """One line about where this was measured."""
    names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return f"{names[0] if names else os.uname().machine}, {os.cpu_count()} cores"


def version():
    """The commit of the sources, where git is there to say it."""
    if not shutil.which("git"):
        return "unknown"
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def write_results(name, results):
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), "version": version(), "results": results}, indent=1) + "\n", encoding="utf-8")
    print(f"\n{machine()}. Written to {path.relative_to(ROOT)}")
