#!/usr/bin/env python3
"""Draws the pictures of docs/sweep-line.md from real runs, into docs/pictures/.

Those of the protocol need nothing but models/; the others need BEEM's models (TIDELINE_BENCHMARKS) and are left as they are
without them.
"""

import csv
import io
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import plot
from measure import BENCHMARKS, ROOT, TIDELINE, run, tideline

PICTURES = ROOT / "docs/pictures"
PROTOCOL = ROOT / "models/stop_and_wait.dve"
SEVERAL_SWEEPS = "rether.3"
MEMORY = ("bopdp.3", "bridge.3", "peg_solitaire.4")
FORGOTTEN, PERSISTENT = "#bbbbbb", plot.COLOURS[2]


class Layer(NamedTuple):
    """A position of the line: what `explore --layers` reports when the line is about to leave it."""
    sweep: int
    progress: int
    expanded: int
    stored: int
    persistent: int


def sweep(model, measure):
    """The layers of a sweep; `measure`: the terms, or a file with them."""
    given = ["--progress-file", measure] if isinstance(measure, Path) else ["--progress", measure]
    done = run([TIDELINE, "explore", model, "--engine", "sweep", *given, "--model-errors=divine", "--quiet", "--layers", "-"])
    if done.status != 0:
        sys.exit(f"tideline explore {model}: exit code {done.status}\n{done.output}")
    return [Layer(*map(int, row)) for row in list(csv.reader(io.StringIO(done.output)))[1:]]


def live(layers):
    """(states expanded so far, states stored) at the end of each layer."""
    points, expanded = [(0, 1)], 0
    for layer in layers:
        expanded += layer.expanded
        points.append((expanded, layer.stored))
    return points


def live_in_bfs(model):
    _, answer = tideline("explore", model, "--levels", "--model-errors=divine")
    points, expanded, sizes = [], 0, answer["level_sizes"]
    for size, following in zip(sizes, [*sizes[1:], 0]):
        expanded += size
        points.append((expanded, expanded + following))
    return [(0, 1), *points]


def larger_protocol(folder, packets):
    text = PROTOCOL.read_text(encoding="utf-8")
    file = Path(folder) / "protocol.dve"
    file.write_text(re.sub(r"const byte N = \d+;", f"const byte N = {packets};", text), encoding="utf-8")
    return file


def found_measure(model, folder):
    file = Path(folder) / f"{model.stem}.measure"
    done = run([TIDELINE, "progress", model, "--model-errors=divine", "--quiet", "--save", file])
    if done.status != 0:
        sys.exit(f"tideline progress {model}: exit code {done.status}\n{done.output}")
    return file


# --- The method, drawn by hand ----------------------------------------------------------------------------------------


def draw_line(path):
    """A line halfway: layers behind it are forgotten except for persistent states."""
    drawing = plot.Drawing(700, 320)
    columns = [[130, 185], [105, 155, 210], [120, 170, 220], [115, 180], [205]]
    left, step = 70, 130
    states = {(c, r): (left + c * step, y) for c, rows in enumerate(columns) for r, y in enumerate(rows)}
    edges = [((0, 0), (1, 0)), ((0, 1), (1, 1)), ((0, 0), (1, 1)), ((1, 0), (2, 0)), ((1, 1), (2, 1)), ((1, 2), (2, 2)),
             ((1, 1), (1, 2)), ((2, 0), (2, 1)), ((2, 1), (3, 0)), ((2, 2), (3, 1)), ((2, 2), (4, 0))]
    persistent, current = (1, 2), 2
    for c in range(len(columns)):
        drawing.bar(left + c * step - 42, 75, 84, 175, "#f3f3f3" if c < current else "#fdeedd" if c == current else "#e6eff5")
        drawing.text(left + c * step, 270, f"progress {c}", "middle", 12, plot.GREY)
    for start, end in edges:
        drawing.arrow(states[start], states[end], FORGOTTEN if end[0] < current else plot.GREY)
    drawing.arrow(states[2, 2], states[persistent], PERSISTENT, bend=34)
    for (c, r), (x, y) in states.items():
        if (c, r) == persistent:
            drawing.bar(x - 8, y - 8, 16, 16, PERSISTENT)
        elif c < current:
            drawing.circle(x, y, 8, "white", FORGOTTEN)
        else:
            drawing.circle(x, y, 8, plot.COLOURS[1] if c == current else plot.COLOURS[0])
    line = left + current * step - 50
    drawing.line([(line, 62), (line, 258)], "#111111", 2, "6,4")
    drawing.text(line, 54, "the line", "middle", 13, bold=True)
    drawing.line([(line + 8, 297), (line - 8, 240)], PERSISTENT)
    drawing.text(line + 12, 304, "a regress edge: the state it leads to becomes persistent", "start", 12, PERSISTENT)
    x = 28
    for name, colour in (("forgotten", None), ("being expanded", plot.COLOURS[1]), ("waiting", plot.COLOURS[0])):
        drawing.circle(x + 8, 20, 7, colour or "white", colour or FORGOTTEN)
        drawing.text(x + 22, 24, name)
        x += 40 + 7.5 * len(name)
    drawing.bar(x + 1, 13, 14, 14, PERSISTENT)
    drawing.text(x + 22, 24, "persistent")
    drawing.write(path)


# --- From runs --------------------------------------------------------------------------------------------------------


def draw_live(model, path):
    layers = sweep(model, "monotone r, monotone s")
    swept, whole = live(layers), live_in_bfs(model)
    drawing = plot.Drawing(760, 375)
    drawing.text(20, 26, "States in memory while a search goes on", size=15, bold=True)
    drawing.legend(80, 50, ["breadth-first search", "sweep-line"])
    plot.curves(drawing, 80, 75, 650, 230, [whole, swept], "states expanded so far", "states in memory", fill=True)
    most = max(stored for _, stored in swept)
    drawing.text(730, 360, f"stop-and-wait protocol, 30 packets: {whole[-1][1]:,} states; the sweep-line stores "
                 f"{most:,} at most ({100 * most / whole[-1][1]:.1f} %)", "end", 11, plot.GREY)
    drawing.write(path)
    return layers


def draw_layers(layers, path):
    drawing = plot.Drawing(760, 345)
    drawing.text(20, 26, "Layers: states of each progress value, in the order in which the line passes them", size=15, bold=True)
    plot.curves(drawing, 80, 55, 650, 220, [[(i, layer.expanded) for i, layer in enumerate(layers)]],
                "position of the line", "states of the layer", bars=True)
    largest = max(layer.expanded for layer in layers)
    drawing.text(730, 330, f"{len(layers):,} layers, the largest with {largest:,} states", "end", 11, plot.GREY)
    drawing.write(path)


def draw_sweeps(model, measure, path):
    """Several sweeps: what is stored, and how much of it is persistent."""
    layers = sweep(model, measure)
    drawing = plot.Drawing(760, 375)
    drawing.text(20, 26, f"{model.stem}: a measure that is not monotone", size=15, bold=True)
    drawing.legend(80, 50, ["stored", "persistent"])
    expanded, persistent, begins, last = 0, [(0, 0)], [], 0
    for layer in layers:
        if layer.sweep != last:
            begins.append((expanded, layer.sweep))
            last = layer.sweep
        expanded += layer.expanded
        persistent.append((expanded, layer.persistent))
    place = plot.curves(drawing, 80, 75, 650, 230, [live(layers), persistent], "states expanded so far", "states in memory",
                        fill=True)
    for at, number in begins:
        drawing.line([(place(at), 75), (place(at), 305)], plot.GREY, 1, "3,3")
        drawing.text(place(at) + 4, 84 + 12 * (number % 2 == 0), f"sweep {number}", size=10, colour=plot.GREY)
    _, answer = tideline("explore", model, "--model-errors=divine")
    states = answer["statistics"]["states"]
    drawing.text(730, 360, f"{states:,} states, {expanded:,} expansions ({expanded / states:.2f} a state), at most "
                 f"{100 * max(l.stored for l in layers) / states:.1f} % stored", "end", 11, plot.GREY)
    drawing.write(path)


def draw_bad(model, path):
    """The same model with a good measure, a coarse one and one that turns round."""
    measures = ("r, s", "r", "-first, r")
    results = {text: live(sweep(model, text)) for text in measures}
    drawing = plot.Drawing(760, 340)
    drawing.text(20, 26, "The same model, three measures", size=15, bold=True)
    drawing.legend(80, 50, [f"'{text}'" for text in measures])
    plot.curves(drawing, 80, 75, 650, 210, list(results.values()), "states expanded so far", "states in memory")
    drawing.write(path)


def draw_memory(models, folder, path):
    rows = []
    for model in models:
        measure = found_measure(model, folder)
        peaks = [tideline("explore", model, "--engine", engine, "--model-errors=divine", *given)[0].peak_bytes / 1e6
                 for engine, given in (("bfs", []), ("sweep", ["--progress-file", measure]))]
        rows.append((model.stem, *peaks))
    drawing = plot.Drawing(760, 310)
    drawing.text(20, 26, "Peak memory of the whole process, MB", size=15, bold=True)
    drawing.legend(430, 26, ["breadth-first search", "sweep-line"])
    plot.value_bars(drawing, 80, 65, 650, 200, [row[0] for row in rows], [[row[1] for row in rows], [row[2] for row in rows]])
    drawing.write(path)


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    draw_line(PICTURES / "line.svg")
    with tempfile.TemporaryDirectory() as folder:
        protocol = larger_protocol(folder, 30)
        layers = draw_live(protocol, PICTURES / "live-states.svg")
        draw_layers(layers, PICTURES / "layer-sizes.svg")
        draw_bad(protocol, PICTURES / "measures.svg")
        files = {name: BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve" for name in (SEVERAL_SWEEPS, *MEMORY)}
        absent = [str(file) for file in files.values() if not file.is_file()]
        if absent:
            print(f"not drawn again, as these are not there: {' '.join(absent)}")
            return
        several = files[SEVERAL_SWEEPS]
        draw_sweeps(several, found_measure(several, folder), PICTURES / "sweeps.svg")
        draw_memory([files[name] for name in MEMORY], folder, PICTURES / "memory.svg")
    print(f"Drawn to {PICTURES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
