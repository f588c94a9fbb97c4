"""Every signed delivery that a test receives is judged by verifiers that are not ours.

A Keyring learns what receivers know of subscriptions from the answers of the API. `check_deliveries` hands what came to
the npm packages standardwebhooks and svix, and to the HMAC and Ed25519 of Node's own crypto.
"""

import base64
import json
import subprocess
import threading
from pathlib import Path

VERIFIER = Path(__file__).resolve().parent / "node" / "verify_deliveries.mjs"
PATIENCE = 60.0
PATIENCE_PER_DELIVERY = 0.02  # it takes less than 0.001 on a busy machine


class Keyring:
    """What the owner of each URL knows: the keys of its subscriptions, and whether one of them is not signed."""

    def __init__(self):
        self._lock = threading.Lock()
        self._subscriptions = {}

    def learn(self, answer):
        """`answer`: a subscription as the API shows it, or a page of them."""
        for shown in answer.get("items", [answer]):
            if isinstance(shown, dict) and isinstance(shown.get("signing"), dict):
                with self._lock:
                    self._learn_subscription(shown)

    def _learn_subscription(self, shown):
        # Nothing is forgotten: what was signed before a change may arrive after it.
        known = self._subscriptions.setdefault(shown["id"], {"urls": set(), "keys": set(), "schemes": set()})
        signing = shown["signing"]
        known["urls"].add(shown["url"])
        known["schemes"].add(signing["scheme"])
        key = signing.get("public_key") if signing["scheme"] == "v1a" else signing.get("secret")
        if key:
            known["keys"].add(key)

    def keys_for(self, url):
        with self._lock:
            return sorted({key for known in self._at(url) for key in known["keys"]})

    def may_be_unsigned(self, url):
        with self._lock:
            return any("none" in known["schemes"] for known in self._at(url))

    def _at(self, url):
        return [known for known in self._subscriptions.values() if url in known["urls"]]


def _line(webhook, keys):
    delivery = {
        "id": webhook.id,
        "timestamp": webhook.headers["webhook-timestamp"],
        "signature": webhook.headers["webhook-signature"],
        "body": base64.b64encode(webhook.body).decode(),
        "received_at": webhook.received_at,
        "keys": keys,
    }
    return json.dumps(delivery) + "\n"


def check_deliveries(webhooks, keyring):
    """Fails on the first delivery that somebody would refuse; returns how many verdicts each verifier gave."""
    keys = {url: keyring.keys_for(url) for url in {webhook.url for webhook in webhooks}}
    lines = []
    for webhook in webhooks:
        if webhook.headers["webhook-signature"] is not None:
            lines.append(_line(webhook, keys[webhook.url]))
        elif not keyring.may_be_unsigned(webhook.url):
            raise AssertionError(f"not signed, and it should be: {webhook.url} {webhook.headers}")
    if not lines:
        return {}
    patience = PATIENCE + PATIENCE_PER_DELIVERY * len(lines)
    command = ["node", str(VERIFIER)]
    run = subprocess.run(command, input="".join(lines), capture_output=True, text=True, timeout=patience)
    if run.returncode != 0:
        raise AssertionError(f"refused by verifiers:\n{run.stderr[:5000]}")
    return json.loads(run.stdout)
