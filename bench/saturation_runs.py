"""Shared by parts E and F of the suite saturation: checking one formula of infinite runs on a net, and numbers of many runs."""

import json
import math
import sys

from measure import TIDELINE, run

# What is kept of the statistics of a run.
KEPT = ("time_s", "early", "checked_nodes", "hull_searches", "hull_time_s", "avoided_transitions", "avoided_recurring",
        "avoided_abstraction", "avoided_known", "sure_cycles", "product_states")


def tideline(command, path, seconds, memory, *arguments):
    """The run and its JSON answer, which is there as well when a limit ended it."""
    done = run([TIDELINE, command, path, *arguments, "--time", f"{seconds:g}s", "--memory", memory, "--quiet", "--json", "-"])
    if done.status not in (0, 1, 3):
        sys.exit(f"tideline {command} {path} {' '.join(map(str, arguments))}: exit code {done.status}\n{done.output}")
    return done, json.loads(done.output)


def check(path, seconds, memory, *arguments):
    """The verdict on the only property, the seconds of the whole process, and statistics."""
    done, answer = tideline("check", path, seconds, memory, "--no-trace", *arguments)
    statistics = {name: answer["statistics"][name] for name in KEPT if name in answer["statistics"]}
    return {"verdict": answer["properties"][0]["verdict"], "seconds": done.seconds, **statistics}


def solved(result):
    return result["verdict"] != "unknown"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"
