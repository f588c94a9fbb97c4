"""A running `postrider serve`, and a receiver for its webhooks: all that a test of the server needs.

Both are used through sockets alone. Nothing here sleeps: whoever waits, waits for a condition, with a deadline.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from verification import Keyring, check_deliveries

PATIENCE = 30.0
# A receiver that gets more than this cannot vouch for all of it, and says so.
KEPT_WEBHOOKS_MAX = 100_000
LISTENS = re.compile(r"listens on http://127\.0\.0\.1:(\d+)")


# What the receivers of this process know of all subscriptions that its servers have.
KEYRING = Keyring()


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def error(self):
        return self.json["error"]


class Server:
    """`postrider serve --dev` on a data directory of its own; settings as {"retry.unit": "1s"}.

    `options` are Popen's: as whom it runs, and where.
    """

    def __init__(self, program, directory, settings=None, options=None):
        self.program = program
        self.data = Path(directory) / "data"
        self.settings = settings or {}
        self.options = options or {}
        self.process = None
        self.port = 0
        self.output = ""

    def command(self):
        command = [self.program, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", str(self.data)]
        for name, value in self.settings.items():
            command += [f"--{name}", str(value)]
        return command

    def start(self):
        self._log = tempfile.NamedTemporaryFile("w")
        self.process = subprocess.Popen(
            self.command(), stdout=subprocess.PIPE, stderr=self._log, text=True, encoding="utf-8", **self.options
        )
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if found := LISTENS.search(line):
                self.port = int(found.group(1))
                break
        self.output = "".join(lines)
        if not self.port:
            self.process.wait(PATIENCE)
            raise RuntimeError(f"the server did not start: {self.output}{self.log()}")
        # Nobody must wait for a full pipe.
        threading.Thread(target=self._drain_output, args=(self.process.stdout,), daemon=True).start()
        return self

    def _drain_output(self, stream):
        for line in stream:
            self.output += line
        stream.close()

    def log(self):
        """Its whole lines so far. Read by a descriptor of our own: to seek in the server's, which it
        shares with self._log, is to move where it writes."""
        text = Path(self._log.name).read_text(encoding="utf-8")
        return text[: text.rfind("\n") + 1]

    @property
    def key(self):
        return (self.data / "admin.key").read_text().strip()

    def stop(self):
        """SIGTERM: drains. Returns the exit code."""
        return self._end(signal.SIGTERM)

    def kill(self):
        return self._end(signal.SIGKILL)

    def _end(self, how):
        if self.process is None:
            return None
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self.process, self.port = None, 0
        self._log.close()
        return code

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def call(self, method, path, body=None, headers=None, key=True):
        """One request on a connection of its own; `body` may be bytes, or anything for JSON."""
        connection = self.connect()
        send = dict(headers or {})
        if key:
            send.setdefault("Authorization", f"Bearer {self.key if key is True else key}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            send.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body, send)
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        if path.startswith("/v1/subscriptions") and answer.status in (200, 201):
            KEYRING.learn(answer.json)
        return answer

    def subscribe(self, url, **fields):
        answer = self.call("POST", "/v1/subscriptions", {"url": url, **fields})
        if answer.status != 201:
            raise RuntimeError(f"{answer.status}: {answer.body.decode()}")
        return answer.json

    def publish(self, payload, type_="order.created", **fields):
        answer = self.call("POST", "/v1/events", {"type": type_, "payload": payload, **fields})
        if answer.status != 202:
            raise RuntimeError(f"{answer.status}: {answer.body.decode()}")
        return answer.json

    def publish_lines(self, events):
        body = "".join(json.dumps(event) + "\n" for event in events).encode()
        return self.call("POST", "/v1/events", body, {"Content-Type": "application/x-ndjson"})

    def endpoint(self, endpoint):
        return self.call("GET", f"/v1/endpoints/{endpoint}").json

    def delivery(self, delivery):
        return self.call("GET", f"/v1/deliveries/{delivery}").json

    def wait_for_endpoint(self, endpoint, state):
        return self.wait(lambda: self._in_state(endpoint, state), f"endpoint {state}")

    def _in_state(self, endpoint, state):
        seen = self.endpoint(endpoint)
        return seen if seen["state"] == state else None

    def wait(self, condition, what):
        """Asks the server again and again, a bounded number of times."""
        pause = threading.Event()
        for _ in range(int(PATIENCE / 0.02)):
            if found := condition():
                return found
            pause.wait(0.02)
        raise AssertionError(f"not within {PATIENCE} s: {what}\n{self.log()}")


class Webhook:
    def __init__(self, url, path, headers, body):
        self.url = url
        self.path = path
        self.headers = headers
        self.body = body
        self.received_at = time.time_ns() // 1_000_000

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def id(self):
        return self.headers["webhook-id"]

    def is_signed_with(self, secret):
        """Standard Webhooks v1, computed here anew."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        mine = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        theirs = self.headers["webhook-signature"].split(" ")
        return any(hmac.compare_digest(f"v1,{mine}", one) for one in theirs)


class Receiver:
    """Takes webhooks on a port of its own; `respond(webhook)` gives a status, or (status, headers).

    With an SSLContext as `tls` it speaks HTTPS. Closing it fails if verifiers by others would have refused one of them.
    """

    def __init__(self, respond=lambda webhook: 200, tls=None):
        self.respond = respond
        self.scheme = "https" if tls else "http"
        self.webhooks = []
        self._changed = threading.Condition()
        rig = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                rig._take(self)

            def log_message(self, *words):
                pass

        class Listener(ThreadingHTTPServer):
            request_queue_size = 1024
            daemon_threads = True

            def handle_error(self, request, client_address):
                """A server that is killed resets its connections: nothing to talk about."""
                if not isinstance(sys.exception(), ConnectionError):
                    super().handle_error(request, client_address)

        self._listener = Listener(("127.0.0.1", 0), Handler)
        self.port = self._listener.server_address[1]
        if tls:
            self._listener.socket = tls.wrap_socket(self._listener.socket, server_side=True)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.01,))
        self._thread.start()

    def url(self, path="/"):
        return f"{self.scheme}://127.0.0.1:{self.port}{path}"

    def _take(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        webhook = Webhook(self.url(handler.path), handler.path, handler.headers, body)
        answer = self.respond(webhook)
        status, headers = answer if isinstance(answer, tuple) else (answer, {})
        with self._changed:
            self.webhooks.append(webhook)
            self._changed.notify_all()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def wait(self, count=1):
        return self.wait_until(lambda hooks: len(hooks) >= count, f"{count} webhooks")

    def wait_until(self, condition, what):
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self.webhooks), PATIENCE):
                raise AssertionError(f"not within {PATIENCE} s: {what}; got {len(self.webhooks)}")
            return list(self.webhooks)

    def close(self):
        """Returns how many verdicts each of the verifiers gave."""
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()
        with self._changed:
            if len(self.webhooks) > KEPT_WEBHOOKS_MAX:
                raise AssertionError(f"{len(self.webhooks)} webhooks are more than a receiver keeps")
            return check_deliveries(self.webhooks, KEYRING)


def is_private(path):
    return os.stat(path).st_mode & 0o077 == 0
