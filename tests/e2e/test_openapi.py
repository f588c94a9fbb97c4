"""The API of `postrider serve` against its own description, by Schemathesis with all checks.

Usage: PROGRAM OPENAPI_JSON ENVIRONMENT [--long]
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from server_rig import KEYRING, Receiver, Server

PROGRAM, DOCUMENT, ENVIRONMENT = sys.argv[1:4]
IS_LONG = "--long" in sys.argv[4:]
FOLDER = Path(__file__).resolve().parent / "schemathesis"
# Every day the same cases; now and then many others.
EXAMPLES = ["--max-examples", "300"] if IS_LONG else ["--max-examples", "25", "--seed", "1"]
RUN_PATIENCE = 3000 if IS_LONG else 800


class Bustle:
    """Sees to it that something happens while somebody listens to /v1/stream, so that there is something to hear."""

    PAUSE = 0.05

    def __init__(self, server, url):
        self._server = server
        self._url = url
        self._endpoint = self._subscribe()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.events = 0
        self.failure = None
        self._thread.start()

    def stop(self):
        self._is_over.set()
        self._thread.join()

    def _subscribe(self):
        return self._server.subscribe(self._url, type="bustle")["endpoint"]

    def _run(self):
        try:
            while not self._is_over.wait(self.PAUSE):
                if self._has_listeners():
                    self._turn()
        except Exception as failure:  # told by the test: a thread has nobody to tell
            self.failure = failure

    def _has_listeners(self):
        metrics = self._server.call("GET", "/metrics", key=None).body.decode()
        return int(re.search(r"^postrider_streams (\d+)$", metrics, re.MULTILINE)[1]) > 0

    def _turn(self):
        """An event that is delivered, and an endpoint that is paused for a moment."""
        is_wanted = self._server.publish({}, "bustle")["matched"] > 0
        self.events += 1
        if not is_wanted:  # Schemathesis has deleted the subscription
            self._subscribe()
        for change in ("pause", "resume"):
            self._server.call("POST", f"/v1/endpoints/{self._endpoint}/{change}")


class WithServer(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        # Wrong keys are tried on every route: nobody is to be shut out for it.
        self.server = Server(PROGRAM, self.directory, {"keys.failed_tries_max": 1_000_000})
        self.addCleanup(self.server.kill)
        self.server.start()


class Documents(WithServer):
    def test_the_description_is_served_as_it_is_in_the_repository(self):
        answer = self.server.call("GET", "/openapi.json", key=None)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.body, Path(DOCUMENT).read_bytes())

    def test_the_page_for_people_needs_no_key_and_no_script(self):
        answer = self.server.call("GET", "/docs", key=None)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.assertNotIn(b"<script", answer.body)
        for path in json.loads(Path(DOCUMENT).read_text())["paths"]:
            self.assertIn(path, answer.body.decode())


class Schemathesis(WithServer):
    def setUp(self):
        super().setUp()
        self.subscriptions = self.directory / "subscriptions.jsonl"
        self.subscriptions.touch()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.addCleanup(self.learn_keys)  # before the receiver verifies

    def learn_keys(self):
        for line in self.subscriptions.read_bytes().splitlines():
            KEYRING.learn(json.loads(line))

    def make_certificate(self):
        """A certificate and its key, as PEM."""
        key, certificate = self.directory / "key.pem", self.directory / "certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-subj", "/CN=client", "-days", "2", "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(command, check=True, capture_output=True)
        return certificate.read_text(), key.read_text()

    def environment(self):
        certificate, key = self.make_certificate()
        return {
            **os.environ,
            "SCHEMATHESIS_HOOKS": "hooks",
            "PYTHONPATH": str(FOLDER),
            "PYTHONDONTWRITEBYTECODE": "1",
            "POSTRIDER_RECEIVER": self.receiver.url().rstrip("/"),
            "POSTRIDER_TENANT": self.server.call("GET", "/v1/tenants").json["items"][0]["id"],
            "POSTRIDER_OWN_KEY": "key_" + self.server.key.split("_")[1],
            "POSTRIDER_SUBSCRIPTIONS_FILE": str(self.subscriptions),
            "POSTRIDER_CERTIFICATE": certificate,
            "POSTRIDER_CERTIFICATE_KEY": key,
        }

    def run_schemathesis(self):
        command = [f"{ENVIRONMENT}/bin/schemathesis", "--config-file", str(FOLDER / "schemathesis.toml"), "run"]
        command += [f"http://127.0.0.1:{self.server.port}/openapi.json", "--checks", "all", *EXAMPLES]
        command += ["--header", f"Authorization: Bearer {self.server.key}"]
        return subprocess.run(
            command, cwd=self.directory, env=self.environment(), capture_output=True, text=True, timeout=RUN_PATIENCE
        )

    def test_with_all_checks_it_finds_no_failure(self):
        bustle = Bustle(self.server, self.receiver.url("/bustle"))
        self.addCleanup(bustle.stop)
        run = self.run_schemathesis()
        bustle.stop()
        self.assertEqual(run.returncode, 0, f"{run.stdout[-20000:]}\n{run.stderr[-5000:]}")
        self.assertIsNone(bustle.failure)
        self.assertGreater(bustle.events, 0)
        self.check_that_it_reached_something(bustle)
        self.assertEqual(self.server.stop(), 0)

    def check_that_it_reached_something(self, bustle):
        """The key still opens, and requests that were meant to be right had an effect."""
        totals = self.server.call("GET", "/v1/conservation")
        self.assertEqual(totals.status, 200)
        self.assertGreater(totals.json["events"], bustle.events + 10)
        self.assertGreater(totals.json["delivered"], 0)
        self.assertTrue(self.server.call("GET", "/v1/subscriptions").json["items"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
