#!/usr/bin/env python3
"""Tests of names.py, on small trees made for the purpose."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import names  # noqa: E402

TREE = {
    "src/run/budget.hpp": "bool exhausted();\nstruct Limits { int gone; };\n",
    "src/search/bfs.hpp": '#include "run/budget.hpp"\nvoid expand();\n',
    "src/search/dfs.cpp": "// no code: hidden_word\nvoid take_step();\n",
    "models/lock.dve": "byte in_order;\n",
    "docs/guide.md": "",
}


class NamesTest(unittest.TestCase):
    def faults(self, path, text):
        """What is found when the file has this text."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            for name, content in {**TREE, path: text}.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(content)
            return list(names.faults_of(names.Tree(source, [pathlib.Path(n) for n in {**TREE, path: text}])))

    def expect(self, path, text, *faults):
        self.assertEqual(self.faults(path, text), [f"{path}:1: {fault}" for fault in faults])

    def test_files(self):
        self.expect("docs/guide.md", "`run/budget.hpp`, src/search/bfs.hpp, [a](guide.md), `models/lock.dve`")
        self.expect("docs/guide.md", "see `limits.hpp`", "there is no file limits.hpp")
        self.expect("docs/guide.md", "see `store/budget.hpp`", "there is no file store/budget.hpp")
        self.expect("src/search/bfs.hpp", "// as in tableau.hpp", "there is no file tableau.hpp")
        self.expect("docs/guide.md", "`build/x.json`, `SUITE.svg`, `DIR/EXAMINATION.xml`, `synapse.1`, tideline.hpp.",
                    "there is no file tideline.hpp")

    def test_files_of_the_reader(self):
        self.expect("docs/guide.md", "save `mine.dve`", "there is no file mine.dve")
        self.expect("docs/guide.md", "save `mine.dve`\n```console\n$ tideline check mine.dve\n```")

    def test_folders(self):
        self.expect("docs/guide.md", "`src/run/` and `src/store/`", "there is no folder src/store/")

    def test_words(self):
        self.expect("docs/guide.md", "`take_step`, `expand()`, `in_order`, `holds`, `a U b`")
        self.expect("docs/guide.md", "`take_steps`", "the code has no `take_steps`")
        self.expect("docs/guide.md", "`hidden_word`", "the code has no `hidden_word`")
        self.expect("src/search/bfs.hpp", "// like Limits::over", "the code has no Limits::over")

    def test_words_with_a_place(self):
        self.expect("docs/guide.md", "`take_step` in `src/search/`, `take_step` (`dfs.cpp`)")
        self.expect("docs/guide.md", "`take_step` in `bfs.hpp`", "bfs.hpp has no `take_step`")
        self.expect("docs/guide.md", "`take_step` in `src/run/`", "src/run/ has no `take_step`")

    def test_options(self):
        self.expect("docs/tideline.1", ".It Fl -threads Ar n , Fl -time Ar d")
        tree = {"docs/tideline.1": ".It Fl -threads Ar n , Fl -time Ar d", "bench/run.py": 'add_argument("--quick")'}
        TREE.update(tree)
        self.addCleanup(lambda: [TREE.pop(name) for name in tree])
        self.expect("docs/guide.md", "`--threads 2`, `--time 1h`, `--quick`, a --- b, A --> B, --internal?",
                    "there is no option --internal")

    def test_calls_in_comments(self):
        self.expect("src/search/bfs.hpp", '// asks exhausted(), then take_step()\n#include "run/budget.hpp"')
        self.expect("src/run/budget.hpp", "// see take_step()", "no code near has take_step()")

    def test_doors(self):
        drawn = """## Rooms and doors
    apps/tideline      the command line
       │
       ├──▶ search     explores
       │      └──▶ graph (stepping), run
       │
       │    graph      the concept      ──▶ run
       └─── run        limits
## More
"""
        self.assertEqual(names.drawn_doors(drawn), {"search": {"graph", "run"}, "graph": {"run"}, "run": set()})
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            texts = {"docs/architecture.md": drawn, "src/run/CMakeLists.txt": "tideline_room(run SOURCES budget.cpp)",
                     "src/graph/CMakeLists.txt": "tideline_room(graph SOURCES g.cpp\n  DEPENDS run LIBRARIES fmt::fmt)",
                     "src/search/CMakeLists.txt": "tideline_room(search SOURCES s.cpp DEPENDS graph store run)"}
            for name, text in texts.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(text)
            faults = list(names.door_faults(names.Tree(source, [pathlib.Path(name) for name in texts])))
        self.assertEqual(faults, ["docs/architecture.md: search is drawn with doors to ['graph', 'run'], "
                                  "and built with ['graph', 'run', 'store']"])


if __name__ == "__main__":
    unittest.main()
