"""Shared by the suites that run SPIN: building and running its searches, and Peterson's algorithm in both languages.

The algorithm is written once in Promela and once in DVE, step for step: each statement (or d_step) of the one is one transition
of the other, so that the state counts must be equal.
"""

import re
import shutil
import sys

from measure import run

PROMELA = """
#define N {n}
byte level[N];   /* the level a process has reached; 0: it does not want to enter */
byte last[N];    /* who came last to a level */
byte inside;     /* how many are in the critical section */

active [N] proctype P() {{
  byte l, k;     /* the level to leave, the next process to look at */
idle:
  l = 1;
announce:
  level[_pid] = l;
  d_step {{ last[l] = _pid; k = 0 }};
look:
  if
  :: d_step {{ (k < N && (k == _pid || level[k] < l)) -> k = k + 1 }}; goto look
  :: d_step {{ (l < N - 1 && (k == N || last[l] != _pid)) -> l = l + 1; k = 0 }}; goto announce
  :: d_step {{ (l == N - 1 && (k == N || last[l] != _pid)) -> l = 0; k = 0; inside = inside + 1; assert(inside == 1) }}
  fi;
  d_step {{ level[_pid] = 0; inside = inside - 1 }};
  goto idle
}}
"""

DVE_GLOBALS = """
byte level[{n}];  // the level a process has reached; 0: it does not want to enter
byte last[{n}];   // who came last to a level
byte inside;    // how many are in the critical section
"""

DVE_PROCESS = """
process P_{i} {{
  byte l, k;  // the level to leave, the next process to look at
  state idle, announce, arrive, look, critical;
  init idle;
  trans
    idle -> announce {{ effect l = 1; }},
    announce -> arrive {{ effect level[{i}] = l; }},
    arrive -> look {{ effect last[l] = {i}, k = 0; }},
    look -> look {{ guard (k < {n}) && ((k == {i}) || (level[k] < l)); effect k = k + 1; }},
    look -> announce {{ guard (l < {n} - 1) && ((k == {n}) || (last[l] != {i})); effect l = l + 1, k = 0; }},
    look -> critical {{ guard (l == {n} - 1) && ((k == {n}) || (last[l] != {i}));
                       effect l = 0, k = 0, inside = inside + 1; }},
    critical -> idle {{ effect level[{i}] = 0, inside = inside - 1; }};
}}
"""


def dve_text(n):
    return DVE_GLOBALS.format(n=n) + "".join(DVE_PROCESS.format(n=n, i=i) for i in range(n)) + "\nsystem async;\n"


def missing_programs():
    return [program for program in ("spin", "gcc") if not shutil.which(program)]


def build_search(folder, promela, reduction, options=()):
    """Makes the search of a model in this folder, with these options of spin; returns the seconds that takes."""
    (folder / "model.pml").write_text(promela)
    flags = [] if reduction else ["-DNOREDUCE"]
    made = run(["spin", "-a", *options, "model.pml"], cwd=folder)
    built = run(["gcc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=16000", *flags, "-o", "pan", "pan.c"], cwd=folder)
    if made.status or built.status:
        sys.exit(f"spin -a or gcc failed:\n{made.output}{built.output}")
    return made.seconds + built.seconds


def run_search(folder, *options):
    """Runs what was built, and returns the run and its states."""
    # SPIN reserves memory for the deepest run in advance: find the least power of ten that is enough.
    depth = 10_000
    while "max search depth too small" in (done := run(["./pan", f"-m{depth}", *options], cwd=folder)).output:
        depth *= 10
    if "Search not completed" in done.output or not (stored := re.search(r"(\d+) states, stored", done.output)):
        sys.exit(f"pan did not complete its search:\n{done.output}")
    return done, int(stored[1])
