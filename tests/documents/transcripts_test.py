#!/usr/bin/env python3
"""Tests of transcripts.py, on documents made for the purpose and a stand-in for the program."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import transcripts  # noqa: E402

# Prints its first argument as lines separated by semicolons; the exit code is the second.
PROGRAM = """#!/bin/sh
case "$1" in
  --help) printf 'Title\\n\\nCommands\\n  check MODEL  checks\\n\\nExamples\\n  tideline fine 0\\n' ;;
  check) printf 'Usage\\nExamples\\n  tideline fine 1\\n' ;;
  note) echo 'note: to stderr' >&2; echo answer ;;
  *) echo "$1" | tr ';' '\\n'; exit "${2:-0}" ;;
esac
"""


class TranscriptsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.source = pathlib.Path(temporary.name)
        self.program = self.source / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        (self.source / "models").mkdir()
        (self.source / "models" / "m.dve").write_text("a model\n")
        (self.source / "docs").mkdir()
        self.manual(["tideline fine 0"])

    def manual(self, examples):
        text = ".Bd -literal -offset indent\n" + "".join(f"$ {example}\n" for example in examples) + ".Ed\n"
        (self.source / "docs" / "tideline.1").write_text(text)

    def write(self, text, name="README.md"):
        path = self.source / name
        path.write_text(text)
        return path

    def console(self, *lines):
        return self.write("\n".join(["Text.", "", "```console", *lines, "```", "", "More text.", ""]))

    def run_runner(self, *arguments):
        """Exit code, stdout, stderr."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = transcripts.main(["--tideline", str(self.program), "--source", str(self.source), *arguments])
        return status, out.getvalue(), err.getvalue()

    def expect_right(self, *arguments):
        status, out, err = self.run_runner(*arguments)
        self.assertEqual(status, 0, out + err)
        return out

    def expect_wrong(self, message, *arguments):
        status, out, err = self.run_runner(*arguments)
        self.assertEqual(status, 1, out + err)
        self.assertIn(message, err)

    def test_right_and_wrong_output(self):
        self.console("$ tideline 'one;two'", "one", "two")
        self.expect_right()
        self.console("$ tideline 'one;two'", "one", "three")
        self.expect_wrong("README.md:3: $ tideline 'one;two'")

    def test_missing_and_additional_lines_are_wrong(self):
        self.console("$ tideline 'one;two'", "one")
        self.expect_wrong("README.md:3")
        self.console("$ tideline 'one;two'", "one", "two", "three")
        self.expect_wrong("README.md:3")
        self.console("$ tideline one")
        self.expect_wrong("README.md:3")

    def test_elisions(self):
        for shown in (["one", "..."], ["...", "three"], ["one", "...", "three"], ["..."], ["...", "two", "..."],
                      ["one", "...", "two", "three"]):
            self.console("$ tideline 'one;two;three'", *shown)
            self.expect_right()
        for shown in (["two", "..."], ["...", "two"], ["...", "two", "one", "..."],
                      ["one", "two", "...", "two", "three"]):
            self.console("$ tideline 'one;two;three'", *shown)
            self.expect_wrong("README.md:3")

    def test_what_varies(self):
        self.console("$ tideline 'bfs: 12 states, 0.123 s, 7.1 MiB;states a second   123,456'",
                     "bfs: 12 states, 1 min 11 s, 5.3 MiB", "states a second 9")
        self.expect_right()
        self.console("$ tideline 'bfs: 12 states, 0.123 s, 7.1 MiB'", "bfs: 13 states, 0.123 s, 7.1 MiB")
        self.expect_wrong("13 states")

    def test_gaps_count_only_below_quoted_lines(self):
        self.console("$ tideline 'states   12'", "states 12")
        self.expect_right()
        self.console("$ tideline '    1 | a b;      |   ^'", "    1 | a b", "      |   ^")
        self.expect_right()
        self.console("$ tideline '    1 | a b;      |   ^'", "    1 | a b", "      | ^")
        self.expect_wrong("README.md:3")
        self.console("$ tideline '  indented'", "indented")
        self.expect_wrong("README.md:3")

    def test_stderr_and_exit_codes_are_shown(self):
        self.console("$ tideline note", "note: to stderr", "answer", "$ tideline done 3", "done", "$ echo $?", "3")
        self.expect_right()
        self.console("$ tideline done 3", "done", "$ echo $?", "1")
        self.expect_wrong("echo $?")

    def test_commands_share_a_folder_and_a_shell(self):
        self.console("$ WORD=two", "$ cat models/m.dve", "a model", "$ echo one > new", "$ cat new; echo $WORD", "one",
                     "two", "$ echo a \\", "> b", "a b")
        self.expect_right()
        self.assertFalse((self.source / "new").exists())

    def test_a_command_that_does_not_parse_spoils_only_itself(self):
        self.console("$ echo (", "...", "$ echo on", "on")
        self.expect_right()

    def test_files_of_a_document(self):
        self.write("<!-- file: new.dve -->\n```dve\nbyte x;\n```\n\n```console\n$ cat new.dve\nbyte x;\n```\n")
        self.write("<!-- files of: ../README.md -->\n\n```console\n$ cat new.dve\nbyte x;\n```\n", "docs/more.md")
        self.expect_right()
        self.write("```console\n$ cat new.dve\nbyte x;\n```\n", "docs/more.md")
        self.expect_wrong("docs/more.md:1")

    def test_blocks_that_are_not_run_need_a_reason_and_are_listed(self):
        block = "```console\n$ tideline one\nnever printed\n```\n"
        self.write("<!-- not run: takes an hour -->\n" + block)
        self.assertIn("not run: README.md:2: takes an hour", self.expect_right())
        self.write("<!-- not run -->\n" + block)
        self.expect_wrong("'not run' needs a text")
        self.write("<!-- not run: for the first one -->\n" + block + "\n" + block)
        self.expect_wrong("README.md:7")

    def test_commands_outside_of_transcripts_are_refused(self):
        self.write("Do this:\n\n    $ tideline one\n")
        self.expect_wrong("README.md:3: a command in an indented block")
        self.write("```sh\ntideline check m.dve\n```\n")
        self.expect_wrong("README.md:1: commands in a block that is not")
        self.write("```console\nno command\n```\n")
        self.expect_wrong("README.md:1: a transcript begins with a command")

    def test_update_rewrites_what_is_wrong_and_nothing_else(self):
        path = self.console("$ tideline 'one;two'", "one", "three", "$ tideline 'took 0.1 s'", "took 9.9 s")
        self.assertIn("1 updated", self.expect_right("--update"))
        self.assertEqual(path.read_text(), "\n".join(
            ["Text.", "", "```console", "$ tideline 'one;two'", "one", "two", "$ tideline 'took 0.1 s'", "took 9.9 s",
             "```", "", "More text.", ""]))
        self.expect_right()

    def test_update_in_a_list_keeps_the_indentation(self):
        path = self.write("- Point\n\n  ```console\n  $ tideline one\n  two\n  ```\n")
        self.expect_right("--update")
        self.assertEqual(path.read_text(), "- Point\n\n  ```console\n  $ tideline one\n  one\n  ```\n")

    def test_update_keeps_elisions_that_still_have_a_place(self):
        new = transcripts.updated
        self.assertEqual(new(["a", "...", "d"], ["a", "b", "c", "x", "d"]), ["a", "...", "d"])
        self.assertEqual(new(["a", "old", "...", "d"], ["a", "new", "b", "c", "d"]), ["a", "new", "...", "d"])
        self.assertEqual(new(["a", "...", "old"], ["a", "b", "c", "new"]), ["a", "...", "new"])
        self.assertEqual(new(["...", "d"], ["a", "b", "e"]), ["...", "e"])
        self.assertEqual(new(["a", "  ...", "d", "e"], ["a", "b", "d", "f"]), ["a", "  ...", "d", "f"])
        self.assertEqual(new(["a", "...", "old"], ["a", "new"]), ["a", "new"])
        self.assertEqual(new(["old"], []), [])
        self.assertEqual(new([], ["a", "b"]), ["a", "b"])

    def test_a_command_that_does_not_end(self):
        self.console("$ tail -f /dev/null")
        self.expect_wrong("did not end within 1 s: tail -f /dev/null", "--seconds", "1")

    def test_examples_of_the_manual_page_and_the_help_pages(self):
        self.manual(["tideline fine 3", "tideline wrong 2"])
        self.expect_wrong("docs/tideline.1: exit code 2: tideline wrong 2")
        self.manual([])
        self.program.write_text(PROGRAM.replace("tideline fine 1", "tideline fine 4"))
        self.expect_wrong("tideline check --help: exit code 4: tideline fine 4")
        self.program.write_text(PROGRAM.replace("tideline fine 1", ""))
        self.expect_wrong("tideline check --help: there are no examples")


if __name__ == "__main__":
    unittest.main()
