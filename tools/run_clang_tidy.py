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
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import Fingerprints, is_cpp, repository_root


def read_commands(root, database):
    """Our files with their compile command, longest file first so that no core idles at the end.

    A file that belongs to several targets has several commands, and clang-tidy would work through
    each of them. The first is the one for what users get.
    """
    commands = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        file = Path(entry["file"])
        if file.is_relative_to(root) and is_cpp(file.relative_to(root).as_posix()):
            commands.setdefault(file.relative_to(root).as_posix(), entry)
    return dict(sorted(commands.items(), key=lambda item: -(root / item[0]).stat().st_size))


def write_database(commands):
    """A folder with these commands and no others."""
    folder = tempfile.TemporaryDirectory()
    database = Path(folder.name) / "compile_commands.json"
    database.write_text(json.dumps(list(commands.values())), encoding="utf-8")
    return folder


def install(root):
    """The path of clang-tidy, which is in an environment of its own."""
    folder = root / "build" / "clang_tidy"
    requirements = root / "tools" / "clang_tidy_requirements.txt"
    subprocess.run([root / "tools" / "python_environment", requirements, folder], check=True)
    return folder / "bin" / "clang-tidy"


def verdict_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "postrider" / "tidy_verdicts"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read_rules(root):
    """Everything besides the sources that a verdict depends on."""
    files = (".clang-tidy", "tests/.clang-tidy", "tools/clang_tidy_requirements.txt")
    return [(root / file).read_text(encoding="utf-8") for file in files]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="folder with compile_commands.json")
    parser.add_argument("files", nargs="*", help="only these files, named from the root")
    arguments = parser.parse_args()

    root = repository_root()
    clang_tidy = install(root)
    commands = read_commands(root, Path(arguments.build) / "compile_commands.json")
    verdicts = verdict_folder()
    rules = read_rules(root)
    fingerprints = Fingerprints(root)

    def is_clean(path):
        placeless_command = commands[path]["command"].replace(str(root), "")
        verdict = verdicts / fingerprints.of(path, placeless_command, rules)
        if verdict.exists():
            return True
        command = [clang_tidy, "--quiet", "-p", database, path]
        result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            verdict.touch()
            return True
        # Standard error only counts suppressed warnings, unless clang-tidy itself broke.
        print(result.stdout or result.stderr, end="", flush=True)
        return False

    chosen = [path for path in commands if not arguments.files or path in arguments.files]
    with write_database(commands) as database, ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(is_clean, chosen))) else 1


if __name__ == "__main__":
    sys.exit(main())
