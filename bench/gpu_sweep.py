"""The sweep on the card: state spaces that are many times as large as the memory that it may use.

Counters that count up to a limit each have as many states as there are tuples, and the sum of the counters never decreases. They are
swept with little memory of the card; with little memory of the host, too, so that states go to disk; and with all there
is. Models of BEEM are swept by a measure that Tideline finds itself, and have to have as many states as engine gpu counts.
"""

import csv
import tempfile
from pathlib import Path

import plot
from measure import BENCHMARKS, tideline
from tables import show

COUNTER = """process Count_{i} {{
  state counting;
  init counting;
  trans counting -> counting {{ guard x{i} < {high}; effect x{i} = x{i} + 1; }};
}}
"""
COUNTERS, HIGH = 4, 255
MODELS = ("leader_filters.7", "frogs.4")
WORD = 8                    # bytes of a state with four bytes on the card
MIB = 2 ** 20
TARGET_RATIO = 10


def counters():
    return ("".join(f"byte x{i} = 0;\n" for i in range(COUNTERS))
            + "".join(COUNTER.format(i=i, high=HIGH) for i in range(COUNTERS)) + "system async;\n")


def swept(name, model, expected, *options):
    done, answer = tideline("explore", model, "--engine", "sweep", "--device", "gpu", *options, codes=(0, 1, 3))
    found = answer["statistics"]
    return {"model": name, "options": [str(o) for o in options], "seconds": done.seconds, "right": found.get("states") == expected,
            **{n: found.get(n) for n in ("states", "visited", "sweeps", "layers", "stored_peak", "device_bytes", "host_bytes", "disk_bytes")}}


def measure_sweeps():
    """The rows, and the states in memory as the line moves: (expanded so far, on the card)."""
    with tempfile.TemporaryDirectory() as folder:
        model, layers = Path(folder) / "counters.dve", Path(folder) / "layers.csv"
        model.write_text(counters(), encoding="utf-8")
        name, states = f"{COUNTERS} counters to {HIGH}", (HIGH + 1) ** COUNTERS
        measure = ("--progress", "monotone " + " + ".join(f"x{i}" for i in range(COUNTERS)))
        rows = [swept(f"{name}, 1 GiB of the card", model, states, *measure, "--gpu-memory", "1G", "--layers", layers),
                swept(f"{name}, 1 GiB, and --memory 1.5 GiB", model, states, *measure, "--gpu-memory", "1G", "--memory", "1536M"),
                swept(f"{name}, all of the card", model, states, *measure)]
        with open(layers, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
    for instance in MODELS:
        path = BENCHMARKS / "beem" / instance.split(".")[0] / f"{instance}.dve"
        if not path.is_file():
            print(f"bench gpu: {instance} is not swept, {path} is not there (see TIDELINE_BENCHMARKS)")
            continue
        _, counted = tideline("explore", path, "--engine", "gpu")
        rows.append(swept(instance, path, counted["statistics"]["states"], "--gpu-memory", "2G"))
    points, expanded = [(0, 0)], 0
    for line in lines:
        expanded += int(line["expanded"])
        points.append((expanded / 1e6, int(line["stored"]) / 1e6))
    return rows, points


def show_sweeps(rows):
    show("gpu/sweep", ("model", "states", "on the card at most", "sweeps", "positions of the line", "memory of the card, MiB",
                       "of the host", "on disk", "s", "M states/s", "count"),
         [(row["model"], f"{row['visited']:,}", f"{row['stored_peak']:,}", row["sweeps"], row["layers"],
           f"{row['device_bytes'] / MIB:,.0f}", f"{row['host_bytes'] / MIB:,.0f}", f"{row['disk_bytes'] / MIB:,.0f}", f"{row['seconds']:.2f}",
           f"{row['visited'] / row['seconds'] / 1e6:.0f}", "right" if row["right"] else "WRONG") for row in rows])


def summary(rows):
    """A line for the table of targets."""
    first = rows[0]
    ratio = first["visited"] * WORD / first["device_bytes"]
    return ("bytes of all states over the memory that a sweep may use of the card", f"{ratio:.1f}", TARGET_RATIO,
            "ok" if ratio >= TARGET_RATIO and first["right"] else "missed")


def draw(points, path):
    drawing = plot.Drawing(760, 330)
    drawing.text(20, 26, f"{COUNTERS} counters to {HIGH}, swept with 1 GiB of the card", size=15, bold=True)
    plot.curves(drawing, 90, 70, 640, 200, [points], "million states expanded", "million states on the card", fill=True)
    drawing.write(path)
    print(f"\nDrawn to {path}")
