"""`postrider config` as operators meet it: flags, environment and files in, text out.

Usage: PROGRAM DOCUMENT.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, DOCUMENT = sys.argv[1], Path(sys.argv[2])


def run(*words, environment=None, directory="/"):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("POSTRIDER")}
    return subprocess.run(
        [PROGRAM, "config", *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=directory,
        env=clean | (environment or {}),
    )


class Config(unittest.TestCase):
    def setUp(self):
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def settings(self, *words, environment=None):
        done = run(*words, "--json", environment=environment, directory=self.work)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {row["name"]: row for row in json.loads(done.stdout)["settings"]}

    def problems(self, *words, environment=None):
        done = run(*words, environment=environment, directory=self.work)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr.splitlines()

    def test_flags_win_over_the_environment_over_the_file(self):
        file = self.work / "own.toml"
        file.write_text('[retry]\nunit = "3s"\njitter = 3\nhorizon = "3h"\n', encoding="utf-8")
        settings = self.settings(
            "--config",
            file,
            "--retry.unit=1s",
            environment={"POSTRIDER_RETRY_UNIT": "2s", "POSTRIDER_RETRY_JITTER": "2"},
        )
        found = {name: (row["value"], row["source"]) for name, row in settings.items()}
        self.assertEqual(found["retry.unit"], ("1s", "flag"))
        self.assertEqual(found["retry.jitter"], ("2", "environment"))
        self.assertEqual(found["retry.horizon"], ("3h", "file"))
        self.assertEqual(found["retry.anchor"], ("queued", "default"))
        self.assertEqual(settings["retry.horizon"]["place"], f"{file}:4")

    def test_the_file_in_the_data_directory_is_found(self):
        (self.work / "data").mkdir()
        (self.work / "data" / "postrider.toml").write_text("retry.jitter = 7\n", encoding="utf-8")
        self.assertEqual(self.settings("--data", "data")["retry.jitter"]["value"], "7")
        self.assertEqual(self.settings()["retry.jitter"]["value"], "0")

    def test_all_problems_come_at_once(self):
        file = self.work / "own.toml"
        file.write_text("retry.untt = 1\nretry.jitter = 200\n", encoding="utf-8")
        problems = self.problems(
            "--config", file, "--listn", "x", environment={"POSTRIDER_LOG_LEVL": "info"}
        )
        text = "\n".join(problems)
        self.assertIn("--listn: is not an option; did you mean --listen?", text)
        self.assertIn("POSTRIDER_LOG_LEVL: is not a setting; did you mean", text)
        self.assertIn(f"{file}:1: retry.untt: is not a setting; did you mean retry.unit?", text)
        self.assertIn(f"{file}:2: retry.jitter: '200' must be between 0 and 100.", text)

    def test_a_file_that_cannot_be_read_or_understood(self):
        file = self.work / "own.toml"
        self.assertIn("there is no such file", self.problems("--config", file)[0])
        self.assertIn("it is not a file", self.problems("--config", self.work)[0])
        file.write_text("[retry\n", encoding="utf-8")
        self.assertIn(f"{file}:1: is not TOML", self.problems("--config", file)[0])

    def test_secrets_are_masked(self):
        proxy = {"POSTRIDER_DELIVERY_PROXY": "http://me:hush@proxy.example:3128"}
        for words in ((), ("--json",)):
            done = run(*words, environment=proxy)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("********", done.stdout)
            self.assertNotIn("hush", done.stdout)

    def test_help_names_every_setting(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for name in self.settings():
            self.assertIn(f"  --{name} ", done.stdout)

    def test_the_page_is_up_to_date(self):
        page = run("--markdown").stdout
        self.assertEqual(
            DOCUMENT.read_text(encoding="utf-8"),
            page,
            "write the output of `postrider config --markdown` into it",
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
