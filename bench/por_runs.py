"""Shared by the parts of the suite por: runs of Tideline with and without reduction, and how tables show counts."""

import json
import sys

from measure import BENCHMARKS, TIDELINE, run, tideline


def title(text):
    print(f"\n{text}\n", flush=True)


def skipped(part, why):
    print(f"bench por, part {part}: skipped, {why}", flush=True)


def count(number):
    return "-" if number is None else f"{number:,}"


def judged(good):
    return "ok" if good else "MISSED"


def dve_file(name):
    return next((BENCHMARKS / "beem").rglob(name), None)


def explore(file, *options):
    _, answer = tideline("explore", file, "--engine", "bfs", *options)
    return answer["statistics"]


def limited(*arguments):
    """Runs Tideline and returns the run and its answer. Exit code 3, a limit reached, is an answer here."""
    done = run([TIDELINE, *arguments, "--quiet", "--json", "-"])
    if done.status not in (0, 1, 3):
        sys.exit(f"tideline {' '.join(map(str, arguments))}: exit code {done.status}\n{done.output}")
    return done, json.loads(done.output[done.output.index("{"):])


def compare(file):
    """States of the whole and of the reduced searches, and the seconds of their processes."""
    (whole_run, whole), (reduced_run, reduced) = (tideline("explore", file, "--engine", "bfs", *options)
                                                  for options in ((), ("--por",)))
    whole, reduced = whole["statistics"], reduced["statistics"]
    if whole["deadlocks"] != reduced["deadlocks"]:
        sys.exit(f"{file}: {whole['deadlocks']} deadlocks, {reduced['deadlocks']} with reduction")
    _, errors = tideline("check", file, "--deadlock", "--no-trace", "--engine", "bfs", "--por")
    # A search for one deadlock ends when it is found: only one that holds has visited all.
    complete = errors["complete"] and not whole["deadlocks"]
    return {"model": file.name, "states": whole["states"], "reduced": reduced["states"],
            "with_errors": errors["statistics"]["states"] if complete else None,
            "seconds": whole_run.seconds, "reduced_seconds": reduced_run.seconds}
