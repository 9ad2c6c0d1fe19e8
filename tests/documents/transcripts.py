#!/usr/bin/env python3
"""Runs the commands that the documents show, and compares what they print with what the documents say.

A transcript is a fenced block of kind `console`:

    ```console
    $ tideline explore models/peterson.dve --quiet
    engine                    bfs
    ...
    ```

A line that begins with `$ ` is a command, `> ` continues it, and what follows is its output: stdout and stderr
together, as on a terminal. A line `...` stands for any number of lines. The exit code is shown by `$ echo $?`.
Times, sizes and rates are taken as equal whatever their value (VARYING), and so is the width of gaps within a line.

The commands of a document run one after the other in one shell, in a scratch folder with copies of models/, bench/
and examples/ in it, which the output calls /home/me, and the built program on its PATH. Comments in the document say
what else is needed:

    <!-- file: counter.dve -->           the next fenced block is this file, which the reader is asked to save
    <!-- files of: ../README.md -->      begin with the files of another document
    <!-- not run: needs two hours -->    the next transcript is not run, for this reason

Examples in the manual page (displays with `$ `) and on the help pages run as well. Their output is not shown, so they
only have to end in an answer: exit code 0, 1 or 3.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from difflib import SequenceMatcher

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/*.md", "bench/README.md", "models/README.md",
             "tests/conformance/README.md"]
MANUAL = "docs/tideline.1"
COPIED = ["models", "bench", "examples"]
ELISION = "..."
HOME = "/home/me"  # what the scratch folder is called in documents
ANSWERS = {0, 1, 3}  # holds, violated, unknown

# What differs from run to run or from machine to machine.
VARYING = [
    (re.compile(r"\b(\d+ (h|min) )*\d[\d,]*(\.\d+)? (s|ms|min|h)\b"), "TIME"),
    (re.compile(r"\b\d[\d,]*(\.\d+)? (bytes|B|KiB|MiB|GiB)\b"), "SIZE"),
    (re.compile(r'("(?:\w+_)?time_s": ?)[\d.e+-]+'), r"\1TIME"),
    (re.compile(r'("(?:peak_rss_bytes|memory_bytes|bytes_per_state|states_per_s)": ?)[\d.e+-]+'), r"\1SIZE"),
    (re.compile(r"\b(states a second|bytes used a state)\s+[\d,.]+"), r"\1 RATE"),
    (re.compile(r'(tideline |"version": ?")\d+\.\d+\.\d+'), r"\1VERSION"),
]

FENCE = re.compile(r"^(?P<indent> *)```(?P<kind>[\w+-]*)\s*$")
COMMENT = re.compile(r"^\s*<!-- (?P<word>not run|file|files of)(: *(?P<text>.*?))? *-->\s*$")
LOOKS_LIKE_COMMAND = re.compile(r"^\s*(\$ |tideline (check|explore|progress|explain-por|mcc|resume|simulate|trace|report|automaton)\b)")


@dataclass
class Command:
    text: str            # as it was typed, without prompts
    lines: list          # as in the document
    shown: list = field(default_factory=list)


@dataclass
class Block:
    line: int            # of the fence, from 1
    begin: int           # lines[begin:end] is between the fences
    end: int
    indent: str
    commands: list = field(default_factory=list)
    reason: str = None   # why it is not run


@dataclass
class Document:
    path: pathlib.Path
    lines: list
    blocks: list = field(default_factory=list)
    files: list = field(default_factory=list)   # (name, text, line)
    before: list = field(default_factory=list)  # documents whose files are needed
    faults: list = field(default_factory=list)  # (line, message)


def commands_of(lines):
    """Commands with their output, or None where the first line is not a command."""
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append(Command(line[2:], [line]))
        elif not commands:
            return None
        elif line.startswith("> ") and not commands[-1].shown:
            commands[-1].text += "\n" + line[2:]
            commands[-1].lines.append(line)
        else:
            commands[-1].shown.append(line)
    return commands


def read_document(path):
    """The transcripts and files of a Markdown document, and where it breaks the rules above."""
    document = Document(path, path.read_text().split("\n"))
    lines = document.lines
    mark = None  # the comment about the next block: (word, text)
    at = 0
    while at < len(lines):
        line = lines[at]
        comment, fence = COMMENT.match(line), FENCE.match(line)
        if comment:
            word, text = comment["word"], comment["text"] or ""
            if not text:
                document.faults.append((at + 1, f"'{word}' needs a text after a colon"))
            elif word == "files of":
                document.before.append(path.parent / text)
            else:
                mark = (word, text)
        elif fence:
            begin = at + 1
            end = next((i for i in range(begin, len(lines)) if lines[i].strip() == "```"), None)
            if end is None:
                document.faults.append((at + 1, "this block has no end"))
                break
            take_block(document, fence, begin, end, mark)
            mark, at = None, end
        elif line.strip():
            if mark and mark[0] == "file":
                document.faults.append((at + 1, f"'file: {mark[1]}' stands before no block"))
            mark = None
            if line.startswith("    ") and LOOKS_LIKE_COMMAND.match(line):
                document.faults.append((at + 1, "a command in an indented block: make it a ```console block"))
        at += 1
    return document


def take_block(document, fence, begin, end, mark):
    indent = fence["indent"]
    content = [line.removeprefix(indent) for line in document.lines[begin:end]]
    if mark and mark[0] == "file":
        document.files.append((mark[1], "\n".join(content) + "\n", begin))
        return
    if fence["kind"] != "console":
        if any(LOOKS_LIKE_COMMAND.match(line) for line in content):
            document.faults.append((begin, "commands in a block that is not ```console"))
        return
    commands = commands_of(content)
    if not commands:
        document.faults.append((begin, "a transcript begins with a command: $ ..."))
        return
    document.blocks.append(Block(begin, begin, end, indent, commands, mark[1] if mark else None))


def normal(line):
    """A line without what may differ."""
    line = line.rstrip()
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    if re.match(r"^\s*\d* \| ", line):  # a quoted source line, or the caret below it
        return line
    indent = len(line) - len(line.lstrip())
    return line[:indent] + re.sub(r" {2,}", " ", line[indent:])


def is_elision(line):
    return line.strip() == ELISION


def matches(shown, actual):
    """Whether the output is what is shown, where an elision is any number of lines."""
    pieces, rest = [[]], [normal(line) for line in actual]
    for line in shown:
        if is_elision(line):
            pieces.append([])
        else:
            pieces[-1].append(normal(line))
    if len(pieces) == 1:
        return pieces[0] == rest
    first, last = pieces[0], pieces[-1]
    if len(first) + len(last) > len(rest) or rest[:len(first)] != first or (last and rest[-len(last):] != last):
        return False
    rest = rest[len(first):len(rest) - len(last)]
    for piece in pieces[1:-1]:  # the earliest place is as good as any
        at = next((i for i in range(len(rest) - len(piece) + 1) if rest[i:i + len(piece)] == piece), None)
        if at is None:
            return False
        rest = rest[at + len(piece):]
    return True


def updated(shown, actual):
    """The new text of an output: elisions stay between the lines around them that are still there.

    Between two lines that both texts have, as many lines stay visible before and after the elision as were there.
    """
    old = [None if is_elision(line) else normal(line) for line in shown]
    pairs = [(block.a + i, block.b + i)
             for block in SequenceMatcher(None, old, [normal(line) for line in actual], autojunk=False)
             .get_matching_blocks() for i in range(block.size)]
    result, old_at, new_at = [], 0, 0
    for old_end, new_end in pairs + [(len(shown), len(actual))]:
        gap, lines = shown[old_at:old_end], actual[new_at:new_end]
        cuts = [i for i, line in enumerate(gap) if is_elision(line)]
        if cuts:
            before, after = cuts[0], len(gap) - 1 - cuts[-1]
            if len(lines) > before + after:
                lines = lines[:before] + [gap[cuts[0]]] + lines[len(lines) - after:]
        result += lines
        if new_end < len(actual):
            result.append(actual[new_end])
        old_at, new_at = old_end + 1, new_end + 1
    return result


class Scratch:
    """A folder like the one a reader works in, and a way to run commands there."""

    def __init__(self, source, tideline, seconds, programs=()):
        self.seconds = seconds
        self.temporary = tempfile.TemporaryDirectory(prefix="transcripts-")
        self.folder = pathlib.Path(self.temporary.name) / "work"
        self.folder.mkdir()
        tools = pathlib.Path(self.temporary.name) / "bin"
        tools.mkdir()
        for name in COPIED:
            if (source / name).is_dir():
                shutil.copytree(source / name, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        program = pathlib.Path(tideline).resolve()
        (tools / "tideline").symlink_to(program)
        (tools / "tideline-certify").symlink_to(program.with_name("tideline-certify"))
        if not shutil.which("dot"):  # Graphviz: examples pipe graphs to it, which need not be drawn here
            (tools / "dot").write_text("#!/bin/sh\nexit 0\n")
            (tools / "dot").chmod(0o755)
        spare = pathlib.Path(self.temporary.name) / "tmp"
        spare.mkdir()
        search = [str(tools)] + [str(pathlib.Path(folder).resolve()) for folder in programs] + [os.environ["PATH"]]
        self.environment = {**os.environ, "PATH": ":".join(search), "TMPDIR": str(spare),
                            "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.temporary.cleanup()

    def write(self, files):
        for name, text, _ in files:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def run(self, commands):
        """(output lines, exit code) of each command; of a command that did not end in time, and those after it, None."""
        script = ["set -o pipefail", r"__end() { local status=$?; printf '\036%d\037' $status; return $status; }"]
        for command in commands:
            quoted = command.replace("'", "'\\''")
            script += [f"eval '{quoted}'", "__end"]
        # Several commands can write at once, so the marks are between separator characters that no output has.
        process = subprocess.Popen(["bash", "-c", "\n".join(script)], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", start_new_session=True)
        try:
            output, _ = process.communicate(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        results = []
        output = output.replace(str(self.folder), HOME)
        for piece in output.split("\037")[:-1]:
            text, _, status = piece.rpartition("\036")
            results.append((text.removesuffix("\n").split("\n") if text else [], int(status)))
        return results + [None] * (len(commands) - len(results))


class Report:
    """What was run, what was not and why, and what was wrong."""

    def __init__(self, source):
        self.source = source
        self.run = self.updated = 0
        self.skipped = []
        self.faults = []

    def place(self, path, line):
        try:
            path = path.resolve().relative_to(self.source)
        except ValueError:
            pass
        return f"{path}:{line}" if line else f"{path}"

    def fault(self, path, line, message):
        self.faults.append(f"{self.place(path, line)}: {message}")

    def show(self):
        for fault in self.faults:
            print(fault, file=sys.stderr)
        for place, reason in self.skipped:
            print(f"not run: {place}: {reason}")
        changed = f", {self.updated} updated" if self.updated else ""
        print(f"{self.run} transcripts and examples run{changed}, {len(self.skipped)} not run, "
              f"{len(self.faults)} wrong")
        return 1 if self.faults else 0


def difference(shown, actual):
    return "\n".join(["  the document shows:"] + [f"    {line}" for line in shown] +
                     ["  the command prints:"] + [f"    {line}" for line in actual])


NO_PAGE = "this program was built without the report page"


def lacks_page(result):
    """Whether a command could not make a report: programs can be built without npm."""
    return any(NO_PAGE in line for line in result[0])


def check_document(document, scratch, report, update):
    for line, message in document.faults:
        report.fault(document.path, line, message)
    for other in document.before:
        if other.is_file():
            scratch.write(read_document(other).files)
        else:
            report.fault(document.path, None, f"'files of' names {other}, which does not exist")
    scratch.write(document.files)
    blocks = [block for block in document.blocks if block.reason is None]
    report.skipped += [(report.place(document.path, block.line), block.reason)
                       for block in document.blocks if block.reason is not None]
    report.run += len(blocks)
    results = iter(scratch.run([command.text for block in blocks for command in block.commands]))
    changes = []
    for block in blocks:
        changed = False
        for command in block.commands:
            result = next(results)
            if result is None:
                report.fault(document.path, block.line, f"did not end within {scratch.seconds} s: {command.text}")
            elif lacks_page(result):
                report.skipped.append((report.place(document.path, block.line), NO_PAGE))
            elif not matches(command.shown, result[0]):
                if update:
                    command.shown = updated(command.shown, result[0])
                    changed = True
                else:
                    report.fault(document.path, block.line,
                                 f"$ {command.text}\n{difference(command.shown, result[0])}")
        if changed:
            changes.append(block)
    for block in reversed(changes):
        text = [line for command in block.commands for line in command.lines + command.shown]
        document.lines[block.begin:block.end] = [(block.indent + line).rstrip() for line in text]
    if changes:
        document.path.write_text("\n".join(document.lines))
        report.updated += len(changes)


def manual_examples(text):
    """The commands in displays of an mdoc page."""
    return [line[2:] for display in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", text, re.M | re.S)
            for line in display.splitlines() if line.startswith("$ ")]


def help_examples(text):
    """The commands at the end of a help page."""
    return [line.strip() for line in text.partition("\nExamples\n")[2].splitlines() if line.strip()]


def check_examples(where, examples, source, tideline, seconds, report):
    report.run += len(examples)
    with Scratch(source, tideline, seconds) as scratch:
        for example, result in zip(examples, scratch.run(examples)):
            if result is None:
                report.fault(where, None, f"did not end within {seconds} s: {example}")
            elif lacks_page(result):
                report.skipped.append((report.place(where, None), NO_PAGE))
            elif result[1] not in ANSWERS:
                report.fault(where, None, "\n    ".join([f"exit code {result[1]}: {example}"] + result[0]))


def check_help_pages(source, tideline, seconds, report):
    def page(*arguments):
        return subprocess.run([tideline, *arguments, "--help"], capture_output=True, text=True, check=True).stdout

    front = page()
    commands = re.findall(r"^  (\w+) [A-Z]", front.partition("\nCommands\n")[2], re.M)
    for words in [()] + [(command,) for command in commands]:
        where = pathlib.Path(" ".join(("tideline", *words, "--help")))
        examples = help_examples(page(*words))
        if not examples:
            report.fault(where, None, "there are no examples")
        check_examples(where, examples, source, tideline, seconds, report)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tideline", required=True, help="the built program")
    parser.add_argument("--programs", action="append", default=[], help="a folder with more programs for the PATH")
    parser.add_argument("--source", type=pathlib.Path, default=ROOT, help="the repository")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the documents")
    parser.add_argument("--seconds", type=int, default=300, help="time limit per document")
    parser.add_argument("documents", nargs="*", type=pathlib.Path, help="only these documents")
    arguments = parser.parse_args(words)
    source = arguments.source.resolve()
    report = Report(source)
    documents = arguments.documents or [path for pattern in DOCUMENTS for path in sorted(source.glob(pattern))]
    for path in documents:
        document = read_document(path)
        with Scratch(source, arguments.tideline, arguments.seconds, arguments.programs) as scratch:
            check_document(document, scratch, report, arguments.update)
    if not arguments.documents:
        manual = source / MANUAL
        check_examples(manual, manual_examples(manual.read_text()), source, arguments.tideline, arguments.seconds,
                       report)
        check_help_pages(source, arguments.tideline, arguments.seconds, report)
    return report.show()


if __name__ == "__main__":
    sys.exit(main())
