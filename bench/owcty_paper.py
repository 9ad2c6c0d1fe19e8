"""What J. Barnat, L. Brim and P. Rockai print in "On-the-fly Parallel Model Checking Algorithm that is Optimal for
Verification of Weak LTL Properties" (DiVinE-MC 1.4, two dual-core Xeons of 2 GHz), for comparison in owcty.py.
"""

import re
from typing import NamedTuple

# Fig. 3: the formulas whose violated instances were searched. Names that the figure shortens are in SHORTENED.
VIOLATED = (
    ("anderson", "G(!cs0 -> F cs0)"),
    ("driving_phils", "G(ac0 -> F gr0)"),
    ("driving_phils", "GF ac0"),
    ("elevator2", "G(r1 -> (F(p1 && co)))"),
    ("elevator2", "G(r1 -> (!p1 U (p1 U (p1 && co))))"),
    ("elevator2", "G(r1 -> (!p1 U (p1 U (!p1 U (p1 U (p1 && co))))))"),
    ("elevator2", "F(G p1)"),
    ("elevator", "G(waiting0 -> (F in_elevator0))"),
    ("iprotocol", "F consume"),
    ("iprotocol", "G F consume"),
    ("iprotocol", "((G F dataok) && (G F nakok)) -> (G F consume)"),
    ("lamport", "G (wait0 -> F (cs0))"),
    ("lamport", "G(!cs0 -> F cs0)"),
    ("lifts", "(GF pressedup0) -> (GF moveup)"),
    ("lifts", "G (pressedup0 -> F moveup)"),
    ("lifts", "((! moveup) U pressedup0) || G (! moveup)"),
    ("mcs", "G (wait0 -> F (cs0))"),
    ("mcs", "G(!cs0 -> F cs0)"),
    ("peterson", "G (wait0 -> F (cs0))"),
    ("peterson", "G(!cs0 -> F cs0)"),
    ("peterson", "GF someoneincs"),
    ("phils", "GF eat0"),
    ("phils", "G (one0 -> F eat0)"),
    ("phils", "GF someoneeats"),
    ("protocols", "(pready U prod0) -> ((cready U cons0) || G cready)"),
    ("protocols", "F (consume0 || consume1)"),
    ("protocols", "G F (consume0 || consume1)"),
    ("rether", "G (res0 -> (rt0 R !cend))"),
    ("rether", "GF rt0"),
    ("rether", "G (want0 -> (! ce U (ce U (!ce && (rt0 R !ce)))))"),
    ("szymanski", "G (wait0 -> F (cs0))"),
    ("szymanski", "G(!cs0 -> F cs0)"),
    ("szymanski", "GF someoneincs"),
)

# Fig. 13: the formulas whose valid instances were timed.
VALID = (
    ("anderson", "GF someoneinCS"),
    ("elevator2", "G(r0 -> (!p0 U (p0 U (!p0 U (p0 U (p0 && co))))))"),
    ("lamport", "GF someoneinCS"),
    ("rether", "GF (nact0)"),
    ("szymanski", "GF someoneinCS"),
)

SHORTENED = {("protocols", "prod0"): "produce0", ("protocols", "cons0"): "consume0", ("rether", "ce"): "cend"}


def normal(model, formula):
    """The same text for two spellings of a formula. Brackets are dropped with the blanks: no two formulas of one
    model differ in them alone."""
    spelled = re.sub(r"\w+", lambda name: SHORTENED.get((model, name[0]), name[0]), formula)
    return re.sub(r"[\s()]", "", spelled).lower()


class Totals(NamedTuple):
    """A row of Figs 5 to 9: sums over the instances."""
    states: float
    megabytes: float
    seconds: float
    early: float       # how many of the instances terminated early


INSTANCES = 90

# Figs 5, 7 and 8: (order, values, workers) -> all 90 instances.
ALL = {
    ("bfs", 0, 1): Totals(52_047_342, 6_712, 760, 0), ("dfs", 0, 1): Totals(52_047_342, 6_716, 760, 0),
    ("bfs", 0, 2): Totals(52_047_342, 9_072, 503, 0), ("dfs", 0, 2): Totals(52_047_342, 9_069, 504, 0),
    ("bfs", 0, 3): Totals(52_047_342, 10_065, 441, 0), ("dfs", 0, 3): Totals(52_047_342, 10_036, 441, 0),
    ("bfs", 0, 4): Totals(52_047_342, 10_874, 395, 0), ("dfs", 0, 4): Totals(52_047_342, 10_888, 396, 0),
    ("bfs", 1, 1): Totals(23_157_474, 4_858, 295, 66), ("dfs", 1, 1): Totals(19_849_655, 4_583, 272, 56),
    ("bfs", 1, 2): Totals(17_203_306, 5_748, 130, 74), ("dfs", 1, 2): Totals(18_996_947, 5_890, 136, 77),
    ("bfs", 1, 3): Totals(20_244_429, 6_955, 122, 74), ("dfs", 1, 3): Totals(22_826_318, 7_037, 138, 73),
    ("bfs", 1, 4): Totals(18_632_114, 7_576, 102, 72), ("dfs", 1, 4): Totals(18_833_201, 7_685, 100, 72),
    ("bfs", 2, 1): Totals(23_173_041, 4_949, 297, 67), ("dfs", 2, 1): Totals(20_971_228, 4_753, 277, 61),
    ("bfs", 2, 2): Totals(17_540_622, 5_976, 132, 75), ("dfs", 2, 2): Totals(18_557_211, 5_909, 136, 76),
    ("bfs", 2, 3): Totals(19_199_233, 6_956, 115, 76), ("dfs", 2, 3): Totals(21_429_842, 6_944, 125, 75),
    ("bfs", 2, 4): Totals(18_856_858, 7_647, 102, 73), ("dfs", 2, 4): Totals(18_601_625, 7_712, 98, 72),
    ("bfs", 3, 1): Totals(20_175_952, 4_796, 237, 78), ("dfs", 3, 1): Totals(17_090_024, 4_502, 240, 68),
    ("bfs", 3, 2): Totals(16_421_989, 6_006, 127, 78), ("dfs", 3, 2): Totals(17_932_103, 5_882, 129, 80),
    ("bfs", 3, 3): Totals(17_335_622, 6_765, 108, 80), ("dfs", 3, 3): Totals(21_174_728, 6_984, 126, 76),
    ("bfs", 3, 4): Totals(15_462_219, 7_435, 89, 78), ("dfs", 3, 4): Totals(18_676_721, 7_754, 97, 75),
    "ndfs": Totals(622_984, 1_736, 7, 90),
}

# Fig. 6: only the instances that terminated early.
EARLY = {
    ("bfs", 1, 1): Totals(6_820_499, 2_829, 40, 66), ("dfs", 1, 1): Totals(3_930_520, 2_257, 23, 56),
    ("bfs", 2, 1): Totals(6_854_458, 2_893, 41, 67), ("dfs", 2, 1): Totals(5_173_954, 2_546, 31, 61),
    ("bfs", 3, 1): Totals(5_621_320, 3_194, 36, 78), ("dfs", 3, 1): Totals(1_802_949, 2_518, 12, 68),
    "ndfs": Totals(622_984, 1_736, 7, 90),
}

# Fig. 9: V = 3, W = 4, over four runs.
REPEATED = {
    ("bfs", "maximum"): Totals(16_324_239, 7_541, 94, 80), ("dfs", "maximum"): Totals(20_121_416, 7_885, 105, 78),
    ("bfs", "minimum"): Totals(14_726_197, 7_388, 85, 75), ("dfs", "minimum"): Totals(16_135_286, 7_504, 87, 73),
    ("bfs", "average"): Totals(15_462_220, 7_435, 88.8, 78.1), ("dfs", "average"): Totals(18_676_721, 7_754, 96.8, 75.3),
}

# Fig. 14, 16-core machine (DiVinE 2): seconds with W = 1, 2, 4, 8, 16 workers, and of nested DFS (None: no stack left).
SCALING = {
    "anderson": ((397, 302, 180, 105, 75), 623),
    "elevator2": ((364, 193, 191, 102, 107), 599),
    "lamport": ((768, 470, 307, 184, 139), None),
    "rether": ((80, 68, 72, 51, 43), 132),
    "szymanski": ((47, 33, 33, 17, 12), 77),
}
