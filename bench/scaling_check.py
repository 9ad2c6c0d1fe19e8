#!/usr/bin/env python3
"""Checks what scaling_model.py computes, on points that are made from known parameters, and that slices continue each other."""

import math
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import journal
import scaling_model as model

TRUE = model.Parameters(shared=40e-9, meeting=30e-6, memory=40e6, sent=120e-9, tree=15e-6)
INSTANCES = [("small", 1.0, 500_000, 2_000_000, 2_000), ("large", 20.0, 9_000_000, 80_000_000, 100),
             ("deep", 2.0, 1_000_000, 3_000_000, 5_000), ("wide", 9.0, 20_000_000, 70_000_000, 60)]


def points():
    made = []
    for name, alone, states, edges, levels in INSTANCES:
        for option, workers in (("--threads", 2), ("--threads", 8), ("--threads", 16), ("--ranks", 2), ("--ranks", 16)):
            point = model.Point(name, option, workers, 1.0, alone, states, edges, levels, 20, 16)
            made.append(point._replace(seconds=model.of_point(point, TRUE)))
    return made


class ScalingModel(unittest.TestCase):
    def test_finds_the_parameters_that_made_the_points(self):
        found = model.fitted(points())
        for name, value in found._asdict().items():
            self.assertAlmostEqual(math.log(value / getattr(TRUE, name)), 0, delta=0.1, msg=name)

    def test_predicts_an_instance_by_the_others(self):
        for point, guess, apart in model.checked(points()):
            self.assertTrue(apart)
            self.assertAlmostEqual(guess / point.seconds, 1, delta=0.1, msg=f"{point.instance} {point.option} {point.workers}")

    def test_names_what_saturates_first(self):
        of = {point.instance: point for point in points()}
        self.assertEqual(model.limit(of["large"], 64, "--threads", TRUE), "memory")
        self.assertEqual(model.limit(of["small"], 64, "--threads", TRUE), "ends of levels")
        slow = model.Network(link=1e7, latency=20e-6)
        self.assertEqual(model.limit(of["large"], 16, "--ranks", TRUE, network=slow), "network")

    def test_a_link_is_not_used_within_one_machine(self):
        point, together = points()[0], model.Network(link=1.0, ranks_per_machine=16)
        self.assertEqual(model.terms(point, 16, "--ranks", TRUE, network=together)[1], {"network": 0})


class Slices(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.object(journal, "RESULTS", Path(folder)))
        self.enterContext(mock.patch.object(journal, "TIDELINE", Path(__file__)))

    def never(self):
        self.fail("this run was made before, or there is no time for it")

    def test_a_slice_goes_on_where_the_last_one_ended(self):
        first = journal.SlicedJournal("suite", seconds=100)
        self.assertEqual(first.once_in_time("a", "run", 10, 50, lambda: {"seconds": 1})["seconds"], 1)
        self.assertIsNone(first.once_in_time("b", "run", 10, 200, self.never))
        self.assertEqual(first.left, {("b", "run")})
        second = journal.SlicedJournal("suite", seconds=1000)
        self.assertEqual(second.once_in_time("a", "run", 10, 50, self.never)["seconds"], 1)
        self.assertEqual(second.once_in_time("b", "run", 10, 200, lambda: {"seconds": 2})["seconds"], 2)
        self.assertFalse(second.left)

    def test_a_run_that_reached_its_limit_is_made_again_with_a_larger_one(self):
        suite = journal.SlicedJournal("suite", seconds=1000)
        suite.once_in_time("a", "run", 10, 0, lambda: {"seconds": 10, "limit": 10})
        self.assertEqual(suite.once_in_time("a", "run", 10, 0, self.never)["limit"], 10)
        self.assertEqual(suite.once_in_time("a", "run", 20, 0, lambda: {"seconds": 15})["seconds"], 15)

    def test_a_report_makes_no_runs(self):
        journal.SlicedJournal("suite", seconds=100).once_in_time("a", "run", 10, 0, lambda: {"seconds": 10, "limit": 10})
        report = journal.SlicedJournal("suite", seconds=100, report=True)
        self.assertEqual(report.once_in_time("a", "run", 20, 0, self.never)["limit"], 10)
        self.assertIsNone(report.once_in_time("b", "run", 20, 0, self.never))


if __name__ == "__main__":
    unittest.main()
