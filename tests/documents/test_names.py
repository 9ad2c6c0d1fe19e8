#!/usr/bin/env python3
"""Checks that all tests are named alike: Suite.CamelCaseSentence.

Tests of a rule of docs/semantics-dve.md begin with its number: Dve.S1_2_ExpressionsAreWide. `--rename` gives
tests with other names the right ones and prints the files it changed, which then need formatting.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = re.compile(r"^(?:(?:TYPED_)?TEST(?:_[FP])?|RC_GTEST(?:_\w+)?_PROP)\(\s*(?P<suite>\w+),\s*(?P<name>\w+)",
                  re.MULTILINE)
RIGHT = re.compile(r"(S\d+_\d+_)?[A-Z][A-Za-z0-9]*")


def sources():
    for folder in ("src", "tests", "apps", "examples"):
        for pattern in ("*.cpp", "*.hpp"):
            yield from sorted((ROOT / folder).rglob(pattern))


def camel_case(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def faults(text):
    """Tests whose suite or name is not in CamelCase."""
    return [test for test in TEST.finditer(text)
            if not (RIGHT.fullmatch(test["suite"]) and RIGHT.fullmatch(test["name"]))]


def renamed(text):
    for test in reversed(faults(text)):
        text = text[:test.start("name")] + camel_case(test["name"]) + text[test.end("name"):]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rename", action="store_true")
    rename = parser.parse_args().rename
    found, tests = 0, 0
    for path in sources():
        text = path.read_text()
        tests += len(TEST.findall(text))
        wrong = faults(text)
        found += len(wrong)
        if wrong and rename:
            path.write_text(renamed(text))
            print(path.relative_to(ROOT))
        elif not rename:
            for test in wrong:
                line = text.count("\n", 0, test.start()) + 1
                print(f"{path.relative_to(ROOT)}:{line}: {test['suite']}.{test['name']} is not Suite.CamelCaseSentence")
    if not rename:
        print(f"{found} of {tests} tests have other names")
    return 1 if tests == 0 or (found and not rename) else 0


if __name__ == "__main__":
    sys.exit(main())
