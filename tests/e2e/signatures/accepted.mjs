// Every delivery that we sign is accepted by every verifier, for each of its keys.
//
// Usage: node accepted.mjs SIGN_DELIVERIES

import assert from "node:assert/strict";
import { test } from "node:test";

import { verdicts } from "../node/verifiers.mjs";
import { ownVerdicts, signedDeliveries } from "./signed.mjs";

const COUNT = 5000;
const deliveries = signedDeliveries(COUNT, 1);

test("all verifiers accept every key of every delivery", (context) => {
  const counts = {};
  for (const delivery of deliveries) {
    for (const key of delivery.keys) {
      for (const [name, isAccepted] of Object.entries(verdicts(delivery, key))) {
        if (!isAccepted) {
          assert.fail(`${name} refuses ${JSON.stringify(delivery)}`);
        }
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }
  }
  assert.equal(deliveries.length, COUNT);
  assert.ok(counts.standardwebhooks > COUNT && counts.svix > COUNT && counts.node_hmac > COUNT);
  assert.ok(counts.node_ed25519 > COUNT / 4);
  context.diagnostic(JSON.stringify(counts));
});

test("our own verifier accepts them too", () => {
  const cases = deliveries.flatMap((delivery) => delivery.keys.map((key) => ({ delivery, key })));
  assert.deepEqual(new Set(ownVerdicts(cases)), new Set([true]));
});

test("bodies hold more than ASCII, and one to three secrets are active", () => {
  assert.ok(deliveries.some(({ body }) => body.some((byte) => byte >= 0xf0)));
  assert.deepEqual(new Set(deliveries.map(({ keys }) => keys.length)), new Set([1, 2, 3]));
});
