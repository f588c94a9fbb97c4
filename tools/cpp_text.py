"""Reads C++ as text: code without its comments and strings, and the size of each function.

This is no parser. It relies on the code being formatted by clang-format and is right for the way
this repository is written; a construct it misreads shows up in `check_tidy.py --report`.
"""

import bisect
import re
from dataclasses import dataclass

_COMMENT_OR_LITERAL = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",  # Not the separator in 1'000.
    re.DOTALL,
)

_SCOPE = re.compile(
    r"^\s*(?:(?:inline|static|constexpr|typedef)\s+)*"
    r"(?:class|struct|union|enum|namespace|extern)\b"
)
_MEMBER_INITIALISER = re.compile(r"\)[\w\s()]*:(?!:).*[\w>]\s*$", re.DOTALL)
_BOUNDARY = re.compile(r"[{};]|\b(?:public|private|protected)\s*:")
_CONTROL = re.compile(r"\s*(?:if|else|for|while|do|switch|try|catch)\b")
_TEMPLATE = re.compile(r"\btemplate\s*<")


@dataclass(frozen=True)
class Function:
    name: str
    line: int
    lines: int  # From the first line of the signature to the closing brace.
    nesting: int  # Control blocks within each other; lambdas and plain blocks do not count.


def strip_comments_and_literals(text):
    """The code with comments and string contents blanked; line numbers stay as they were."""

    def blank(match):
        token = match.group(0)
        newlines = "\n" * token.count("\n")
        if token.startswith(("//", "/*")):
            return " " + newlines
        return token[-1] + token[-1] + newlines

    return _COMMENT_OR_LITERAL.sub(blank, text)


def strip_preprocessor(code):
    """Blanks directives and every branch but the first of an #if, so that braces balance."""
    kept, skipping, in_directive = [], [], False
    for line in code.split("\n"):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if directive and not in_directive:
            word = directive.group(1)
            if word.startswith("if"):
                skipping.append(False)
            elif word.startswith("el") and skipping:
                skipping[-1] = True
            elif word == "endif" and skipping:
                skipping.pop()
        drop = bool(directive) or in_directive or any(skipping)
        in_directive = (in_directive or bool(directive)) and line.endswith("\\")
        kept.append("" if drop else line)
    return "\n".join(kept)


def functions_in(text):
    """Every function with a body, as Function, in order of appearance."""
    code = strip_preprocessor(strip_comments_and_literals(text))
    found, open_braces = [], []
    header_start = deepest = 0
    line_of = _line_index(code)
    for match in _BOUNDARY.finditer(code):
        position, token = match.start(), match.group(0)
        if token == "{":
            kind = _kind_of_brace(code[header_start:position], open_braces)
            open_braces.append((kind, header_start))
            if kind == "function":
                deepest = 0
            deepest = max(deepest, sum(kind == "control" for kind, _ in open_braces))
            if kind != "value":
                header_start = position + 1
        elif token == "}" and open_braces:
            kind, start = open_braces.pop()
            if kind == "function":
                found.append(_function(code, start, position, line_of, deepest))
            if kind != "value":
                header_start = position + 1
        elif token != "}" and not _in_value(open_braces):
            header_start = match.end()
    return found


def _in_value(open_braces):
    return bool(open_braces) and open_braces[-1][0] == "value"


def _kind_of_brace(header, open_braces):
    """scope (namespace, type), function, value (an initialiser), or within a function: control
    (if, for, ...) or inside (anything else)."""
    if any(kind == "function" for kind, _ in open_braces):
        # The semicolons in `for (;;)` cut its header short and leave a closing parenthesis over.
        missing = header.count(")") - header.count("(")
        is_control = missing > 0 or (missing == 0 and _CONTROL.match(header))
        return "control" if is_control else "inside"
    if _in_value(open_braces) or header.count("(") != header.count(")"):
        return "value"
    signature = _without_template_heads(header)
    if _SCOPE.match(signature):
        return "scope"
    if ")" not in signature or _MEMBER_INITIALISER.search(signature):
        return "value"
    return "value" if signature.rstrip().endswith("=") else "function"


def _without_template_heads(header):
    while match := _TEMPLATE.search(header):
        depth, end = 1, match.end()
        while depth and end < len(header):
            depth += {"<": 1, ">": -1}.get(header[end], 0)
            end += 1
        header = header[: match.start()] + header[end:]
    return header


def _function(code, start, end, line_of, nesting):
    start += len(code[start:end]) - len(code[start:end].lstrip())
    first = line_of(start)
    signature = code[start : code.index("{", start)]
    match = re.search(r"(\w[\w:~]*|operator[^\s(]+)\s*\(([^)]*)", signature)
    name = "(lambda)"
    if match:
        is_test = match.group(1).startswith("TEST")
        name = ".".join(re.findall(r"\w+", match.group(2))) if is_test else match.group(1)
    return Function(name=name, line=first, lines=line_of(end) - first + 1, nesting=nesting)


def _line_index(code):
    starts = [0] + [match.end() for match in re.finditer("\n", code)]
    return lambda position: bisect.bisect_right(starts, position)
