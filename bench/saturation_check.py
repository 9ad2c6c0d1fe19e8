#!/usr/bin/env python3
"""Tests of what the suite saturation computes from runs: counts, shares, means, comparisons and drawings. Runs nothing."""

import json
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

import journal
import plot
import saturation
import saturation_contest as contest
import saturation_hybrid as hybrid
import saturation_random as random_part
from saturation_runs import geometric_mean, share


def entry(result, states="100", category="LTLCardinality", recorded="TRUE"):
    return {"instance": "Net-PT-1", "category": category, "what": "FORMULA Net-PT-1-LTLCardinality-03", "recorded": recorded,
            "ours": None, "result": result, "seconds": 1.0, "states": states}


def row(kind, mine, explicit, space=("complete", 0.1), net="net"):
    """Of part F: verdict and seconds of the searches."""
    results = {key: {"verdict": of[0], "seconds": of[1], "time_s": of[1]}
               for key, of in (("hybrid", mine), ("explicit", explicit), ("space", space))}
    return {"net": net, "class": kind, "formula": "G p", **results}


ROWS = [row("safety", ("holds", 0.01), ("holds", 1.5)), row("rest", ("violated", 0.3), ("violated", 0.02), net="other"),
        row("rest", ("unknown", 2.0), ("holds", 0.5), ("unknown", 2.0)), row("safety", ("holds", 0.004), ("unknown", 2.1)),
        row("guarantee", ("unknown", 2.0), ("unknown", 2.0), ("unknown", 2.0))]


class Contest(unittest.TestCase):
    def test_size_classes(self):
        self.assertEqual([contest.size_class(states) for states in ("10000000", "10000001", "9" * 30, "")],
                         ["to 10^7", "above", "above", "not known"])

    def test_share_counts_formulas_of_small_nets(self):
        entries = [entry("right"), entry("unknown"), entry("wrong"), entry("right", "20000000"), entry("right", ""),
                   entry("right", category="StateSpace"), entry("wrong", recorded=None)]
        self.assertEqual(contest.share_answered(entries), (1, 3))
        self.assertEqual(contest.count(entries)["LTLCardinality", "to 10^7", "wrong"], 2)

    def test_something_wrong_is_noticed(self):
        self.assertFalse(saturation.wrong({"answers": [entry("right"), entry("unknown")], "contest": [{"net": "n"}]}))
        self.assertTrue(saturation.wrong({"answers": [entry("right"), entry("wrong")]}))
        self.assertTrue(saturation.wrong({"contest": [{"right": True}, {"right": False}]}))
        self.assertTrue(saturation.wrong({"hybrid": {"variants": [{"differ": []}, {"differ": ["f"]}]}}))
        self.assertTrue(saturation.wrong({"agreement": {"differ": [ROWS[0]]}}))


class Hybrid(unittest.TestCase):
    def test_speed_is_of_what_both_solve(self):
        def results(mine, theirs, verdict="holds"):
            return {hybrid.WHOLE: {"verdict": "holds", "time_s": mine}, "no increments": {"verdict": verdict, "time_s": theirs}}

        mean, mean_long, count = hybrid.speed([results(0.1, 0.4), results(0.2, 0.2), results(0.001, 0.008),
                                               results(0.005, 0.02), results(0.1, 9.0, "unknown")], "no increments")
        self.assertAlmostEqual(mean, (4 * 1 * 8 * 4) ** (1 / 4))
        self.assertAlmostEqual(mean_long, (4 * 1 * 4) ** (1 / 3))
        self.assertEqual(count, 3)

    def test_sums_of_checks(self):
        sums = hybrid.checks([{"checked_nodes": 5, "avoided_recurring": 3, "hull_searches": 2}, {"checked_nodes": 4}])
        self.assertEqual((sums["nodes"], sums["no recurring state"], sums["searches"]), (9, 3, 2))

    def test_formulas_are_taken_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "LTLCardinality.xml"
            file.write_text('<property-set xmlns="http://mcc.lip6.fr/"><property><id>a-00</id><formula><x/></formula></property>'
                            '<property><id>a-01</id><formula><y/></formula></property></property-set>', encoding="utf-8")
            files = dict(hybrid.single_formulas(file, folder))
            self.assertEqual(list(files), ["a-00", "a-01"])
            texts = [path.read_text(encoding="utf-8") for path in files.values()]
        self.assertIn("<y", texts[1])
        self.assertNotIn("<y", texts[0])
        self.assertTrue(all('<property-set xmlns="http://mcc.lip6.fr/">' in text for text in texts))


class Random(unittest.TestCase):
    def test_sooner_and_later(self):
        self.assertEqual(random_part.beside(ROWS, "explicit"), (2, 2, 4))
        self.assertEqual(random_part.beside(ROWS, "space"), (2, 1, 3))

    def test_verdicts_are_compared(self):
        self.assertEqual(len(random_part.compared(ROWS)), 2)
        self.assertEqual(random_part.differing(ROWS), [])
        bad = row("rest", ("holds", 1.0), ("violated", 1.0))
        self.assertEqual(random_part.differing([*ROWS, bad]), [bad])

    def test_magnitudes(self):
        # 0.01 against 1.5, 0.3 against 0.02, at the limit of 2 against 0.5, 0.004 against that limit.
        self.assertEqual(random_part.magnitudes(ROWS, "explicit", 2.0), {2: 1, -1: 2, 3: 1})

    def test_times_by_decade(self):
        self.assertEqual(random_part.decade_counts(ROWS, "hybrid"), {-2: 2, 0: 1, None: 2})

    def test_drawings_are_whole(self):
        rows = [*ROWS, row("obligation", ("holds", 2.9), ("holds", 2.8))]     # done when it was about to be ended
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "drawing.svg"
            random_part.draw_times(rows, 2.0, path)
            ElementTree.parse(path)
            random_part.draw_scatter(rows, 2.0, path)
            root = ElementTree.parse(path).getroot()
        dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter() if dot.tag.endswith("circle")]
        self.assertEqual(len(dots), 2 * len(rows))
        for panel, left in enumerate((75, 575)):
            for x, y in dots[panel * len(rows):(panel + 1) * len(rows)]:
                self.assertTrue(left <= x <= left + 390 and 110 <= y <= 500)
        # The second formula is slower by Hyb-MC: below the diagonal of its panel.
        x, y = dots[len(rows) + 1]
        self.assertGreater(x - 575, 500 - y)


class Shared(unittest.TestCase):
    def test_means_and_shares(self):
        self.assertAlmostEqual(geometric_mean([1, 4, 16]), 4)
        self.assertIsNone(geometric_mean([]))
        self.assertEqual((share(1, 8), share(0, 0)), ("12.5 %", "-"))

    def test_log_axes(self):
        place = plot.log_axes(plot.Drawing(200, 200), 10, 20, 100, 100, (0.1, 1000), (1, 100), "x")
        for point, where in (((0.1, 1), (10, 120)), ((1000, 100), (110, 20)), ((10, 10), (60, 70))):
            self.assertTrue(all(abs(a - b) < 1e-9 for a, b in zip(place(*point), where)))

    def test_journal_goes_on(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(journal, "RESULTS", Path(folder)), \
                mock.patch.object(journal, "TIDELINE", Path(__file__)):
            first = journal.Journal("suite")
            self.assertEqual(first.once("net", "a", None, lambda: {"value": 1}), {"value": 1})
            self.assertEqual(first.once("net", "b", 5, lambda: {"limit": 5}), {"limit": 5})
            with first.file.open("a", encoding="utf-8") as file:
                file.write('{"program": "cut o')
            second = journal.Journal("suite")
            self.assertEqual(second.once("net", "a", None, lambda: {"value": 2}), {"value": 1})
            self.assertEqual(second.once("net", "b", 4, lambda: {"value": 3}), {"limit": 5})
            self.assertEqual(second.once("net", "b", 6, lambda: {"value": 3}), {"value": 3})
            self.assertEqual(len(journal.Journal("suite").known), 2)
            other = re.sub(second.program, "0" * 16, second.file.read_text(encoding="utf-8"))
            second.file.write_text(other, encoding="utf-8")
            self.assertEqual(journal.Journal("suite").known, {})
            self.assertEqual(len(journal.Journal("suite", other_builds=True).known), 2)
            self.assertTrue(all(json.loads(line) for line in other.splitlines()))


if __name__ == "__main__":
    unittest.main()
