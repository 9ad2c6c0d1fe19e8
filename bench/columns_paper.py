"""The figures of L. M. Kristensen and T. Mailund, "A Compositional Sweep-Line State Space Exploration Method", FORTE 2002, typed
in from its Tables 1 to 3.

States of the full state space, states explored by the sweep and the most stored at a time, both in per cent of them, and the
seconds of the full exploration and of the sweep. The measures are those that section 6 names for each component: the SCCs of
processes that go forward, the spanning trees of those that go round.
"""

from typing import Callable, NamedTuple


class Line(NamedTuple):
    states: int
    explored: float
    peak: float
    full_seconds: int
    sweep_seconds: int


class Example(NamedTuple):
    title: str
    short: str
    rows: str           # what the constant counts
    model: str          # in models/
    constant: str       # that is changed
    measure: Callable   # the paper's, by value of the constant
    lines: dict


def each(order, name, count):
    return "".join(f", {order}({name}({i}))" for i in range(count))


EXAMPLES = (
    Example("Table 1: master and 12 slaves", "master and slaves", "jobs", "master_slave.psl", "Jobs",
            lambda jobs: "sccs(Master)" + each("tree", "Slave", 12), {
        20: Line(126_976, 200, 6.45, 14, 24), 24: Line(159_744, 200, 5.13, 18, 30), 28: Line(192_512, 200, 4.26, 23, 36),
        34: Line(241_664, 200, 3.39, 29, 46), 40: Line(290_816, 200, 2.82, 36, 55)}),
    Example("Table 2: two-phase commit", "two-phase commit", "voters", "two_phase_commit.psl", "N",
            lambda voters: "sccs(Initiator)" + each("sccs", "Voter", voters), {
        6: Line(18_478, 100, 21.16, 1, 2), 7: Line(87_475, 100, 22.33, 8, 10), 8: Line(420_988, 100, 23.19, 68, 80),
        9: Line(2_051_029, 100, 23.81, 946, 1246)}),
    Example("Table 3: stop-and-wait", "stop-and-wait", "sequence numbers", "stop_and_wait_channels.psl", "K",
            lambda numbers: "tree(Sender), tree(Data), tree(Acks), tree(Receiver)", {
        20: Line(3_640, 103.84, 61.73, 1, 1), 30: Line(5_460, 103.84, 61.48, 1, 1), 40: Line(7_280, 103.84, 61.36, 2, 2),
        50: Line(9_100, 103.84, 61.29, 4, 4)}),
)
