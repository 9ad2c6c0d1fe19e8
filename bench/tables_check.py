#!/usr/bin/env python3
"""Tests of tables.py."""

import tempfile
import unittest
from pathlib import Path

import tables

NAME = "ltl-sweep/stored"


class Filling(unittest.TestCase):
    def fill(self, text, found):
        return tables.fill(text, lambda name: found)

    def test_a_table_is_put_between_its_comments(self):
        text = f"before\n<!-- table: {NAME} -->\nold\nolder\n<!-- end -->\nafter\n"
        filled, names, mistakes = self.fill(text, "new\n")
        self.assertEqual(filled, f"before\n<!-- table: {NAME} -->\nnew\n<!-- end -->\nafter\n")
        self.assertEqual((names, mistakes), ([NAME], []))

    def test_a_table_that_is_not_at_hand_stays(self):
        text = f"<!-- table: {NAME} -->\nold\n<!-- end -->\n"
        self.assertEqual(self.fill(text, None)[0], text)

    def test_mistakes_are_named(self):
        for text, words in ((f"<!-- table: {NAME} -->\n", "has no <!-- end -->"),
                            ("x\n<!-- end -->\n", "2: <!-- end --> without a table"),
                            ("<!-- table: none/such -->\n<!-- end -->\n", "1: there is no table none/such"),
                            (f"<!-- table: {NAME} -->\n<!-- table: {NAME} -->\n<!-- end -->\n", "2: the table")):
            self.assertIn(words, " ".join(self.fill(text, None)[2]))


class Writing(unittest.TestCase):
    def test_rows_have_as_many_cells_as_the_heading(self):
        with tempfile.TemporaryDirectory() as folder:
            before, tables.FOLDER = tables.FOLDER, Path(folder)
            try:
                tables.write(NAME, ["instance", "states"], [["a", 1]])
                self.assertEqual(tables.written(NAME), "| instance | states |\n| --- | ---: |\n| a | 1 |\n")
                with self.assertRaises(ValueError):
                    tables.write(NAME, ["instance", "states"], [["a"]])
                with self.assertRaises(KeyError):
                    tables.write("none/such", ["a"], [])
            finally:
                tables.FOLDER = before


if __name__ == "__main__":
    unittest.main()
