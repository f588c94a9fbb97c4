#!/usr/bin/env python3
"""Fails on what this repository has agreed not to write.

Each rule is a row below with the reason to obey it in plain words. A rule that needs an exception
names the file in its row, where a reviewer sees it; there is no way to silence one in the code.
"""

import argparse
import fnmatch
import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cpp_text import functions_in, strip_comments_and_literals
from source_tree import Fingerprints, is_cpp, list_files, read_text, repository_root

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
FUNCTION_LINES_P90_MAX = 30
NESTING_MAX = 3

BANNED_TYPE_WORDS = {
    "Manager", "Helper", "Helpers", "Util", "Utils", "Handler", "Processor", "Service", "Common",
    "Misc", "Impl", "Base", "Data", "Info",
}  # fmt: skip

CODE = ("src/*", "tests/*", "bench/*")
PURE = ("src/core/*", "src/model/*")
TESTS = ("tests/*", "*_test.cc")
TEXT = ("*",)

READS_CLOCKS = (
    "bench/*",
    "src/app/*",
    "src/net/loop.cc",
    "src/observe/log.cc",  # the time of a line of the log
    "src/store/committer.cc",  # how long a commit took; decides nothing
    "src/store/room.*",  # how long a write has waited for room; decides nothing
    "src/store/room_file.cc",  # how long a sync took; decides nothing
    "tests/crash/loop.cc",  # a scheduler on real time, for drivers that are to be killed
)
STARTS_THREADS = (
    "bench/*",
    "src/app/*",
    "src/delivery/outbound_thread.*",
    "src/delivery/outbound_transport_test.cc",  # outcomes are told on the right one
    "src/match/subscription_index_threads_test.cc",  # matches while others change
    "src/net/loop_test.cc",
    "tests/http/server_test.cc",  # an answer from another thread needs one
    "src/store/committer.*",
    "src/store/readers.*",
    "src/store/upkeep.*",
    "src/store/room_test.cc",  # what waits needs somebody else who ends the wait
    "tests/store/*",
)
NAMES_BANNED_WORDS = ("tools/check_tidy.py", "tools/tests/*")


@dataclass(frozen=True)
class Rule:
    name: str
    pattern: str
    instead: str
    where: tuple = CODE
    allowed: tuple = ()
    reads_comments: bool = False  # Otherwise comments and strings are blanked first.


LINE_RULES = (
    Rule(
        "sleep",
        r"\b(?:sleep|usleep|nanosleep)\s*\(|\bsleep_(?:for|until)\b",
        "sleeping hides a race; wait for the event itself, or move virtual time forward",
    ),
    Rule(
        "clock",
        r"\b(?:system|steady|high_resolution|utc|file)_clock\b|\b(?:clock_gettime|gettimeofday)\b",
        "take the time as an argument or ask the scheduler; clocks are read in one place",
        allowed=READS_CLOCKS,
    ),
    Rule(
        "chance",
        r"(?<![\w.>])s?rand\s*\(|\brandom_device\b",
        "draw from a seeded base::Prng, so that the run can be repeated",
    ),
    Rule(
        "detach",
        r"\bdetach\s*\(\s*\)",
        "a detached thread outlives what it uses; keep it in its owner and join it there",
    ),
    Rule(
        "thread",
        r"\bstd::(?:thread|jthread|async)\b(?!::id\b)",
        "post to the scheduler; threads are started in one place",
        allowed=STARTS_THREADS,
    ),
    Rule(
        "pure include",
        r"#\s*include\s*<(?:chrono|random|thread|mutex|shared_mutex|condition_variable|atomic"
        r"|future|iostream|fstream|filesystem|unordered_map|unordered_set)>",
        "core and model are pure: no clock, chance, threads, I/O or unordered iteration",
        where=PURE,
        allowed=TESTS,
    ),
    Rule(
        "pure call",
        r"\bgetenv\b|(?<![\w.>])time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)",
        "core and model read nothing from outside; pass the value in as an argument",
        where=PURE,
        allowed=TESTS,
    ),
    Rule(
        "pure arithmetic",
        r"\b(?:float|double)\b",
        "decisions are made in integers, equal on every machine; use parts per thousand or similar",
        where=PURE,
        allowed=TESTS,
    ),
    Rule(
        "pointer order",
        r"\b(?:map|set|multimap|multiset)\s*<\s*(?:const\s+)?[\w:]+(?:<[^<>]*>)?(?:\s+const)?\s*\*",
        "the order of pointers changes from run to run; use an id as the key",
        where=PURE,
    ),
    Rule(
        "skipped test",
        r"\bGTEST_SKIP\b|\bDISABLED_\w*",
        "a skipped test shows nothing; make it run or delete it",
        where=TESTS,
    ),
    Rule(
        "open TODO",
        r"\bTODO\b(?!\(#\d+\))",
        "write TODO(#12) with the number of an issue, or do it now",
        where=TEXT,
        allowed=NAMES_BANNED_WORDS,
        reads_comments=True,
    ),
    Rule(
        "FIXME",
        r"\bFIXME\b",
        "fix it before it is committed",
        where=TEXT,
        allowed=NAMES_BANNED_WORDS,
        reads_comments=True,
    ),
    Rule(
        "outside path",
        r"(?<![\w.*$}~-])/(?:home|root|work|Users|mnt)/\w",
        "a path of one person's machine; name files from the root of the repository",
        where=TEXT,
        allowed=NAMES_BANNED_WORDS,
        reads_comments=True,
    ),
)

TYPE_DECLARATION = re.compile(
    r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?|using|concept)\s+"
    r"(?:\[\[[^\]]*\]\]\s*)?([A-Z]\w*)"
)
INTERFACE_PREFIX = re.compile(r"I(?!Pv\d)[A-Z][a-z]")


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def line_number(text, position):
    return text.count("\n", 0, position) + 1


def check_lines(path, text, code):
    problems = []
    for rule in LINE_RULES:
        if matches(path, rule.where) and not matches(path, rule.allowed):
            read = text if rule.reads_comments else code
            for match in re.finditer(rule.pattern, read):
                number = line_number(read, match.start())
                found = " ".join(match.group(0).split())
                problems.append(f"{path}:{number}: [{rule.name}] '{found}': {rule.instead}.")
    return problems


def check_type_names(path, code):
    problems = []
    for match in TYPE_DECLARATION.finditer(code):
        name = match.group(1)
        place = f"{path}:{line_number(code, match.start(1))}: [type name]"
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)
        for word in BANNED_TYPE_WORDS.intersection(words):
            problems.append(f"{place} '{name}': '{word}' says nothing; name what the thing is.")
        if INTERFACE_PREFIX.match(name):
            problems.append(f"{place} '{name}': no I-prefix; name the role, not the mechanism.")
    return problems


def check_sizes(path, text, functions):
    problems = []
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        problems.append(
            f"{path}:1: [file size] {lines} lines, at most {FILE_LINES_MAX}; "
            "find the second concept in it and give it a file."
        )
    for function in functions:
        if function.lines > FUNCTION_LINES_MAX:
            problems.append(
                f"{path}:{function.line}: [function size] {function.name} has {function.lines} "
                f"lines, at most {FUNCTION_LINES_MAX}; give its steps names of their own."
            )
        if function.nesting > NESTING_MAX:
            problems.append(
                f"{path}:{function.line}: [nesting] {function.name} nests {function.nesting} "
                f"control blocks, at most {NESTING_MAX}; return early or name the inner part."
            )
    return problems


def p90(lengths):
    return sorted(lengths)[math.ceil(len(lengths) * 0.9) - 1] if lengths else 0


def check_p90(functions_by_path):
    lengths = production_lengths(functions_by_path)
    if p90(lengths) <= FUNCTION_LINES_P90_MAX:
        return []
    return [
        f"src:1: [function size p90] one function in ten is longer than {p90(lengths)} lines, at "
        f"most {FUNCTION_LINES_P90_MAX}; `tools/check_tidy.py --report` lists the longest."
    ]


def production_lengths(functions_by_path):
    return [
        function.lines
        for path, functions in functions_by_path.items()
        if path.startswith("src/") and not matches(path, TESTS)
        for function in functions
    ]


def check_listed_in_cmake(root, path):
    folder = Path(path).parent
    while True:
        declaration = root / folder / "CMakeLists.txt"
        if declaration.is_file():
            name = re.escape(Path(path).relative_to(folder).as_posix())
            if re.search(rf"(?<![\w./]){name}(?!\w)", declaration.read_text(encoding="utf-8")):
                return []
        if folder == Path("."):
            return [f"{path}:1: [not built] no CMakeLists.txt names it; add it or delete it."]
        folder = folder.parent


def check_headings(path, text):
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    count = len(re.findall(r"^# ", without_code, flags=re.MULTILINE))
    if count == 1:
        return []
    return [f"{path}:1: [one title] {count} top-level headings; a page has exactly one."]


def check_tree(root):
    """All problems of the tree, and the functions found per file for the report."""
    problems, functions_by_path = [], {}
    for path in list_files(root):
        text = read_text(root, path)
        if "\0" in text:
            continue
        code = strip_comments_and_literals(text) if path.endswith((".h", ".cc")) else text
        problems += check_lines(path, text, code)
        if is_cpp(path):
            functions_by_path[path] = functions_in(text)
            problems += check_type_names(path, code)
            problems += check_sizes(path, text, functions_by_path[path])
            if path.endswith(".cc"):
                problems += check_listed_in_cmake(root, path)
        elif path.endswith((".py", ".js", ".cmake")):
            problems += check_sizes(path, text, [])
        elif path.endswith(".md"):
            problems += check_headings(path, text)
    return problems + check_p90(functions_by_path), functions_by_path


def check_headers(root, cache):
    """Compiles each header alone. A clean verdict is kept in `cache` until something it reads
    changes."""
    compiler = os.environ.get("CXX", "g++")
    flags = ["-std=c++23", "-fsyntax-only", "-Wall", "-Isrc", "-I."]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    fingerprints = Fingerprints(root)
    cache.mkdir(parents=True, exist_ok=True)

    def check(path):
        verdict = cache / fingerprints.of(path, version.stdout, flags)
        if verdict.exists():
            return []
        command = [compiler, *flags, "-include", path, "-x", "c++", "/dev/null"]
        result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            verdict.touch()
            return []
        return [
            f"{path}:1: [self-contained] does not compile alone; include what it uses.\n"
            + result.stderr
        ]

    headers = [path for path in list_files(root) if is_cpp(path) and path.endswith(".h")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for problems in pool.map(check, headers) for problem in problems]


def print_report(root, functions_by_path):
    files = {path: read_text(root, path).count("\n") for path in functions_by_path}
    functions = [
        (function.lines, f"{path}:{function.line} {function.name}")
        for path, found in functions_by_path.items()
        for function in found
    ]
    production = [lines for path, lines in files.items() if not matches(path, TESTS)]
    middle = sorted(production)[len(production) // 2] if production else 0
    lengths = production_lengths(functions_by_path)
    print(f"files: {len(files)}, {sum(files.values())} lines")
    print(f"files outside tests: median {middle}, p90 {p90(production)}, max {FILE_LINES_MAX} allowed")
    for path, lines in sorted(files.items(), key=lambda item: -item[1])[:10]:
        print(f"  {lines:4} {path}")
    print(f"functions: {len(functions)}, of them in src outside tests {len(lengths)}")
    print(f"functions in src outside tests: p90 {p90(lengths)}, {FUNCTION_LINES_P90_MAX} allowed")
    for lines, place in sorted(functions, reverse=True)[:15]:
        print(f"  {lines:4} {place}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=repository_root(), help="tree to check")
    parser.add_argument("--report", action="store_true", help="also print sizes")
    parser.add_argument(
        "--headers", action="store_true", help="instead compile each header alone (slower)"
    )
    parser.add_argument("--cache", type=Path, help="where --headers keeps its verdicts")
    arguments = parser.parse_args(argv)

    if arguments.headers:
        cache = arguments.cache or arguments.root / "build" / "header_verdicts"
        problems = check_headers(arguments.root, cache)
    else:
        problems, functions_by_path = check_tree(arguments.root)
        if arguments.report:
            print_report(arguments.root, functions_by_path)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
