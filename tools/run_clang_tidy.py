#!/usr/bin/env python3
"""Runs clang-tidy over our sources, on every core, and remembers which came out clean.

A verdict is kept under build/ and holds until the file, a header of ours it reaches, its compile
command or .clang-tidy changes, so a second run costs next to nothing.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="folder with compile_commands.json")
    parser.add_argument("files", nargs="*", help="only these files, named from the root")
    arguments = parser.parse_args()

    root = repository_root()
    commands = read_commands(root, Path(arguments.build) / "compile_commands.json")
    verdicts = root / "build" / "tidy_verdicts"
    verdicts.mkdir(parents=True, exist_ok=True)
    rules = (root / ".clang-tidy").read_text(encoding="utf-8")
    fingerprints = Fingerprints(root)

    def is_clean(path):
        verdict = verdicts / fingerprints.of(path, commands[path], rules)
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
