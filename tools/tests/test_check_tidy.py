"""Each rule of check_tidy.py fails on a planted violation and passes on a clean tree."""

import unittest

from planted_tree import PlantedTreeTest  # First: it makes the tools importable.

import check_tidy
from cpp_text import functions_in

# rule name -> (file, code that breaks the rule)
PLANTED = {
    "sleep": [
        ("src/net/loop.h", "void f() { sleep(1); }"),
        ("src/net/loop.h", "void f() { usleep(1); }"),
        ("src/core/lane_test.cc", "void f() { std::this_thread::sleep_for(kSecond); }"),
        ("tests/sim/swarm.h", "void f() { std::this_thread::sleep_until(end); }"),
        ("tests/e2e/receiver.py", "time.sleep(1)"),
    ],
    "clock": [
        ("src/delivery/intake.h", "auto now = std::chrono::system_clock::now();"),
        ("src/delivery/intake.h", "auto now = std::chrono::steady_clock::now();"),
        ("tests/sim/swarm.h", "using Clock = std::chrono::high_resolution_clock;"),
    ],
    "chance": [
        ("src/sim/world.h", "int f() { return rand(); }"),
        ("src/sim/world.h", "void f() { std::srand(1); }"),
    ],
    "detach": [("src/net/loop.h", "void f() { worker.detach(); }")],
    "thread": [
        ("src/net/loop.h", "std::thread worker;"),
        ("src/store/rocks.h", "std::jthread worker;"),
    ],
    "pure include": [
        (f"src/{folder}/x.h", f"#include <{header}>")
        for folder in ("core", "model")
        for header in (
            "chrono", "random", "thread", "mutex", "atomic", "iostream", "fstream",
            "unordered_map", "unordered_set",
        )
    ],
    "pure call": [
        ("src/core/lane.h", 'const char* f() { return std::getenv("SEED"); }'),
        ("src/core/lane.h", "auto f() { return std::time(nullptr); }"),
    ],
    "pure arithmetic": [
        ("src/core/lane.h", "double rate = 0;"),
        ("src/model/event.h", "float rate = 0;"),
    ],
    "pointer order": [
        ("src/core/lane.h", "std::map<Endpoint*, int> counts;"),
        ("src/core/lane.h", "std::set<const model::Endpoint*> seen;"),
    ],
    "skipped test": [
        ("src/core/lane_test.cc", "TEST(Lane, Waits) { GTEST_SKIP(); }"),
        ("src/core/lane_test.cc", "TEST(Lane, DISABLED_Waits) {}"),
    ],
    "open TODO": [("src/core/lane.h", "// TODO: later"), ("script/x", "# TODO(me) later")],
    "FIXME": [("docs/x.md", "# X\n\nFIXME")],
    "outside path": [("docs/x.md", "# X\n\nsee /home/alice/notes")],
}  # fmt: skip

CLEAN_CODE = """\
// No sleep() here, no rand(), no std::thread: this is a comment. TODO(#12): and this is tracked.
#include <map>
struct DatabaseKey {};
class IPv4Address {};
std::map<int, Endpoint*> by_id;
const char* text = "sleep(1) system_clock class FooManager";
int operand(int time) { return time; }
std::thread::id owner;
"""


class CheckTidyTest(PlantedTreeTest):
    tool = check_tidy

    def plant_built(self, path, text):
        self.plant(path, text)
        self.plant("CMakeLists.txt", f"sources({path})\n")

    def test_clean_tree_passes(self):
        self.plant_built("src/core/lane.cc", CLEAN_CODE)
        self.plant("src/app/main.h", "auto now = std::chrono::system_clock::now();\n")
        self.plant("bench/clock.h", "std::thread t; std::chrono::steady_clock c;\n")
        self.plant("README.md", "# Title\n\n## Part\n\n```\n# not a title\n```\n")
        self.plant("build/junk.cc", "rand(); FIXME")
        self.assert_clean()

    def test_every_line_rule_has_a_planted_violation(self):
        self.assertEqual(set(PLANTED), {rule.name for rule in check_tidy.LINE_RULES})

    def test_line_rules_fail_on_planted_violations(self):
        for rule in check_tidy.LINE_RULES:
            for path, code in PLANTED[rule.name]:
                with self.subTest(rule=rule.name, code=code):
                    self.plant_built(path, code + "\n")
                    self.assert_finds(path, f"[{rule.name}]")
                    self.assert_finds(path, rule.instead)
                    (self.root / path).unlink()

    def test_banned_words_in_type_names(self):
        for word in sorted(check_tidy.BANNED_TYPE_WORDS):
            with self.subTest(word=word):
                self.plant("src/api/x.h", f"\nclass Retry{word} {{}};\n")
                self.assert_finds("src/api/x.h:2", f"'Retry{word}': '{word}' says nothing")

    def test_banned_words_in_every_kind_of_type(self):
        for kind in ("struct", "enum class", "using", "union", "class [[nodiscard]]"):
            with self.subTest(kind=kind):
                self.plant("src/api/x.h", f"{kind} HttpHelper;\n")
                self.assert_finds("src/api/x.h:1", "'HttpHelper': 'Helper' says nothing")

    def test_interface_prefix(self):
        self.plant("src/api/x.h", "class IRetryPolicy;\n")
        self.assert_finds("src/api/x.h:1", "no I-prefix")

    def test_file_size(self):
        self.plant("src/api/x.h", "\n" * check_tidy.FILE_LINES_MAX)
        self.assert_clean()
        self.plant("src/api/x.h", "\n" * (check_tidy.FILE_LINES_MAX + 1))
        self.assert_finds("src/api/x.h:1", "[file size] 601 lines, at most 600")

    def test_function_size(self):
        self.plant("tests/e2e/x.h", "\nvoid f() {\n" + "  g();\n" * 68 + "}\n")
        self.assert_clean()
        self.plant("tests/e2e/x.h", "\nvoid f() {\n" + "  g();\n" * 69 + "}\n")
        self.assert_finds("tests/e2e/x.h:2", "[function size] f has 71 lines, at most 70")

    def test_nesting(self):
        three = "for (int i = 0; i < 3; ++i) {{ if (a) {{ while (b) {{ {} }} }} }}"
        self.plant("src/api/x.h", "void f() {\n" + three.format("CHECK(c);") + "\n}\n")
        self.assert_clean()
        self.plant("src/api/x.h", "void f() {\n" + three.format("if (c) { g(); }") + "\n}\n")
        self.assert_finds("src/api/x.h:1", "[nesting] f nests 4 control blocks, at most 3")

    def test_function_size_p90(self):
        short, long = "void f() {}\n", "void g() {\n" + "  h();\n" * 29 + "}\n"
        self.plant("src/api/x.h", short * 9 + long)
        self.assert_clean()
        self.plant("src/api/x.h", short * 8 + long * 2)
        self.assert_finds("src:1", "one function in ten is longer than 31 lines")

    def test_source_not_named_in_cmake(self):
        self.plant("src/api/router.cc")
        self.plant("src/api/CMakeLists.txt", "postrider_library(api SOURCES my_router.cc)\n")
        self.assert_finds("src/api/router.cc:1", "[not built]")
        self.plant("src/api/CMakeLists.txt", "postrider_library(api SOURCES router.cc)\n")
        self.assert_clean()

    def test_page_needs_exactly_one_title(self):
        self.plant("docs/x.md", "# One\n\n# Two\n")
        self.assert_finds("docs/x.md:1", "[one title] 2 top-level headings")
        self.plant("docs/x.md", "## None\n")
        self.assert_finds("docs/x.md:1", "[one title] 0 top-level headings")

    def test_header_must_compile_alone(self):
        cache = ("--headers", "--cache", str(self.root / "build"))
        self.plant("src/base/good.h", "#pragma once\n#include <string>\nstd::string f();\n")
        self.assert_clean(*cache)
        self.plant("src/base/bad.h", "#pragma once\nstd::string f();\n")
        self.assert_finds("src/base/bad.h:1", "[self-contained]", *cache)

    def test_kept_header_verdict_falls_when_an_included_header_changes(self):
        cache = ("--headers", "--cache", str(self.root / "build"))
        self.plant("src/base/inner.h", "#pragma once\n#include <string>\n")
        self.plant("src/base/outer.h", '#pragma once\n#include "base/inner.h"\nstd::string f();\n')
        self.assert_clean(*cache)
        self.plant("src/base/inner.h", "#pragma once\n")
        self.assert_finds("src/base/outer.h:1", "[self-contained]", *cache)

    def test_report_prints_the_longest_function(self):
        self.plant("src/api/x.h", "void f() {\n}\n")
        self.assertIn("2 src/api/x.h:1 f", self.run_tool("--report")[1])


class FunctionSizeTest(unittest.TestCase):
    def nesting(self, body):
        (function,) = functions_in("void f() {\n" + body + "\n}\n")
        return function.nesting

    def lengths(self, text):
        return [(function.name, function.lines) for function in functions_in(text)]

    def test_scopes_and_values_are_not_functions(self):
        text = "namespace a {\nstruct B {\n  int c{1};\n  int d[2] = {1, 2};\n};\n}  // namespace a\n"
        self.assertEqual(self.lengths(text), [])

    def test_blocks_inside_a_function_belong_to_it(self):
        text = "int f() {\n  if (a) {\n    auto g = [] { return 1; };\n  }\n  return 2;\n}\n"
        self.assertEqual(self.lengths(text), [("f", 6)])

    def test_nesting_counts_control_blocks_only(self):
        self.assertEqual(self.nesting("g();"), 0)
        self.assertEqual(self.nesting("if (a) { g(); } else if (b) { g(); } else { g(); }"), 1)
        self.assertEqual(self.nesting("for (auto x : {1, 2}) { g(x); }"), 1)
        self.assertEqual(self.nesting("switch (a) { case kB: { Point p{1, 2}; } }"), 1)
        self.assertEqual(self.nesting("g([&](int a) { return Point{a, a}; });"), 0)
        self.assertEqual(self.nesting("do { try { g(); } catch (...) { h(); } } while (a);"), 2)

    def test_signature_over_two_lines_counts(self):
        self.assertEqual(self.lengths("int f(int a,\n      int b) {\n}\n"), [("f", 3)])

    def test_member_initialisers_with_braces(self):
        text = "class A {\n public:\n  A(int b)\n      : b_{b},\n        c_(b) {\n    d();\n  }\n};\n"
        self.assertEqual(self.lengths(text), [("A", 5)])

    def test_default_argument_with_braces(self):
        self.assertEqual(self.lengths("void f(Options o = {}) {\n}\n"), [("f", 2)])

    def test_template_head_is_not_a_scope(self):
        self.assertEqual(self.lengths("template <class T>\nT f(T t) {\n}\n"), [("f", 3)])

    def test_only_the_first_preprocessor_branch_counts(self):
        text = "#if A\nint f() {\n#else\nint g() {\n#endif\n}\n"
        self.assertEqual(self.lengths(text), [("f", 5)])

    def test_test_macro_gives_its_own_name(self):
        self.assertEqual(self.lengths("TEST(Lane, Waits) {\n}\n"), [("Lane.Waits", 2)])

    def test_braces_in_strings_and_comments_are_ignored(self):
        text = 'int f() {\n  // }\n  g("}", \'}\', R"(})");\n  return 1\'000;\n}\n'
        self.assertEqual(self.lengths(text), [("f", 5)])


if __name__ == "__main__":
    unittest.main()
