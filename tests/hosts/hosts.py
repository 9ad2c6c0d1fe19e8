#!/usr/bin/env python3
"""Ranks on two hosts: the answers are those of one process.

    hosts.py --tideline PROGRAM --models FOLDER

The hosts are network namespaces of this machine with names and addresses of their own, joined by a pair of virtual
devices, and mpirun starts the ranks of the second one through a "remote shell" that enters its namespace. So ranks
find each other, and talk, by TCP.

Everything happens inside namespaces that belong to one process (`unshare`): network, mounts, host names and
processes. When that process ends, however it does, the system ends all others and removes the devices; nothing of it
was ever seen outside.

Exit code 77: it cannot be tried here; the output says why.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
SECONDS = 60  # for a command; they take less than two

FIRST, SECOND = "10.77.0.1", "10.77.0.2"
NAMESPACE = "second"
ENTERED = "TIDELINE_HOSTS_ENTERED"

# How many ranks are on each host, of how many threads, and what they are asked.
QUESTIONS = [
    (2, 1, ["--property", "mutex", "--engine", "bfs"]),
    (1, 2, ["--property", "mutex", "--engine", "sweep", "--no-trace", "--progress", "level[0]"]),
    (2, 1, ["--ltl", 'G F "P_0.critical"', "--engine", "owcty-map"]),
    (1, 2, ["--ltl", 'G !("P_0.critical" && "P_1.critical")', "--engine", "owcty"]),
]
SAME = ["states", "transitions", "levels", "sweeps", "visited", "product_states", "product_transitions"]


class Impossible(Exception):
    """This machine does not let us try."""


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False, **options)


def require(words):
    result = run(words)
    if result.returncode != 0:
        raise Impossible(f"{' '.join(words)}: {result.stderr.strip()}")
    return result.stdout


def enter():
    """Begins this script again, within namespaces of its own."""
    for program in ["ip", "unshare", "nsenter", "mpirun"]:
        if not shutil.which(program):
            raise Impossible(f"there is no {program}")
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    unshare = ["unshare", *as_root, "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    require([*unshare, "true"])
    os.execvpe("unshare", [*unshare, sys.executable, *sys.argv], {**os.environ, ENTERED: "1"})


def connect():
    """This becomes the first host, and there is a second one."""
    require(["mount", "-t", "tmpfs", "tmpfs", "/run"])
    require(["hostname", "first"])
    require(["ip", "netns", "add", NAMESPACE])
    require(["ip", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", NAMESPACE])
    for address, at in [(FIRST, []), (SECOND, ["-n", NAMESPACE])]:
        require(["ip", *at, "link", "set", "lo", "up"])
        require(["ip", *at, "address", "add", f"{address}/24", "dev", "wire"])
        require(["ip", *at, "link", "set", "wire", "up"])


def bytes_on_the_wire():
    return json.loads(require(["ip", "-j", "-s", "link", "show", "dev", "wire"]))[0]["stats64"]["tx"]["bytes"]


def mpirun(folder, slots):
    """The words of mpirun for so many ranks on each host."""
    hosts = folder / "hosts"
    hosts.write_text(f"{FIRST} slots={slots}\n{SECOND} slots={slots}\n")
    shell = folder / "remote_shell"  # called with the host, and the words of a command
    shell.write_text(
        "#!/bin/sh\nshift\n"
        f"exec nsenter --net=/run/netns/{NAMESPACE} unshare --uts sh -c 'hostname second; eval \"$0\"' \"$*\"\n"
    )
    shell.chmod(0o700)
    words = ["mpirun", "--quiet", "--oversubscribe", "--bind-to", "none", "--hostfile", str(hosts)]
    for name, value in [
        ("plm_rsh_agent", shell),
        ("oob_tcp_if_include", "wire"),
        ("btl_tcp_if_include", "wire"),
        ("odls_base_sigkill_timeout", 0),
    ]:
        words += ["--mca", name, str(value)]
    return words


def answer(words, models):
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    result = run([*words, "--json", "-", "--quiet"], cwd=models, env={**os.environ, **root})
    if result.returncode not in (0, 1):
        raise AssertionError(f"{' '.join(words)}: exit code {result.returncode}: {result.stderr}{result.stdout}")
    return json.loads(result.stdout)


def compare(name, alone, together, ranks):
    verdicts = [[each["verdict"] for each in one["properties"]] for one in (alone, together)]
    assert verdicts[0] == verdicts[1], f"{name}: {verdicts[1]} instead of {verdicts[0]}"
    assert together["statistics"]["ranks"] == ranks, f"{name}: {together['statistics']['ranks']} ranks"
    if "violated" in verdicts[0]:
        return  # which states were visited by then depends on the order
    for figure in SAME:
        figures = [one["statistics"].get(figure) for one in (alone, together)]
        assert figures[0] == figures[1], f"{name}: {figure} {figures[1]} instead of {figures[0]}"


def compare_all(tideline, models):
    with tempfile.TemporaryDirectory(dir="/run") as folder:
        os.environ["TMPDIR"] = folder  # where mpirun keeps its files
        for slots, threads, asked in QUESTIONS:
            question = [tideline, "check", "peterson3.dve", *asked]
            alone = answer(question, models)
            before = bytes_on_the_wire()
            together = answer([*mpirun(Path(folder), slots), *question, "--threads", str(threads)], models)
            sent = bytes_on_the_wire() - before
            name = f"{alone['engine']}, {slots} x {threads} on each host"
            compare(name, alone, together, 2 * slots)
            # Of the batches, half or more go to the other host, and half of those come from this one.
            assert sent > together["statistics"]["batch_bytes"] / 5, f"{name}: {sent} bytes between the hosts"
            print(f"{name}: as in one process, {sent:,} bytes sent by the first host")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tideline", required=True)
    parser.add_argument("--models", required=True)
    options = parser.parse_args()
    try:
        if ENTERED not in os.environ:
            enter()
        connect()
    except Impossible as reason:
        print(f"ranks on two hosts: skipped, {reason}")
        return SKIPPED
    if "without MPI" in run([options.tideline, "explore", "peterson.dve", "--ranks", "2"], cwd=options.models).stderr:
        print("ranks on two hosts: skipped, the program was built without MPI")
        return SKIPPED
    compare_all(options.tideline, options.models)
    return 0


if __name__ == "__main__":
    sys.exit(main())
