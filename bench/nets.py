#!/usr/bin/env python3
"""Writes well-known Petri nets of any size as PNML.

    bench/nets.py philosophers 10 > philosophers-10.pnml
    bench/nets.py --check --tideline build/release/bin/tideline

The families, from the literature on state spaces of nets:

    philosophers  N philosophers who take one fork after the other, in any order, and put both down at once:
                  3^N markings, two of them deadlocked
    kanban        four cells with N cards each (Ciardo and Tilgner, 1996)
    fms           a flexible manufacturing system with N pallets of each of three kinds (Ciardo and Trivedi, 1993)
    slots         N stations on a ring that pass slots on, free ones and used ones (Pastor, Roig, Cortadella and Badia,
                  1994): 52, 5,136, 53,856 markings for 2, 4 and 5 stations
    tokens        Dijkstra's self-stabilising ring of N + 1 stations with as many values each, from a state with
                  many tokens (1974); the contest's TokenRing
    memory        N processors with a memory each; the memories of others are reached over one bus; the contest's
                  SharedMemory: 3^N + N(N - 1) 3^(N - 1) markings
    pool          20 N bathers, who undress and dress in 10 N cabins with 15 N bags for their clothes; the contest's
                  SwimmingPool for N = 1
    railroad      N tracks over a crossing; a controller counts the trains and closes and opens the gate; the contest's
                  Railroad without the places and transitions that are dead

--check explores small instances with Tideline and compares with closed forms, or with what is recorded.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr


class Net:
    """Places with tokens, transitions with arcs; written in the order in which they were added."""

    def __init__(self, name):
        self.name = name
        self.places = {}
        self.transitions = []

    def place(self, name, tokens=0):
        self.places[name] = tokens
        return name

    def transition(self, name, consumes, produces):
        self.transitions.append((name, weights(consumes), weights(produces)))

    def pnml(self):
        kind = "http://www.pnml.org/version-2009/grammar/"
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield f'<pnml xmlns="{kind}pnml">'
        yield f' <net id={quoteattr(self.name)} type="{kind}ptnet">'
        yield '  <page id="page">'
        for name, tokens in self.places.items():
            marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
            yield f"   <place id={quoteattr(name)}>{marking}</place>"
        for name, _, _ in self.transitions:
            yield f"   <transition id={quoteattr(name)}/>"
        number = itertools.count()
        for name, consumes, produces in self.transitions:
            for place, weight in consumes.items():
                yield arc(next(number), place, name, weight)
            for place, weight in produces.items():
                yield arc(next(number), name, place, weight)
        yield "  </page>"
        yield " </net>"
        yield "</pnml>"


def weights(places):
    """A list of places, in which one may be repeated, or a dictionary."""
    if isinstance(places, dict):
        return places
    return {place: places.count(place) for place in dict.fromkeys(places)}


def arc(number, source, target, weight):
    inscription = f"<inscription><text>{weight}</text></inscription>" if weight != 1 else ""
    return f'   <arc id="arc{number}" source={quoteattr(source)} target={quoteattr(target)}>{inscription}</arc>'


def philosophers(n):
    net = Net(f"philosophers-{n}")
    for i in range(n):
        for state in ("thinks", "has_left", "has_right", "eats"):
            net.place(f"{state}_{i}", 1 if state == "thinks" else 0)
        net.place(f"fork_{i}", 1)
    for i in range(n):
        left, right = f"fork_{i}", f"fork_{(i + 1) % n}"
        net.transition(f"take_left_{i}", [f"thinks_{i}", left], [f"has_left_{i}"])
        net.transition(f"take_right_{i}", [f"thinks_{i}", right], [f"has_right_{i}"])
        net.transition(f"then_right_{i}", [f"has_left_{i}", right], [f"eats_{i}"])
        net.transition(f"then_left_{i}", [f"has_right_{i}", left], [f"eats_{i}"])
        net.transition(f"put_down_{i}", [f"eats_{i}"], [f"thinks_{i}", left, right])
    return net


def kanban(n):
    net = Net(f"kanban-{n}")
    for cell in range(1, 5):
        for place, tokens in (("ready", 0), ("back", 0), ("out", 0), ("cards", n)):
            net.place(f"{place}_{cell}", tokens)
        net.transition(f"redo_{cell}", [f"ready_{cell}"], [f"back_{cell}"])
        net.transition(f"again_{cell}", [f"back_{cell}"], [f"ready_{cell}"])
        net.transition(f"ok_{cell}", [f"ready_{cell}"], [f"out_{cell}"])
    net.transition("in", ["cards_1"], ["ready_1"])
    net.transition("split", ["out_1", "cards_2", "cards_3"], ["cards_1", "ready_2", "ready_3"])
    net.transition("join", ["out_2", "out_3", "cards_4"], ["cards_2", "cards_3", "ready_4"])
    net.transition("leave", ["out_4"], ["cards_4"])
    return net


def fms(n):
    net = Net(f"fms-{n}")
    tokens = {"P1": n, "P2": n, "P3": n, "M1": 3, "M2": 1, "M3": 2}
    for place in ("P1", "P1wM1", "P1M1", "M1", "P1d", "P1s", "P1wP2", "P2", "P2wM2", "P2M2", "M2", "P2d", "P2s",
                  "P2wP1", "P12", "P12wM3", "P12M3", "M3", "P12s", "P3", "P3M2", "P3s"):
        net.place(place, tokens.get(place, 0))
    for name, consumes, produces in (
            ("tP1", ["P1"], ["P1wM1"]), ("tM1", ["P1wM1", "M1"], ["P1M1"]), ("tP1M1", ["P1M1"], ["P1d", "M1"]),
            ("tP1e", ["P1d"], ["P1s"]), ("tP1j", ["P1d"], ["P1wP2"]), ("tP2", ["P2"], ["P2wM2"]),
            ("tM2", ["P2wM2", "M2"], ["P2M2"]), ("tP2M2", ["P2M2"], ["P2d", "M2"]), ("tP2e", ["P2d"], ["P2s"]),
            ("tP2j", ["P2d"], ["P2wP1"]), ("tx", ["P1wP2", "P2wP1"], ["P12"]), ("tP12", ["P12"], ["P12wM3"]),
            ("tM3", ["P12wM3", "M3"], ["P12M3"]), ("tP12M3", ["P12M3"], ["P12s", "M3"]), ("tP3", ["P3"], ["P3M2"]),
            ("tP3M2", ["P3M2", "M2"], ["P3s", "M2"]), ("tP1s", ["P1s"], ["P1"]), ("tP2s", ["P2s"], ["P2"]),
            ("tP3s", ["P3s"], ["P3"]), ("tP12s", ["P12s"], ["P1", "P2"])):
        net.transition(name, consumes, produces)
    return net


def slots(n):
    net = Net(f"slots-{n}")
    for i in range(n):
        for place in "abcdefgh":
            net.place(f"{place}_{i}", 1 if place in "ce" else 0)
    for i in range(n):
        before = (i - 1) % n
        for name, consumes, produces in (
                ("other", ["a"], ["d"]), ("owner", ["a"], ["b"]), ("write", ["b"], ["d"]), ("go", ["b"], ["h"]),
                ("get", ["f", "h"], ["c", "e"]), ("put", ["d", "f"], ["c", "g"])):
            net.transition(f"{name}_{i}", [f"{p}_{i}" for p in consumes], [f"{p}_{i}" for p in produces])
        net.transition(f"used_{i}", [f"g_{i}", f"c_{before}"], [f"f_{i}", f"a_{before}"])
        net.transition(f"free_{i}", [f"e_{i}", f"c_{before}"], [f"f_{i}", f"b_{before}"])
    return net


def tokens(n):
    net = Net(f"tokens-{n}")
    stations = range(n + 1)
    for station, token in itertools.product(stations, stations):
        net.place(f"State_{station}_{token}", 1 if station == token else 0)
    for station, mine, other in itertools.product(stations, repeat=3):
        before = (station - 1) % (n + 1)
        # The first station moves to the next number when its neighbour has its own; the others copy.
        if (mine == other) if station == 0 else (mine != other):
            now = (mine + 1) % (n + 1) if station == 0 else other
            net.transition(f"move_{station}_{mine}_{other}", [f"State_{station}_{mine}", f"State_{before}_{other}"],
                           [f"State_{station}_{now}", f"State_{before}_{other}"])
    return net


def memory(n):
    net = Net(f"memory-{n}")
    net.place("bus", 1)
    for i in range(n):
        for place in ("active", "own", "queue", "memory"):
            net.place(f"{place}_{i}", 1 if place in ("active", "memory") else 0)
    for i in range(n):
        active, own, queue, mine = f"active_{i}", f"own_{i}", f"queue_{i}", f"memory_{i}"
        net.transition(f"begin_own_{i}", [active], [own])
        net.transition(f"end_own_{i}", [own, mine], [active, mine])
        net.transition(f"request_{i}", [active], [queue])
        for j in range(n):
            if j != i:
                access, other = net.place(f"access_{i}_{j}"), f"memory_{j}"
                net.transition(f"begin_{i}_{j}", [queue, other, "bus"], [access])
                net.transition(f"end_{i}_{j}", [access], [active, other, "bus"])
    return net


def pool(n):
    net = Net(f"pool-{n}")
    tokens = {"outside": 20 * n, "cabins": 10 * n, "bags": 15 * n}
    for place in ("outside", "entered", "in_cabin", "undressing", "bathing", "dressing", "dressed", "cabins", "bags"):
        net.place(place, tokens.get(place, 0))
    for name, consumes, produces in (
            ("enter", ["outside"], ["entered"]), ("take_cabin", ["entered", "cabins"], ["in_cabin"]),
            ("take_bag", ["in_cabin", "bags"], ["undressing"]), ("go_bathing", ["undressing"], ["bathing", "cabins"]),
            ("cabin_again", ["bathing", "cabins"], ["dressing"]), ("return_bag", ["dressing"], ["dressed", "bags"]),
            ("leave", ["dressed"], ["outside", "cabins"])):
        net.transition(name, consumes, produces)
    return net


def railroad(n):
    net = Net(f"railroad-{n}")
    for place in ("quiet", "coming", "ready", "closing", "opening", "order_down", "order_up", "is_down", "is_up",
                  "up", "lowering", "down", "raising", "high", "middle", "low"):
        net.place(place, 1 if place in ("quiet", "ready", "up", "high") else 0)
    for count in range(n + 1):
        net.place(f"trains_{count}", 1 if count == 0 else 0)
    for i in range(n):
        away, free, near, on, over, gone = (f"{place}_{i}" for place in ("away", "free", "near", "on", "over", "gone"))
        for place in (away, free, near, on, over, gone):
            net.place(place, 1 if place in (away, free) else 0)
        # While the controller has not counted a train that comes, no other comes, and none that is near moves.
        net.transition(f"come_{i}", [away, free, "quiet"], [near, "coming"])
        net.transition(f"pass_{i}", [near, "quiet"], [on, over, "quiet"])
        net.transition(f"leave_{i}", [on, over], [away, gone])
        net.transition(f"last_{i}", ["ready", "trains_1", gone], ["opening", "trains_0", free, "order_up"])
        for count in range(2, n + 1):
            net.transition(f"less_{count}_{i}", ["ready", f"trains_{count}", gone],
                           ["ready", f"trains_{count - 1}", free])
    for count in range(1, n):
        net.transition(f"more_{count}", ["ready", f"trains_{count}", "coming"],
                       ["ready", f"trains_{count + 1}", "quiet"])
    for name, consumes, produces in (
            ("first", ["ready", "trains_0", "coming"], ["closing", "trains_1", "order_down"]),
            ("closed", ["closing", "is_down"], ["ready", "quiet"]), ("opened", ["opening", "is_up"], ["ready"]),
            ("lower", ["up", "high", "order_down"], ["lowering", "middle"]),
            ("lowered", ["lowering", "middle"], ["down", "low", "is_down"]),
            ("raise", ["down", "low", "order_up"], ["raising", "middle"]),
            ("raised", ["raising", "middle"], ["up", "high", "is_up"])):
        net.transition(name, consumes, produces)
    return net


FAMILIES = {"philosophers": philosophers, "kanban": kanban, "fms": fms, "slots": slots, "tokens": tokens,
            "memory": memory, "pool": pool, "railroad": railroad}


def known_counts():
    """(family, size, markings, edges or None): closed forms, and numbers that others have published."""
    for n in (2, 5, 8):
        yield "philosophers", n, 3**n, None
    for n, states in ((1, 160), (2, 4_600), (3, 58_400), (4, 454_475)):
        yield "kanban", n, states, None
    for n, states in ((2, 3_444), (3, 48_590)):
        yield "fms", n, states, None
    for n, states in ((2, 52), (4, 5_136), (5, 53_856)):
        yield "slots", n, states, None
    yield "tokens", 5, 166, None
    for n, edges in ((5, 10_395), (10, 19_486_170)):
        yield "memory", n, 3**n + n * (n - 1) * 3**(n - 1), edges
    yield "pool", 1, 89_621, 450_003
    for n, states, edges in ((5, 1_838, 7_699), (10, 2_038_166, 16_324_600)):
        yield "railroad", n, states, edges


def check(tideline):
    wrong = 0
    for family, size, states, edges in known_counts():
        with tempfile.NamedTemporaryFile("w", suffix=".pnml") as file:
            file.write("\n".join(FAMILIES[family](size).pnml()) + "\n")
            file.flush()
            done = subprocess.run([tideline, "explore", file.name, "--engine", "symbolic", "--json", "-", "--quiet"],
                                  capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)["statistics"]
        right = found["states"] == states and edges in (None, found["transitions"])
        wrong += not right
        expected = "" if right else f"   expected {states:,}" + (f" and {edges:,}" if edges else "")
        print(f"{family:>13} {size:>3} {found['states']:>12,} {found['transitions']:>12,}{expected}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", nargs="?", choices=FAMILIES)
    parser.add_argument("size", nargs="?", type=int)
    parser.add_argument("--check", action="store_true", help="compare numbers of markings and edges")
    parser.add_argument("--tideline", default=Path(__file__).resolve().parent.parent / "build/release/bin/tideline")
    options = parser.parse_args()
    if options.check:
        return check(options.tideline)
    if options.family is None or options.size is None or options.size < 1:
        parser.error("which net, and of what size?")
    sys.stdout.writelines(line + "\n" for line in FAMILIES[options.family](options.size).pnml())
    return 0


if __name__ == "__main__":
    sys.exit(main())
