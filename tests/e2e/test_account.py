"""Whatever happens, in whatever order, every delivery stays accounted for. Usage: PROGRAM [SEED]

Receivers succeed, fail, hang and ask to be left alone; people pause, enable, delete, cancel and redeliver; the server is
stopped and killed. After each step the two sides of the account must agree, and at the end an audit must find the
directory sound.
"""

import random
import subprocess
import sys
import tempfile
import threading
import unittest

from server_rig import PATIENCE, Receiver, Server

PROGRAM = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
STEPS = 800
PATHS = [f"/hook/{number}" for number in range(6)]
SUBSCRIPTIONS_MAX = 10

# Everything that takes minutes and hundreds of failures happens within a second.
SETTINGS = {
    "retry.delays": "50ms,100ms,200ms,400ms,2s",
    "circuit.rate_attempts": 6,
    "circuit.probe_interval": "80ms",
    "circuit.consecutive_to_disable": 7,
    "circuit.consecutive_to_freeze": 30,
    "circuit.consecutive_limit": 40,
    "delivery.own_failure_delay": "50ms",
    "delivery.deadline": "200ms",
    "retention.interval": "1s",
}
STEP_WEIGHTS = {
    "publish": 30,
    "change_a_receiver": 8,
    "subscribe": 4,
    "unsubscribe": 3,
    "pause": 3,
    "resume": 4,
    "enable": 4,
    "cancel": 4,
    "redeliver": 4,
    "stop": 1,
    "kill": 1,
}


class Receivers:
    """One for each path; each is in one of four moods."""

    def __init__(self, chance):
        self.chance = chance
        self.moods = dict.fromkeys(PATHS, "well")
        self.never = threading.Event()
        self.receiver = Receiver(self.respond)

    def change(self):
        self.moods[self.chance.choice(PATHS)] = self.chance.choice(["well", "ill", "slow", "busy"])

    def respond(self, webhook):
        mood = self.moods[webhook.path]
        if mood == "slow":
            self.never.wait(0.3)
        if mood == "busy":
            return 429, {"Retry-After": "1"}
        return 500 if mood == "ill" else 200


class Account(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(SEED)
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory, SETTINGS)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receivers = Receivers(self.chance)
        self.addCleanup(self.receivers.receiver.close)
        self.subscriptions = []
        for _ in range(SUBSCRIPTIONS_MAX // 2):
            self.subscribe()

    def subscribe(self):
        if len(self.subscriptions) == SUBSCRIPTIONS_MAX:
            return
        wanted = {"url": self.receivers.receiver.url(self.chance.choice(PATHS)), "type": self.chance.choice("ab*")}
        if self.chance.random() < 0.3:
            wanted["ordered"] = True
        if self.chance.random() < 0.2:
            wanted["in_flight_max"] = 1
        if self.chance.random() < 0.2:
            wanted["rate_limit"] = {"count": 50, "period": "1s"}
        answer = self.server.call("POST", "/v1/subscriptions", wanted)
        self.assertIn(answer.status, (201, 409), answer.body)  # 409: there is one like it
        if answer.status == 201:
            self.subscriptions.append(answer.json)

    def unsubscribe(self):
        if len(self.subscriptions) > 1:
            gone = self.subscriptions.pop(self.chance.randrange(len(self.subscriptions)))
            self.assertEqual(self.server.call("DELETE", f"/v1/subscriptions/{gone['id']}").status, 204)

    def publish(self):
        count = self.chance.choice([1, 5, 50])
        events = [
            {"type": self.chance.choice("ab"), "object_code": "o", "object_id": str(number % 3), "payload": number}
            for number in range(count)
        ]
        self.assertEqual(self.server.publish_lines(events).status, 202)

    def act_on_endpoint(self, action):
        endpoint = self.chance.choice(self.subscriptions)["endpoint"]
        self.assertEqual(self.server.call("POST", f"/v1/endpoints/{endpoint}/{action}").status, 200)

    def act_on_delivery(self, action, states):
        found = self.server.call("GET", f"/v1/deliveries?state={self.chance.choice(states)}&limit=20").json["items"]
        if found:
            delivery = self.chance.choice(found)["id"]
            answer = self.server.call("POST", f"/v1/deliveries/{delivery}/{action}")
            self.assertIn(answer.status, (200, 201, 202, 409), answer.body)

    def step(self, name):
        if name == "change_a_receiver":
            self.receivers.change()
        elif name in ("pause", "resume", "enable"):
            self.act_on_endpoint(name)
        elif name == "cancel":
            self.act_on_delivery("cancel", ["unfinished"])
        elif name == "redeliver":
            self.act_on_delivery("redeliver", ["delivered", "dropped", "cancelled"])
        elif name in ("stop", "kill"):
            getattr(self.server, name)()
            self.server.start()
        else:
            getattr(self, name)()

    def test_both_sides_agree_after_every_step_and_the_audit_after_the_last(self):
        steps = self.chance.choices(list(STEP_WEIGHTS), STEP_WEIGHTS.values(), k=STEPS)
        for number, name in enumerate(steps):
            self.step(name)
            account = self.server.call("GET", "/v1/conservation").json
            self.assertTrue(account["conserved"], f"seed {SEED}, step {number} ({name}): {account}")
        self.assertGreater(account["delivered"], 0)
        self.assertGreater(account["dropped"] + account["cancelled"], 0)
        self.server.kill()
        audit = subprocess.run(
            [PROGRAM, "audit", str(self.server.data)], capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        self.assertEqual(audit.returncode, 0, f"seed {SEED}: {audit.stdout}{audit.stderr}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
