#!/usr/bin/env python3
"""How states are kept: plain, as trees and as hashes (`--store`), beside each other.

Whole processes, `explore --engine bfs --exec native`, which take turns; processor time, since that is what other programs on the
machine disturb least, and the best of several runs counts. Bytes a state are those of the table with its index, and what the
process takes at its peak beyond one on a tiny model.
"""

import argparse
import math

from measure import BENCHMARKS, ROOT, machine, tideline, write_results
from tables import show

STORES = ("plain", "tree", "hash")
WIDE = ("leader_election.5", "pgm_protocol.8", "sokoban.3", "rether.7")
NARROW = ("extinction.4", "iprotocol.4", "lifts.7", "szymanski.4", "lamport.6", "adding.6")
TINY = ROOT / "models/peterson.dve"
TARGET_BYTES, TARGET_TIME, TARGET_PLAIN = 12, 1.2, 10
JUDGED = ("leader_election.5", "pgm_protocol.8")


def beem(name):
    return BENCHMARKS / "beem" / name.split(".")[0] / f"{name}.dve"


def explore(model, store, threads):
    done, answer = tideline("explore", model, "--engine", "bfs", "--model-errors=divine", "--exec", "native", "--store", store,
                            "--threads", threads, codes=(0, 3))
    return done, answer["statistics"]


def measured(name, threads, repetitions, tiny):
    row = {"model": name}
    for _ in range(repetitions):
        for store in STORES:
            done, found = explore(beem(name), store, threads)
            states = found["states"]
            old = row.get(store, {"seconds": math.inf, "peak": math.inf})
            row[store] = {"seconds": min(old["seconds"], done.processor_seconds),
                          "peak": min(old["peak"], (done.peak_bytes - tiny[store]) / states),
                          "table": found["table_bytes"] / states}
    return {**row, "states": states, "state_bytes": found["state_bytes"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--models", nargs="*", default=WIDE + NARROW, help="instances of BEEM")
    options = parser.parse_args()
    if not (BENCHMARKS / "beem").is_dir():
        print(f"bench stores: skipped, {BENCHMARKS / 'beem'} is not there (see TIDELINE_BENCHMARKS)")
        return
    show("stores/machine", ("measured on", "threads"), [(machine(), options.threads)])
    print()
    tiny = {store: explore(TINY, store, options.threads)[0].peak_bytes for store in STORES}
    rows = [measured(name, options.threads, options.repetitions, tiny) for name in options.models if beem(name).is_file()]
    show("stores/bytes", ("model", "states", "bytes in a state", *(f"{store}, table" for store in STORES),
                          *(f"{store}, process" for store in STORES)),
         [(row["model"], f"{row['states']:,}", row["state_bytes"], *(f"{row[store]['table']:.1f}" for store in STORES),
           *(f"{row[store]['peak']:.1f}" for store in STORES)) for row in rows])
    print()
    show("stores/time", ("model", "plain, s", "tree, s", "hash, s", "tree over plain", "hash over plain"),
         [(row["model"], *(f"{row[store]['seconds']:.2f}" for store in STORES),
           *(f"{row[store]['seconds'] / row['plain']['seconds']:.2f}" for store in STORES[1:])) for row in rows])
    print()

    def line(figure, value, target):
        return figure, f"{value:.2f}", target, "ok" if value <= target else "missed"
    summary = [line("plain, bytes a state beside its own, at most", max(row["plain"]["peak"] - row["state_bytes"] for row in rows),
                    TARGET_PLAIN)] if rows else []
    for row in rows:
        if row["model"] in JUDGED:
            summary += [line(f"tree, bytes a state of {row['model']}, at most", row["tree"]["table"], TARGET_BYTES),
                        line(f"tree over plain, time on {row['model']}, at most",
                             row["tree"]["seconds"] / row["plain"]["seconds"], TARGET_TIME)]
    show("stores/summary", ("figure", "value", "target", ""), summary)
    write_results("stores", rows)


if __name__ == "__main__":
    main()
