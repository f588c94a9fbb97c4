#!/usr/bin/env python3
"""Fails when a folder includes what its row in LAYERS does not allow.

The folders form a one-way graph, so that any of them can be read, built and tested knowing only
what is below it. A new edge is a decision: change the row, and the table in ARCHITECTURE.md with
it (--print-table prints it).
"""

import argparse
import sys
from pathlib import Path

from source_tree import (
    includes_of,
    is_cpp,
    list_files,
    read_text,
    repository_root,
    resolve_include,
)

# A folder may include itself and the folders of its row. Lowest first. A folder without a row of
# its own falls under its nearest parent with a row; src itself has none on purpose.
LAYERS = {
    "src/base": [],
    "src/text": ["src/base"],
    "src/model": ["src/base"],
    "src/match": ["src/model", "src/base"],
    "src/net": ["src/base"],
    "src/http": ["src/net", "src/base"],
    "src/secrets": ["src/base"],
    "src/core": ["src/model", "src/base"],
    "src/store": ["src/model", "src/base"],
    "src/delivery": [
        "src/net", "src/secrets", "src/core", "src/store", "src/model", "src/base",
    ],  # fmt: skip
    "src/sim": ["src/delivery", "src/core", "src/store", "src/model", "src/base"],
    "src/simulate": [
        "src/sim", "src/delivery", "src/core", "src/store", "src/model", "src/text", "src/base",
    ],  # fmt: skip
    "src/operate": ["src/store", "src/base"],
    "src/observe": ["src/text", "src/base"],
    "src/config": [
        "src/observe", "src/delivery", "src/http", "src/net", "src/secrets", "src/core",
        "src/store", "src/model", "src/text", "src/base",
    ],  # fmt: skip
    "src/registry": [
        "src/delivery", "src/net", "src/secrets", "src/store", "src/core", "src/match",
        "src/model", "src/text", "src/base",
    ],  # fmt: skip
    "src/api": [
        "src/registry", "src/observe", "src/delivery", "src/http", "src/net", "src/secrets",
        "src/core", "src/store", "src/match", "src/model", "src/text", "src/base",
    ],  # fmt: skip
    "src/server": [
        "src/api", "src/registry", "src/config", "src/observe", "src/delivery", "src/http",
        "src/net", "src/secrets", "src/core", "src/store", "src/match", "src/model", "src/text",
        "src/base",
    ],  # fmt: skip
    "src/client": [
        "src/delivery", "src/http", "src/net", "src/secrets", "src/match", "src/model",
        "src/text", "src/base",
    ],  # fmt: skip
}
LAYERS["src/app"] = list(reversed(LAYERS))
LAYERS["bench"] = list(reversed(LAYERS))
LAYERS["tests"] = [folder for folder in reversed(LAYERS) if folder.startswith("src/")]
LAYERS["tests/sim"] = ["tests/sim/checks"] + LAYERS["tests"]
LAYERS["tests/sim/checks"] = ["src/model", "src/base"]
LAYERS["tests/conformance"] = ["tests/sim"] + LAYERS["tests/sim"]


def layer_of(path):
    """The row a file falls under: the longest folder of the table that holds it, or None."""
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in LAYERS:
            return folder
    return None


def short(folder):
    return folder.removeprefix("src/")


def allowed_words(folder):
    return ", ".join(short(name) for name in LAYERS[folder]) or "nothing"


def table_markdown():
    lines = ["| Folder | May include |", "|---|---|"]
    lines += [f"| `{short(folder)}` | {allowed_words(folder)} |" for folder in LAYERS]
    return "\n".join(lines) + "\n"


def check_include(root, path, name):
    """What is wrong with this include, or None."""
    layer = layer_of(path)
    if ".." in name.split("/"):
        return f'includes "{name}"; name files from src/ down, without "..".'
    target = resolve_include(root, name)
    if target is None:
        sibling = path.rpartition("/")[0] + "/" + name
        if (root / sibling).is_file():
            return f'includes "{name}"; write "{sibling.removeprefix("src/")}".'
        return None
    target_layer = layer_of(target)
    if target_layer == layer or target_layer in LAYERS[layer]:
        return None
    return (
        f'includes "{name}", but {short(layer)} may include only itself and '
        f"{allowed_words(layer)}. Move the code, or argue for a new edge in LAYERS."
    )


def check_file(root, path):
    if layer_of(path) is None:
        folder = path.rpartition("/")[0]
        return [f"{path}:1: {folder} has no row in LAYERS of tools/check_layers.py; add one."]
    problems = []
    for number, name in includes_of(read_text(root, path)):
        problem = check_include(root, path, name)
        if problem:
            problems.append(f"{path}:{number}: {problem}")
    return problems


def check_architecture_page(root):
    page = root / "ARCHITECTURE.md"
    if not page.is_file() or table_markdown() in page.read_text(encoding="utf-8"):
        return []
    return [
        "ARCHITECTURE.md:1: the table of folders differs from LAYERS; "
        "paste the output of tools/check_layers.py --print-table."
    ]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=repository_root(), help="tree to check")
    parser.add_argument("--print-table", action="store_true", help="print LAYERS as markdown")
    arguments = parser.parse_args(argv)
    if arguments.print_table:
        print(table_markdown(), end="")
        return 0

    problems = check_architecture_page(arguments.root)
    for path in filter(is_cpp, list_files(arguments.root)):
        problems += check_file(arguments.root, path)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
