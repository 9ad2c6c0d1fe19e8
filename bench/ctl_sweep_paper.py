"""The figures of A. Lilleskare, L. M. Kristensen and S.-O. Høyland, "CTL Model Checking with the Sweep-Line State Space
Exploration Method", NIK 2017, typed in from its Table 1.

A configuration N-C has N packets and a network that holds C messages. P1 is AG EF (all received), P2 is AG AF (data sent or
all received); both hold in all of them.
"""

from typing import NamedTuple


class Line(NamedTuple):
    states: int
    edges: int
    peak: float             # most states stored at a time, per cent of all
    milliseconds: dict      # of the sweep alone
    check: dict             # what the CTL check takes more, per cent of that
    traces: dict            # what it takes more with the path to every state on disk


def _line(states, edges, peak, first, second):
    rows = {"P1": first, "P2": second}
    return Line(states, edges, peak, *({name: row[i] for name, row in rows.items()} for i in range(3)))


TABLE_1 = {
    "22-2": _line(7_944, 22_419, 6.6, (7, 42.9, 485.7), (7, 42.9, 471.4)),
    "30-2": _line(14_672, 41_611, 4.9, (14, 42.9, 464.3), (15, 40.0, 420.0)),
    "10-3": _line(24_052, 98_671, 19.8, (35, 31.4, 285.7), (35, 34.3, 308.6)),
    "15-3": _line(78_027, 326_906, 13.8, (152, 27.0, 241.4), (147, 32.0, 240.8)),
    "16-3": _line(94_226, 395_825, 13.0, (236, 55.5, 178.4), (182, 37.4, 240.7)),
    "17-3": _line(112_525, 473_808, 12.3, (306, 46.4, 229.4), (237, 33.3, 219.4)),
    "18-3": _line(133_052, 561_415, 11.6, (287, 45.6, 231.0), (284, 38.4, 221.1)),
    "19-3": _line(155_935, 659_206, 11.1, (348, 38.8, 215.8), (357, 47.3, 250.1)),
    "20-3": _line(181_302, 767_741, 10.5, (437, 38.0, 200.7), (449, 33.2, 186.4)),
}

# Section 5: whether a property is violated, by whether every packet is acknowledged or only the expected one.
VIOLATED = {("P1", True): False, ("P1", False): True, ("P3", True): True, ("P3", False): True}
