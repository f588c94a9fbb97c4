"""Plants small bugs into small sources, and refuses a list that is not true to the code."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import plant

SOURCE = """int limit(int count) {
  int sum = 0;
  sum += count > 3 ? 1 : 0;
  sum += 7;
  return sum;
}
"""


def entry(name, original, mutated, **more):
    return {"name": name, "index": 0, "original": original, "mutated": mutated, **more}


class PlantTest(unittest.TestCase):
    def planted(self, *mutants):
        return plant.plant(SOURCE, list(mutants), "core/limit.cc")

    def assert_refused(self, words, *mutants):
        with self.assertRaises(SystemExit) as refusal:
            self.planted(*mutants)
        for word in words:
            self.assertIn(word, str(refusal.exception))

    def test_without_mutants_only_the_include_is_added(self):
        self.assertEqual(self.planted(), plant.HEADER + SOURCE)

    def test_an_expression_becomes_a_choice(self):
        text = self.planted(entry("A", "count > 3", "count >= 3"))
        self.assertIn("sum += (mutants::is_on(0) ? (count >= 3) : (count > 3)) ? 1 : 0;", text)

    def test_a_statement_becomes_two_branches(self):
        text = self.planted(entry("A", "  sum += 7;", "", kind="statement"))
        self.assertIn("if (mutants::is_on(0)) {  } else {   sum += 7; }", text)

    def test_several_mutants_of_one_text_are_nested(self):
        first = entry("A", "count > 3", "count >= 3")
        second = {**entry("B", "count > 3", "true"), "index": 1}
        text = self.planted(first, second)
        self.assertIn(
            "(mutants::is_on(0) ? (count >= 3) : ((mutants::is_on(1) ? (true) : (count > 3))))",
            text,
        )

    def test_the_context_chooses_the_place_and_stays(self):
        text = self.planted(entry("A", "0;", "9;", context="int sum = ", kind="statement"))
        self.assertIn("int sum = if (mutants::is_on(0))", text)
        self.assertIn("? 1 : 0;", text)

    def test_a_text_that_is_not_there_is_refused_by_name(self):
        self.assert_refused(["Lost", "found 0 times", "core/limit.cc"], entry("Lost", "x > 3", "0"))

    def test_a_text_that_is_there_twice_is_refused_by_name(self):
        self.assert_refused(["Twice", "found 2 times"], entry("Twice", "sum += ", "0"))

    def test_overlapping_mutants_are_refused_by_name(self):
        whole = entry("Whole", "sum += count > 3 ? 1 : 0;", "", kind="statement")
        part = entry("Part", "count > 3", "true")
        self.assert_refused(["Part", "overlaps"], whole, part)

    def test_mutants_that_begin_together_and_end_apart_are_refused(self):
        short = entry("Short", "count > 3", "true")
        longer = entry("Longer", "count > 3 ? 1 : 0", "1")
        self.assert_refused(["Longer", "overlaps"], short, longer)


class PlantedFolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("src/core/limit.cc", SOURCE)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_on(self, mutants):
        self.write("mutants.toml", mutants)
        paths = [str(self.root / name) for name in ("mutants.toml", "src", "out")]
        with contextlib.redirect_stdout(io.StringIO()):
            plant.main([*paths, "core"])

    def read(self, path):
        return (self.root / "out" / path).read_text(encoding="utf-8")

    BOTH = """
[[mutant]]
name = "A"
what = "first and second"
file = "core/limit.cc"
original = "count > 3"
mutated = "count >= 3"
[[mutant]]
name = "A"
file = "core/limit.cc"
original = "sum += 7;"
mutated = ""
kind = "statement"
[[mutant]]
name = "B"
what = "another"
file = "core/limit.cc"
original = "return sum"
mutated = "return 1"
kind = "statement"
"""

    def test_entries_of_one_name_are_one_mutant(self):
        self.run_on(self.BOTH)
        self.assertEqual(self.read("core/limit.cc").count("mutants::is_on(0)"), 2)
        self.assertEqual(self.read("core/limit.cc").count("mutants::is_on(1)"), 1)
        self.assertEqual(self.read("mutant_switch.h").count("    Mutant{"), 2)

    def test_each_row_is_the_mutant_of_its_number(self):
        repeated = self.BOTH.replace('name = "A"\nfile', 'name = "A"\nwhat = "again"\nfile')
        self.run_on(repeated)
        rows = [line for line in self.read("mutant_switch.h").splitlines() if "    Mutant{" in line]
        self.assertEqual(len(rows), 2)
        self.assertIn('"B"', rows[1])

    def test_a_file_that_does_not_exist_is_refused_by_name(self):
        with self.assertRaises(SystemExit) as refusal:
            self.run_on(self.BOTH.replace('"core/limit.cc"', '"core/gone.cc"'))
        self.assertIn("A: there is no core/gone.cc", str(refusal.exception))

    def test_tests_are_not_planted(self):
        self.write("src/core/limit_test.cc", "#error\n")
        self.run_on(self.BOTH)
        self.assertFalse((self.root / "out/core/limit_test.cc").exists())

    def test_a_file_that_does_not_change_keeps_its_time_stamp(self):
        self.run_on(self.BOTH)
        file = self.root / "out/core/limit.cc"
        before = file.stat().st_mtime_ns
        self.run_on(self.BOTH)
        self.assertEqual(file.stat().st_mtime_ns, before)

    def test_what_is_planted_compiles(self):
        mutants = self.BOTH.replace('original = "return sum"', 'original = "return sum;"')
        self.run_on(mutants.replace('mutated = "return 1"', 'mutated = "return 1;"'))
        out = str(self.root / "out")
        command = ["g++", "-std=c++23", "-fsyntax-only", "-I", out, f"{out}/core/limit.cc"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr, "")


if __name__ == "__main__":
    unittest.main()
