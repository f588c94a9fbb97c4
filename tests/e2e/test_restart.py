"""A server that dies and comes back goes on where it was, whatever state an endpoint is in. Usage: PROGRAM"""

import sys
import tempfile
import threading
import unittest

from server_rig import Receiver, Server

PROGRAM = sys.argv[1]

# Nothing falls due by itself while a test looks twice: what is different afterwards, the restart has changed.
SETTINGS = {
    "retry.delays": "1h,2h,3h,4h",
    "circuit.rate_attempts": 1000,
    "circuit.probe_interval": "1h",
    "circuit.consecutive_to_disable": 5,
    "delivery.own_failure_delay": "50ms",
}
FAILURES_TO_DISABLE = 5
EVENTS = 8


class WithEndpoint(unittest.TestCase):
    """One endpoint, whose receiver answers what the test says."""

    def start(self, settings):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory, SETTINGS | settings)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.endpoint = self.server.subscribe(self.receiver.url())["endpoint"]

    def answer_with(self, status):
        self.receiver.respond = lambda webhook: status

    def conservation(self):
        return self.server.call("GET", "/v1/conservation").json

    def publish_and_settle(self, status, count):
        """So many events one after the other, each attempted and its outcome on disk."""
        self.answer_with(status)
        for number in range(count):
            attempts = self.attempts()
            self.server.publish({"n": number})
            self.server.wait(lambda: self.attempts() > attempts, "the attempt is counted")
        self.wait_until_quiet()

    def attempts(self):
        lifetime = self.server.endpoint(self.endpoint)["counters"]["lifetime"]
        return lifetime["successes"] + lifetime["failures"]

    def wait_until_quiet(self):
        self.server.wait(lambda: self.conservation()["in_flight"] == 0, "nothing is in flight")

    def deliveries(self):
        page = self.server.call("GET", f"/v1/deliveries?endpoint={self.endpoint}&limit=100").json
        found = [self.server.delivery(delivery["id"]) for delivery in page["items"]]
        for delivery in found:
            delivery.pop("coming_attempts", None)  # told from now on: what is overdue comes now
        return found

    def everything_shown(self):
        return {
            "endpoint": self.server.endpoint(self.endpoint),
            "deliveries": self.deliveries(),
            "conservation": self.conservation(),
        }

    def die_and_come_back(self):
        self.server.kill()
        self.server.start()


class EachState(WithEndpoint):
    maxDiff = None

    def check_restart(self, state, paused=False):
        before = self.everything_shown()
        self.assertEqual((before["endpoint"]["state"], before["endpoint"]["paused"]), (state, paused))
        seen = len(self.receiver.webhooks)
        self.die_and_come_back()
        self.assertEqual(self.everything_shown(), before)
        self.assertEqual(len(self.receiver.webhooks), seen, "something was sent that was not due")

    def test_active_with_successes_and_waiting_retries(self):
        self.start({})
        self.publish_and_settle(200, 3)
        self.publish_and_settle(500, 2)
        self.check_restart("active")

    def test_disabled_with_held_deliveries(self):
        self.start({})
        self.publish_and_settle(500, FAILURES_TO_DISABLE)
        for number in range(EVENTS):
            self.server.publish({"held": number})
        self.assertEqual(self.conservation()["held"], FAILURES_TO_DISABLE + EVENTS)
        self.check_restart("disabled")

    def test_frozen_with_held_deliveries(self):
        self.start(
            {
                "circuit.consecutive_to_disable": 2,
                "circuit.consecutive_to_freeze": 3,
                "circuit.consecutive_limit": 5,
                "circuit.probe_interval": "20ms",
            }
        )
        self.answer_with(500)
        for number in range(EVENTS):
            self.server.publish({"n": number})
        self.server.wait_for_endpoint(self.endpoint, "frozen")
        self.wait_until_quiet()
        self.check_restart("frozen")

    def test_paused_with_held_deliveries(self):
        self.start({})
        self.publish_and_settle(500, 2)
        paused = self.server.call("POST", f"/v1/endpoints/{self.endpoint}/pause")
        self.assertEqual(paused.status, 200, paused.body)
        for number in range(EVENTS):
            self.server.publish({"held": number})
        self.check_restart("active", paused=True)

    def test_paused_while_disabled(self):
        self.start({})
        self.publish_and_settle(500, FAILURES_TO_DISABLE)
        self.server.call("POST", f"/v1/endpoints/{self.endpoint}/pause")
        self.check_restart("disabled", paused=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
