#!/usr/bin/env python3
"""Partial order reduction: what it leaves out, and what it costs.

  A  BEEM          states that a search for deadlocks visits, beside those of LTSmin's stubborn sets (recorded on another
                   machine, see por.csv of the benchmarks): every deadlock is preserved, model errors are not (explore --por);
                   and with model errors preserved as well (check --deadlock --por)
  B  our models    the same without another tool
  C  time          of a state with and without reduction, on the instances of A where it leaves out next to nothing
  D  Petri nets    markings for a deadlock question, with and without reduction and --reduce-net

Times are medians of runs that take turns.
"""

import argparse
import csv
import json
import math
import statistics

from measure import BENCHMARKS, ROOT, TIDELINE, machine, run, tideline, write_results

MODELS = sorted([*(ROOT / "models").glob("*.psl"), *(ROOT / "models").glob("*.dve")])


def title(text):
    print(f"\n{text}\n", flush=True)


def explore(file, *options):
    _, answer = tideline("explore", file, "--engine", "bfs", *options)
    return answer["statistics"]


def check(file, *options):
    _, answer = tideline("check", file, "--deadlock", "--no-trace", "--engine", "bfs", *options)
    return answer


def dve_file(name):
    return next((BENCHMARKS / "beem").rglob(name), None)


def compare(file):
    """States of the whole and of the reduced searches."""
    whole, reduced = explore(file), explore(file, "--por")
    if whole["deadlocks"] != reduced["deadlocks"]:
        raise SystemExit(f"{file}: {whole['deadlocks']} deadlocks, {reduced['deadlocks']} with reduction")
    errors = check(file, "--por")
    # A search for one deadlock ends when it is found: only one that holds has visited all.
    complete = errors["complete"] and not whole["deadlocks"]
    return {"model": file.name, "states": whole["states"], "reduced": reduced["states"],
            "with_errors": errors["statistics"]["states"] if complete else None}


def part_a():
    table = BENCHMARKS / "por.csv"
    if not table.is_file():
        print(f"bench por, part A: skipped, {table} is not there (see TIDELINE_BENCHMARKS)")
        return []
    title("A. BEEM: states visited when all deadlocks are to be found")
    print(f"{'':<24}{'states':>10}{'reduced':>10}{'LTSmin':>10}{'ratio':>8}{'errors kept':>13}")
    rows = []
    with table.open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            row = compare(dve_file(line["dve_file"])) | {"ltsmin": int(line["ltsmin_por_states"])}
            rows.append(row)
            print(f"{row['model']:<24}{row['states']:>10,}{row['reduced']:>10,}{row['ltsmin']:>10,}"
                  f"{row['reduced'] / row['ltsmin']:>8.2f}{format_count(row['with_errors']):>13}", flush=True)
    ratios = [row["reduced"] / row["ltsmin"] for row in rows]
    print(f"\nat or below LTSmin's count: {sum(r <= 1 for r in ratios)} of {len(ratios)} (target: two thirds); "
          f"geometric mean of the ratios {math.exp(statistics.fmean(map(math.log, ratios))):.2f} (target: at most 1)")
    return rows


def format_count(count):
    return "-" if count is None else f"{count:,}"


def part_b():
    title("B. Our models: the same")
    print(f"{'':<30}{'states':>10}{'reduced':>10}{'ratio':>8}{'errors kept':>13}")
    rows = []
    for file in MODELS:
        row = compare(file)
        rows.append(row)
        print(f"{row['model']:<30}{row['states']:>10,}{row['reduced']:>10,}{row['reduced'] / row['states']:>8.3f}"
              f"{format_count(row['with_errors']):>13}", flush=True)
    return rows


def part_c(rows, repetitions):
    title(f"C. Microseconds a state where at least 95% of the states are left ({machine()}; medians of {repetitions})")
    print(f"{'':<24}{'whole':>8}{'reduced':>9}{'ratio':>8}")
    result = []
    for row in rows:
        if row["reduced"] < 0.95 * row["states"]:
            continue
        file, times = dve_file(row["model"]), {"": [], "--por": []}
        for _ in range(repetitions):
            for option, seconds in times.items():
                figures = explore(file, *([option] if option else []))
                seconds.append(1e6 * figures["time_s"] / figures["states"])
        whole, reduced = (statistics.median(times[option]) for option in ("", "--por"))
        result.append({"model": row["model"], "whole_us": whole, "reduced_us": reduced})
        print(f"{row['model']:<24}{whole:>8.2f}{reduced:>9.2f}{reduced / whole:>8.2f}", flush=True)
    if result:
        ratios = [r["reduced_us"] / r["whole_us"] for r in result]
        print(f"\nmedian ratio {statistics.median(ratios):.2f} (target: at most 1.25)")
    return result


def part_d():
    folder = BENCHMARKS / "mcc"
    nets = sorted(folder.rglob("model.pnml")) or sorted(folder.rglob("*.pnml"))
    if not nets:
        print(f"bench por, part D: skipped, there are no nets in {folder} (see TIDELINE_BENCHMARKS)")
        return []
    title("D. Petri nets: markings visited for a deadlock; '>': ended by a limit of 10 s")
    print(f"{'':<36}{'whole':>12}{'--por':>12}{'--reduce-net':>14}{'both':>12}")
    rows = []
    for net in nets:
        row = {"net": net.parent.name if net.name == "model.pnml" else net.stem}
        for name, options in (("whole", ()), ("por", ("--por",)), ("reduced_net", ("--reduce-net",)),
                              ("both", ("--por", "--reduce-net"))):
            answer = limited(net, options)
            row[name] = answer
        rows.append(row)
        print(f"{row['net'][:35]:<36}" + "".join(f"{shown(row[name]):>{width}}" for name, width in (
            ("whole", 12), ("por", 12), ("reduced_net", 14), ("both", 12))), flush=True)
    return rows


def shown(cell):
    return f"{'' if cell['ended'] else '>'}{cell['states']:,}"


def limited(net, options):
    """Exit code 3 is an answer here."""
    done = run([TIDELINE, "check", net, "--deadlock", "--no-trace", "--engine", "bfs", "--time", "10s", *options, "--quiet",
                "--json", "-"])
    answer = json.loads(done.output[done.output.index("{"):])
    verdict = next(p["verdict"] for p in answer["properties"] if p["kind"] == "deadlock")
    figures = answer["statistics"]
    return {"states": figures.get("states", 0), "ended": verdict != "unknown", "verdict": verdict}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABCD", help="only these (default ABCD)")
    parser.add_argument("--repetitions", type=int, default=5, help="runs for each time of part C")
    options = parser.parse_args()
    results = {}
    beem = part_a() if "A" in options.parts or "C" in options.parts else []
    results["A"] = beem
    if "B" in options.parts:
        results["B"] = part_b()
    if "C" in options.parts:
        results["C"] = part_c(beem, options.repetitions)
    if "D" in options.parts:
        results["D"] = part_d()
    write_results("por", results)


if __name__ == "__main__":
    main()
