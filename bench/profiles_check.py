#!/usr/bin/env python3
"""Tests of profile_samples.py and of the estimate in profiles.py."""

import unittest

from profiles import lines_of
from profile_samples import group_of, parse_counters, parse_frames, parse_samples

PROGRAM = "/home/a/build/bench/bin/tideline"


class Samples(unittest.TestCase):
    def test_the_innermost_function_of_ours_decides(self):
        frames = [("memcpy", "/usr/include/string.h:3"), ("hash", "/home/a/src/store/hash.hpp:7"),
                  ("insert", "/home/a/build/bench/rooms/tideline_store/store/segmented_table.hpp:9"), ("flush", "/home/a/src/search/states/bfs.hpp:1")]
        self.assertEqual(group_of(frames), "hashing")
        self.assertEqual(group_of(frames[2:]), "table")
        self.assertEqual(group_of(frames[3:]), "search")
        self.assertEqual(group_of(frames[:1]), "other")
        self.assertEqual(group_of([("??", "??:0")]), "other")

    def test_what_a_table_does_to_grow_is_growing(self):
        hashed = ("tideline::StateHash::operator()", "/home/a/src/store/hash.hpp:7")
        grown = ("void tideline::BucketIndex::grow<tideline::Segment>(int)", "/home/a/src/store/bucket_index.hpp:9")
        of_table = ("tideline::SegmentedTable<tideline::StateHash>::grow(tideline::Segment&)", "/home/a/src/store/segmented_table.hpp:1")
        named_after = ("insert<grow>(grow)", "/home/a/src/store/bucket_index.hpp:9")
        self.assertEqual(group_of([hashed, grown]), "growing")
        self.assertEqual(group_of([hashed, of_table]), "growing")
        self.assertEqual(group_of([hashed, named_after]), "hashing")

    def test_samples_are_addresses_in_the_file(self):
        text = f"""
PERF_RECORD_MMAP2 7/7: [0x5000(0x6ec) @ 0x1000 fe:00 5 3]: r-xp {PROGRAM}
PERF_RECORD_MMAP2 7/7: [0x9000(0x6ec) @ 0 fe:00 5 3]: r-xp /usr/lib/libc.so.6
     5010 tideline::Machine::take_all (bool) ({PROGRAM})
     5010 tideline::Machine::take_all (bool) ({PROGRAM})
     9010 __memmove_avx512 (/usr/lib/libc.so.6)
     9090 malloc (/usr/lib/libc.so.6)
 ffffffff81 clear_page_erms ([kernel.kallsyms])
     7f17 [unknown] (/tmp/perf-7.map)
"""
        inside, outside = parse_samples(text, PROGRAM)
        self.assertEqual(inside, {0x1010: 2})
        self.assertEqual(outside, {"copies": 1, "other": 1, "kernel": 1, "steps": 1})

    def test_frames_are_pairs_of_lines(self):
        text = "0x0000000000001010\nf\n/a/src/x:1\ng\n/a/src/y:2\n0x0000000000001020\n??\n??:0\n"
        self.assertEqual(parse_frames(text), {0x1010: [("f", "/a/src/x:1"), ("g", "/a/src/y:2")], 0x1020: [("??", "??:0")]})

    def test_counters_that_the_machine_does_not_have_are_none(self):
        text = "1234,,cache-misses:u,100,100.00,,\n<not supported>,,dTLB-load-misses,0,100.00,,\n"
        self.assertEqual(parse_counters(text), {"cache-misses": 1234, "dTLB-load-misses": None})


class Estimate(unittest.TestCase):
    def test_known_states_are_compared_and_new_ones_written(self):
        expanded, lines, in_order = lines_of({"states": 10, "visited": 10, "transitions": 30, "state_bytes": 100})
        self.assertEqual((expanded, lines, in_order), (10, 3 + 2 * 2, 200))

    def test_states_that_are_expanded_again_are_not_written_again(self):
        expanded, lines, in_order = lines_of({"product_states": 10, "expansions": 20, "product_transitions": 40, "state_bytes": 64})
        self.assertEqual((expanded, lines, in_order), (20, 2 + 1.5, 96))


if __name__ == "__main__":
    unittest.main()
