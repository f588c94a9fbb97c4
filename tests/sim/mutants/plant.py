#!/usr/bin/env python3
"""Plants the bugs of mutants.toml into a copy of the sources.

A mutant names a piece of source text and what stands in its place when the mutant is switched on. The
copy contains both; which one runs is chosen at run time, so that all mutants share one build and the
real sources know nothing of them. A piece that is not found exactly once is an error: the list must
stay true to the code.

usage: plant.py MUTANTS.toml SOURCE_DIR TARGET_DIR FOLDER...
"""

import pathlib
import sys
import tomllib

HEADER = '#include "mutant_switch.h"\n'


def fail(message):
    sys.exit(f"plant.py: {message}")


def load(path):
    """All entries, numbered by name: entries of one name are one mutant."""
    mutants = tomllib.loads(path.read_text())["mutant"]
    numbers = {}
    for mutant in mutants:
        mutant["index"] = numbers.setdefault(mutant["name"], len(numbers))
    return mutants


def choice(mutants, original):
    """The text that stands for `original`, with every mutant of it."""
    text = original
    for mutant in reversed(mutants):
        switch = f"mutants::is_on({mutant['index']})"
        if mutant.get("kind", "expression") == "expression":
            text = f"({switch} ? ({mutant['mutated']}) : ({text}))"
        else:
            text = f"if ({switch}) {{ {mutant['mutated']} }} else {{ {text} }}"
    return text


def plant(source, mutants, name):
    """The source with all of its mutants planted."""
    pieces = {}
    for mutant in mutants:
        original = mutant["original"].strip("\n")
        context = mutant.get("context", "")
        count = source.count(context + original)
        if count != 1:
            fail(f"{mutant['name']}: found {count} times in {name}: {context}{original}")
        start = source.index(context + original) + len(context)
        piece = pieces.setdefault(start, (original, []))
        if piece[0] != original:
            fail(f"{mutant['name']}: overlaps another mutant in {name}")
        piece[1].append(mutant)
    end = 0
    planted = []
    for start, (original, group) in sorted(pieces.items()):
        if start < end:
            fail(f"{group[0]['name']}: overlaps another mutant in {name}")
        planted.append(source[end:start])
        planted.append(choice(group, original))
        end = start + len(original)
    planted.append(source[end:])
    return HEADER + "".join(planted)


def write(path, text):
    """Leaves the time stamp of a file alone that does not change."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def switch_header(mutants):
    firsts = {mutant["index"]: mutant for mutant in reversed(mutants)}  # of each name
    rows = "\n".join(
        f'    Mutant{{"{firsts[index]["name"]}", "{firsts[index]["what"]}"}},'
        for index in sorted(firsts)
    )
    return f"""// Written by plant.py.
#pragma once
#include <array>
#include <string_view>
namespace mutants {{
struct Mutant {{
  std::string_view name;
  std::string_view what;
}};
inline constexpr std::array kMutants = {{
{rows}
}};
inline int active = -1;
inline bool is_on(int mutant) {{ return mutant == active; }}
}}  // namespace mutants
"""


def main(arguments):
    if len(arguments) < 4:
        fail(__doc__)
    list_path, source_dir, target_dir = map(pathlib.Path, arguments[:3])
    mutants = load(list_path)
    known = set()
    for folder in arguments[3:]:
        for path in sorted((source_dir / folder).iterdir()):
            if path.suffix not in (".h", ".cc") or path.name.endswith("_test.cc"):
                continue
            name = f"{folder}/{path.name}"
            known.add(name)
            own = [mutant for mutant in mutants if mutant["file"] == name]
            write(target_dir / name, plant(path.read_text(), own, name))
    for mutant in mutants:
        if mutant["file"] not in known:
            fail(f"{mutant['name']}: there is no {mutant['file']}")
    write(target_dir / "mutant_switch.h", switch_header(mutants))


if __name__ == "__main__":
    main(sys.argv[1:])
