"""`postrider publish` against a scripted server: what it asks for, and what it makes of answers.

Usage: PROGRAM DOCUMENT.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM, DOCUMENT = sys.argv[1], Path(sys.argv[2])
RECEIPT = {
    "id": "evt_0000000000000001",
    "deliveries": [{"id": "dlv_1", "subscription": "sub_1", "endpoint": "ep_1"}],
    "matched": 1,
}


class Script(http.server.BaseHTTPRequestHandler):
    """Writes down requests, and answers what the test wants."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), body))
        status, headers, answer = self.server.answer(body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


def json_answer(status, value, **headers):
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return lambda body: (status, names, json.dumps(value).encode() + b"\n")


def accept_every_line(body):
    lines = body.decode().splitlines()
    results = [{"line": at + 1, "status": 202, **RECEIPT} for at in range(len(lines))]
    return 202, {}, "".join(json.dumps(result) + "\n" for result in results).encode()


class Publish(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Script)
        self.server.requests = []
        self.server.answer = json_answer(202, RECEIPT)
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def run_program(self, *words, environment=None, typed=""):
        clean = {name: text for name, text in os.environ.items() if not name.startswith("POSTRI")}
        return subprocess.run(
            [PROGRAM, "publish", *map(str, words)],
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            cwd=self.work,
            env=clean | {"POSTRIDER_SERVER": self.url, "POSTRIDER_KEY": "prk_x"}
            | (environment or {}),
        )

    def answer(self, *words, **options):
        done = self.run_program(*words, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, *words, status=1, **options):
        done = self.run_program(*words, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def sent(self):
        return json.loads(self.server.requests[-1][2])

    def test_one_event_is_one_request(self):
        text = self.answer(
            *("--type", "UPDATE", "--object-code", "TASK", "--object-id", "42", "--id", "mine"),
            *("--data", '{"a": 1.50}'),
        )
        path, headers, body = self.server.requests[0]
        self.assertEqual(path, "/v1/events")
        self.assertEqual(headers["Authorization"], "Bearer prk_x")
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertIn(b'{"a": 1.50}', body)
        expected = {"type": "UPDATE", "object_code": "TASK", "object_id": "42", "id": "mine"}
        self.assertEqual(self.sent(), expected | {"payload": {"a": 1.5}})
        self.assertEqual(
            text,
            "Accepted evt_0000000000000001: 1 subscription, 1 delivery.\n"
            "  delivery dlv_1  subscription sub_1  endpoint ep_1\n",
        )

    def test_json_is_the_answer_as_it_came(self):
        self.assertEqual(json.loads(self.answer("--type", "X", "--json")), RECEIPT)
        self.assertEqual(self.sent(), {"type": "X", "payload": {}})

    def test_the_payload_may_be_a_file(self):
        (self.work / "payload.json").write_text('["x"]', encoding="utf-8")
        self.answer("--type", "X", "--file", "payload.json")
        self.assertEqual(self.sent()["payload"], ["x"])
        self.assertIn("give one", self.refused("--type", "X", "--file", "x", "--data", "1", status=2))
        self.assertIn("cannot be read", self.refused("--type", "X", "--file", "none", status=2))

    def test_a_repeat_is_called_one(self):
        self.server.answer = json_answer(202, RECEIPT, Idempotency_Replayed="true")
        self.assertTrue(self.answer("--type", "X").startswith("Already accepted evt_"))

    def test_nobody_wants_it(self):
        receipt = {"id": "evt_1", "deliveries": [], "matched": 0, "unmatched_reason": "none is there"}
        self.server.answer = json_answer(202, receipt)
        self.assertEqual(
            self.answer("--type", "X"),
            "Accepted evt_1: no subscription wants it: none is there.\n",
        )

    def test_a_refusal_says_what_the_server_said(self):
        error = {"code": "invalid", "message": "no such type", "field": "type", "hint": "add one"}
        self.server.answer = json_answer(400, {"error": error | {"request_id": "r1"}})
        self.assertEqual(
            self.refused("--type", "X"),
            "postrider publish: the server answered 400: no such type (field type); add one "
            "[request r1].\n",
        )
        done = self.run_program("--type", "X", "--json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "invalid")
        self.server.answer = lambda body: (502, {}, b"<html>")
        self.assertIn("the server answered 502.", self.refused("--type", "X"))

    def test_a_server_that_is_not_there(self):
        message = self.refused("--type", "X", "--server", "http://127.0.0.1:9")
        self.assertIn("http://127.0.0.1:9/ cannot be reached: ", message)

    def test_localhost_needs_no_resolver(self):
        url = self.url.replace("127.0.0.1", "localhost")
        self.answer("--type", "X", "--server", url)
        self.assertTrue(self.server.requests[0][1]["Host"].startswith("localhost:"))

    def test_the_key_is_found(self):
        self.answer("--type", "X", "--key", "prk_flag")
        (self.work / "postrider-data").mkdir()
        key = self.work / "postrider-data" / "admin.key"
        key.touch(mode=0o600)
        key.write_text("prk_file\n", encoding="utf-8")
        self.answer("--type", "X", environment={"POSTRIDER_KEY": ""})
        keys = [headers["Authorization"] for _, headers, _ in self.server.requests]
        self.assertEqual(keys, ["Bearer prk_flag", "Bearer prk_file"])
        key.unlink()
        message = self.refused("--type", "X", environment={"POSTRIDER_KEY": ""}, status=2)
        self.assertIn("give --key or POSTRIDER_KEY", message)

    def test_many_events_go_in_few_requests(self):
        self.server.answer = accept_every_line
        lines = "".join(json.dumps({"type": "X", "payload": at}) + "\n" for at in range(2500))
        self.assertEqual(self.answer(typed=lines), "2500 of 2500 events were accepted.\n")
        bodies = [body.decode() for _, _, body in self.server.requests]
        self.assertEqual("".join(bodies), lines)
        self.assertEqual(len(bodies), 3)
        self.assertEqual(self.server.requests[0][1]["Content-Type"], "application/x-ndjson")

    def test_a_line_that_is_refused_is_named_by_its_place_in_the_file(self):
        def refuse_last(body):
            status, headers, text = accept_every_line(body)
            results = text.decode().splitlines()
            error = {"code": "invalid", "message": "the event has no type", "field": "type"}
            results[-1] = json.dumps({"line": len(results), "status": 400, "error": error})
            return 207, headers, "\n".join(results).encode() + b"\n"

        self.server.answer = refuse_last
        file = self.work / "events.ndjson"
        file.write_text("{}\n" * 1500, encoding="utf-8")
        done = self.run_program("--file", file)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stdout,
            "line 1000: refused with 400: the event has no type (field type)\n"
            "line 1500: refused with 400: the event has no type (field type)\n"
            "1498 of 1500 events were accepted.\n",
        )
        done = self.run_program("--file", file, "--json")
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([result["line"] for result in results], list(range(1, 1501)))
        self.assertEqual(results[1499]["message"], "the event has no type")

    def test_nothing_more_is_sent_to_a_server_that_has_no_room(self):
        error = {"code": "unavailable", "message": "no room"}
        line = json.dumps({"line": 1, "status": 503, "error": error}) + "\n"
        self.server.answer = lambda body: (207, {}, (line * 1000).encode())
        done = self.run_program(typed="{}\n" * 3000)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(self.server.requests), 1)
        self.assertIn("0 of 1000 events were accepted.", done.stdout)

    def test_wrong_arguments_are_refused(self):
        self.assertIn("--data: ", self.refused("--type", "X", "--data", "{", status=2))
        self.assertIn("needs --type", self.refused("--id", "x", status=2))
        self.assertIn("did you mean --type?", self.refused("--tpye", "x", status=2))
        self.assertIn("--server: ", self.refused("--type", "X", "--server", "here", status=2))
        self.assertIn("Usage: postrider publish", self.answer("--help"))

    def test_every_option_is_in_the_documentation(self):
        help_text = subprocess.run(
            [PROGRAM, "publish", "--help"], capture_output=True, text=True, check=True
        ).stdout
        options = set(re.findall(r"^  (--[a-z-]+)", help_text, re.MULTILINE))
        page = DOCUMENT.read_text(encoding="utf-8")
        for option in options - {"--help"}:
            self.assertIn(f"`{option}", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
