"""`postrider listen` as somebody meets it who tries things out: webhooks in, lines out.

Usage: PROGRAM DOCUMENT.
"""

import base64
import hashlib
import hmac
import http.client
import json
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

PROGRAM, DOCUMENT = sys.argv[1], Path(sys.argv[2])
KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
PATIENCE = 20


def signed(body, key=KEY, when=None):
    """The headers of a webhook, by the rules of Standard Webhooks."""
    seconds = int(time.time()) if when is None else when
    mac = hmac.new(key, b"evt_1.%d." % seconds + body, hashlib.sha256).digest()
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(seconds),
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
        "postrider-attempt": "3",
        "postrider-event-type": "order.created",
    }


class Listener:
    """The program on a port of its own, until the test is over."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [PROGRAM, "listen", "--port", "0", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.first = self.process.stdout.readline()
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", self.first)[1])

    def send(self, body=b"", headers=None, method="POST", path="/hook"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body, headers or {})
        status = connection.getresponse().status
        connection.close()
        return status

    def json_line(self):
        return json.loads(self.process.stdout.readline())

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        rest, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, rest, errors

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()


class Listen(unittest.TestCase):
    def listener(self, *words):
        listener = Listener(*words)
        self.addCleanup(listener.kill)
        return listener

    def test_a_good_signature_is_verified(self):
        listener = self.listener("--secret", SECRET, "--json")
        body = b'{ "order": 42 }'
        self.assertEqual(listener.send(body, signed(body)), 200)
        shown = listener.json_line()
        self.assertIs(shown["verified"], True)
        self.assertIsNone(shown["refusal"])
        self.assertEqual(shown["body"], {"order": 42})
        self.assertEqual(
            (shown["id"], shown["type"], shown["attempt"]), ("evt_1", "order.created", "3")
        )
        self.assertEqual((shown["method"], shown["path"]), ("POST", "/hook"))

    def test_any_of_several_secrets_will_do(self):
        other = "whsec_" + base64.b64encode(bytes(32)).decode()
        listener = self.listener("--secret", other, "--secret", SECRET, "--json")
        listener.send(b"{}", signed(b"{}"))
        self.assertIs(listener.json_line()["verified"], True)

    def test_bad_signatures_are_shown_with_their_reason_and_answered_all_the_same(self):
        listener = self.listener("--secret", SECRET, "--json")
        for headers in (
            signed(b"other"),
            signed(b"{}", key=bytes(32)),
            signed(b"{}", when=int(time.time()) - 3600),
            {},
        ):
            self.assertEqual(listener.send(b"{}", headers), 200)
            shown = listener.json_line()
            self.assertIs(shown["verified"], False)
            self.assertTrue(shown["refusal"])

    def test_without_a_secret_nothing_is_said_of_the_signature(self):
        listener = self.listener("--json")
        listener.send(b"no json", {})
        shown = listener.json_line()
        self.assertIsNone(shown["verified"])
        self.assertEqual((shown["body"], shown["bytes"], shown["id"]), ("no json", 7, None))

    def test_without_a_secret_people_see_whether_there_is_a_signature_at_all(self):
        listener = self.listener()
        listener.send(b"{}", {})
        listener.send(b"{}", signed(b"{}"))
        text = listener.stop()[1]
        self.assertIn("not signed; answered 200\n", text)
        self.assertIn("signed, not checked: give the secret by --secret; answered 200\n", text)

    def test_it_answers_as_it_is_told(self):
        listener = self.listener("--status", "418", "--fail-first", "2", "--json")
        self.assertEqual([listener.send() for _ in range(3)], [503, 503, 418])
        self.assertEqual([listener.json_line()["status"] for _ in range(3)], [503, 503, 418])
        self.assertEqual(self.listener("--status", "204").send(), 204)

    def test_it_answers_late(self):
        listener = self.listener("--delay", "300ms", "--json")
        before = time.monotonic()
        self.assertEqual(listener.send(), 200)
        self.assertGreaterEqual(time.monotonic() - before, 0.29)

    def test_what_waits_for_its_answer_gets_it_when_the_program_is_stopped(self):
        listener = self.listener("--delay", "1h", "--json")
        connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("POST", "/", b"{}")
        listener.json_line()
        listener.process.send_signal(signal.SIGINT)
        self.assertEqual(connection.getresponse().status, 200)
        self.assertEqual(listener.process.wait(timeout=PATIENCE), 0)

    def test_people_see_a_webhook_in_words(self):
        listener = self.listener("--secret", SECRET)
        self.assertTrue(listener.first.startswith("Listening on http://127.0.0.1:"))
        body = b'{"order":{"id":42}}'
        listener.send(body, signed(body))
        code, text, errors = listener.stop()
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("#1 POST /hook  event evt_1  type order.created  attempt 3\n", text)
        self.assertIn("signature verified; answered 200\n", text)
        self.assertIn('      "order": {\n        "id": 42\n', text)

    def test_a_sender_cannot_move_the_cursor(self):
        listener = self.listener()
        listener.send(b"\x1b[2J\rgone", {"webhook-id": "x\x9b2J"})
        text = listener.stop()[1]
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertNotIn("\x9b", text)

    def test_wrong_arguments_are_refused(self):
        for words, expected in (
            (("--secret", "hush-hush"), "--secret: "),
            (("--status", "99"), "--status: '99' must be between 200 and 599."),
            (("--delay", "soon"), "--delay: 'soon' is not a time"),
            (("--prot", "1"), "did you mean --port?"),
        ):
            done = subprocess.run(
                [PROGRAM, "listen", *words], capture_output=True, text=True, check=False
            )
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(expected, done.stderr)
            self.assertNotIn("hush-hush", done.stderr)

    def test_every_option_is_in_the_documentation(self):
        help_text = subprocess.run(
            [PROGRAM, "listen", "--help"], capture_output=True, text=True, check=True
        ).stdout
        options = set(re.findall(r"^  (--[a-z-]+)", help_text, re.MULTILINE))
        page = DOCUMENT.read_text(encoding="utf-8")
        for option in options - {"--help"}:
            self.assertIn(f"`{option}", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
