#!/usr/bin/env python3
"""Tests of figures.py."""

import json
import tempfile
import unittest
from pathlib import Path

import figures
from figures import Figure, judge


def ratio(value, better="less", machine="a"):
    return Figure(value, better, "ratio", machine, "1")


class Judging(unittest.TestCase):
    def test_less_or_more_is_better(self):
        self.assertEqual(judge(ratio(1.0), ratio(1.2)), "WORSE")
        self.assertEqual(judge(ratio(1.0), ratio(0.8)), "better")
        self.assertEqual(judge(ratio(1.0, "more"), ratio(1.2, "more")), "better")
        self.assertEqual(judge(ratio(1.0, "more"), ratio(0.8, "more")), "WORSE")

    def test_noise_is_no_change_but_counts_have_none(self):
        self.assertEqual(judge(ratio(1.0), ratio(1.09)), "")
        self.assertEqual(judge(ratio(1.0), ratio(1.1)), "")
        self.assertEqual(judge(ratio(1.0), ratio(1.11)), "WORSE")
        self.assertEqual(judge(Figure(1000, "more", "count"), Figure(1000, "more", "count")), "")
        self.assertEqual(judge(Figure(1000, "more", "count"), Figure(999, "more", "count")), "WORSE")
        self.assertEqual(judge(Figure(0, "less", "count"), Figure(1, "less", "count")), "WORSE")

    def test_other_machines_are_compared_by_ratios_only(self):
        self.assertEqual(judge(ratio(1.0), ratio(2.0, machine="b")), "WORSE")
        then, now = Figure(4.0, "more", "speed", "a"), Figure(2.0, "more", "speed", "b")
        self.assertEqual(judge(then, now), "other machine")
        self.assertEqual(judge(then, now._replace(machine="a")), "WORSE")

    def test_figures_come_and_go(self):
        found = figures.compare("s", {"old": ratio(1), "both": ratio(1)}, {"both": ratio(2), "new": ratio(3)})
        self.assertEqual({change.figure: change.judged for change in found},
                         {"old": "not measured", "both": "WORSE", "new": "new"})
        self.assertEqual([change.factor() for change in found], [None, 2, None])


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        before = figures.RESULTS, figures.COMMITTED
        self.addCleanup(lambda: (setattr(figures, "RESULTS", before[0]), setattr(figures, "COMMITTED", before[1])))
        figures.RESULTS, figures.COMMITTED = Path(self.folder.name) / "results", Path(self.folder.name) / "committed"
        figures.RESULTS.mkdir()

    def measure(self, rows):
        (figures.RESULTS / "explore.json").write_text(json.dumps({"machine": "m", "results": rows}))

    def test_accepted_figures_are_those_measured_beside_those_that_were_not(self):
        row = {"instance": "a", "rate_median": 2e6, "bytes_a_state": 30, "state_bytes": 20}
        self.measure([row, {**row, "instance": "b"}])
        figures.accept("explore", figures.measured("explore"))
        self.measure([{**row, "bytes_a_state": 40}])
        figures.accept("explore", figures.measured("explore"))
        found = figures.committed("explore")
        self.assertEqual(found["a: memory over packed states"].value, 2)
        self.assertEqual(found["b: memory over packed states"].value, 1.5)
        self.assertEqual(found["a: million states a second"][:4], (2, "more", "speed", "m"))

    def test_a_suite_that_has_not_run_has_no_figures(self):
        self.assertEqual(figures.measured("explore"), {})
        self.assertEqual(figures.committed("explore"), {})


class Suites(unittest.TestCase):
    def test_summaries_say_what_is_better(self):
        summary = [{"what": "time, at most", "value": 1.5}, {"what": "models, at least", "value": 3},
                   {"what": "speed-up of two workers over one, worst: a; reached by 1 of 2", "value": 1.8}]
        found = dict(figures.of_summary({"summary": summary}))
        self.assertEqual(found["time, at most"][:3], (1.5, "less", "ratio"))
        self.assertEqual(found["models, at least"][:3], (3, "more", "count"))
        self.assertEqual(found["speed-up of two workers over one, worst"][:3], (1.8, "more", "ratio"))

    def test_benchmarks_are_compared_with_their_rivals_of_the_same_size(self):
        times = {"insert/batched/8/10": 1, "insert/plain/8/10": 2, "insert/batched/8/20": 4, "insert/plain/8/20": 2,
                 "lookup/batched/8/10": 5}
        found = dict(figures.of_store({"benchmarks": [{"name": name, "real_time": time} for name, time in times.items()]}))
        self.assertEqual(list(found), ["insert/batched over insert/plain"])
        self.assertAlmostEqual(found["insert/batched over insert/plain"].value, 1)

    def test_committed_figures_can_be_read(self):
        for file in figures.COMMITTED.glob("*.json"):
            self.assertIn(file.stem, figures.FIGURES)
            for figure in figures.committed(file.stem).values():
                self.assertIn(figure.better, ("less", "more"))
                self.assertIn(figure.kind, figures.NOISE)


if __name__ == "__main__":
    unittest.main()
