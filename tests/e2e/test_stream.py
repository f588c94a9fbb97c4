"""GET /v1/stream as somebody hears it who listens: the binary and its sockets. Usage: PROGRAM"""

import contextlib
import http.client
import json
import socket
import sys
import tempfile
import threading
import unittest

from server_rig import PATIENCE, Receiver, Server

PROGRAM = sys.argv[1]


class Message:
    def __init__(self, fields):
        self.id = fields.get("id")
        self.kind = fields.get("event")
        self.data = json.loads(fields["data"])

    @property
    def number(self):
        return int(self.id.rpartition("-")[2])


class Stream:
    """Reads server-sent events on a thread of its own, until it is closed or the server ends it."""

    def __init__(self, server, query="", headers=None, key=None):
        self.messages = []
        self.comments = 0
        self.is_ended = False
        self._changed = threading.Condition()
        self._connection = server.connect()
        send = {"Authorization": f"Bearer {key or server.key}", **(headers or {})}
        self._connection.request("GET", f"/v1/stream{query}", headers=send)
        self.response = self._connection.getresponse()
        self._socket = self._connection.sock
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self):
        fields = {}
        try:
            for line in self.response:
                self._take(line.decode().rstrip("\n"), fields)
        except (OSError, ValueError, http.client.HTTPException):
            pass  # closed in the middle
        with self._changed:
            self.is_ended = True
            self._changed.notify_all()

    def _take(self, line, fields):
        name, _, value = line.partition(": ")
        with self._changed:
            if line == ":":
                self.comments += 1
            elif line:
                fields[name] = value
            elif "data" in fields:
                self.messages.append(Message(fields))
            if not line:
                fields.clear()
            self._changed.notify_all()

    def wait(self, condition, what):
        with self._changed:
            if not self._changed.wait_for(condition, PATIENCE):
                kinds = [message.kind for message in self.messages]
                raise AssertionError(f"not within {PATIENCE} s: {what}; heard {kinds}")

    def wait_for(self, count, kind=None):
        """So many messages, of this kind or of any."""
        self.wait(lambda: len(self.of(kind)) >= count, f"{count} messages {kind or ''}")
        return self.of(kind)

    def of(self, kind):
        return [message for message in self.messages if kind in (None, message.kind)]

    def close(self):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.response.close()
        self._connection.close()


class WithServer(unittest.TestCase):
    settings: dict = {}

    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory, self.settings)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def listen(self, query="", **options):
        stream = Stream(self.server, query, **options)
        self.addCleanup(stream.close)
        self.assertEqual(stream.response.status, 200)
        return stream


class LiveTail(WithServer):
    settings = {
        "retry.delays": "50ms,100ms",
        "circuit.consecutive_to_disable": 2,
        "circuit.probe_interval": "100ms",
    }

    def test_an_event_is_heard_from_acceptance_to_its_end(self):
        subscription = self.server.subscribe(self.receiver.url())
        stream = self.listen()
        self.assertEqual(stream.response.headers["Content-Type"], "text/event-stream")
        published = self.server.publish({"n": 1}, id="o-1")
        messages = stream.wait_for(3)
        kinds = [message.kind for message in messages]
        self.assertEqual(kinds, ["event_accepted", "attempt_ended", "delivery_ended"])
        self.assertEqual([message.number for message in messages], [1, 2, 3])
        accepted, attempt, ended = [message.data for message in messages]
        self.assertEqual((accepted["event"], accepted["matched"]), ("o-1", 1))
        for data in (attempt, ended):
            self.assertEqual(data["event"], "o-1")
            self.assertEqual(data["event_type"], "order.created")
            self.assertEqual(data["delivery"], published["deliveries"][0]["id"])
            self.assertEqual(data["subscription"], subscription["id"])
        self.assertEqual(attempt["attempt"]["status"], 200)
        self.assertEqual(ended["state"], "delivered")

    def test_what_was_heard_can_be_looked_up_at_once(self):
        """Only what is durable is told."""
        self.server.subscribe(self.receiver.url())
        stream = self.listen("?show=delivery_ended")
        for number in range(20):
            self.server.publish({"n": number})
            ended = stream.wait_for(number + 1)[number].data
            shown = self.server.delivery(ended["delivery"])
            self.assertEqual(shown["state"], ended["state"])
            self.assertEqual(shown["ended_at"], ended["ended_at"])

    def test_a_failing_endpoint_is_heard_until_its_delivery_is_dropped(self):
        self.receiver.respond = lambda webhook: 500
        self.server.subscribe(self.receiver.url())
        stream = self.listen()
        self.server.publish({"n": 1})
        stream.wait_for(1, "delivery_ended")
        attempts = [message.data["attempt"] for message in stream.of("attempt_ended")]
        self.assertEqual([attempt["number"] for attempt in attempts], [1, 2, 3][: len(attempts)])
        self.assertIsNotNone(attempts[0]["next_due_at"])
        changed = stream.wait_for(1, "circuit_changed")[0].data
        self.assertEqual((changed["from"], changed["to"]), ("active", "disabled"))
        self.assertEqual(stream.of("delivery_ended")[0].data["state"], "dropped")

    def test_a_stream_hears_only_what_it_asked_for(self):
        first = self.server.subscribe(self.receiver.url("/first"))
        second = self.server.subscribe(self.receiver.url("/second"))
        stream = self.listen(f"?endpoint={second['endpoint']}&show=attempt_ended,delivery_ended")
        everything = self.listen()
        self.server.publish({"n": 1})
        everything.wait_for(5)
        messages = stream.wait_for(2)
        self.assertEqual({message.data["subscription"] for message in messages}, {second["id"]})
        heard = {message.data.get("subscription") for message in everything.messages}
        self.assertEqual(heard, {None, first["id"], second["id"]})

    def test_other_tenants_hear_nothing(self):
        tenant = self.server.call("POST", "/v1/tenants", {"name": "other"}).json["id"]
        headers = {"Postrider-Tenant": tenant}
        made = self.server.call("POST", "/v1/keys", {"name": "k", "scopes": ["read"]}, headers)
        self.assertEqual(made.status, 201, made.body)
        stranger = self.listen(key=made.json["key"])
        self.server.subscribe(self.receiver.url())
        ours = self.listen()
        self.server.publish({"n": 1})
        ours.wait_for(3)
        event = {"id": "theirs", "type": "a", "payload": 1}
        self.assertEqual(self.server.call("POST", "/v1/events", event, headers).status, 202)
        messages = stranger.wait_for(1)
        self.assertEqual([message.data["event"] for message in messages], ["theirs"])

    def test_the_scope_is_read(self):
        made = self.server.call("POST", "/v1/keys", {"name": "k", "scopes": ["publish"]})
        refused = self.server.call("GET", "/v1/stream", key=made.json["key"])
        self.assertEqual((refused.status, refused.error["code"]), (403, "missing_scope"))
        self.assertEqual(self.server.call("GET", "/v1/stream", key=False).status, 401)

    def test_who_comes_again_is_told_that_there_is_a_gap(self):
        stream = self.listen(headers={"Last-Event-ID": "before-17"})
        (gap,) = stream.wait_for(1)
        self.assertEqual((gap.kind, gap.data["reason"]), ("gap", "reconnected"))

    def test_mistakes_are_named(self):
        for query, status, field in [
            ("?show=atempt_ended", 400, "show"),
            ("?endpoint=7", 400, "endpoint"),
            ("?kind=x", 400, "kind"),
        ]:
            answer = self.server.call("GET", f"/v1/stream{query}")
            self.assertEqual((answer.status, answer.error["field"]), (status, field))
        missing = self.server.call("GET", "/v1/stream?subscription=sub_00000000000000ff")
        self.assertEqual(missing.status, 404)


class Limits(WithServer):
    settings = {"stream.max": 2, "stream.per_tenant_max": 2, "stream.heartbeat": "20ms"}

    def test_a_quiet_stream_shows_that_it_lives(self):
        stream = self.listen()
        stream.wait(lambda: stream.comments >= 3, "3 heartbeats")
        self.assertEqual(stream.messages, [])

    def test_one_too_many_is_refused_until_another_leaves(self):
        first, _ = self.listen(), self.listen()
        refused = self.server.call("GET", "/v1/stream")
        self.assertEqual((refused.status, refused.error["code"]), (429, "too_many_streams"))
        self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        first.close()

        def opens():
            stream = Stream(self.server)
            self.addCleanup(stream.close)
            return stream.response.status == 200

        self.server.wait(opens, "a place")

    def test_a_revoked_key_ends_its_streams(self):
        made = self.server.call("POST", "/v1/keys", {"name": "k", "scopes": ["read"]}).json
        stream = self.listen(key=made["key"])
        self.assertEqual(self.server.call("DELETE", f"/v1/keys/{made['id']}").status, 204)
        stream.wait(lambda: stream.is_ended, "the end")

    def test_a_server_that_stops_ends_its_streams(self):
        stream = self.listen()
        self.assertEqual(self.server.stop(), 0)
        stream.wait(lambda: stream.is_ended, "the end")

    def test_a_reader_that_reads_nothing_holds_nobody_up(self):
        self.server.subscribe(self.receiver.url())
        deaf = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
        self.addCleanup(deaf.close)
        deaf.sendall(
            b"GET /v1/stream HTTP/1.1\r\nHost: a\r\n"
            b"Authorization: Bearer " + self.server.key.encode() + b"\r\n\r\n"
        )
        stream = self.listen("?show=delivery_ended")
        events = [{"type": "a", "payload": {}}] * 2000
        self.assertEqual(self.server.publish_lines(events).status, 202)
        stream.wait_for(2000, "delivery_ended")
        self.receiver.wait(2000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
