#!/usr/bin/env python3
"""Finds files and functions that comments and documents name and that do not exist.

- A *file* is a word that ends like one: `layers.hpp`, `store/layers.hpp`. There must be a file of that name, in the
  folder that is named, whatever is above that folder. A *folder* ends with a slash and begins with one of ours.
- A *word of the code* is in backticks and has an underscore, a capital inside, `::` or `()`: `check_safety`, `StateTable`.
  The code or a model must have it, outside of comments. Where a file is named with it, "`load_model` in `src/lang/`" or
  "`DetectSCC` (`hybrid.hpp`)", it must be there.
- In comments of sources also Budget::Limits without backticks. A call, exhausted(), must be in the code of that folder or
  of what the file includes.
- An *option* in a document, --threads, must be in the manual page (whose options are compared with the program's by
  tests/manual_test.cpp) or in the code of a script.

Documents also name files that the reader makes. Those in a transcript exist: it is run.

The doors between rooms that docs/architecture.md draws must be those that the build has (`DEPENDS` in CMakeLists.txt).
"""
import argparse
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".cpp", ".hpp"}
DOCUMENTS = {".md", ".1"}
SCRIPTS = {".py", ".cmake", ".txt", ""}

# Names that are only examples.
FILES_ELSEWHERE = {"room/header.hpp", "a.cpp", "a_test.cpp",
                   "producer.aut", "buffer.aut", "consumer.aut",  # of a .net file
                   "beem/lup/lup.1.dve", "mcc.csv",  # of the benchmarks
                   "model.pnml"}  # in a folder of the contest
WORDS_ELSEWHERE = {"snake_case", "PascalCase", "member_",
                   "Fork_1", "Fork_1_T", "take_1"}  # of an unfolded net

ARCHITECTURE = pathlib.Path("docs/architecture.md")
ENDINGS = "hpp|cpp|py|md|cmake|txt|dve|psl|pnml|props|net|aut|json|jsonl|csv|svg|hoa|xml"
FILE = re.compile(rf"(?<![\w./*$<{{~-])((?:[\w.-]+/)*\w[\w.-]*\.(?:{ENDINGS}))(?![\w/*-])(?!\.\w)")
FOLDER = re.compile(r"(?<![\w./-])((?:src|apps|docs|tests|bench|models|scripts|include|examples|cmake)/(?:[\w.-]+/)*)"
                    r"(?=[`)\s,;:]|$)")
WORD = re.compile(r"`(?P<word>[A-Za-z_]\w*(?:::\w+)*)(?P<call>\(\))?`(?: (?:in|of)? ?\(?`(?P<place>[\w./-]+)`)?")
CALL = re.compile(r"(?<![\w.`'\"])([A-Za-z_]\w*)\(\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+(?![\w-])")
QUALIFIED = re.compile(r"(?<![\w.`'\":])([A-Z]\w*(?:::\w+)+)")
PLACEHOLDER = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?![a-z])")  # SUITE.svg, DIR/model.pnml


def files_of(source):
    """All files but hidden ones and what was built."""
    for folder, below, names in os.walk(source):
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in ("build", "__pycache__"))
        for name in sorted(names):
            yield (pathlib.Path(folder) / name).relative_to(source)


def words(text):
    return set(re.findall(r"\w+", text))


class Tree:
    """All files of a source tree: their names, their comments, their code."""

    def __init__(self, source, files):
        self.files = []
        self.texts = {}
        for path in files:
            self.files.append(path)
            try:
                self.texts[path] = (source / path).read_text()
            except UnicodeDecodeError:
                pass
        self.names = {"/".join(path.parts[at:]) for path in self.files for at in range(len(path.parts))}
        self.folders = {folder.as_posix() for path in self.files for folder in path.parents}
        self.made = self.made_by_transcripts()
        self.code = {path: words(self.code_of(path)) for path in self.texts if path.suffix not in DOCUMENTS}
        self.all_code = set().union(*self.code.values()) | {path.stem for path in self.files}
        self.options = {"-" + option for path, text in self.texts.items() if path.suffix == ".1"
                        for line in text.splitlines() if re.match(r"\.(It )?Fl ", line)
                        for option in re.findall(r"(?<= )-[a-z][a-z-]+", line)}
        self.options |= {option for path, text in self.texts.items() if path.suffix in SCRIPTS
                         for option in OPTION.findall(text)}
        self.reach = {}

    def made_by_transcripts(self):
        made = set()
        for path, text in self.texts.items():
            if path.suffix in DOCUMENTS:
                for line in text.splitlines():
                    if line.lstrip().startswith(("$ ", "> ", "<!-- file: ")):
                        made |= set(FILE.findall(line))
        return made | {name.replace(".", f"{rest}.", 1) for name in made for rest in ("-NAME",)}

    def code_of(self, path):
        text = self.texts[path]
        return re.sub(r"//[^\n]*", "", text) if path.suffix in SOURCES else text

    def comments_of(self, path):
        """(line number, text) of the prose in it."""
        lines = enumerate(self.texts[path].splitlines(), 1)
        if path.suffix in DOCUMENTS:
            return list(lines)
        begin = "//" if path.suffix in SOURCES else "#" if path.suffix in SCRIPTS else None
        return [(at, line[line.find(begin):]) for at, line in lines if begin and begin in line]

    def has_file(self, name, document):
        return (name.removeprefix("../") in self.names or name.startswith("build/") or name in FILES_ELSEWHERE or
                PLACEHOLDER.search(name.rpartition(".")[0]) is not None or (document and name in self.made))

    def has_word(self, word):
        return word in WORDS_ELSEWHERE or all(part in self.all_code for part in word.split("::"))

    def in_place(self, word, place):
        """Whether the code in a file or folder has the word; None if there is no such place."""
        place = place.rstrip("/")
        found = [path for path in self.code if ("/" + path.as_posix()).endswith("/" + place) or
                 f"/{place}/" in "/" + path.as_posix()]
        return any(word.split("::")[-1] in self.code[path] for path in found) if found else None

    def near(self, path):
        """Words of the code of the file's folder and of all that it includes."""
        if path not in self.reach:
            self.reach[path] = set()  # for headers that include each other
            found = set()
            for other, code in self.code.items():
                if other.parent == path.parent:
                    found |= code
            for name in re.findall(r'^#include ["<]([^">]+)[">]', self.texts[path], re.M):
                for header in [pathlib.Path("src") / name, pathlib.Path("include") / name, path.parent / name]:
                    if header in self.code:
                        found |= self.near(header)
            self.reach[path] = found
        return self.reach[path]


def faults_of(tree):
    for path in tree.texts:
        document = path.suffix in DOCUMENTS
        for line, text in tree.comments_of(path):
            where = f"{path}:{line}"
            for name in FILE.findall(text):
                if not tree.has_file(name, document):
                    yield f"{where}: there is no file {name}"
            for name in FOLDER.findall(text):
                if name.rstrip("/") not in tree.folders and not PLACEHOLDER.search(name):
                    yield f"{where}: there is no folder {name}"
            for found in WORD.finditer(text):
                word = found["word"]
                ours = found["call"] or re.search(r"_|::|[a-z][A-Z]", word)
                if ours and not tree.has_word(word):
                    yield f"{where}: the code has no `{word}`"
                elif ours and found["place"] and tree.in_place(word, found["place"]) is False:
                    yield f"{where}: {found['place']} has no `{word}`"
            if path.suffix == ".md":
                for option in OPTION.findall(text):
                    if option not in tree.options:
                        yield f"{where}: there is no option {option}"
            if path.suffix in SOURCES:
                for name in QUALIFIED.findall(text):
                    if not tree.has_word(name):
                        yield f"{where}: the code has no {name}"
                for name in CALL.findall(text):
                    if name not in tree.near(path):
                        yield f"{where}: no code near has {name}()"


ROOM = re.compile(r"^ +[│├└](?:──[▶─])? +(?P<room>[a-z/]+)  +.*?(?:──▶ (?P<doors>.*))?$")
DOORS = re.compile(r"^ +│ +└──▶ (?P<doors>.*)$")  # of the room in the line above


def drawn_doors(text):
    """From a room to the rooms it uses, in the drawing of docs/architecture.md."""
    doors, room = {}, None
    for line in text.partition("## Rooms and doors")[2].partition("\n## ")[0].splitlines():
        found, more = ROOM.match(line), DOORS.match(line)
        if more:
            doors[room] |= names_in(more["doors"])
        elif found:
            room = found["room"]
            doors[room] = names_in(found["doors"] or "")
    return doors


def names_in(text):
    return set(re.findall(r"[a-z/]+", re.sub(r"\([^)]*\)", "", text)))


def built_doors(tree):
    doors = {}
    for path, text in tree.texts.items():
        if path.match("src/*/CMakeLists.txt"):
            for room, rest in re.findall(r"tideline_room\(\s*([\w/]+)([^)]*)\)", text):
                depends = re.search(r"\bDEPENDS\s+((?:[a-z/]+\s*)*)", rest)
                doors[room] = set(depends[1].split()) if depends else set()
    return doors


def door_faults(tree):
    drawn, built = drawn_doors(tree.texts[ARCHITECTURE]), built_doors(tree)
    for room in sorted(drawn.keys() | built.keys()):
        if drawn.get(room) != built.get(room):
            yield (f"{ARCHITECTURE}: {room} is drawn with doors to {sorted(drawn.get(room, ['nothing drawn']))}, "
                   f"and built with {sorted(built.get(room, ['no such room']))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=ROOT, help="the repository")
    source = parser.parse_args().source.resolve()
    tree = Tree(source, files_of(source))
    faults = list(faults_of(tree)) + list(door_faults(tree))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} names or doors that do not exist")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
