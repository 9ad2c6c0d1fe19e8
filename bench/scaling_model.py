#!/usr/bin/env python3
"""How breadth-first search scales: a model with few parameters, fitted to what threads.py and cluster.py have measured, and what
it says about larger machines; beside it a simulation of the ranks' protocol (cluster_simulation.cpp).

Threads. A search with one thread takes T seconds for E transitions and L levels. With n threads

    T(n) = max(T / n  +  shared * E / n  +  meeting * L * log2 n,  E / memory)

  shared    seconds that an insertion takes longer when the table is shared: atomic operations, cache lines of other cores
  meeting   seconds that the end of a level takes, for each doubling of the threads
  memory    insertions a second that the memory can serve at most: they go to random places, two cache lines each

Ranks. With N ranks, of which m share a machine and its link, and records of b bytes, a search of S states takes

    T(N) = T (1 + u) / p  +  sent * E (1 - 1/N) / p  +  tree * L * waves * 2 log2 N  +  message * M / p
    T(N) >= b E (1 - m/N) m/N / link

where p is the smaller of N and the cores, M are the messages of all ranks (full batches, and at the end of each level what is left
for each other rank), and u = sqrt(2 ln N * N L / S) is how much more than its share the fullest rank has of a level: the hash deals
out states at random.

  sent      seconds that a state takes longer when it is sent: packing, copying, unpacking
  tree      seconds from one rank to another along the tree by which they find that a level is done
  message   seconds of a processor for a message: not fitted but assumed, as one machine sends few
  link      bytes a second of a machine's link

The times are those of the searches, without reading the model and starting processes. A parameter is fitted to all instances, by
least squares of logarithms; for the check each instance is predicted by the parameters of the others.
"""

import argparse
import itertools
import json
import math
import statistics
import subprocess
from typing import NamedTuple

import plot
import tables
from journal import Journal
from measure import RESULTS, ROOT, write_results
from scaling_runs import Case

PICTURE = ROOT / "docs/pictures/scaling.svg"
SIMULATION = RESULTS / "bench/cluster_simulation"
WAVES = 2                       # of the tree that end a level: as simulated
BATCH = 16 << 10                # bytes; as in src/cluster/ranks/state_batches.hpp
NOTE = 4                        # bytes that a state travels with
HASH, LARGE_STATE = 8, 24       # and those of its hash, from so many bytes on; as in src/cluster/ranks/state_batches.hpp
MESSAGE = 1e-6                  # seconds of a processor for a message, assumed
LATENCY = {10: 20e-6, 100: 2e-6}        # of a network with so many Gbit/s, assumed: TCP and RDMA
LARGE_THREADS, LARGE_RANKS = 64, 100
SETTLE_RANKS = (2, 16, 128, 1024)
BALANCE_RANKS = (2, 16, 128, 1024, 4096)
SEARCH_RANKS = (2, 4, 16, 64, 100)
SEARCHED, STATE_BYTES = "lamport.5", 14     # what the simulation searches
STEP = 200e-9                   # seconds of its steps: taking a transition, sending and inserting the state
REAL = "lamport.6"              # whose messages are compared with those of real ranks
LARGER = 100                    # times: the model's other chart
SPREAD = ("lamport.5", "leader_filters.5", "rether.5")


class Point(NamedTuple):
    """A measured run of an instance."""
    instance: str
    option: str         # --threads or --ranks
    workers: int
    seconds: float
    alone: float        # seconds with one thread
    states: int
    edges: int
    levels: int
    bytes: int          # of a state
    cores: int          # of the machine


class Parameters(NamedTuple):
    shared: float = 1e-9
    meeting: float = 1e-6
    memory: float = 1e12
    sent: float = 1e-8
    tree: float = 1e-6


class Network(NamedTuple):
    link: float = math.inf      # bytes a second
    ranks_per_machine: int = 1
    latency: float = None       # instead of the fitted `tree`


def terms(point, workers, option, p, network=Network(), processors=None):
    """The seconds that each part of the search takes."""
    if option == "--threads":
        work = {"steps": point.alone / workers, "sharing the table": p.shared * point.edges / workers if workers > 1 else 0,
                "ends of levels": p.meeting * point.levels * math.log2(workers)}
        return work, {"memory": point.edges / p.memory}
    busy = min(workers, processors or workers)
    to_others = point.edges * (1 - 1 / workers)
    record = point.bytes + NOTE + (HASH if point.bytes >= LARGE_STATE else 0)
    pairs = workers * (workers - 1)
    left_over = point.levels * pairs * -math.expm1(-point.edges / point.levels / workers**2)
    messages = to_others * record / BATCH + left_over
    uneven = math.sqrt(2 * math.log(workers) * workers * point.levels / point.states)
    step = p.tree if network.latency is None else network.latency + 2 * MESSAGE
    work = {"steps": point.alone / busy, "uneven levels": uneven * point.alone / busy, "sending states": p.sent * to_others / busy,
            "messages": MESSAGE * messages / busy, "ends of levels": step * point.levels * WAVES * 2 * math.log2(workers)}
    share = network.ranks_per_machine / workers
    return work, {"network": record * point.edges * (1 - share) * share / network.link if share < 1 else 0}


def predicted(*arguments, **named):
    work, floors = terms(*arguments, **named)
    return max(sum(work.values()), *floors.values())


def limit(*arguments, **named):
    """What keeps the search from being faster, the steps themselves aside."""
    work, floors = terms(*arguments, **named)
    floor = max(floors, key=floors.get)
    if floors[floor] >= sum(work.values()):
        return floor
    return max((name for name in work if name != "steps"), key=work.get)


def of_point(point, parameters):
    return predicted(point, point.workers, point.option, parameters, processors=point.cores)


# --- fitting ----------------------------------------------------------------------------------------------------------


MEMORY_STARTS = (1e12, 1e9, 3e8, 1e8, 3e7, 1e7)
FITTED = {"--threads": ("shared", "meeting", "memory"), "--ranks": ("sent", "tree")}


def error(points, parameters):
    return sum(math.log(of_point(point, parameters) / point.seconds)**2 for point in points)


def fitted(points):
    """The best parameters for all points; threads and ranks have none in common."""
    found = Parameters()
    for option, names in FITTED.items():
        if of_option := [point for point in points if point.option == option]:
            # Several starts, as the memory matters only where it is too slow.
            found = min((descended(of_option, found._replace(memory=memory) if option == "--threads" else found, names)
                         for memory in MEMORY_STARTS), key=lambda tried: error(of_option, tried))
    return found


def descended(points, best, names):
    """Parameters are multiplied or divided, each alone or several at once, while that helps, by smaller and smaller factors."""
    factor = 10.0
    while factor > 1.001:
        tries = [best._replace(**{name: getattr(best, name) * factor**way for name, way in zip(names, ways)})
                 for ways in itertools.product((-1, 0, 1), repeat=len(names))]
        better = min(tries, key=lambda parameters: error(points, parameters))
        if error(points, better) < error(points, best) * (1 - 1e-6):
            best = better
        else:
            factor = math.sqrt(factor)
    return best


def checked(points):
    """Each point with the time that the parameters of the other instances predict, or its own where it is the only one."""
    result = []
    for point in points:
        others = [other for other in points if other.instance != point.instance and other.option == point.option]
        result.append((point, of_point(point, fitted(others or [point])), bool(others)))
    return result


# --- what was measured ------------------------------------------------------------------------------------------------


def measured():
    """The fastest runs of bfs in the journals of threads.py and cluster.py: other work on a machine only slows a run down."""
    seconds, figures = {}, {}
    for suite in ("threads", "cluster"):
        for (instance, what), result in Journal(suite, other_builds=True).known.items():
            words = what.split()
            if words[0] == "bfs" and words[1].startswith("--") and result["verdict"] == "holds":
                key = instance, words[1], int(words[2]), result["machine"]
                seconds.setdefault(key, []).append(result["search_seconds"])
                figures[key] = result
    points = []
    for key, times in sorted(seconds.items()):
        instance, option, workers, machine = key
        alone = seconds.get((instance, "--threads", 1, machine))
        if alone and workers > 1:
            found = figures[key]
            points.append(Point(instance, option, workers, min(times), min(alone), found["states"],
                                found["transitions"], found["levels"], found["state_bytes"], int(machine.split()[-2])))
    return points, sorted({key[3] for key in seconds})


# --- the simulation ---------------------------------------------------------------------------------------------------


def simulated(command, *arguments):
    """Rows of cluster_simulation; each is computed once."""
    def run():
        done = subprocess.run([SIMULATION, command, *map(str, arguments)], check=True, capture_output=True, text=True)
        return {"rows": json.loads(done.stdout)}

    named = [getattr(argument, "stem", argument) for argument in arguments]
    return Journal("scaling", other_builds=True).once(command, " ".join(map(str, named)), None, run)["rows"]


def costs(gigabits):
    """For the simulation, in nanoseconds: half of a step is charged to the rank that takes it, half to the one that inserts."""
    return json.dumps({"transition_ns": STEP * 1e9 / 2, "insert_ns": STEP * 1e9 / 2, "message_ns": MESSAGE * 1e9,
                       "latency_ns": LATENCY[gigabits] * 1e9, "gbit": gigabits})


def as_point(row):
    """A simulated search with what it would take alone."""
    return Point(SEARCHED, "--ranks", row["ranks"], row["seconds"], STEP * row["transitions"], row["states"], row["transitions"],
                 row["levels"], STATE_BYTES, row["ranks"])


FREE = Parameters(sent=0)       # what sending takes is part of a step of the simulation


def network_of(gigabits):
    return Network(gigabits * 1e9 / 8, 1, LATENCY[gigabits])


def simulated_speedup(point, ranks, gigabits):
    """By the model."""
    return point.alone / predicted(point, ranks, "--ranks", FREE, network=network_of(gigabits))


def show_search():
    """Simulated searches beside the model with the same costs."""
    rows, results, errors = [], {}, []
    for gigabits in LATENCY:
        results[gigabits] = simulated("search", Case("bfs", SEARCHED).file(), costs(gigabits), *SEARCH_RANKS)
        for row in results[gigabits]:
            point = as_point(row)
            guess = simulated_speedup(point, row["ranks"], gigabits)
            errors.append(abs(guess / row["speedup"] - 1))
            rows.append([row["ranks"], gigabits, f"{row['speedup']:.1f}", f"{guess:.1f}",
                         limit(point, row["ranks"], "--ranks", FREE, network=network_of(gigabits)),
                         f"{row['batches'] / row['ranks']:,.0f}",
                         f"{row['batch_bytes'] / max(1, row['batches']):,.0f}", f"{row['waves'] / row['levels']:.1f}",
                         f"{100 * row['idle_seconds'] / (row['seconds'] * row['ranks']):.0f}%", row["most_outstanding"]])
    rows.append(["mean of the errors", "", "", f"{100 * statistics.mean(errors):.0f}%", *[""] * 6])
    print(f"\nSimulated searches of {SEARCHED}\n")
    tables.show("scaling/search", ["ranks", "Gbit/s", "speed-up over one", "model", "held back most by", "batches a rank",
                                   "bytes a batch", "waves a level", "time waiting", "most batches on their way to one rank"], rows)
    return results


def show_settling():
    print("\nEnds of levels\n")
    settled = {gigabits: simulated("settle", json.dumps({"latency_ns": latency * 1e9}), *SETTLE_RANKS)
               for gigabits, latency in LATENCY.items()}
    tables.show("scaling/settle", ["ranks", "waves", "messages", *(f"microseconds, {gigabits} Gbit/s" for gigabits in LATENCY)],
                [[rows[0]["ranks"], f"{rows[0]['waves_a_level']:.1f}", f"{rows[0]['messages_a_level']:,.0f}",
                  *(f"{row['seconds_a_level'] * 1e6:,.0f}" for row in rows)] for rows in zip(*settled.values())])


def show_beside_real():
    """What real ranks have sent, in the journal of cluster.py, beside what simulated ones send."""
    rows = []
    for (instance, what), real in sorted(Journal("cluster", other_builds=True).known.items()):
        words = what.split()
        if instance != REAL or words[:2] != ["bfs", "--ranks"] or words[3:] != ["run", "0"] or words[2] == "1":
            continue
        simulation, = simulated("search", Case("bfs", instance).file(), costs(max(LATENCY)), words[2])
        rows.append([instance, words[2], *(f"{figures[name]:,}" for name in ("batches", "batch_bytes")
                                           for figures in (real, simulation))])
    if rows:
        print("\nReal ranks beside simulated ones\n")
        tables.show("scaling/real", ["instance", "ranks", "batches", "simulated", "bytes", "simulated"], rows)


def show_balance():
    print("\nHow evenly states are spread\n")
    balance = {name: simulated("balance", Case("bfs", name).file(), *BALANCE_RANKS) for name in SPREAD}
    tables.show("scaling/balance", ["model", "states", "levels", *(f"fullest over mean, {n}" for n in BALANCE_RANKS),
                                    *(f"by levels, {n}" for n in BALANCE_RANKS)],
                [[name, f"{rows[0]['states']:,}", rows[0]["levels"], *(f"{row['most_over_mean']:.2f}" for row in rows),
                  *(f"{row['levels_over_mean']:.2f}" for row in rows)] for name, rows in balance.items()])


# --- tables and the picture -------------------------------------------------------------------------------------------


UNITS = {"shared": ("a shared insertion takes longer by, ns", 1e9),
         "meeting": ("end of a level for each doubling of threads, µs", 1e6),
         "memory": ("insertions that the memory serves, million a second", 1e-6),
         "sent": ("a state that is sent takes longer by, ns", 1e9),
         "tree": ("from rank to rank along the tree, µs", 1e6)}


def show_parameters(points, parameters):
    def cell(name):
        words, unit = UNITS[name]
        value = getattr(parameters, name)
        if name == "memory" and not any(limit_of(point, parameters) == "memory" for point in points):
            return [words, f"more than {max(p.edges / p.seconds for p in points if p.option == '--threads') * unit:,.0f}"]
        return [words, f"{value * unit:,.3g}"]

    options = {point.option for point in points}
    tables.show("scaling/parameters", ["parameter", "fitted"],
                [cell(name) for option in FITTED if option in options for name in FITTED[option]])


def limit_of(point, parameters):
    return limit(point, point.workers, point.option, parameters, processors=point.cores)


def show_check(points):
    rows = checked(points)
    errors = [abs(guess / point.seconds - 1) for point, guess, _ in rows]
    tables.show("scaling/check", ["instance", "workers", "measured s", "model s", "error", "fitted to"],
                [[point.instance, f"{point.workers} {point.option[2:]}", tables.seconds(point.seconds), tables.seconds(guess),
                  f"{100 * (guess / point.seconds - 1):+.0f}%", "the others" if apart else "itself"]
                 for point, guess, apart in rows]
                + [["mean of the errors", "", "", "", f"{100 * statistics.mean(errors):.0f}%", ""]])
    return errors


def predictions(points, parameters):
    """One line for each instance and large machine."""
    rows = []
    for _, group in itertools.groupby(points, lambda point: point.instance):
        point = next(group)
        cases = [(f"{LARGE_THREADS} threads", (LARGE_THREADS, "--threads"), {})]
        cases += [(f"{LARGE_RANKS} ranks on {LARGE_RANKS // each} machines, {gigabits} Gbit/s", (LARGE_RANKS, "--ranks"),
                   {"network": Network(gigabits * 1e9 / 8, each, LATENCY[gigabits])}) for gigabits in LATENCY for each in (1, 10)]
        for words, what, named in cases:
            if any(other.option == what[1] for other in points):
                time = predicted(point, *what, parameters, **named)
                rows.append([point.instance, words, tables.seconds(time), f"{point.alone / time:.1f}",
                             limit(point, *what, parameters, **named)])
    tables.show("scaling/predictions", ["instance", "machine", "s", "speed-up over one thread", "held back most by"], rows)
    return rows


def draw(simulation, path):
    """Speed-ups by ranks: simulated beside the model, and the model for a larger search."""
    counts = [2**power for power in range(11)]
    point = as_point(next(iter(simulation.values()))[0])
    larger = point._replace(alone=LARGER * point.alone, states=LARGER * point.states, edges=LARGER * point.edges)
    drawing = plot.Drawing(980, 400)
    drawing.text(20, 26, "Speed-up over one rank, against the number of ranks", size=15, bold=True)
    drawing.legend(70, 50, [f"{what}, {gigabits} Gbit/s" for what in ("model", "simulation") for gigabits in LATENCY])

    def lines(of):
        return [[(n, simulated_speedup(of, n, gigabits)) for n in counts] for gigabits in LATENCY]

    plot.log_chart(drawing, 70, 95, 390, 240, f"{SEARCHED}, {point.edges:,} transitions", "ranks",
                   [*lines(point), *([(row["ranks"], row["speedup"]) for row in rows] for rows in simulation.values())])
    plot.log_chart(drawing, 560, 95, 390, 240, f"{LARGER} times as many states in as many levels", "ranks", lines(larger))
    drawing.write(path)
    print(f"\nDrawn to {path.relative_to(ROOT)}")


def show_model():
    points, machines = measured()
    if not points:
        print("not fitted: threads.py and cluster.py have not measured bfs with several threads or ranks here")
        return {}
    print(f"Measured on {', '.join(machines)}\n")
    tables.write("scaling/machine", ["measured on", "points"], [[", ".join(machines), len(points)]])
    parameters = fitted(points)
    show_parameters(points, parameters)
    print("\nThe model beside what was measured\n")
    errors = show_check(points)
    print("\nLarger machines\n")
    return {"machines": machines, "parameters": parameters._asdict(), "mean_error": statistics.mean(errors),
            "predictions": predictions(points, parameters)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true", help="draw to docs/pictures/ instead of build/bench/")
    options = parser.parse_args()
    results = show_model()
    if SIMULATION.is_file() and Case("bfs", SEARCHED).file().is_file():
        results["simulation"] = show_search()
        show_beside_real()
        show_settling()
        show_balance()
        draw(results["simulation"], PICTURE if options.pictures else RESULTS / "scaling.svg")
    else:
        print(f"\nnot simulated: {SIMULATION.relative_to(ROOT)} or BEEM's models are not there (see TIDELINE_BENCHMARKS)")
    write_results("scaling", results)


if __name__ == "__main__":
    main()
