#!/usr/bin/env python3
"""Compares trails with an installed SPIN, on the random programs of promela_spin.py and on models of others.

A random run of Tideline is written as a trail and replayed by `spin -k`: every step must be one that SPIN can take, and the
global variables must end with the same values. Where SPIN's own search finds an error, its trail must be read back as a run of
Tideline that ends with the same values, with and without merged statements.

Exit code 1: there is a difference; 77: spin or a C compiler is missing.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from promela_spin import NO_ERROR, ROOT, SKIPPED, Generator

LOST = re.compile(r"no matching stmnt|invalid statement|transition failed|stop error|\(\?\)|no process|cannot find trail")
HIDDEN = re.compile(r"\bhidden\s+\w+\s+([^;]+);")
VALUE = re.compile(r"^\t\t([A-Za-z_][\w.\[\]]*) = (-?\d+)$", re.MULTILINE)


class Trails:
    def __init__(self, tideline, folder):
        self.tideline = str(Path(tideline).resolve())
        self.folder = folder

    def run(self, *command, seconds=60):
        return subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True, check=False,
                              errors="replace", stdin=subprocess.DEVNULL, timeout=seconds)

    def spin_values(self, model, trail):
        """What the globals are at the end of a trail, or what went wrong."""
        said = self.run("spin", "-p", "-g", "-k", trail, model)
        # Its simulator takes a rendezvous channel to be full, its search does not.
        text = re.sub(r"\[\(nfull\(q\)\)\]\n(\t\t.*\n)*\ttransition failed", "", said.stdout + said.stderr)
        if lost := LOST.search(text):
            return f"SPIN cannot follow: {lost[0]}"
        if "trail ends after" not in text:
            return f"SPIN says: {text[-200:]}"
        end = text.rfind("#processes:")     # without processes the variables are not shown
        hidden = HIDDEN.findall((self.folder / model).read_text(encoding="utf-8", errors="replace"))
        forgotten = {name for names in hidden for name in re.findall(r"[A-Za-z_]\w*", names)}
        return {name: value for name, value in VALUE.findall(text[max(end, 0):]) if end >= 0 and name not in forgotten}

    @staticmethod
    def our_values(file):
        """The last state of a run in ITF, by SPIN's names."""
        state = json.loads(file.read_text(encoding="utf-8"))["states"][-1]
        values = {}
        for name, value in state.items():
            if isinstance(value, list):
                values.update({f"{name}[{i}]": str(one) for i, one in enumerate(value)})
            else:
                values[name] = str(value)
        return values

    @staticmethod
    def compare(spin, ours):
        if isinstance(spin, str):
            return spin
        if ours.get("_exclusive", "0") != "0":
            return ""       # it ends inside of a d_step, which SPIN takes as a whole
        wrong = [f"{name}: SPIN {value}, Tideline {ours[name]}" for name, value in spin.items()
                 if ours.get(name, value) != value]
        return ", ".join(wrong)

    def written(self, model, seed, steps=30):
        """What is wrong with a random run that is written as a trail."""
        arguments = (self.tideline, "simulate", model, "--random", "--steps", steps, "--seed", seed, "--trace")
        for name in ("ours.trail", "ours.itf.json"):
            if (done := self.run(*arguments, name)).returncode != 0:
                return f"Tideline: {done.stderr.strip()[-200:]}"
        return self.compare(self.spin_values(model, "ours.trail"), self.our_values(self.folder / "ours.itf.json"))

    def read(self, model, merged):
        """What is wrong with a trail of SPIN's search; nothing, too, where there is none."""
        trail = self.folder / (Path(model).name + ".trail")
        trail.unlink(missing_ok=True)
        self.run("spin", "-a", *(() if merged else ("-o1", "-o2", "-o3")), model)
        if self.run("cc", "-w", "-O0", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c").returncode != 0:
            return ""
        try:
            self.run("./pan", "-m20000", "-w18", seconds=20)
        except subprocess.TimeoutExpired:
            return ""
        if not trail.exists():
            return ""
        done = self.run(self.tideline, "simulate", model, "--from", trail, "--trace", "read.itf.json")
        if done.returncode != 0:
            return f"Tideline does not follow SPIN: {done.stderr.strip()[-200:]}"
        if merged:
            return ""
        values = self.spin_values(model, trail)
        # SPIN may not be able to follow its own trail.
        return "" if isinstance(values, str) else self.compare(values, self.our_values(self.folder / "read.itf.json"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tideline", default=ROOT / "build/release/bin/tideline")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", action="store_true", help="the models of TIDELINE_BENCHMARKS, too: trails that are written")
    parser.add_argument("--only", default="", help="models whose path contains this")
    options = parser.parse_args()
    for tool in ("spin", "cc"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    wrong = 0
    done = 0
    with tempfile.TemporaryDirectory() as name:
        trails = Trails(options.tideline, Path(name))
        for seed in range(options.seed, options.seed + options.count):
            program = re.sub(r"^(never|ltl) .*$", "", Generator(seed).program(), flags=re.M)  # trails have no steps of claims
            (Path(name) / "m.pml").write_text(program, encoding="utf-8")
            if "rror" in NO_ERROR.sub("", trails.run("spin", "-a", "m.pml").stdout):
                continue
            done += 1
            for what, found in (("written", trails.written("m.pml", seed)), ("read", trails.read("m.pml", False)),
                                ("read with merging", trails.read("m.pml", True))):
                if found:
                    wrong += 1
                    print(f"seed {seed}, {what}: {found}\n{program}", flush=True)
        if options.models:
            benchmarks = Path(os.environ.get("TIDELINE_BENCHMARKS", ROOT.parent / "shared/benchmarks")) / "promela"
            with open(benchmarks / "promela.csv", newline="", encoding="utf-8") as table:
                rows = [row for row in csv.DictReader(table) if row["spin_ok"] == "yes" and options.only in row["file"]]
            for row in rows:
                try:
                    found = trails.written(benchmarks / row["file"], 1)
                except subprocess.TimeoutExpired:
                    found = ""
                if "embedded C" in found or "priorities" in found:
                    continue
                done += 1
                if found:
                    wrong += 1
                    print(f"{row['file']}: {found}", flush=True)
    print(f"{done} programs and models, {wrong or 'no'} difference{'s' if wrong > 1 else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
