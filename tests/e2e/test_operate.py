"""`postrider audit`, `backup` and `restore` as operators meet them: arguments in, text out.

Usage: PROGRAM DOCUMENT FIXTURE DRIVER. The fixture is a data directory that a driver left behind when it was
killed; DRIVER is needed only to raise the format version of one.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

PROGRAM, DRIVER = sys.argv[1], sys.argv[4]
DOCUMENT, FIXTURE = Path(sys.argv[2]), Path(sys.argv[3])
COUNTS = {"events", "deliveries", "delivered", "dropped", "cancelled", "unfinished"}


def run(*words):
    command = [PROGRAM, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def contents(directory):
    """Every file with a digest, but for the diary and lock that everybody who comes by leaves."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if not path.name.startswith("LO")
    }


class WithDirectory(unittest.TestCase):
    def setUp(self):
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        with tarfile.open(FIXTURE) as archive:
            archive.extractall(self.work)
        self.data = self.work / FIXTURE.name.removesuffix(".tar.xz")

    def answer(self, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def json_answer(self, *words):
        return json.loads(self.answer(*words, "--json"))

    def refused(self, *words, status=1):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def back_up(self):
        self.answer("backup", self.data, self.work / "backup")
        return self.work / "backup"


class Audit(WithDirectory):
    def test_a_directory_of_a_killed_process_is_sound_and_stays_as_it_is(self):
        before = contents(self.data)
        text = self.answer("audit", self.data)
        self.assertTrue(text.startswith("Sound:"), text)
        self.assertEqual(contents(self.data), before)

    def test_json_has_what_was_counted_and_what_was_stated(self):
        report = self.json_answer("audit", self.data)
        self.assertIs(report["sound"], True)
        self.assertEqual(set(report["counted"]), COUNTS)
        self.assertEqual(report["counted"], report["stated"])
        self.assertGreater(report["counted"]["events"], 50)
        self.assertEqual(report["problems"], [])


class BackupAndRestore(WithDirectory):
    def test_what_is_restored_is_what_was_there(self):
        before = self.json_answer("audit", self.data)
        made = self.json_answer("backup", self.data, self.work / "backup")
        self.assertEqual(made["backup"], str(self.work / "backup"))
        self.assertGreater(made["bytes"], 0)
        shutil.rmtree(self.data)
        restored = self.json_answer("restore", self.work / "backup", self.data)
        for report in (made, restored):
            self.assertEqual(report["counted"], before["counted"])
        self.assertEqual(self.json_answer("audit", self.data)["counted"], before["counted"])

    def test_a_backup_is_not_changed_by_restoring_it(self):
        backup = self.back_up()
        before = contents(backup)
        self.answer("restore", backup, self.work / "first")
        self.answer("restore", backup, self.work / "second")
        self.assertEqual(contents(backup), before)

    def test_they_say_in_words_what_was_done(self):
        text = self.answer("backup", self.data, self.work / "backup")
        self.assertIn(f"Backup made: {self.work / 'backup'}", text)
        self.assertIn("Sound:", text)
        text = self.answer("restore", self.work / "backup", self.work / "restored")
        self.assertIn(f"Restored: {self.work / 'restored'}", text)


class Refusals(WithDirectory):
    def test_a_directory_that_is_not_there(self):
        nowhere = self.work / "nowhere"
        for words in (
            ("audit", nowhere),
            ("backup", nowhere, self.work / "backup"),
            ("restore", nowhere, self.work / "restored"),
        ):
            self.assertIn(f"there is no database in {nowhere}", self.refused(*words))
        self.assertEqual([path.name for path in self.work.iterdir()], [self.data.name])

    def test_a_directory_that_another_process_has_open(self):
        with (self.data / "db" / "LOCK").open("r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for words in (("audit", self.data), ("backup", self.data, self.work / "backup")):
                message = self.refused(*words)
                self.assertIn(f"in use by process {os.getpid()}", message)
        self.assertFalse((self.work / "backup").exists())

    def test_targets_that_are_there(self):
        backup = self.back_up()
        self.assertIn("exists already", self.refused("backup", self.data, backup))
        self.assertIn("is not empty", self.refused("restore", backup, self.data))

    def test_a_directory_of_a_newer_version_which_stays_as_it_is(self):
        subprocess.run([DRIVER, "tamper", str(self.data), "newer-format"], check=True)
        before = contents(self.data)
        for words in (("audit", self.data), ("backup", self.data, self.work / "backup")):
            message = self.refused(*words)
            self.assertIn("format version", message)
            self.assertIn("use a newer Postrider", message)
        self.assertEqual(contents(self.data), before)

    def test_damaged_tables(self):
        for table in (self.data / "db").glob("*.sst"):
            damaged = bytearray(table.read_bytes())
            damaged[20] ^= 1
            table.write_bytes(damaged)
        done = run("audit", self.data)
        self.assertEqual(done.returncode, 1)
        self.assertIn("orruption", done.stdout + done.stderr)

    def test_a_database_that_has_lost_its_last_commits(self):
        log = max((self.data / "db").glob("*.log"))
        log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
        done = run("audit", self.data)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout + done.stderr, "lost|orruption")
        self.refused("backup", self.data, self.work / "backup")

    def test_a_backup_without_its_mark(self):
        backup = self.back_up()
        (backup / "commit.mark").unlink()
        self.assertIn("is not a backup", self.refused("restore", backup, self.work / "restored"))


class Documentation(WithDirectory):
    def test_the_example_of_an_audit_shows_what_the_program_prints(self):
        page = DOCUMENT.read_text(encoding="utf-8")
        self.assertIn(f"```\n{self.answer('audit', self.data)}```", page)

    def test_every_member_of_the_json_output_is_described(self):
        page = DOCUMENT.read_text(encoding="utf-8")
        made = self.json_answer("backup", self.data, self.work / "backup")
        restored = self.json_answer("restore", self.work / "backup", self.work / "restored")
        for name in made.keys() | restored.keys():
            self.assertIn(f"`{name}`", page)


class CommandLines(WithDirectory):
    def test_wrong_ones_are_refused_with_a_way_out(self):
        self.assertIn("DIRECTORY is missing", self.refused("audit", status=2))
        self.assertIn("TARGET is missing", self.refused("backup", self.data, status=2))
        self.assertIn("too many", self.refused("audit", self.data, "more", status=2))
        self.assertIn("--help", self.refused("restore", "--accept-everything", status=2))

    def test_help_is_there(self):
        for command in ("audit", "backup", "restore"):
            self.assertIn(f"Usage: postrider {command}", self.answer(command, "--help"))
            self.assertIn(f"  {command}", self.answer("--help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
