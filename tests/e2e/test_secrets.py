"""Nothing that leaves the server holds a secret: log, metrics, answers, files, core dumps.

Usage: PROGRAM OPENAPI_JSON, as root
"""

import base64
import json
import os
import re
import resource
import secrets
import signal
import ssl
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from memory_image import find_in_memory
from server_rig import PATIENCE, Receiver, Server

PROGRAM, DOCUMENT = sys.argv[1:3]
NOBODY = 65534


def openssl(*words):
    return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True).stdout


class Identity:
    """A certificate for 127.0.0.1 that vouches for itself, and its key."""

    def __init__(self, folder, name):
        self.certificate, self.key = folder / f"{name}.pem", folder / f"{name}.key"
        openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 2,
            "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", self.key, "-out", self.certificate,
        )  # fmt: skip

    def private_number(self):
        shown = openssl("pkey", "-in", self.key, "-noout", "-text").decode()
        digits = re.search(r"priv:([0-9a-f:\s]+)pub:", shown)[1]
        return int(re.sub(r"[:\s]", "", digits), 16).to_bytes(32, "big")


def forms_of(secret):
    """How the bytes of a secret could be written: as they are, in hexadecimal, in base64; and back to front."""
    return {
        "raw": secret,
        "hex": secret.hex().encode(),
        "HEX": secret.hex().upper().encode(),
        "base64": base64.b64encode(secret).rstrip(b"="),
        "reversed": secret[::-1],
    }


class Secrets:
    """All that must not be seen, by names for messages."""

    def __init__(self, folder):
        self.client = Identity(folder, "client")
        self.signing = secrets.token_bytes(32)
        self.token = f"token-{secrets.token_hex(16)}"
        self.header = f"header-{secrets.token_hex(16)}"
        self._named = {
            "signing secret": self.signing,
            "bearer token": self.token.encode(),
            "header": self.header.encode(),
            "client key": self.client.private_number(),
            "client key as PEM": self.client.key.read_text().splitlines()[1].encode(),
        }

    def learn_keys_of(self, server):
        last_line = (server.data / "master.key").read_text().strip().splitlines()[-1]
        self._named["master key"] = base64.b64decode(last_line.partition(":")[2])
        self._named["admin key"] = server.key.encode()

    def subscription(self):
        return {
            "signing": {"scheme": "v1", "secret": f"whsec_{base64.b64encode(self.signing).decode()}"},
            "bearer_token": self.token,
            "headers": {"X-Shared": self.header},
            "client_certificate": {
                "certificate": self.client.certificate.read_text(),
                "key": self.client.key.read_text(),
            },
        }

    def needles(self, *names):
        return {
            f"{name} ({form})": needle
            for name, secret in self._named.items()
            if not names or name in names
            for form, needle in forms_of(secret).items()
        }

    def find_in(self, content):
        return {name for name, needle in self.needles().items() if needle in content}


class WithSecrets(unittest.TestCase):
    """A server that runs as an ordinary user and has delivered to a receiver that wants a client certificate."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.secrets = Secrets(self.folder)
        identity = Identity(self.folder, "receiver")
        self.receiver = Receiver(tls=self.demand_certificate(identity))
        self.addCleanup(self.receiver.close)
        self.start_server({"delivery.ca_file": identity.certificate, "log.level": "debug"})
        self.subscription = self.server.subscribe(self.receiver.url(), **self.secrets.subscription())
        self.listen()
        self.event = self.server.publish({"order": 42})
        (webhook,) = self.receiver.wait(1)
        self.assertEqual(webhook.headers["Authorization"], f"Bearer {self.secrets.token}")
        self.assertEqual(webhook.headers["X-Shared"], self.secrets.header)
        delivery = self.event["deliveries"][0]["id"]
        self.server.wait(lambda: self.server.delivery(delivery)["state"] == "delivered", "delivered")

    def demand_certificate(self, identity):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(identity.certificate, identity.key)
        context.load_verify_locations(self.secrets.client.certificate)
        context.verify_mode = ssl.CERT_REQUIRED
        return context

    def start_server(self, settings):
        home = self.folder / "home"
        home.mkdir()
        self.folder.chmod(0o755)
        os.chown(home, NOBODY, NOBODY)
        # What is started from here may leave core files of any size.
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        options = {"cwd": home, "user": NOBODY, "group": NOBODY}
        self.server = Server(PROGRAM, home, settings, options)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.secrets.learn_keys_of(self.server)

    def listen(self):
        """The live tail, from now on."""
        connection = self.server.connect()
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/stream", headers={"Authorization": f"Bearer {self.server.key}"})
        self.stream = connection.getresponse()
        self.assertEqual(self.stream.status, 200)

    def assert_clean(self, content, where):
        self.assertTrue(content, f"there is nothing in {where}")
        self.assertEqual(self.secrets.find_in(content), set(), where)


class Outside(WithSecrets):
    def test_no_answer_to_a_get_holds_a_secret(self):
        for path in self.paths():
            answer = self.server.call("GET", path)
            self.assertEqual(answer.status, 200, f"{path}: {answer.body}")
            self.assert_clean(str(answer.headers).encode() + answer.body, path)

    def paths(self):
        """Every GET of the description, with the ids of what there is; the live tail has a test of its own."""
        delivery = self.event["deliveries"][0]
        ids = {
            "/v1/events/{id}": self.event["id"],
            "/v1/deliveries/{id}": delivery["id"],
            "/v1/endpoints/{id}": delivery["endpoint"],
            "/v1/subscriptions/{id}": self.subscription["id"],
            "/v1/tenants/{id}": self.server.call("GET", "/v1/tenants").json["items"][0]["id"],
        }
        described = json.loads(Path(DOCUMENT).read_text())["paths"]
        return [
            path.replace("{id}", ids.get(path, "{id}"))
            for path, methods in described.items()
            if "get" in methods and path != "/v1/stream"
        ]

    def test_the_live_tail_holds_no_secret(self):
        lines = []
        while "event: delivery_ended" not in (line := self.stream.readline().decode()):
            self.assertTrue(line, "the stream ended too early")
            lines.append(line)
        lines.append(self.stream.readline().decode())
        self.assert_clean("".join(lines).encode(), "/v1/stream")

    def end(self):
        """Like Server.stop(), and the log can still be read."""
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(PATIENCE), 0)

    def test_the_log_holds_no_secret(self):
        refused = self.server.call("POST", "/v1/subscriptions", {"url": 1, **self.secrets.subscription()})
        self.assertEqual(refused.status, 400)
        self.assert_clean(refused.body, "a refusal")
        self.end()
        self.assert_clean(self.server.log().encode(), "the log")

    def test_the_output_holds_no_secret_but_for_the_admin_key_at_the_first_start(self):
        self.assertEqual(self.secrets.find_in(self.server.output.encode()), {"admin key (raw)"})
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        self.end()
        self.assert_clean(self.server.output.encode(), "the output")
        self.assert_clean(self.server.log().encode(), "the log")

    def test_a_secret_that_is_there_is_found(self):
        shown_once = json.dumps(self.subscription).encode()
        self.assertEqual(self.secrets.find_in(shown_once), {"signing secret (base64)"})
        key_file = (self.server.data / "master.key").read_bytes()
        self.assertEqual(self.secrets.find_in(key_file), {"master key (base64)"})

    def test_of_all_files_only_those_of_the_keys_hold_a_secret(self):
        self.assertEqual(self.server.stop(), 0)
        for path in (self.folder / "home").rglob("*"):
            if path.is_file() and path.stat().st_size > 0 and path.name not in ("master.key", "admin.key"):
                self.assert_clean(path.read_bytes(), path)


class Memory(WithSecrets):
    def abort(self, process):
        """Whether that left a core file."""
        process.send_signal(signal.SIGABRT)
        _, status = os.waitpid(process.pid, 0)
        process.returncode = -os.WTERMSIG(status)
        self.assertEqual(process.returncode, -signal.SIGABRT)
        return os.WCOREDUMP(status)

    def start_any_program(self):
        """As the server is started, and it waits until it is ended."""
        process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, **self.server.options)
        self.addCleanup(process.stdin.close)
        return process

    def test_an_aborted_server_leaves_no_core_file_where_other_programs_do(self):
        self.assertTrue(self.abort(self.start_any_program()), "this machine keeps no core files at all")
        before = set((self.folder / "home").iterdir())
        self.assertFalse(self.abort(self.server.process))
        self.assertEqual(set((self.folder / "home").iterdir()), before)

    def test_the_memory_is_not_for_other_processes_of_its_user(self):
        """The kernel gives what belongs to a process that may not be dumped to root, see proc(5)."""
        other = self.start_any_program()
        self.addCleanup(other.wait, PATIENCE)
        self.addCleanup(other.kill)
        user = os.stat(self.folder / "home").st_uid
        self.assertEqual(os.stat(f"/proc/{other.pid}/mem").st_uid, user)
        self.assertNotEqual(os.stat(f"/proc/{self.server.process.pid}/mem").st_uid, user)

    def test_even_an_image_that_root_makes_leaves_out_the_master_key(self):
        keys = self.secrets.needles("master key")
        process = self.server.process.pid
        self.assertEqual(find_in_memory(process, keys, is_dumped=False), {"master key (raw)"})
        self.assertEqual(find_in_memory(process, keys, is_dumped=True), set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
