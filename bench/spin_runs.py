"""Shared by the suites that run SPIN: building and running its searches.

A search is a C program, pan, that SPIN writes for a model and gcc compiles. It can be built on one machine and run on another
one with the same C library.
"""

import re
import shutil
import sys
from typing import NamedTuple

from measure import run

ALWAYS = ("-E", "-n")       # invalid end states are no errors, unreached statements are not listed
TOO_DEEP = "max search depth too small"


class Search(NamedTuple):
    states: int
    errors: bool
    seconds: float
    processor_seconds: float
    peak_bytes: int
    depth: int      # what -m needs


def missing_programs():
    return [program for program in ("spin", "gcc") if not shutil.which(program)]


def build_search(folder, promela, reduction, options=()):
    """Makes the search of a model in this folder, with these options of spin; returns the seconds of processor time that
    takes."""
    (folder / "model.pml").write_text(promela)
    flags = [] if reduction else ["-DNOREDUCE"]
    made = run(["spin", "-a", *options, "model.pml"], cwd=folder)
    built = run(["gcc", "-O3", "-w", "-DSAFETY", "-DMEMLIM=16000", *flags, "-o", "pan", "pan.c"], cwd=folder)
    if made.status or built.status:
        sys.exit(f"spin -a or gcc failed:\n{made.output}{built.output}")
    return made.processor_seconds + built.processor_seconds


def run_search(folder, depth=10_000):
    """Runs what was built over all states."""
    # SPIN reserves memory for the deepest run in advance: find the least power of ten that is enough. -b ends a search that
    # goes deeper at once.
    while TOO_DEEP in (done := run(["./pan", f"-m{depth}", "-b", *ALWAYS], cwd=folder)).output:
        depth *= 10
    errors = "errors: 0" not in done.output
    if errors:
        done = run(["./pan", f"-m{depth}", "-c0", *ALWAYS], cwd=folder)     # goes on after the first one
    stored = re.search(r"(\d+) states, stored", done.output)
    if not stored or "Search not completed" in done.output or TOO_DEEP in done.output:
        sys.exit(f"pan did not complete its search:\n{done.output}")
    return Search(int(stored[1]), errors, done.seconds, done.processor_seconds, done.peak_bytes, depth)
