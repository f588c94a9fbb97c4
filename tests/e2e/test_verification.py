"""Deliveries as verifiers by others judge them, and that they would notice a spoilt one. Usage: PROGRAM"""

import base64
import copy
import http.client
import sys
import tempfile
import unittest

from server_rig import KEYRING, Receiver, Server
from verification import check_deliveries

PROGRAM = sys.argv[1]
V1_VERIFIERS = ("standardwebhooks", "svix", "node_hmac")
FIVE_MINUTES_MS = 300_000


class Verification(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receiver = Receiver()
        self.is_open = True
        self.addCleanup(self.close)

    def close(self):
        if self.is_open:
            self.is_open = False
            return self.receiver.close()
        return None

    def receive(self, kind, **subscription):
        """The one webhook of a new subscription to events of this type."""
        self.server.subscribe(self.receiver.url(f"/{kind}"), type=kind, **subscription)
        return self.publish(kind)

    def publish(self, kind):
        event = self.server.publish({"text": "\u00e4\u00f6\u00fc"}, kind)["id"]
        hooks = self.receiver.wait_until(lambda hooks: any(hook.id == event for hook in hooks), event)
        return next(hook for hook in hooks if hook.id == event)

    def assert_refused(self, webhook, why):
        with self.assertRaisesRegex(AssertionError, why):
            check_deliveries([webhook], KEYRING)

    def spoil(self, webhook, **changes):
        spoilt = copy.copy(webhook)
        spoilt.headers = copy.deepcopy(webhook.headers)
        for name, value in changes.items():
            spoilt.headers.replace_header(f"webhook-{name}", value)
        return spoilt

    def test_each_version_is_judged_by_everybody_who_knows_it(self):
        self.receive("hmac")
        self.receive("asymmetric", signing={"scheme": "v1a"})
        counts = self.close()
        self.assertEqual(counts, {name: 1 for name in V1_VERIFIERS} | {"node_ed25519": 1})

    def test_after_a_rotation_both_signatures_are_judged(self):
        made = self.server.subscribe(self.receiver.url("/turn"), type="turn")
        rotated = self.server.call("POST", f"/v1/subscriptions/{made['id']}/rotate-secret", {})
        self.assertEqual(rotated.status, 200, rotated.body)
        self.publish("turn")
        self.assertEqual(self.close(), {name: 2 for name in V1_VERIFIERS})

    def test_what_is_not_to_be_signed_is_not_judged(self):
        self.receive("plain", signing={"scheme": "none"})
        self.assertEqual(self.close(), {})

    def test_a_changed_body_id_or_signature_is_refused(self):
        for scheme in ("v1", "v1a"):
            good = self.receive(scheme, signing={"scheme": scheme})
            check_deliveries([good], KEYRING)
            other_body = copy.copy(good)
            other_body.body = good.body.replace(b"}", b" }")
            self.assert_refused(other_body, "no known key made")
            self.assert_refused(self.spoil(good, id="another"), "no known key made")
            nobodys = base64.b64encode(bytes(64 if scheme == "v1a" else 32)).decode()
            self.assert_refused(self.spoil(good, signature=f"{scheme},{nobodys}"), "no known key made")

    def test_one_wrong_signature_beside_a_right_one_is_refused(self):
        good = self.receive("beside")
        nobodys = "v1," + base64.b64encode(bytes(32)).decode()
        both = self.spoil(good, signature=f"{good.headers['webhook-signature']} {nobodys}")
        self.assert_refused(both, "no known key made")

    def test_a_signature_that_was_old_when_it_came_is_refused(self):
        late = copy.copy(self.receive("late"))
        late.received_at += FIVE_MINUTES_MS + 2000
        self.assert_refused(late, "no known key made")

    def test_a_missing_signature_is_refused(self):
        bare = self.spoil(self.receive("bare"))
        del bare.headers["webhook-signature"]
        self.assert_refused(bare, "not signed")

    def test_a_receiver_that_got_a_forged_delivery_fails_its_test(self):
        good = self.receive("forged")
        connection = http.client.HTTPConnection("127.0.0.1", self.receiver.port)
        self.addCleanup(connection.close)
        connection.request("POST", good.path, b"{}", dict(good.headers.items()) | {"Content-Length": "2"})
        self.assertEqual(connection.getresponse().status, 200)
        with self.assertRaisesRegex(AssertionError, "no known key made"):
            self.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
