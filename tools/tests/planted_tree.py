"""A throw-away tree of files on which a check is run as from the command line."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


class PlantedTreeTest(unittest.TestCase):
    """What the tests of one tool share; `tool` is its module."""

    tool = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def plant(self, path, text=""):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_tool(self, *options):
        """Exit code and output."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = self.tool.main(["--root", str(self.root), *options])
        return code, output.getvalue()

    def assert_clean(self, *options):
        self.assertEqual(self.run_tool(*options), (0, ""))

    def assert_finds(self, place, words, *options):
        """The tool fails, and one line of its output names the place and says the words."""
        code, output = self.run_tool(*options)
        self.assertEqual(code, 1, output)
        hits = [line for line in output.splitlines() if line.startswith(place + ":")]
        self.assertTrue(any(words in line for line in hits), output)
