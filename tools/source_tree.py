"""Which files the checks look at, and what they include.

Paths are relative to the root, with forward slashes. Build output and version control are not
part of the tree.
"""

import hashlib
import os
import re
from pathlib import Path

SKIPPED_FOLDERS = {".git", ".cache", ".claude", "build", "node_modules", "__pycache__"}
CODE_ROOTS = ("src/", "tests/", "bench/")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def repository_root():
    return Path(__file__).resolve().parent.parent


def list_files(root):
    """Every file of the tree, sorted."""
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED_FOLDERS]
        names = [name for name in names if name not in SKIPPED_FOLDERS]  # .git may be a file.
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in names]
    return sorted(found)


def is_cpp(path):
    return path.startswith(CODE_ROOTS) and path.endswith((".h", ".cc"))


def read_text(root, path):
    return (Path(root) / path).read_text(encoding="utf-8", errors="replace")


def includes_of(text):
    """Yields (line number, included name) for each #include, quoted or in angle brackets."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def resolve_include(root, name):
    """The file of this tree that `#include "name"` means, or None for a header of others."""
    for candidate in (f"src/{name}", name):
        if candidate.startswith(CODE_ROOTS) and (Path(root) / candidate).is_file():
            return candidate
    return None


class Fingerprints:
    """Hashes a file together with all of our headers it reaches, so a clean verdict can be kept."""

    def __init__(self, root):
        self._root = root
        self._texts = {}
        self._edges = {}

    def of(self, path, *context):
        digest = hashlib.sha256(repr(context).encode())
        for reached in sorted(self._closure(path)):
            digest.update(f"{reached}\0{self._texts[reached]}\0".encode())
        return digest.hexdigest()

    def _closure(self, path):
        reached, waiting = set(), [path]
        while waiting:
            current = waiting.pop()
            if current not in reached:
                reached.add(current)
                waiting += self._included_by(current)
        return reached

    def _included_by(self, path):
        if path not in self._edges:
            self._texts[path] = read_text(self._root, path)
            names = (resolve_include(self._root, name) for _, name in includes_of(self._texts[path]))
            self._edges[path] = [name for name in names if name]
        return self._edges[path]
