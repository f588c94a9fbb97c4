"""Who a server in a drill works for: producers that never pause, and a receiver that takes its time."""

import asyncio
import http.client
import json
import re
import threading

from server_ledger import event_bytes

PATIENCE_SECONDS = 30.0
LINES_PER_REQUEST = 10
# Long enough that attempts pile up, short enough that many end between two kills.
ANSWER_SECONDS = (0.01, 0.06)
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def wait_until(condition, what, seconds=PATIENCE_SECONDS, pause=0.002):
    """Looks again and again, a bounded number of times."""
    nothing = threading.Event()
    for _ in range(int(seconds / pause)):
        if condition():
            return
        nothing.wait(pause)
    raise AssertionError(f"not within {seconds} s: {what}")


class Producers:
    """Threads that publish until the server is gone; half of them several lines at a time."""

    def __init__(self, server, ledger, count):
        self._threads = [
            threading.Thread(target=self._publish, args=(server.port, server.key, ledger, number % 2))
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def join(self):
        for thread in self._threads:
            thread.join()

    @staticmethod
    def _publish(port, key, ledger, has_lines):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        post = post_lines if has_lines else post_single
        try:
            while True:
                post(connection, key, ledger)
        except (OSError, http.client.HTTPException):
            pass  # The server was killed.
        finally:
            connection.close()


def post(connection, key, content_type, body):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
    connection.request("POST", "/v1/events", body, headers)
    response = connection.getresponse()
    return response.status, response.read()


def post_single(connection, key, ledger):
    (number,) = ledger.take(1)
    status, _ = post(connection, key, "application/json", event_bytes(number))
    ledger.answered(number, status)


def post_lines(connection, key, ledger):
    numbers = ledger.take(LINES_PER_REQUEST)
    body = b"".join(event_bytes(number) + b"\n" for number in numbers)
    status, answer = post(connection, key, "application/x-ndjson", body)
    if status not in (202, 207):
        for number in numbers:
            ledger.answered(number, status)
        return
    for number, line in zip(numbers, answer.splitlines(), strict=True):
        ledger.answered(number, json.loads(line)["status"])


class SlowReceiver:
    """Tells `hear` the number of every event that comes, and answers 200 some time later."""

    def __init__(self, hear, chance):
        self.hear = hear
        self.chance = chance
        self.unanswered = 0
        self.connections = 0
        self.loop = asyncio.new_event_loop()
        self._listener = self.loop.run_until_complete(
            self.loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=1024)
        )
        self.port = self._listener.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def wait_until_left_alone(self):
        """Everything that a dead server had sent has been heard."""
        wait_until(lambda: self.connections == 0, "the dead server's connections are closed")

    def close(self):
        self.loop.call_soon_threadsafe(self._listener.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class _Connection(asyncio.Protocol):
    def __init__(self, receiver):
        self.receiver = receiver
        self.buffer = b""
        self.unanswered = 0

    def connection_made(self, transport):
        self.transport = transport
        self.receiver.connections += 1

    def connection_lost(self, _):
        self.receiver.connections -= 1
        self.receiver.unanswered -= self.unanswered
        self.unanswered = 0

    def data_received(self, data):
        self.buffer += data
        while (body := self._take_request()) is not None:
            self.unanswered += 1
            self.receiver.unanswered += 1
            self.receiver.hear(json.loads(body)["number"])
            delay = self.receiver.chance.uniform(*ANSWER_SECONDS)
            self.receiver.loop.call_later(delay, self._answer)

    def _take_request(self):
        """The body of the next whole request, if there is one."""
        end = self.buffer.find(b"\r\n\r\n") + 4
        if end < 4:
            return None
        size = int(LENGTH.search(self.buffer[:end]).group(1))
        if len(self.buffer) < end + size:
            return None
        body, self.buffer = self.buffer[end : end + size], self.buffer[end + size :]
        return body

    def _answer(self):
        if self.unanswered:
            self.unanswered -= 1
            self.receiver.unanswered -= 1
            self.transport.write(ANSWER)
