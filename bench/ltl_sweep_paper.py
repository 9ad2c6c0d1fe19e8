"""The figures of S. Evangelista and L. M. Kristensen, "Hybrid On-the-Fly LTL Model Checking with the Sweep-Line
Method", PETRI NETS 2012, typed in from its tables. Fractions are of the states of the product.
"""

from typing import NamedTuple

COLUMNS = ("NDFS", "MAP", "Sweep", "on-line", "off-line")


class Figures(NamedTuple):
    stored: float
    visited: float
    persistent: float | None = None
    cycle: str = ""         # S: within a layer, M: over several


class Line(NamedTuple):
    name: str
    states: int
    transitions: int
    figures: dict           # by column


def _line(name, states, transitions, stored, visited, persistent, cycles=("", "")):
    rows = zip(COLUMNS, stored, visited, (None, None, *persistent), ("", "", "", *cycles))
    return Line(name, states, transitions, {column: Figures(*rest) for column, *rest in rows})


# Table 1: stored, visited (one figure per column), persistent (Sweep, on-line, off-line), the cycles found by the last two.
VALID = (
    _line("bopdp.3.prop4", 1_703_192, 4_619_673, (1.000, 1.000, 0.074, 0.074, 0.106),
          (1.000, 1.000, 2.021, 15.739, 8.349), (0.009, 0.009, 0.009)),
    _line("leader_filters.5.prop2", 1_572_886, 4_319_565, (1.000, 1.000, 0.086, 0.086, 0.086),
          (2.000, 14.462, 1.000, 2.000, 2.000), (0.000, 0.000, 0.000)),
    _line("lifts.6.prop2", 998_570, 2_864_768, (1.000, 1.000, 0.012, 0.012, 0.012),
          (1.332, 16.564, 1.552, 4.076, 3.387), (0.006, 0.006, 0.006)),
    _line("lup.3.prop2", 2_346_373, 4_965_501, (1.000, 1.000, 0.330, 0.336, 0.336),
          (1.170, 10.954, 3.909, 50.486, 8.511), (0.111, 0.111, 0.111)),
    _line("peterson.4.prop4", 2_239_039, 11_449_204, (1.000, 1.000, 0.184, 0.205, 0.224),
          (1.500, 11.546, 5.322, 103.883, 25.443), (0.046, 0.046, 0.046)),
    _line("pgm_protocol.8.prop4", 3_069_399, 7_125_130, (1.000, 1.000, 0.043, 0.045, 0.143),
          (1.000, 5.000, 1.127, 2.995, 5.029), (0.025, 0.025, 0.025)),
    _line("rether.6.prop2", 6_046_531, 7_980_886, (1.000, 1.000, 0.069, 0.121, 0.175),
          (1.001, 2.000, 1.463, 45.663, 9.681), (0.045, 0.045, 0.045)),
)
VIOLATED = (
    _line("extinction.4.prop2", 2_001_372, 6_856_693, (0.408, 1.000, 0.068, 0.022, 0.022),
          (0.817, 2.585, 1.000, 0.115, 0.115), (0.000, 0.000, 0.000), ("S", "S")),
    _line("iprotocol.4.prop4", 8_214_324, 30_357_177, (0.006, 0.614, 0.109, 0.032, 0.123),
          (0.006, 1.077, 1.803, 0.938, 7.565), (0.108, 0.029, 0.108), ("M", "M")),
    _line("mcs.6.prop4", 665_007, 3_283_155, (0.140, 1.000, 0.339, 0.045, 0.045),
          (0.279, 8.289, 3.414, 0.183, 0.183), (0.003, 0.000, 0.000), ("S", "S")),
    _line("plc.2.prop3", 130_220, 210_710, (0.004, 0.005, 0.013, 0.000, 0.001),
          (0.004, 0.006, 1.051, 0.009, 0.053), (0.013, 0.000, 0.000), ("M", "S")),
    _line("rether.3.prop6", 607_382, 991_098, (0.001, 0.129, 0.255, 0.056, 0.476),
          (0.001, 0.193, 1.612, 0.413, 15.660), (0.040, 0.007, 0.040), ("M", "M")),
    _line("synapse.1.prop3", 159_888, 721_531, (0.059, 0.103, 0.393, 0.219, 0.219),
          (0.059, 0.081, 2.099, 1.050, 0.270), (0.183, 0.033, 0.033), ("S", "S")),
)
TABLE_1 = VALID + VIOLATED

# States visited by LTL-Sweep over those visited by others, averaged over all instances whose property holds (in section 6).
AVERAGE_OVER_SWEEP = {"on-line": 7.6, "off-line": 3.9}
AVERAGE_OVER_NDFS = {"on-line": 12.6, "off-line": 5.3}

# Table 2: per cent of the instances for which an algorithm has the best score.
BEST_SCORE = {
    "valid": {"MAP": 11.1, "NDFS": 44.4, "on-line": 61.1, "off-line": 36.1},
    "violated": {"MAP": 34.6, "NDFS": 85.7, "on-line": 53.06, "off-line": 53.06},
}
INSTANCES = {"valid": 36, "violated": 49}
