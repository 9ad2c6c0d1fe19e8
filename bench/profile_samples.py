"""Where a program spends its time: samples by perf, and what each sample belongs to.

A sample is an address. addr2line names the functions that are in line there, innermost first, with their files. The first
one of ours decides: its file says what it is for (GROUPS). Code that a table runs to grow is told apart by its name. What is not
in a file is native code; what is in the kernel or in the C library has groups of its own.

The program must have line numbers (the preset bench has). Memory that perf cannot read, counters that the machine does not have
and a missing perf are no errors: the functions return None.
"""

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

# The beginning of a path under src/ and the group; the first that fits counts.
GROUPS = (
    ("exec/", "steps"), ("model/", "steps"),
    ("store/hash.hpp", "hashing"),
    ("store/trace_log", "log"), ("store/record_file", "log"), ("store/block_file", "log"), ("store/disk_file", "log"),
    ("store/", "table"),
    ("graph/", "property"), ("logic/", "property"), ("bind/", "property"), ("reduce/", "property"),
    ("progress/", "measure"),
    ("search/", "search"),
    ("", "other"),
)
NAMES = ("steps", "hashing", "table", "growing", "log", "property", "measure", "search", "copies", "kernel", "other")
# Headers are included through a link to their room (cmake/Room.cmake).
OURS = re.compile(r"(?:/src|rooms/\w+)/(.+)")
GROWING = ("grow", "rehash", "move_in")
COPIES = re.compile(r"mem(move|cpy|cmp|set)")
FREQUENCY = 1999
COUNTERS = ("cache-misses", "dTLB-load-misses")


def plain_name(function):
    """Its last name, without namespaces, arguments and those of templates."""
    name, before = function, None
    while name != before:
        name, before = re.sub(r"<[^<>]*>", "", name), name
    return name.split("(", maxsplit=1)[0].split("::")[-1].split(" ")[-1]


def group_of(frames):
    """The group of a sample from the (function, file) that are in line there, innermost first; files may be unknown ("??")."""
    ours = [(function, place[1]) for function, file in frames if (place := OURS.search(file)) and not file.startswith("/usr/")]
    if not ours:
        return "other"
    if any(plain_name(function) in GROWING for function, file in ours if file.startswith("store/")):
        return "growing"
    return next(group for path, group in GROUPS if ours[0][1].startswith(path))


def parse_samples(text, program):
    """Counts of addresses in the program, and of groups outside, from lines "ADDRESS FUNCTION (PLACE)" and the mappings."""
    inside, outside, base = Counter(), Counter(), None
    for line in text.splitlines():
        if mapped := re.search(r"\[0x([0-9a-f]+)\(0x[0-9a-f]+\) @ (?:0x)?([0-9a-f]+) .*r-xp (.+)$", line):
            if mapped[3].strip() == str(program):
                base = int(mapped[1], 16) - int(mapped[2], 16)
        elif sample := re.match(r"\s*([0-9a-f]+) (.*) \((.+)\)$", line):
            address, function, place = int(sample[1], 16), sample[2], sample[3]
            if place == str(program) and base is not None:
                inside[address - base] += 1
            elif place.startswith("[kernel") or place.startswith("[vdso"):
                outside["kernel"] += 1
            elif COPIES.search(function):
                outside["copies"] += 1
            elif place.startswith(("[JIT]", "//anon", "[unknown]", "[anon", "/tmp/perf-")):
                outside["steps"] += 1
            else:
                outside["other"] += 1
    return inside, outside


def parse_frames(text):
    """The frames of each address, from what addr2line prints: an address, then pairs of lines."""
    frames, address = {}, None
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("0x"):
            address = int(line, 16)
            frames[address] = []
        else:
            frames[address].append((line, next(lines)))
    return frames


def profile(program, arguments):
    """The part of each group in the samples of a run; None: there is no perf, or it may not sample."""
    if not shutil.which("perf") or not shutil.which("addr2line"):
        return None
    program = Path(program).resolve()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        recorded = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-o", data, program, *arguments],
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if not data.is_file() or recorded.returncode not in (0, 1):
            return None
        script = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym,dso", "--show-mmap-events"], capture_output=True,
                                text=True, errors="replace", check=False).stdout
    inside, groups = parse_samples(script, program)
    lines = subprocess.run(["addr2line", "-a", "-i", "-f", "-C", "-e", program], input="\n".join(map(hex, inside)),
                           capture_output=True, text=True, errors="replace", check=False).stdout
    for address, frames in parse_frames(lines).items():
        groups[group_of(frames)] += inside[address]
    total = sum(groups.values())
    return {name: groups[name] / total for name in NAMES} if total else None


def parse_counters(text):
    """Counters by name, from perf stat -x,; None: the machine does not count that."""
    found = dict.fromkeys(COUNTERS)
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and (name := fields[2].split(":")[0]) in found and fields[0].isdigit():
            found[name] = int(fields[0])
    return found


def count(program, arguments):
    if not shutil.which("perf"):
        return dict.fromkeys(COUNTERS)
    done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(COUNTERS), program, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return parse_counters(done.stderr)
