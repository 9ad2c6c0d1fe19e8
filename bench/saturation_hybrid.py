"""Part E of the suite saturation: the search for accepting cycles while saturating (Hyb-MC), on the contest's LTL formulas, each
in a run of its own with a limit of seconds. Shows how much work its checks save, beside the figures of the paper, and what
happens when one of its ideas is switched off.
"""

import copy
import tempfile
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from saturation_contest import CONTEST, examinations
from saturation_runs import check, geometric_mean, share, solved

CATEGORIES = ("LTLCardinality", "LTLFireability")
VARIANTS = {"all of it": (), "no recurring states": ("no-recurring",), "no abstraction": ("no-abstraction",),
            "no increments": ("no-increments",), "whole product first": ("exact",)}
WHOLE = "all of it"
LONG = 0.01             # seconds: shorter times say little
PAPER_AVOIDED, PAPER_RECURRING, PAPER_TIME = 99.7, 89, 17       # per cent


class Question(NamedTuple):
    net: str
    formula: str        # its id
    file: Path          # with this formula only
    recorded: str       # verdict


def single_formulas(file, folder):
    """(id, file) of each property of an XML file: a file with nothing else."""
    tree = ElementTree.parse(file)
    root = tree.getroot()
    space = root.tag[:root.tag.index("}") + 1]
    ElementTree.register_namespace("", space[1:-1])
    for number, of_property in enumerate(root.findall(f"{space}property")):
        alone = ElementTree.Element(root.tag)
        alone.append(copy.deepcopy(of_property))
        path = Path(folder) / f"{file.parent.name}-{file.stem}-{number}.xml"
        ElementTree.ElementTree(alone).write(path, encoding="utf-8", xml_declaration=True)
        yield of_property.findtext(f"{space}id").strip(), path


def questions(chosen, folder):
    found = []
    for rows in examinations(chosen):
        net, category = rows[0]["instance"], rows[0]["category"]
        if category in CATEGORIES:
            recorded = {row["formula_id"]: "holds" if row["expected"] == "TRUE" else "violated" for row in rows}
            files = dict(single_formulas(CONTEST / net / rows[0]["property_file"], folder))
            found += [Question(net, formula, files[formula], verdict) for formula, verdict in recorded.items()]
    return found


def run_all(asked, journal, options):
    """For each question the results by variant."""
    def answer(question):
        results = {}
        for variant, words in VARIANTS.items():
            name = f"hybrid {','.join(words)} {question.formula} {options.formula_time:g}s {options.memory}"
            results[variant] = journal.once(question.net, name, None, lambda words=words: check(
                CONTEST / question.net / "model.pnml", options.formula_time, options.memory, "--formulas", question.file,
                "--engine", "symbolic", *(("--hybrid", ",".join(words)) if words else ())))
        return results

    with ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(answer, asked))


def checks(results):
    """Sums over runs: how the nodes in which a cycle was looked for were decided."""
    def total(name):
        return sum(result.get(name, 0) for result in results)

    return {"nodes": total("checked_nodes"), "nothing to look at": total("avoided_transitions"),
            "no recurring state": total("avoided_recurring"), "abstraction": total("avoided_abstraction"),
            "decided before": total("avoided_known"), "sure": total("sure_cycles"), "searches": total("hull_searches"),
            "search seconds": total("hull_time_s"), "seconds": total("time_s")}


def speed(results, variant):
    """How many times as long the variant takes, geometric mean over what both solve: of all, and of those where one of the two
    takes long enough to say something; and of how many."""
    pairs = [(of[variant]["time_s"], of[WHOLE]["time_s"]) for of in results if solved(of[variant]) and solved(of[WHOLE])]
    long = [pair for pair in pairs if max(pair) >= LONG]
    return (*(geometric_mean([theirs / ours for theirs, ours in of]) for of in (pairs, long)), len(long))


def show_checks(results):
    whole = [of[WHOLE] for of in results if solved(of[WHOLE])]
    sums = checks(whole)
    avoided = sums["no recurring state"] + sums["abstraction"] + sums["decided before"]
    everything = avoided + sums["nothing to look at"]
    print(f"\nof {sums['nodes']:,} nodes in which a cycle was looked for, in formulas that were decided:")
    for name in ("nothing to look at", "no recurring state", "abstraction", "decided before", "sure", "searches"):
        print(f"  {name:<22}{sums[name]:>14,}")
    print(f"symbolic fixed points avoided: {share(avoided, avoided + sums['searches'])}, with those that had nothing to look at "
          f"{share(everything, everything + sums['searches'])} (paper: {PAPER_AVOIDED} %)")
    print(f"of those avoided, by having no recurring state: {share(sums['no recurring state'], avoided)} (paper: {PAPER_RECURRING} %)")
    print(f"time in the search for cycles: {share(sums['search seconds'], sums['seconds'])} (paper: {PAPER_TIME} %)")
    violated = [result for result in whole if result["verdict"] == "violated"]
    early = sum(result.get("early", 0) for result in violated)
    print(f"violations found before all states were known: {early:,} of {len(violated):,} ({share(early, len(violated))})")
    return {**sums, "violated": len(violated), "early": early}


def show_variants(asked, results):
    print(f"\n{'':<24}{'decided':>9}{'differ':>8}{'times as long':>15}{f'from {LONG:g} s':>14}{'formulas':>10}")
    rows = []
    for variant in VARIANTS:
        decided = sum(solved(of[variant]) for of in results)
        differ = [q.formula for q, of in zip(asked, results) if solved(of[variant]) and of[variant]["verdict"] != q.recorded]
        mean, mean_long, count = speed(results, variant)
        rows.append({"variant": variant, "decided": decided, "differ": differ, "slower": mean, "slower_long": mean_long,
                     "long": count})
        means = [f"{value:.2f}" if value else "-" for value in (mean, mean_long)]
        print(f"{variant:<24}{decided:>9,}{len(differ):>8}{means[0]:>15}{means[1]:>14}{count:>10,}")
    for row in rows:
        for formula in row["differ"]:
            print(f"WRONG  {row['variant']}: {formula}")
    return rows


def part_e(chosen, journal, options):
    print(f"\nE. Cycles while saturating: the contest's LTL formulas, {options.formula_time:g} s and {options.memory} each\n",
          flush=True)
    with tempfile.TemporaryDirectory() as folder:
        asked = questions(chosen, folder)
        if not asked:
            print(f"skipped, there are no such nets at {CONTEST} (see TIDELINE_BENCHMARKS)")
            return {}
        results = run_all(asked, journal, options)
    print(f"{len(asked):,} formulas about {len({q.net for q in asked})} nets")
    sums, variants = show_checks(results), show_variants(asked, results)
    undecided = [q.formula for q, of in zip(asked, results) if not solved(of[WHOLE])]
    for net in sorted({q.net for q in asked}):
        open_ones = [q.formula for q in asked if q.net == net and q.formula in undecided]
        if open_ones:
            print(f"  not decided: {net:<38}{len(open_ones):>3} of {sum(q.net == net for q in asked)}")
    return {"formulas": len(asked), "checks": sums, "variants": variants, "undecided": undecided}
