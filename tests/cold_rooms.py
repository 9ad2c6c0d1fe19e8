#!/usr/bin/env python3
"""Rooms that are compiled with little optimisation must not contain inner loops of searches.

A template or an inline function that several rooms use is compiled in each of them, and the linker keeps one of the copies, not
necessarily the fast one.

  cold_rooms.py NM LIBRARY...
"""

import re
import subprocess
import sys

# Defined in headers, and called for every state or step.
HOT = re.compile(r"\btideline::("
                 r"SegmentedTable|ConcurrentTable|LayerTable|Layers::|BucketIndex|SuccessorBatch|Mail<"
                 r"|Program::(fire|passes|try_entries|for_each_enabled)|Interpreter::successors|Measure::operator\(\)"
                 r"|SweepSearch<|BreadthFirstSearch<|ParallelBreadthFirstSearch<)")


def hot_functions(nm, library):
    listing = subprocess.run([nm, "-C", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listing.splitlines()]
    return sorted({row[2] for row in rows if len(row) == 3 and row[1] in "WVu" and HOT.search(row[2].split("(")[0] + "()")
                   and "::~" not in row[2]})


def main():
    nm, *libraries = sys.argv[1:]
    found = [(library, function) for library in libraries for function in hot_functions(nm, library)]
    for library, function in found:
        print(f"{library}: {function}")
    if found:
        print("Compile these rooms like the others (no COLD in their CMakeLists.txt), or move what uses these functions.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
