"""What J. Barnat, L. Brim and P. Rockai print about partial order reduction in "On-the-fly Parallel Model Checking Algorithm
that is Optimal for Verification of Weak LTL Properties" (DiVinE 2.3), for comparison in por_lassos.py.
"""

from typing import NamedTuple


class Early(NamedTuple):
    """A row of Fig. 10: one value passed on, one core, breadth-first; sums over the instances."""
    states: int
    average: int
    early: int
    instances: int


# Fig. 10: (all or only those that ended early, tool and reduction) -> row.
EARLY = {
    ("all", "DiVinE-MC"): Early(23_157_474, 257_305, 66, 90),
    ("all", "DiVinE 2"): Early(19_539_933, 217_110, 62, 90),
    ("all", "DiVinE 2, reduction"): Early(17_929_538, 199_217, 64, 90),
    ("early", "DiVinE-MC"): Early(6_820_499, 103_340, 66, 66),
    ("early", "DiVinE 2"): Early(2_851_551, 45_992, 62, 62),
    ("early", "DiVinE 2, reduction"): Early(2_818_980, 44_046, 64, 64),
}


class Product(NamedTuple):
    """A row of Fig. 11: states of the product without reduction, with the stack proviso of depth-first search (DFS-POR), and
    with the topological sort proviso (TOP-POR)."""
    whole: int
    stack: int
    sort: int


PRODUCTS = {
    "peterson.1.prop2": Product(22_816, 17_481, 17_098),
    "peterson.2.prop2": Product(234_376, 214_441, 210_287),
    "peterson.1.prop3": Product(24_985, 15_907, 15_479),
    "peterson.2.prop3": Product(249_368, 212_181, 202_829),
    "mcs.1.prop2": Product(12_206, 11_545, 12_132),
    "mcs.2.prop2": Product(2_462, 1_849, 2_370),
    "mcs.1.prop3": Product(15_815, 14_687, 15_610),
    "mcs.2.prop3": Product(2_811, 1_941, 2_672),
    "synapse.1.prop2": Product(7_226, 6_758, 6_780),
    "synapse.2.prop2": Product(15_713, 15_713, 15_713),
    "leader_filters.1.prop2": Product(4_966, 4_966, 4_966),
    "leader_filters.2.prop2": Product(28_804, 23_239, 23_239),
    "leader_filters.3.prop2": Product(91_093, 91_093, 91_093),
}


class Election(NamedTuple):
    """A row of Fig. 12, one node: seconds and GB, None where it did not fit."""
    whole: tuple | None
    reduced: tuple | None


# Fig. 12: leader election, F(elected), by the number of processes.
ELECTIONS = {8: Election((105, 6.6), (66, 0.9)), 9: Election(None, (408, 3.71))}
