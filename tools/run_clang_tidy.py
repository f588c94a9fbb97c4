#!/usr/bin/env python3
"""Runs clang-tidy over our sources, on every core, and remembers which came out clean.

A verdict holds until the file, a header of ours it reaches, its compile command, a .clang-tidy or
clang-tidy itself changes, so a second run costs next to nothing. Like ccache's, verdicts are kept
in the user's cache folder and do not depend on where the clone is: the next clone has them too.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import Fingerprints, is_cpp, repository_root

CLANG_TIDY = "clang-tidy-19"


def read_commands(root, database):
    """Our files with their compile command, longest file first so that no core idles at the end."""
    commands = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        file = Path(entry["file"])
        if file.is_relative_to(root) and is_cpp(file.relative_to(root).as_posix()):
            commands[file.relative_to(root).as_posix()] = entry["command"]
    return dict(sorted(commands.items(), key=lambda item: -(root / item[0]).stat().st_size))


def verdict_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "postrider" / "tidy_verdicts"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read_rules(root):
    """Everything besides the sources that a verdict depends on."""
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, text=True, check=True)
    files = (root / ".clang-tidy", root / "tests" / ".clang-tidy")
    return [version.stdout, *(file.read_text(encoding="utf-8") for file in files)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="folder with compile_commands.json")
    parser.add_argument("files", nargs="*", help="only these files, named from the root")
    arguments = parser.parse_args()

    root = repository_root()
    commands = read_commands(root, Path(arguments.build) / "compile_commands.json")
    verdicts = verdict_folder()
    rules = read_rules(root)
    fingerprints = Fingerprints(root)

    def is_clean(path):
        placeless_command = commands[path].replace(str(root), "")
        verdict = verdicts / fingerprints.of(path, placeless_command, rules)
        if verdict.exists():
            return True
        command = [CLANG_TIDY, "--quiet", "-p", arguments.build, path]
        result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            verdict.touch()
            return True
        # Standard error only counts suppressed warnings, unless clang-tidy itself broke.
        print(result.stdout or result.stderr, end="", flush=True)
        return False

    chosen = [path for path in commands if not arguments.files or path in arguments.files]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(is_clean, chosen))) else 1


if __name__ == "__main__":
    sys.exit(main())
