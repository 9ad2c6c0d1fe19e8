#!/usr/bin/env python3
"""Columns: the experiments of Kristensen and Mailund (see columns_paper.py) on our models of their examples, our figures beside
theirs.

  A  end to end  `check --engine sweep` without a measure beside `check --engine bfs`: time of the whole process, the part of it
                 that goes into finding the measure, and memory
  B  Tables 1-3  states, states explored and the most stored at a time, with the paper's choice of a measure for each component
                 (from structure alone, nothing learnt), with the best measure composed of components, and out of the box
  C  section 4   what columns save, and what comparing tuples does instead of comparing part by part (columns_orders.cpp); for
                 stop-and-wait with measures of some components and of all
  D  Figure 6    the sweep beside state space caching: time against memory, for caches of many sizes and all strategies
  E              BEEM's instances of Table 1 of Evangelista and Kristensen: what is stored with a measure learnt from states,
                 with a composed one, and with the one found by default
  F              the summary, with targets

Tables are printed, and written as Markdown to build/bench/tables/columns/.
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
import tables
import plot
from measure import BENCHMARKS, RESULTS, ROOT, TIDELINE, run, tideline, write_results

MODELS = ROOT / "models"
STRATEGIES = ("random", "oldest", "unmet", "rare")
# Configurations of Figure 6, and sizes of caches as parts of the state space.
CACHED = {"master_slave.psl": 20, "two_phase_commit.psl": 7, "stop_and_wait_channels.psl": 50}
PARTS = (1.0, 0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
CACHE_SECONDS = 30
TARGET_TIME = 1.3
ORDERS = ROOT / "build/bench/bench/columns_orders"
# What is repeated until it can be timed: at least so many seconds in all, at most so many runs.
ENOUGH_SECONDS, MOST_RUNS = 2.0, 40


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


def taking_turns(repetitions, ways):
    """Runs all of them in turns, each so often that it can be timed: by name, the results of its runs."""
    results = {name: [] for name in ways}
    spent = dict.fromkeys(ways, 0.0)
    for turn in range(MOST_RUNS):
        for name, way in ways.items():
            if turn < repetitions or spent[name] < ENOUGH_SECONDS:
                done, answer = way()
                results[name].append((done, answer["statistics"]))
                spent[name] += done.seconds
    return results


def median(runs, what):
    return statistics.median(what(done, statistic) for done, statistic in runs)


def seconds(value):
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 1 else f"{value:.2f}"


def configurations(folder):
    for example in paper.EXAMPLES:
        for value, line in example.lines.items():
            yield example, value, line, configured(folder, example.model, example.constant, value)


# --- A: end to end ----------------------------------------------------------------------------------------------------


def part_a(folder, repetitions):
    title("A. End to end: seconds and memory of the whole process, `check --invariant true` by breadth-first search, and by the sweep\n"
          f"   without a measure. Medians of at least {repetitions} runs that take turns, short ones repeated for {ENOUGH_SECONDS} s")
    rows, cells = [], []
    for example, value, _, file in configurations(folder):
        runs = taking_turns(repetitions, {
            engine: lambda engine=engine, file=file: tideline("check", file, "--engine", engine, "--invariant", "true", "--no-trace")
            for engine in ("bfs", "sweep")})
        states = runs["bfs"][0][1]["states"]
        sweep = runs["sweep"][0][1]
        row = {"example": example.model, "value": value, "states": states,
               "bfs_seconds": median(runs["bfs"], lambda done, _: done.seconds),
               "sweep_seconds": median(runs["sweep"], lambda done, _: done.seconds),
               "measure_seconds": median(runs["sweep"], lambda _, s: s["measure_time_s"]),
               "bfs_bytes": median(runs["bfs"], lambda done, _: done.peak_bytes),
               "sweep_bytes": median(runs["sweep"], lambda done, _: done.peak_bytes),
               "explored": 100 * sweep["visited"] / states, "peak": 100 * sweep["stored_peak"] / states}
        rows.append(row)
        cells.append([f"{example.short}, {value}", f"{states:,}", seconds(row["bfs_seconds"]), seconds(row["sweep_seconds"]),
                      seconds(row["measure_seconds"]), f"{row['bfs_bytes'] / 1e6:.0f}", f"{row['sweep_bytes'] / 1e6:.0f}",
                      f"{row['explored']:.1f}%", f"{row['peak']:.2f}%"])
    tables.show("columns/end-to-end", ["model", "states", "bfs, s", "sweep, s", "of it to find the measure, s", "bfs, MB", "sweep, MB", "explored",
                        "stored"], cells)
    return rows


# --- B: the tables ----------------------------------------------------------------------------------------------------


WAYS = ("paper's choice", "composed", "out of the box")


def part_b(folder, repetitions):
    rows = []
    for number, example in enumerate(paper.EXAMPLES, start=1):
        title(f"B. {example.title}. Explored and stored states in per cent of all; seconds of the searches, measures given,\n"
              f"   medians of at least {repetitions} runs that take turns. The paper's seconds are of a PC of 2002, and rounded")
        cells = []
        for value, line in example.lines.items():
            file = configured(folder, example.model, example.constant, value)
            row = table_row(example, value, line, file, repetitions)
            rows.append(row)
            cells.append([value, f"{row['states']:,}", seconds(row["full_seconds"]),
                          *(cell for way in WAYS for cell in (f"{row[way]['explored']:.1f}%, {row[way]['peak']:.2f}%",
                                                              seconds(row[way]["seconds"]))),
                          f"{line.explored:g}%, {line.peak:.2f}%", f"{line.full_seconds}, {line.sweep_seconds}"])
            if row["states"] != line.states:
                print(f"{value}: the paper has {line.states:,} states")
        tables.show(f"columns/table-{number}", [example.rows, "states", "full search, s",
                                 *(cell for way in WAYS for cell in (f"{way}: explored, stored", "s")),
                                 "paper: explored, stored", "paper: full, sweep, s"], cells)
    return rows


def table_row(example, value, line, file, repetitions):
    row = {"example": example.model, "value": value, "printed": line._asdict()}
    measures = {"paper's choice": ["--progress", example.measure(value)],
                "composed": ["--progress-file", measure_for(file, "composed")],
                "out of the box": ["--progress-file", measure_for(file, "any")]}
    runs = taking_turns(repetitions, {
        "full": lambda: tideline("explore", file, "--engine", "bfs"),
        **{way: lambda measure=measure: tideline("explore", file, "--engine", "sweep", *measure)
           for way, measure in measures.items()}})
    row["states"] = runs["full"][0][1]["states"]
    row["full_seconds"] = median(runs["full"], lambda _, s: s["time_s"])
    for way in WAYS:
        statistic = runs[way][0][1]
        row[way] = {"explored": 100 * statistic["visited"] / row["states"], "stored": statistic["stored_peak"],
                    "peak": 100 * statistic["stored_peak"] / row["states"],
                    "seconds": median(runs[way], lambda _, s: s["time_s"] - s["measure_time_s"])}
    return row


# --- C: columns, tuples and the product of orders ---------------------------------------------------------------------


SEARCHES = ("tuples", "product", "product, by sum")


def orders(file, measures):
    """What columns_orders prints for each of the measures, by name."""
    done = run([ORDERS, file, *measures.values()])
    if done.status != 0:
        sys.exit(f"{ORDERS} {file}: exit code {done.status}\n{done.output}")
    return dict(zip(measures, json.loads(done.output)))


def order_cell(result, search):
    return f"{100 * result[search]['visited'] / result['states']:.1f}%, {100 * result[search]['stored'] / result['states']:.2f}%"


def part_c(folder):
    heading = ["tuples", "part by part, least tuple first", "part by part, least sum first"]
    title("C. Columns on and off, tuples and the product of orders: explored, stored, with the paper's choice of measures")
    results, cells = {}, []
    for example in paper.EXAMPLES:
        value = min(example.lines)
        file = configured(folder, example.model, example.constant, value)
        result = results[example.model] = orders(file, {"paper": example.measure(value)})["paper"]
        for suffix in ("", ", no columns"):
            cells.append([f"{example.short}, {value}{suffix}", *(order_cell(result, search + suffix) for search in SEARCHES),
                          "" if suffix else f"{example.lines[value].explored:g}%, {example.lines[value].peak:.2f}%"])
    tables.show("columns/orders", ["explored, stored", *heading, "paper"], cells)

    title("C. Stop-and-wait with 20 numbers: explored, stored by the components whose trees are in the measure")
    example = next(example for example in paper.EXAMPLES if example.model == "stop_and_wait_channels.psl")
    file = configured(folder, example.model, example.constant, 20)
    chosen = [("Sender",), ("Receiver",), ("Data",), ("Sender", "Receiver"), ("Sender", "Data"), ("Sender", "Data", "Receiver"),
              ("Data", "Acks"), ("Sender", "Data", "Acks", "Receiver"), ("Receiver", "Acks", "Data", "Sender")]
    results["stop-and-wait"] = orders(file, {", ".join(names): ", ".join(f"tree({name})" for name in names) for names in chosen})
    tables.show("columns/stop-and-wait", ["trees of", *heading, "persistent, by tuples"],
         [[name, *(order_cell(result, search) for search in SEARCHES),
           f"{100 * result['tuples']['persistent'] / result['states']:.1f}%"] for name, result in results["stop-and-wait"].items()]
         + [["paper, all", "", "103.8%, 61.73%", "103.8%, 61.73%", ""]])
    return results


# --- D: state space caching -------------------------------------------------------------------------------------------


def part_d(folder):
    title("D. Figure 6: what time it costs to hold fewer states, times over those of a full depth-first search.\n"
          f"   Caches at most {CACHE_SECONDS} s a run; '-' did not end, or the stack alone was too large")
    rows = []
    for example in paper.EXAMPLES:
        value = CACHED[example.model]
        file = configured(folder, example.model, example.constant, value)
        _, full = tideline("explore", file, "--engine", "dfs")
        states, whole = full["statistics"]["states"], full["statistics"]["time_s"]
        row = {"example": example.model, "value": value, "states": states, "seconds": whole, "cache": {}, "sweep": {}}
        for origin in ("composed", "any"):
            _, answer = tideline("explore", file, "--engine", "sweep", "--progress-file", measure_for(file, origin))
            s = answer["statistics"]
            row["sweep"][origin] = {"part": s["stored_peak"] / states, "visited": s["visited"] / states,
                                    "seconds": s["time_s"] - s["measure_time_s"]}
        print(f"{example.short}, {value}: {states:,} states, {whole:.3f} s")
        for strategy in STRATEGIES:
            row["cache"][strategy] = cached_runs(file, strategy, states)
        tables.show(f"columns/figure-6-{Path(example.model).stem}", ["visits per state, time over full", *STRATEGIES],
             [[f"cache of {100 * part:.0f}%", *(cache_cell(row["cache"][strategy].get(part), whole) for strategy in STRATEGIES)]
              for part in PARTS]
             + [[f"sweep, {origin}, {100 * s['part']:.1f}%", f"{s['visited']:.2f}, {s['seconds'] / whole:.2f}", *[""] * 3]
                for origin, s in row["sweep"].items()])
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


def cache_cell(result, whole):
    return f"{result['visited']:.2f}, {result['seconds'] / whole:.1f}" if result else "-"


# --- E: BEEM ----------------------------------------------------------------------------------------------------------


def part_e(folder):
    title("E. Out of the box on BEEM's instances: most states stored at a time and states visited, as fractions of the\n"
          "   product's, with the best measure learnt from states, the best composed one, and the one that is taken")
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
    tables.show("columns/beem", ["stored / visited", "states", "learnt", "composed", "taken"],
         [[row["instance"], f"{row['states']:,}",
           *(f"{row[o]['stored']:.3f} / {row[o]['visited']:.3f}" if row[o] else "-" for o in ("learnt", "composed", "any"))]
          for row in rows])
    return rows


# --- F and the drawing ------------------------------------------------------------------------------------------------


def part_f(tables, beem):
    title("F. Summary")
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
        for way in WAYS[1:]:
            key, limit = limits[model]
            worst = max(row[way][key] for row in rows)
            unit = "states" if key == "stored" else "per cent"
            say(f"{model}: {unit} stored at a time, {way}, at most", worst, limit, worst <= limit)
            explored = max(row[way]["explored"] for row in rows)
            most = {"master_slave.psl": 200, "two_phase_commit.psl": 100}.get(model)
            if most:
                say(f"{model}: per cent explored, {way}, at most", explored, most, explored <= most + 0.01)
    once = [row[way]["seconds"] / row["full_seconds"] for row in tables for way in WAYS[1:]
            if row[way]["explored"] < 100.01 and row["states"] > 100_000]
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
    parser.add_argument("--parts", default="ABCDEF", help="which parts to run (default: all)")
    parser.add_argument("--repetitions", type=int, default=3, metavar="R", help="runs of parts A and B")
    options = parser.parse_args()
    parts = set(options.parts.upper().replace(",", ""))
    with tempfile.TemporaryDirectory() as folder:
        whole = part_a(folder, options.repetitions) if "A" in parts else []
        tables = part_b(folder, options.repetitions) if "B" in parts else []
        compared = part_c(folder) if "C" in parts else {}
        caches = part_d(folder) if "D" in parts else []
        beem = part_e(folder) if "E" in parts else []
    summary = part_f(tables, beem) if "F" in parts else []
    if caches:
        draw(caches, RESULTS / "columns.svg")
    write_results("columns", {"end_to_end": whole, "tables": tables, "orders": compared, "caches": caches, "beem": beem,
                              "summary": summary})


if __name__ == "__main__":
    main()
