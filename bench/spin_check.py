#!/usr/bin/env python3
"""Tests that the systems of spin_pairs.py have as many states here as SPIN counts, and that their properties hold."""

import tempfile
import unittest
from pathlib import Path

from measure import tideline
from spin_pairs import small_pairs


class Pairs(unittest.TestCase):
    def test_the_models_in_dve_have_the_states_that_spin_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            for pair, states in small_pairs():
                file = Path(folder) / f"{pair.name}.dve"
                file.write_text(pair.dve)
                _, answer = tideline("check", file, "--engine", "bfs", "--invariant", pair.invariant)
                self.assertEqual(answer["statistics"]["states"], states, pair.title)
                self.assertEqual(answer["properties"][0]["verdict"], "holds", pair.title)


if __name__ == "__main__":
    unittest.main()
