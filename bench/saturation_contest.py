"""Part D of the suite saturation: every examination of every net of the contest at hand with `tideline mcc`, each once, with a
limit of time and memory, beside the recorded answers. Answers are read and compared as in the conformance test.

An examination that has been run is kept in the journal; the limits are part of its name there.
"""

import argparse
import collections
import sys
from concurrent.futures import ThreadPoolExecutor

from measure import BENCHMARKS, ROOT, TIDELINE

sys.path.append(str(ROOT / "tests/conformance"))
import mcc_answers  # noqa: E402

CONTEST = BENCHMARKS / "mcc"
SMALL = 10**7           # markings: of nets up to here the share of answers counts
GOAL = 0.95
SIZES = ("to 10^7", "above", "not known")
RESULTS = ("right", "wrong", "unknown")


def size_class(states):
    """Size class of a recorded number."""
    if not states:
        return SIZES[2]
    return SIZES[0] if int(states) <= SMALL else SIZES[1]


def examinations(chosen):
    """The rows of each examination of the nets that are chosen, smallest nets first; nothing where the table is not there."""
    if not (CONTEST / "mcc.csv").is_file():
        return []
    return [rows for rows in mcc_answers.read_table(CONTEST) if chosen(rows[0]["instance"])]


def run_all(asked, journal, options):
    """The entries of all examinations, in their order. Wrong answers are shown as they come."""
    settings = argparse.Namespace(tideline=TIDELINE, folder=CONTEST, time=f"{options.time}s", memory=options.memory, engine="auto")

    def examine(rows):
        name = f"mcc {rows[0]['category']} {options.time}s {options.memory}"
        entries = journal.once(rows[0]["instance"], name, None, lambda: {"entries": list(mcc_answers.examine(settings, rows))})
        for entry in entries["entries"]:
            if entry["result"] == "wrong":
                print(f"WRONG  {entry['instance']} {entry['category']}: {entry['what']}: recorded {entry['recorded']}, "
                      f"ours {entry['ours']}", flush=True)
        return entries["entries"]

    with ThreadPoolExecutor(options.jobs) as pool:
        return [entry for entries in pool.map(examine, asked) for entry in entries]


def count(entries):
    """How many answers there are of (category, size class, result)."""
    return collections.Counter((entry["category"], size_class(entry["states"]), entry["result"]) for entry in entries)


def share_answered(entries):
    """Of the formulas about nets of at most 10^7 markings: how many were answered rightly, and how many there are. StateSpace
    asks for numbers and has no formulas."""
    formulas = [entry for entry in entries
                if size_class(entry["states"]) == SIZES[0] and entry["category"] != "StateSpace" and entry["recorded"]]
    return sum(entry["result"] == "right" for entry in formulas), len(formulas)


def show_table(entries):
    counts = count(entries)
    sizes = [size for size in SIZES if any(key[1] == size for key in counts)]
    print(f"{'':<26}" + "".join(f"{size:^27}" for size in sizes).rstrip())
    print(f"{'examination':<26}" + "".join(f"{'right':>8}{'wrong':>7}{'unknown':>9}   " for _ in sizes).rstrip())
    categories = sorted({category for category, _, _ in counts})
    for category in [*categories, None]:
        cells = [[sum(n for key, n in counts.items() if key[0] == (category or key[0]) and key[1:] == (size, result))
                  for result in RESULTS] for size in sizes]
        numbers = "".join(f"{right:>8,}{wrong:>7,}{unknown:>9,}   " for right, wrong, unknown in cells)
        print(f"{category or 'all':<26}{numbers}".rstrip())


def show_unknown(entries):
    """The questions without an answer, a line for each examination."""
    unknown = collections.defaultdict(list)
    for entry in entries:
        if entry["result"] == "unknown":
            unknown[entry["instance"], entry["category"]].append(entry["what"].rsplit("-", 1)[-1].split()[-1])
    if unknown:
        print("\nwithout an answer:")
    for (instance, category), which in unknown.items():
        print(f"  {instance:<38}{category:<25}{len(which):>3}   {' '.join(which)}")


def part_d(chosen, journal, options):
    print(f"\nD. The contest's formulas: `tideline mcc`, {options.time} s and {options.memory} an examination\n", flush=True)
    asked = examinations(chosen)
    if not asked:
        print(f"skipped, there are no such nets at {CONTEST} (see TIDELINE_BENCHMARKS)")
        return []
    entries = run_all(asked, journal, options)
    show_table(entries)
    right, formulas = share_answered(entries)
    if formulas:
        print(f"\nanswered, of formulas about nets of at most 10^7 markings: {right:,} of {formulas:,}, "
              f"{100 * right / formulas:.1f} % (goal: {100 * GOAL:.0f} %)")
    nets = {entry["instance"] for entry in entries}
    print(f"{len(asked)} examinations of {len(nets)} nets, {sum(entry['result'] == 'wrong' for entry in entries)} wrong answers")
    show_unknown(entries)
    return entries
