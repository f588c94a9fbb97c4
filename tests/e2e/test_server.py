"""`postrider serve` as its users meet it: the binary and its sockets, nothing else. Usage: PROGRAM"""

import itertools
import sys
import tempfile
import threading
import unittest

from server_rig import PATIENCE, Receiver, Server, is_private

PROGRAM = sys.argv[1]

# The rules with time and numbers cut down, so that a test sees in a second what takes days.
FAST = {
    "retry.delays": ",".join(f"{500 * n}ms" for n in range(1, 61)),
    "circuit.rate_attempts": 4,
    "circuit.probe_interval": "100ms",
    "circuit.consecutive_to_disable": 5,
    "circuit.consecutive_to_freeze": 9,
    "circuit.consecutive_limit": 10,
    "delivery.own_failure_delay": "50ms",
}


class WithServer(unittest.TestCase):
    settings: dict = {}

    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory, self.settings)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)


class FirstStart(WithServer):
    def test_the_admin_key_is_shown_once_and_kept_for_its_owner_alone(self):
        self.assertIn(self.server.key, self.server.output)
        self.assertTrue(is_private(self.server.data / "admin.key"))
        self.assertTrue(is_private(self.server.data / "master.key"))
        key = self.server.key
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        self.assertNotIn(key, self.server.output)
        self.assertEqual(self.server.key, key)
        self.assertEqual(self.server.call("GET", "/v1/conservation").status, 200)

    def test_a_second_server_on_the_same_data_says_who_has_it(self):
        second = Server(PROGRAM, self.server.data.parent)
        with self.assertRaisesRegex(RuntimeError, "(?i)open|use|lock"):
            second.start()

    def test_health_needs_no_key(self):
        for path in ("/healthz", "/readyz", "/metrics"):
            self.assertEqual(self.server.call("GET", path, key=False).status, 200, path)


class Publishing(WithServer):
    def test_an_event_is_delivered_signed_and_as_it_was_published(self):
        subscription = self.server.subscribe(self.receiver.url("/hook"), type="order.*")
        body = b'{"type": "order.created", "payload": {"amount": 1.50,  "n": 12345678901234567890}}'
        answer = self.server.call("POST", "/v1/events", body, {"Content-Type": "application/json"})
        self.assertEqual(answer.status, 202, answer.body)
        self.assertEqual(answer.json["matched"], 1)
        self.assertEqual(answer.json["deliveries"][0]["subscription"], subscription["id"])
        (webhook,) = self.receiver.wait(1)
        self.assertEqual(webhook.body, b'{"amount": 1.50,  "n": 12345678901234567890}')
        self.assertEqual(webhook.path, "/hook")
        self.assertEqual(webhook.id, answer.json["id"])
        self.assertEqual(webhook.headers["postrider-event-type"], "order.created")
        self.assertEqual(webhook.headers["postrider-attempt"], "1")
        self.assertTrue(webhook.is_signed_with(subscription["signing"]["secret"]))

    def test_an_event_that_nobody_wants_is_kept_with_the_reason(self):
        self.server.subscribe(self.receiver.url(), type="invoice.paid")
        answer = self.server.publish({"a": 1})
        self.assertEqual(answer["matched"], 0)
        self.assertIn("type", answer["unmatched_reason"])

    def test_lines_are_independent(self):
        self.server.subscribe(self.receiver.url())
        good = {"type": "a", "payload": 1}
        answer = self.server.publish_lines([good, {"type": "a"}, good, {"typ": "a", "payload": 1}])
        self.assertEqual(answer.status, 207)
        self.assertEqual([line["status"] for line in answer.lines], [202, 400, 202, 400])
        self.assertEqual([line["line"] for line in answer.lines], [1, 2, 3, 4])
        self.assertEqual(answer.lines[1]["error"]["field"], "payload")
        self.assertEqual(answer.lines[3]["error"]["hint"], 'did you mean "type"?')
        self.receiver.wait(2)

    def test_ten_thousand_lines_are_taken_and_one_more_is_too_many(self):
        event = {"type": "a", "payload": {}}
        answer = self.server.publish_lines(itertools.repeat(event, 10_000))
        self.assertEqual((answer.status, len(answer.lines)), (202, 10_000))
        refused = self.server.publish_lines(itertools.repeat(event, 10_001))
        self.assertEqual(refused.status, 413)
        totals = self.server.call("GET", "/v1/conservation").json
        self.assertEqual(totals["events"], 10_000)

    def test_bad_requests_name_the_place_and_the_fix(self):
        cases = [
            (b"{", {"Content-Type": "application/json"}, 400, "not_json"),
            (b"[]", {"Content-Type": "application/json"}, 400, "invalid"),
            (b'{"type":"a","payload":1}', {}, 415, "unknown_content_type"),
            (b'{"type":"a b","payload":1}', {"Content-Type": "application/json"}, 400, "invalid"),
            (
                b'{"type":"a","payload":1,"id":"x"}',
                {"Content-Type": "application/json", "Idempotency-Key": "y"},
                400,
                "invalid",
            ),
            (
                b'{"type":"a","payload":"' + b"x" * 1_048_576 + b'"}',
                {"Content-Type": "application/json"},
                413,
                "event_too_large",
            ),
        ]
        for body, headers, status, code in cases:
            with self.subTest(body=body[:40]):
                answer = self.server.call("POST", "/v1/events", body, headers)
                self.assertEqual((answer.status, answer.error["code"]), (status, code))
                self.assertEqual(answer.error["request_id"], answer.headers["X-Request-Id"])
                self.assertGreater(len(answer.error["message"]), 10)

    def test_keys_are_needed_and_have_scopes(self):
        event = {"type": "a", "payload": 1}
        self.assertEqual(self.server.call("POST", "/v1/events", event, key=False).status, 401)
        self.assertEqual(self.server.call("POST", "/v1/events", event, key="prk_x").status, 401)
        made = self.server.call("POST", "/v1/keys", {"name": "reader", "scopes": ["read"]})
        self.assertEqual(made.status, 201, made.body)
        refused = self.server.call("POST", "/v1/events", event, key=made.json["key"])
        self.assertEqual((refused.status, refused.error["code"]), (403, "missing_scope"))


class Idempotency(WithServer):
    def test_fifty_racing_publishes_with_one_key_create_one_event(self):
        self.server.subscribe(self.receiver.url())
        answers, gate = [], threading.Barrier(50)

        def publish():
            gate.wait()
            answers.append(
                self.server.call(
                    "POST",
                    "/v1/events",
                    {"type": "a", "payload": {"n": 1}},
                    {"Idempotency-Key": "order-42"},
                )
            )

        racers = [threading.Thread(target=publish) for _ in range(50)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.body for answer in answers}), 1)
        first = [answer for answer in answers if "Idempotency-Replayed" not in answer.headers]
        self.assertEqual(len(first), 1)
        self.receiver.wait(1)
        self.assertEqual(self.server.call("GET", "/v1/conservation").json["created"], 1)

    def test_the_same_id_with_other_bytes_is_a_conflict(self):
        self.server.publish({"n": 1}, id="one")
        again = self.server.call("POST", "/v1/events", {"type": "order.created", "payload": {"n": 1}, "id": "one"})
        self.assertEqual((again.status, again.headers["Idempotency-Replayed"]), (202, "true"))
        other = self.server.call("POST", "/v1/events", {"type": "order.created", "payload": {"n": 2}, "id": "one"})
        self.assertEqual((other.status, other.error["code"]), (409, "other_event_with_this_id"))


class Failing(WithServer):
    settings = FAST

    def test_a_redirect_is_a_failure_even_to_a_page_that_answers_200(self):
        good = Receiver()
        self.addCleanup(good.close)
        self.receiver.respond = lambda webhook: (302, {"Location": good.url()})
        self.server.subscribe(self.receiver.url())
        self.server.publish({})
        self.receiver.wait(2)
        self.assertEqual(good.webhooks, [])
        self.assertEqual(self.server.call("GET", "/v1/conservation").json["delivered"], 0)

    def test_a_failing_endpoint_is_disabled_probed_and_enabled_by_a_probe(self):
        self.receiver.respond = lambda webhook: 500
        endpoint = self.server.subscribe(self.receiver.url())["endpoint"]
        for number in range(3):
            self.server.publish({"n": number})
        self.server.wait_for_endpoint(endpoint, "disabled")
        self.receiver.respond = lambda webhook: 200
        self.server.wait_for_endpoint(endpoint, "active")
        self.server.wait(
            lambda: self.server.call("GET", "/v1/conservation").json["delivered"] == 3, "delivered"
        )

    def test_a_frozen_endpoint_stays_so_over_a_restart_until_a_person_enables_it(self):
        self.receiver.respond = lambda webhook: 500
        endpoint = self.server.subscribe(self.receiver.url())["endpoint"]
        for number in range(5):
            self.server.publish({"n": number})
        self.server.wait_for_endpoint(endpoint, "frozen")
        self.server.kill()
        self.server.start()
        frozen = self.server.endpoint(endpoint)
        self.assertEqual(frozen["state"], "frozen")
        self.receiver.respond = lambda webhook: 200
        self.assertEqual(self.server.call("POST", f"/v1/endpoints/{endpoint}/enable").status, 200)
        self.server.wait_for_endpoint(endpoint, "active")
        self.server.wait(
            lambda: self.server.call("GET", "/v1/conservation").json["delivered"] == 5, "delivered"
        )


class Lanes(WithServer):
    settings = {"retry.delays": "100ms,30s", "delivery.deadline": "60s"}
    RETRIES_IN_FLIGHT_MAX = 5  # half of what an endpoint has

    def test_retries_do_not_delay_fresh_events(self):
        retrying, let_go = threading.Semaphore(0), threading.Event()

        def respond(webhook):
            if "fresh" in webhook.json:
                return 200
            if webhook.headers["postrider-attempt"] == "1":
                return 500
            retrying.release()
            let_go.wait(PATIENCE)
            return 200

        self.addCleanup(let_go.set)
        self.receiver.respond = respond
        self.server.subscribe(self.receiver.url())
        for number in range(3 * self.RETRIES_IN_FLIGHT_MAX):
            self.server.publish({"fails": number})
        for _ in range(self.RETRIES_IN_FLIGHT_MAX):
            self.assertTrue(retrying.acquire(timeout=PATIENCE), "retries are under way")
        for number in range(20):
            self.server.publish({"fresh": number})
        self.receiver.wait_until(
            lambda hooks: sum("fresh" in hook.json for hook in hooks) == 20, "every fresh event"
        )
        self.assertFalse(retrying.acquire(blocking=False), "retries took more than their half")
        let_go.set()
        self.server.wait(
            lambda: self.server.call("GET", "/v1/conservation").json["delivered"] == 20 + 15, "delivered"
        )


class Crashing(WithServer):
    settings = {"delivery.own_failure_delay": "50ms"}
    EVENTS = 10_000
    LINES = 50

    def test_after_kill_9_in_the_middle_every_acknowledged_event_is_delivered(self):
        self.server.subscribe(self.receiver.url())
        acknowledged, half_way = [], threading.Event()

        def publish():
            for first in range(0, self.EVENTS, self.LINES):
                events = [{"type": "a", "payload": {"n": first + i}} for i in range(self.LINES)]
                try:
                    answer = self.server.publish_lines(events)
                except OSError:
                    return
                acknowledged.extend(line["id"] for line in answer.lines if line["status"] == 202)
                if len(acknowledged) >= self.EVENTS / 2:
                    half_way.set()

        producer = threading.Thread(target=publish)
        producer.start()
        self.assertTrue(half_way.wait(PATIENCE))
        self.server.kill()
        producer.join()
        self.assertLess(len(acknowledged), self.EVENTS, "it was killed too late")
        self.server.start()
        wanted = set(acknowledged)
        self.receiver.wait_until(
            lambda hooks: wanted <= {hook.id for hook in hooks}, "every acknowledged event"
        )

    def test_sigterm_finishes_what_is_under_way(self):
        self.server.subscribe(self.receiver.url())
        published = self.server.publish({"n": 1})
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        self.receiver.wait_until(
            lambda hooks: any(hook.id == published["id"] for hook in hooks), "the event"
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
