#!/usr/bin/env python3
"""Columns: the experiments of Kristensen and Mailund (see columns_paper.py) on our models of their examples, our figures beside
theirs. All measures are those that Tideline finds by itself.

  A  Tables 1-3  states, states explored and the most stored at a time, by the measure composed from single components, and by
                 the one found by default; time over that of a full search
  B  Figure 6    the sweep beside state space caching: time against memory, for caches of many sizes and all strategies
  C              BEEM's instances of Table 1 of Evangelista and Kristensen: what is stored with a measure learnt from states,
                 with a composed one, and with the one found by default
  D              the summary, with targets
"""

import argparse
import json
import math
import re
import statistics
import sys
import tempfile
from pathlib import Path

import columns_paper as paper
import ltl_sweep_paper
import plot
from measure import BENCHMARKS, RESULTS, ROOT, TIDELINE, run, tideline, write_results

MODELS = ROOT / "models"
STRATEGIES = ("random", "oldest", "unmet", "rare")
# Configurations of Figure 6, and sizes of caches as parts of the state space.
CACHED = {"master_slave.psl": 20, "two_phase_commit.psl": 7, "stop_and_wait_channels.psl": 50}
PARTS = (1.0, 0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
CACHE_SECONDS = 30
TARGET_TIME = 1.3


def title(text):
    print(f"\n{text}\n", flush=True)


def configured(folder, model, constant, value):
    """The model with another value of one of its constants."""
    text = (MODELS / model).read_text(encoding="utf-8")
    changed, count = re.subn(rf"^const {constant} = \d+;", f"const {constant} = {value};", text, flags=re.M)
    if count != 1:
        sys.exit(f"{model}: there is no constant {constant}")
    file = Path(folder) / f"{Path(model).stem}-{value}.psl"
    file.write_text(changed, encoding="utf-8")
    return file


def measure_for(file, origin, *options):
    """The best measure of this origin, in a file; None when no measure helps."""
    saved = file.with_suffix(f".{origin}")
    done = run([TIDELINE, "progress", file, "--origin", origin, "--quiet", "--save", saved, *options])
    if done.status not in (0, 3):
        sys.exit(f"tideline progress {file}: exit code {done.status}\n{done.output}")
    return saved if saved.is_file() else None


# --- A: the tables ----------------------------------------------------------------------------------------------------


def part_a(folder, repetitions):
    rows = []
    for example in paper.EXAMPLES:
        title(f"A. {example.title}. Explored and stored states in per cent of all; time in seconds, medians of {repetitions}")
        print(f"{'':<6}{'':>11} |{'composed':^40} |{'out of the box':^40} |{'paper':^16}")
        columns = f"{'explored':>9}{'stored':>8}{'states':>8}{'sweep':>8}{'/ full':>7}"
        print(f"{'':<6}{'states':>11} |{columns} |{columns} |{'explored':>9}{'stored':>7}")
        for value, line in example.lines.items():
            file = configured(folder, example.model, example.constant, value)
            row = table_row(example, value, line, file, repetitions)
            rows.append(row)
            cells = " |".join(f"{row[o]['explored']:>9.1f}{row[o]['peak']:>8.2f}{row[o]['stored']:>8,}{row[o]['seconds']:>8.3f}"
                              f"{row[o]['seconds'] / row['full_seconds']:>7.2f}" for o in ("composed", "any"))
            print(f"{value:<6}{row['states']:>11,} |{cells} |{line.explored:>9.1f}{line.peak:>7.2f}"
                  + ("" if row["states"] == line.states else f"   paper: {line.states:,} states"), flush=True)
    return rows


def table_row(example, value, line, file, repetitions):
    row = {"example": example.model, "value": value, "printed": line._asdict()}
    measures = {origin: measure_for(file, origin) for origin in ("composed", "any")}
    seconds = {name: [] for name in ("full", *measures)}
    for _ in range(repetitions):
        _, full = tideline("explore", file, "--engine", "bfs")
        seconds["full"].append(full["statistics"]["time_s"])
        row["states"] = full["statistics"]["states"]
        for origin, measure in measures.items():
            _, answer = tideline("explore", file, "--engine", "sweep", "--progress-file", measure)
            statistic = answer["statistics"]
            seconds[origin].append(statistic["time_s"] - statistic["measure_time_s"])
            row[origin] = {"explored": 100 * statistic["visited"] / row["states"], "stored": statistic["stored_peak"],
                           "peak": 100 * statistic["stored_peak"] / row["states"]}
    row["full_seconds"] = statistics.median(seconds["full"])
    for origin in measures:
        row[origin]["seconds"] = statistics.median(seconds[origin])
    return row


# --- B: state space caching -------------------------------------------------------------------------------------------


def part_b(folder):
    title("B. Figure 6: what time it costs to hold fewer states, times over those of a full depth-first search.\n"
          f"   Caches at most {CACHE_SECONDS} s a run; '-' did not end, or the stack alone was too large")
    rows = []
    for example in paper.EXAMPLES:
        value = CACHED[example.model]
        file = configured(folder, example.model, example.constant, value)
        _, full = tideline("explore", file, "--engine", "dfs")
        states, seconds = full["statistics"]["states"], full["statistics"]["time_s"]
        row = {"example": example.model, "value": value, "states": states, "seconds": seconds, "cache": {}, "sweep": {}}
        for origin in ("composed", "any"):
            _, answer = tideline("explore", file, "--engine", "sweep", "--progress-file", measure_for(file, origin))
            s = answer["statistics"]
            row["sweep"][origin] = {"part": s["stored_peak"] / states, "visited": s["visited"] / states,
                                    "seconds": s["time_s"] - s["measure_time_s"]}
        print(f"{example.model}, {value}: {states:,} states, {seconds:.3f} s; sweep "
              + ", ".join(f"{origin}: {100 * s['part']:.1f}% of the states, {s['visited']:.2f} visits, {s['seconds']:.3f} s"
                          for origin, s in row["sweep"].items()))
        print(f"{'cache':>7}" + "".join(f"{name:>16}" for name in STRATEGIES) + "   visits per state, time over full")
        for strategy in STRATEGIES:
            row["cache"][strategy] = cached_runs(file, strategy, states)
        for part in PARTS:
            cells = "".join(cache_cell(row["cache"][strategy].get(part), seconds) for strategy in STRATEGIES)
            print(f"{100 * part:>6.0f}%{cells}", flush=True)
        print()
        rows.append(row)
    return rows


def cached_runs(file, strategy, states):
    """By part of the states, from large caches to small ones, until one does not end."""
    results = {}
    for part in PARTS:
        done = run([TIDELINE, "explore", file, "--engine", "cache", "--cache", max(1, round(part * states)), "--replace", strategy,
                    "--time", f"{CACHE_SECONDS}s", "--quiet", "--json", "-"])
        if done.status == 3:
            break
        if done.status != 0:
            sys.exit(f"tideline explore {file} --engine cache: exit code {done.status}\n{done.output}")
        statistic = json.loads(done.output)["statistics"]
        results[part] = {"visited": statistic["visited"] / states, "seconds": statistic["time_s"]}
    return results


def cache_cell(result, seconds):
    if not result:
        return f"{'-':>16}"
    return f"{result['visited']:>9.2f}{result['seconds'] / seconds:>7.1f}"


# --- C: BEEM ----------------------------------------------------------------------------------------------------------


def part_c(folder):
    title("C. Out of the box on BEEM's instances: most states stored at a time and states visited, as fractions of the\n"
          "   product's, with the best measure learnt from states, the best composed one, and the one that is taken")
    print(f"{'instance':<24}{'states':>11} |{'learnt':^16} |{'composed':^16} |{'taken':^16}")
    rows = []
    for line in ltl_sweep_paper.TABLE_1:
        name, prop = line.name.rsplit(".", 1)
        file = BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.{prop}.dve"
        if not file.is_file():
            print(f"{line.name:<24} skipped, {file} is not there")
            continue
        local = Path(folder) / file.name
        local.write_bytes(file.read_bytes())
        _, whole = tideline("explore", "--product", local, "--model-errors=divine")
        states = whole["statistics"]["product_states"]
        row = {"instance": line.name, "states": states}
        for origin in ("learnt", "composed", "any"):
            measure = measure_for(local, origin, "--product", "--model-errors=divine")
            row[origin] = None
            if measure is None:
                continue
            _, answer = tideline("explore", "--product", local, "--engine", "sweep", "--progress-file", measure,
                                 "--model-errors=divine")
            s = answer["statistics"]
            row[origin] = {"stored": s["stored_peak"] / states, "visited": s["visited"] / states}
        rows.append(row)
        cells = " |".join(f"{row[o]['stored']:>8.3f}{row[o]['visited']:>8.3f}" if row[o] else f"{'-':>16}"
                          for o in ("learnt", "composed", "any"))
        print(f"{line.name:<24}{states:>11,} |{cells}", flush=True)
    return rows


# --- D and the drawing ------------------------------------------------------------------------------------------------


def part_d(tables, beem):
    title("D. Summary")
    summary = []

    def say(what, value, target, good):
        summary.append({"what": what, "value": value, "target": target, "ok": good})
        print(f"{what:<100}{value:>9.2f}  target {target:<6} {'ok' if good else 'MISSED'}")

    by_model = {}
    for row in tables:
        by_model.setdefault(row["example"], []).append(row)
    same = sum(row["states"] == row["printed"]["states"] for row in tables)
    if tables:
        say("configurations with the printed number of states", same, len(tables), same == len(tables))
    limits = {"master_slave.psl": ("stored", 8192), "two_phase_commit.psl": ("peak", 24), "stop_and_wait_channels.psl": ("peak", 61)}
    for model, rows in by_model.items():
        for origin in ("composed", "any"):
            what = "composed" if origin == "composed" else "out of the box"
            key, limit = limits[model]
            worst = max(row[origin][key] for row in rows)
            unit = "states" if key == "stored" else "per cent"
            say(f"{model}: {unit} stored at a time, {what}, at most", worst, limit, worst <= limit)
            explored = max(row[origin]["explored"] for row in rows)
            most = {"master_slave.psl": 200, "two_phase_commit.psl": 100}.get(model)
            if most:
                say(f"{model}: per cent explored, {what}, at most", explored, most, explored <= most + 0.01)
    once = [row[o]["seconds"] / row["full_seconds"] for row in tables for o in ("composed", "any")
            if row[o]["explored"] < 100.01 and row["states"] > 100_000]
    if once:
        say("time over that of a full search where every state is explored once (over 100,000 states), worst", max(once), TARGET_TIME,
            max(once) <= TARGET_TIME)
    if beem:
        better = [row for row in beem if row["any"] and row["learnt"] and row["any"]["stored"] <= row["learnt"]["stored"] + 0.0005]
        say("BEEM instances on which the measure taken stores at most what the learnt one does, of " + str(len(beem)),
            len(better), (len(beem) + 1) // 2, 2 * len(better) >= len(beem))
    return summary


MOST_TIMES = 1024
NAMES = {"master_slave.psl": "master and slaves, {} jobs", "two_phase_commit.psl": "two-phase commit, {} voters",
         "stop_and_wait_channels.psl": "stop-and-wait, {} numbers"}


def draw(rows, path):
    """Figure 6: what a cache costs in visits and in time, on logarithmic scales; the sweep is a point."""
    drawing = plot.Drawing(1000, 90 + 300 * len(rows))
    drawing.text(20, 28, "Fewer states in memory: what it costs by caching and by the sweep-line", size=15, bold=True)
    drawing.legend(20, 52, [*STRATEGIES, "sweep, composed", "sweep, out of the box"])
    for i, row in enumerate(rows):
        name = NAMES[row["example"]].format(row["value"])
        top, width, height = 110 + 300 * i, 400, 200
        trade_off(drawing, 60, top, width, height, f"{name}: visits a state", row, lambda result: result["visited"])
        trade_off(drawing, 560, top, width, height, f"{name}: time over a full search", row,
                  lambda result, full=row["seconds"]: result["seconds"] / full)
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def trade_off(drawing, left, top, width, height, title_text, row, cost):
    drawing.text(left, top - 12, title_text, bold=True)

    def place(part, times):
        return left + width * part, top + height * (1 - min(max(math.log(times, MOST_TIMES), 0), 1))

    for times in (1, 4, 16, 64, 256, 1024):
        _, y = place(0, times)
        drawing.line([(left, y), (left + width, y)], "#dddddd")
        drawing.text(left - 8, y + 4, f"{times}", anchor="end", size=11, colour=plot.GREY)
    for part in (0, 0.25, 0.5, 0.75, 1):
        x, _ = place(part, 1)
        drawing.text(x, top + height + 18, f"{100 * part:.0f}%", anchor="middle", size=11, colour=plot.GREY)
    drawing.text(left + width, top + height + 36, "states stored at a time, of all", anchor="end", size=11, colour=plot.GREY)
    for number, strategy in enumerate(STRATEGIES):
        points = [place(part, cost(result)) for part, result in sorted(row["cache"][strategy].items())]
        if len(points) > 1:
            drawing.line(points, colour=plot.COLOURS[number], width=2)
        for x, y in points:
            drawing.circle(x, y, 2.5, plot.COLOURS[number])
    for number, sweep in enumerate(row["sweep"].values(), start=len(STRATEGIES)):
        x, y = place(sweep["part"], cost(sweep))
        first = number == len(STRATEGIES)
        drawing.circle(x, y, 7 if first else 4, "white" if first else plot.COLOURS[number], plot.COLOURS[number])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="ABCD", help="which parts to run (default: all)")
    parser.add_argument("--repetitions", type=int, default=3, metavar="R", help="runs of part A")
    options = parser.parse_args()
    parts = set(options.parts.upper().replace(",", ""))
    with tempfile.TemporaryDirectory() as folder:
        tables = part_a(folder, options.repetitions) if "A" in parts else []
        caches = part_b(folder) if "B" in parts else []
        beem = part_c(folder) if "C" in parts else []
    summary = part_d(tables, beem) if "D" in parts else []
    if caches:
        draw(caches, RESULTS / "columns.svg")
    write_results("columns", {"tables": tables, "caches": caches, "beem": beem, "summary": summary})


if __name__ == "__main__":
    main()
