"""The server as an operator lives with it: reloading, logs, metrics, and the commands beside it.

Usage: PROGRAM.
"""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from server_rig import PATIENCE, Receiver, Server

PROGRAM = sys.argv[1]
SAMPLE = re.compile(r'^(postrider_[a-z_]+)(\{[a-z]+="[^"\\]*"\})? ([0-9.e+-]+|NaN|[+-]Inf)$')


class WithServer(unittest.TestCase):
    settings = {"log.format": "json"}

    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory, self.settings)
        self.addCleanup(self.server.kill)
        self.server.start()

    def log_lines(self):
        return [json.loads(line) for line in self.server.log().splitlines()]

    def wait_for_line(self, message, **fields):
        wanted = {"message": message, **fields}
        return self.server.wait(
            lambda: next((line for line in self.log_lines() if wanted.items() <= line.items()), None),
            wanted,
        )


class Reloading(WithServer):
    def reload(self, text):
        (self.server.data / "postrider.toml").write_text(text, encoding="utf-8")
        self.server.process.send_signal(signal.SIGHUP)

    def test_what_can_change_changes_and_the_rest_is_named(self):
        self.reload('drain_limit = "7s"\nretry.jitter = 5\n')
        self.wait_for_line("a setting has changed", name="drain_limit")
        self.wait_for_line("a setting has changed and needs a restart", name="retry.jitter")
        self.server.process.send_signal(signal.SIGTERM)
        self.wait_for_line("the server is stopping", limit_ms=7000)

    def test_the_log_can_be_silenced(self):
        self.reload('log.level = "error"\n')
        # The change itself is below the new level: the next line that is not is a problem.
        self.reload('log.level = "error"\nretry.untt = 1\n')
        self.wait_for_line("the configuration is not taken over")
        self.assertFalse([line for line in self.log_lines() if line["message"].startswith("a set")])

    def test_a_broken_file_changes_nothing_and_every_problem_is_logged(self):
        self.reload('drain_limit = "7s"\nretry.untt = 1\nlog.level = "loud"\n')
        self.server.wait(
            lambda: sum("not taken over" in line["message"] for line in self.log_lines()) == 2,
            "two problems",
        )
        self.assertEqual(self.server.call("GET", "/healthz", key=False).status, 200)
        self.server.process.send_signal(signal.SIGTERM)
        self.wait_for_line("the server is stopping", limit_ms=30000)


def unended_and_ended(samples):
    return sum(value for name, value in samples.items() if name.startswith("postrider_deliveries{"))


class Watching(WithServer):
    def samples(self):
        answer = self.server.call("GET", "/metrics")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        samples = {}
        for line in answer.body.decode().splitlines():
            if not line.startswith("# "):
                found = SAMPLE.match(line) or re.match(r'^(\w+)(\{le="[^"]+"\}) (\d+)$', line)
                self.assertIsNotNone(found, line)
                samples[found[1] + (found[2] or "")] = float(found[3])
        return samples

    def test_deliveries_are_conserved_in_the_metrics(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        self.server.subscribe(receiver.url())
        for number in range(20):
            self.server.publish({"number": number})
        receiver.wait(20)
        delivered = 'postrider_deliveries{state="delivered"}'
        samples = self.server.wait(
            lambda: (seen := self.samples())[delivered] == 20 and seen, "20 delivered"
        )
        self.assertEqual(samples["postrider_deliveries_created_total"], unended_and_ended(samples))
        self.assertEqual(samples["postrider_stored_events"], 20)
        self.assertGreater(samples["postrider_resident_memory_bytes"], 1 << 20)

    def test_both_sides_of_the_account_agree_whenever_somebody_looks(self):
        held_back = threading.Semaphore(0)
        receiver = Receiver(lambda webhook: held_back.acquire(timeout=PATIENCE) and 200)
        self.addCleanup(receiver.close)
        self.server.subscribe(receiver.url())
        batches, lines = 40, 50

        def publish():
            for first in range(0, batches * lines, lines):
                events = [{"type": "a", "payload": first + i} for i in range(lines)]
                if self.server.publish_lines(events).status != 202:
                    return
                held_back.release(lines)

        producer = threading.Thread(target=publish)
        producer.start()
        unended = set()
        while True:
            samples = self.samples()
            account = self.server.call("GET", "/v1/conservation").json
            self.assertEqual(samples["postrider_deliveries_created_total"], unended_and_ended(samples))
            self.assertTrue(account["conserved"], account)
            unended.add(account["waiting"] + account["in_flight"])
            if account["delivered"] == batches * lines:
                break
        producer.join()
        self.assertGreater(len(unended), 2, "nothing was ever on its way")

    def test_every_line_of_the_log_is_json_without_secrets(self):
        self.server.publish({"card": "4111-1111"}, type_="order.created")
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(PATIENCE), 0)
        lines = self.log_lines()
        self.assertTrue(lines)
        for line in lines:
            self.assertLessEqual({"time", "level", "message"}, set(line))
        self.assertNotIn("4111-1111", self.server.log())
        self.assertNotIn(self.server.key, self.server.log())


class FewDescriptors(unittest.TestCase):
    CONNECTIONS = 300

    def start(self, now, most):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        limit = (now, most)
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit)}
        server = Server(PROGRAM, directory, {"log.format": "json"}, options)
        self.addCleanup(server.kill)
        return server.start()

    def test_more_connections_are_kept_than_a_login_is_given_at_first(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        server = self.start(128, most)
        connections = [server.connect() for _ in range(self.CONNECTIONS)]
        for round_ in range(2):
            for connection in connections:
                connection.auto_open = round_ == 0
                connection.request("GET", "/healthz")
                self.assertEqual(json.loads(connection.getresponse().read()), {"status": "ok"})
                self.addCleanup(connection.close)

    def test_where_the_system_allows_no_more_the_log_says_how_many_are_needed(self):
        server = self.start(900, 900)
        (line,) = (line for line in map(json.loads, server.log().splitlines()) if line["level"] == "warn")
        self.assertEqual(line["allowed"], 900)
        self.assertGreater(line["needed"], 20_000)
        self.assertIn("LimitNOFILE", line["hint"])


class FirstWebhook(WithServer):
    def run_program(self, *words):
        environment = os.environ | {
            "POSTRIDER_DATA": str(self.server.data),
            "POSTRIDER_SERVER": f"http://127.0.0.1:{self.server.port}",
        }
        return subprocess.run(
            [PROGRAM, *words],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=PATIENCE,
        )

    def listen(self, *words):
        process = subprocess.Popen(
            [PROGRAM, "listen", "--json", *words], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, PATIENCE)
        self.addCleanup(process.kill)
        return process, json.loads(process.stdout.readline())["listening"]

    def test_publish_serve_and_listen_work_together(self):
        secret = "whsec_" + "QUJD" * 10
        process, url = self.listen("--port", "0", "--secret", secret, "--fail-first", "0")
        made = self.server.subscribe(url, type="order.*", signing={"scheme": "v1", "secret": secret})
        done = self.run_program("publish", "--type", "order.created", "--data", '{"order": 42}')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^Accepted evt_[0-9a-f]{16}: 1 subscription, 1 delivery\.")
        self.assertIn(made["id"], done.stdout)
        shown = json.loads(process.stdout.readline())
        self.assertEqual(shown["body"], {"order": 42})
        self.assertEqual((shown["type"], shown["attempt"]), ("order.created", "1"))
        self.assertIs(shown["verified"], True)
        self.assertIn(shown["id"], done.stdout)

    def paste(self, command, directory):
        """Into a shell that knows no `postrider`."""
        process = subprocess.Popen(
            ["bash", "-c", command.removesuffix("&")],
            cwd=directory,
            env={"PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.addCleanup(process.stdout.close)
        return process

    def test_what_the_server_says_at_its_start_works_as_it_is_pasted(self):
        self.server.wait(lambda: " publish --server" in self.server.output, "the welcome")
        hint = self.server.output.split("in another terminal:", 1)[1].replace("\\\n", "")
        with socket.create_server(("127.0.0.1", 0)) as free:
            hint = hint.replace("9000", str(free.getsockname()[1]))
        listen, subscribe, publish = (line.strip() for line in hint.splitlines() if line.startswith("    "))
        elsewhere = self.enterContext(tempfile.TemporaryDirectory())
        listener = self.paste(listen, elsewhere)
        self.addCleanup(listener.wait, PATIENCE)
        self.addCleanup(os.killpg, listener.pid, signal.SIGKILL)
        self.assertIn("Listening", listener.stdout.readline())
        for command, answer in ((subscribe, '"id":"sub_'), (publish, "Accepted")):
            self.assertIn(answer, self.paste(command, elsewhere).communicate(timeout=PATIENCE)[0])
        self.assertIn("order.created", listener.stdout.readline())

    def test_an_event_that_nobody_wants_is_accepted_and_said_to_be_unwanted(self):
        done = self.run_program("publish", "--type", "order.created")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no subscription wants it", done.stdout)

    def test_lines_from_the_standard_input(self):
        file = self.server.data / "events.ndjson"
        good = json.dumps({"type": "order.created", "payload": {}})
        file.write_text(f"{good}\n{{}}\n{good}\n", encoding="utf-8")
        done = self.run_program("publish", "--file", str(file))
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 2: refused with 400: ", done.stdout)
        self.assertIn("2 of 3 events were accepted.", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
