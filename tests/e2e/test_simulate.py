"""`postrider simulate` as its users meet it: arguments in, text out.

Usage: PROGRAM DOCUMENT [--long]. Examples that take long are checked only with --long.
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROGRAM, DOCUMENT = sys.argv[1], Path(sys.argv[2])
IS_LONG = "--long" in sys.argv[3:]

SLOTS = [84800, 254400, 593600, 1272000, 2628800, 5342400, 10769600, 21624000, 43332800, 86750400,
         173585600]  # fmt: skip


def run(*words):
    return subprocess.run(
        [PROGRAM, "simulate", *words], capture_output=True, text=True, encoding="utf-8", check=False
    )


def answer(*words):
    done = run(*words)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout


def simulated(*words):
    return json.loads(answer("--json", *words))


class Schedule(unittest.TestCase):
    def test_prints_the_slots_from_queueing(self):
        self.assertEqual(
            answer("--schedule", "--json"),
            '{"anchor":"queued","slots_ms":[84800,254400,593600,1272000,2628800,5342400,'
            "10769600,21624000,43332800,86750400,173585600]}\n",
        )

    def test_prints_the_slots_from_the_previous_attempt(self):
        self.assertEqual(
            answer("--schedule", "--json", "--anchor", "previous_attempt"),
            '{"anchor":"previous_attempt","slots_ms":[84800,339200,932800,2204800,4833600,'
            "10176000,20945600,42569600,85902400,172652800]}\n",
        )

    def test_obeys_the_settings(self):
        short = simulated("--schedule", "--unit", "1s", "--max-retries", "3")
        self.assertEqual(short["slots_ms"], [1000, 3000, 7000])
        listed = simulated("--schedule", "--delays", "1m,1h,8d")
        self.assertEqual(listed["slots_ms"], [60_000, 3_600_000, 8 * 86_400_000])

    def test_the_table_shows_number_seconds_and_time(self):
        self.assertRegex(answer("--schedule"), r"(?m)^ *11 +173585\.600 +48h 13m 5s 600ms$")


class Run(unittest.TestCase):
    def test_the_default_run_delivers_everything(self):
        result = simulated("--for", "1h")
        self.assertEqual(result["transitions"], [])
        self.assertEqual(result["attempts"], 3600)
        self.assertIs(result["conserved"], True)
        self.assertEqual(
            result["deliveries"],
            {"created": 3600, "delivered": 3600, "waiting": 0, "held": 0, "in_flight": 0,
             "dropped": 0, "cancelled": 0, "expired": 0},
        )  # fmt: skip
        self.assertNotIn("attempt_times_ms", result)
        self.assertEqual(result["settings"]["rate"], "1/s")
        self.assertEqual(result["slots_ms"], SLOTS)

    def test_a_dead_endpoint_is_disabled_by_its_101st_attempt(self):
        result = simulated("--down", "always", "--for", "1h", "--trace")
        self.assertEqual(
            result["transitions"],
            [{"at_ms": 92020, "from": "active", "to": "disabled", "reason": "failure_rate",
              "attempts": 101, "failures": 101, "consecutive_failures": 101}],
        )  # fmt: skip
        times = result["attempt_times_ms"]
        self.assertEqual(len(times), result["attempts"])
        self.assertEqual(times[100:104], [92000, 692020, 1292040, 1892060])
        self.assertEqual(result["deliveries"]["dropped"], 3600)
        self.assertEqual(result["dropped"]["first_ms"], SLOTS[-1])

    def test_an_outage_drains(self):
        result = simulated("--down", "1h", "--from", "1h", "--for", "4h")
        self.assertEqual([step["to"] for step in result["transitions"]], ["disabled", "active"])
        drain = result["drain"]
        self.assertEqual(drain["duration_ms"], drain["ended_ms"] - drain["started_ms"])
        self.assertEqual(drain["left"], 0)
        self.assertEqual(sum(at["attempts"] for at in result["send_rate"]), result["attempts"])
        self.assertEqual(max(at["held"] for at in result["backlog"]) > 1000, True)

    def test_until_leaves_deliveries_unfinished_and_counted(self):
        result = simulated("--down", "always", "--until", "1h")
        self.assertIs(result["complete"], False)
        self.assertEqual(result["deliveries"]["held"], 3600)
        self.assertIs(result["conserved"], True)

    def test_each_event_goes_to_every_endpoint(self):
        result = simulated("--down", "always", "--events", "300", "--endpoints", "3")
        self.assertEqual(result["deliveries"]["created"], 900)
        self.assertEqual({step["endpoint"] for step in result["transitions"]}, {1, 2, 3})

    def test_the_same_command_gives_the_same_bytes(self):
        words = ["--json", "--down", "2h", "--for", "5h", "--jitter", "30", "--seed", "7", "--trace"]
        self.assertEqual(answer(*words), answer(*words))

    def test_the_seed_changes_the_jitter(self):
        words = ["--down", "always", "--events", "1", "--jitter", "30", "--trace"]
        one, other = simulated(*words, "--seed", "1"), simulated(*words, "--seed", "2")
        self.assertNotEqual(one["attempt_times_ms"], other["attempt_times_ms"])

    def test_tables_have_no_colours_and_fit_100_columns(self):
        text = answer("--down", "2h", "--for", "5h")
        self.assertNotIn("\x1b", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)


class Picture(unittest.TestCase):
    def draw(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.svg"
            answer("--svg", str(path), *words)
            return ElementTree.parse(path).getroot()

    def test_is_xml_and_tells_the_story(self):
        root = self.draw("--down", "always", "--for", "3h")
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        words = " ".join(root.itertext())
        for expected in ("never comes back", "disabled", "101 of 101", "Dropped", "10,800"):
            self.assertIn(expected, words)

    def test_copes_with_nothing_and_with_much(self):
        self.draw("--events", "1")
        self.draw("--events", "1", "--until", "0")
        enables = [word for hour in range(2, 60) for word in ("--enable-at", f"{hour}h")]
        root = self.draw("--down", "always", "--rate", "10/m", *enables)
        self.assertIn("changes, the last: disabled", " ".join(root.itertext()))

    def test_a_file_that_cannot_be_written_is_reported(self):
        done = run("--svg", "/nonexistent/run.svg", "--events", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--svg", done.stderr)
        self.assertEqual(done.stdout, "")


class Mistakes(unittest.TestCase):
    def refused(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 2, words)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_each_is_named_with_a_way_out(self):
        cases = {
            ("--rate", "0.5/s"): ["--rate", "'0.5/s'", "1/2s"],
            ("--rate", "fast"): ["--rate", "'fast'", "50/s"],
            ("--down", "6"): ["--down", "'6'", "6h"],
            ("--down", "6w"): ["--down", "'6w'", "'w'", "6h"],
            ("--down",): ["--down", "missing", "6h"],
            ("--status", "200"): ["--status", "'200'", "503"],
            ("--window", "90m"): ["--window", "'90m'", "24h"],
            ("--rate", "1/s", "--rate", "2/s"): ["--rate", "2 times"],
            ("--json=maybe",): ["--json", "no value"],
            ("--delays", "1h,10m"): ["--delays", "longer"],
            ("--max-retries", "60"): ["--max-retries", "366 days"],
            ("--rate", "1000000/s"): ["--rate", "--for", "--events"],
            ("--retry-after", "1500ms"): ["--retry-after", "whole seconds", "2m"],
            ("--retry-after", "1m", "--status", "500"): ["--retry-after", "503"],
        }
        for words, expected in cases.items():
            message = self.refused(*words)
            for part in expected:
                self.assertIn(part, message)

    def test_unknown_options_get_the_nearest_name(self):
        self.assertIn("did you mean --down?", self.refused("--dwn", "6h"))
        self.assertIn("did you mean --endpoints?", self.refused("--endpoint=3"))
        self.assertIn("--help", self.refused("--xyzzyplugh"))
        self.assertIn("'6h'", self.refused("6h"))


class Documentation(unittest.TestCase):
    def setUp(self):
        self.page = DOCUMENT.read_text(encoding="utf-8")
        self.table = answer("--help-markdown")
        self.options = re.findall(r"(?m)^\| `(--[a-z-]+)", self.table)

    def test_help_mentions_every_option(self):
        text = answer("--help")
        self.assertGreater(len(self.options), 30)
        for option in self.options:
            self.assertRegex(text, rf"(?m)^  {option}\b")

    def test_the_table_of_options_is_current(self):
        self.assertIn(
            self.table, self.page, "paste the output of `postrider simulate --help-markdown`"
        )

    def check_examples(self, kind, count):
        pattern = rf"(?s)```{kind}\n\$ postrider simulate ([^\n]*)\n(.*?)```"
        blocks = re.findall(pattern, self.page)
        self.assertGreaterEqual(len(blocks), count)
        for command, shown in blocks:
            self.assertEqual(answer(*command.split()), shown, command)

    def test_the_examples_show_what_the_program_prints(self):
        self.check_examples("console", 4)
        if IS_LONG:
            self.check_examples("console long", 1)

    def test_every_field_of_the_json_output_is_described(self):
        result = simulated("--down", "10m", "--for", "2h", "--endpoints", "2", "--trace")
        for name, value in result.items():
            self.assertIn(f"| `{name}`", self.page)
            part = value[0] if isinstance(value, list) and value else value
            if isinstance(part, dict) and name != "settings":
                for field in part:
                    self.assertIn(f"`{field}`", self.page, f"{name}.{field}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
