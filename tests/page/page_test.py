#!/usr/bin/env python3
"""Tests of the report page that need npm, and a browser.

  page_test.py unit --web FOLDER [--npm NPM]
      the page's types and its own tests
  page_test.py browser --web FOLDER [--npm NPM] --tideline PROGRAM --models FOLDER --readme FILE
      makes real pages with the program and opens them in Chromium, which compares what is shown with the JSON answers

FOLDER is where the page is bundled. Exit code 77: something that the test needs is not installed.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77

# A page for each of: a violated invariant, infinite runs, messages through channels, a net, and something that holds.
PAGES = {
    "violated": ["peterson-broken.dve", "--all"],
    "lasso": ["peterson.dve", "--all"],
    "channels": ["abp-broken.dve", "--all"],
    "net": ["philosophers.pnml", "--all"],
    "processes": ["token_ring.psl", "--all"],
    "holds": ["peterson.dve", "--deadlock"],
    "explained": ["peterson.dve", "--all", "--explain"],
    "explained-net": ["philosophers.pnml", "--all", "--explain"],
    "sweep": ["ring.dve", "--engine", "sweep", "--deadlock"],
}

# Long enough that a list of all steps would be too much for a browser.
COUNTER = """byte low; byte high; byte top;
process Counter { state count; init count; trans
  count -> count { guard low < 99; effect low = low + 1; },
  count -> count { guard low == 99 && high < 99; effect low = 0, high = high + 1; },
  count -> count { guard low == 99 && high == 99; effect low = 0, high = 0, top = top + 1; };
}
system async;
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def npm_run(arguments, *command, **environment):
    result = subprocess.run([arguments.npm, "run", "--silent", *command], cwd=arguments.web, env={**os.environ, **environment})
    if result.returncode != 0:
        sys.exit(f"npm run {' '.join(command)} failed with exit code {result.returncode}")


def find_chromium():
    named = os.environ.get("CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser")


def make_page(arguments, folder, name, model, options):
    answer, page = folder / f"{name}.json", folder / f"{name}.html"
    command = [arguments.tideline, "check", str(model), *options, "--quiet", "--report", str(page), "--json", str(answer)]
    result = subprocess.run(command, stdout=subprocess.DEVNULL)
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} failed with exit code {result.returncode}")


def make_first_page(arguments, folder):
    """What a newcomer does: the README's first model, and its command with --report."""
    readme = Path(arguments.readme).read_text(encoding="utf-8")
    model = re.search(r"<!-- file: counter\.dve -->\n```\n(.*?)```", readme, re.DOTALL)
    command = re.search(r"^\$ tideline (check counter\.dve .* --report bug\.html.*)$", readme, re.MULTILINE)
    if not model or not command:
        sys.exit(f"{arguments.readme} has no counter.dve, or no command that makes a report of it")
    (folder / "counter.dve").write_text(model[1])
    subprocess.run([arguments.tideline, *shlex.split(command[1]), "--json", "bug.json"], cwd=folder, stdout=subprocess.DEVNULL)


def make_pages(arguments, folder):
    make_first_page(arguments, folder)
    for name, (model, *options) in PAGES.items():
        make_page(arguments, folder, name, Path(arguments.models) / model, options)
    counter = folder / "long.dve"
    counter.write_text(COUNTER)
    make_page(arguments, folder, "long", counter, ["--invariant", "top < 10"])
    # The same answer, read again: the page must show the same.
    shutil.copy(folder / "lasso.json", folder / "saved.json")
    subprocess.run([arguments.tideline, "report", str(folder / "saved.json"), "--quiet", "--model",
                    str(Path(arguments.models) / "peterson.dve")], check=True)
    if not re.search(r'id="tideline-data">\{"format":"tideline-report"', (folder / "saved.html").read_text()):
        sys.exit("the page has no data")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("test", choices=["unit", "browser"])
    parser.add_argument("--web", required=True)
    parser.add_argument("--npm", default="")
    parser.add_argument("--tideline")
    parser.add_argument("--models")
    parser.add_argument("--readme")
    arguments = parser.parse_args()
    if not arguments.npm:
        skip("npm is not installed")
    if not (Path(arguments.web) / "dist" / "page.html").exists():
        skip("the program was built without the report page")
    if arguments.test == "unit":
        npm_run(arguments, "check")
        npm_run(arguments, "test")
        return
    chromium = find_chromium()
    if not chromium:
        skip("Chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        make_pages(arguments, Path(folder))
        npm_run(arguments, "test:browser", "--", folder, CHROMIUM=chromium)


if __name__ == "__main__":
    main()
