// Of 100 000 changed deliveries no verifier accepts one.
//
// Each case takes a genuine delivery and one of its keys, and changes the message or the one
// signature that the key would match; what the other entries hold concerns other keys.
//
// Usage: node mutated.mjs SIGN_DELIVERIES

import assert from "node:assert/strict";
import { test } from "node:test";

import { verdicts } from "../node/verifiers.mjs";
import { ownVerdicts, seeded, signedDeliveries } from "./signed.mjs";

// The packages refuse with an exception, whose stack would take longer than the verification.
Error.stackTraceLimit = 0;

const COUNT = 100_000;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const IDENTIFIER = "abcdefghijklmnopqrstuvwxyz0123456789";

const chance = seeded(20_240_607);
const deliveries = signedDeliveries(5000, 2);

function replaced(text, at, character) {
  return text.slice(0, at) + character + text.slice(at + 1);
}

// Draws until something fits; at least one in `list` does.
function pickWhere(list, isFit) {
  let picked = chance.pick(list);
  while (!isFit(picked)) {
    picked = chance.pick(list);
  }
  return picked;
}

function otherCharacter(current, alphabet) {
  return pickWhere(alphabet, (character) => character !== current);
}

function withEntry(delivery, index, change) {
  const entries = delivery.signature.split(" ");
  entries[index] = change(...entries[index].split(","));
  return { ...delivery, signature: entries.join(" ") };
}

function withBody(delivery, body) {
  return { ...delivery, body };
}

const MUTATIONS = {
  body_byte(delivery) {
    const body = Buffer.from(delivery.body);
    body[chance.below(body.length)] ^= 1 + chance.below(255);
    return withBody(delivery, body);
  },
  body_longer(delivery) {
    return withBody(delivery, Buffer.concat([delivery.body, Buffer.from(chance.pick(" \n0x"))]));
  },
  body_shorter(delivery) {
    const left = delivery.body.length - 1 - chance.below(delivery.body.length);
    return withBody(delivery, delivery.body.subarray(0, left));
  },
  id_character(delivery) {
    const at = chance.below(delivery.id.length);
    return { ...delivery, id: replaced(delivery.id, at, otherCharacter(delivery.id[at], IDENTIFIER)) };
  },
  id_of_another(delivery) {
    return { ...delivery, id: pickWhere(deliveries, ({ id }) => id !== delivery.id).id };
  },
  timestamp_within_tolerance(delivery) {
    const shift = (1 + chance.below(200)) * chance.pick([1, -1]);
    return { ...delivery, timestamp: String(Number(delivery.timestamp) + shift) };
  },
  timestamp_out_of_tolerance(delivery) {
    const shift = (400 + chance.below(1e6)) * chance.pick([1, -1]);
    return { ...delivery, timestamp: String(Number(delivery.timestamp) + shift) };
  },
  signature_character(delivery, index) {
    return withEntry(delivery, index, (version, text) => {
      const at = chance.below(text.replace(/=+$/, "").length);
      return `${version},${replaced(text, at, otherCharacter(text[at], BASE64))}`;
    });
  },
  signature_truncated(delivery, index) {
    return withEntry(
      delivery,
      index,
      (version, text) => `${version},${text.slice(0, chance.below(text.length))}`,
    );
  },
  signature_empty(delivery, index) {
    return withEntry(delivery, index, (version) => chance.pick(["", version, `${version},`]));
  },
  signature_longer(delivery, index) {
    return withEntry(delivery, index, (version, text) => {
      const tail = chance.pick(["A", "=", "AAAA", text]);
      return `${version},${text}${tail}`;
    });
  },
  signature_of_another(delivery, index) {
    const version = delivery.signature.split(" ")[index].split(",")[0];
    const victim = pickWhere(
      deliveries,
      ({ id, signature }) => id !== delivery.id && signature.startsWith(`${version},`),
    );
    return withEntry(delivery, index, () => victim.signature.split(" ")[0]);
  },
  other_version(delivery, index) {
    return withEntry(delivery, index, (version, text) => {
      const other = chance.pick(["v2", "V1", "v", "", "v1 ", version === "v1" ? "v1a" : "v1"]);
      return `${other},${text}`;
    });
  },
  no_signature_at_all(delivery) {
    return { ...delivery, signature: "" };
  },
};

function isSame(delivery, other) {
  return (
    delivery.id === other.id &&
    delivery.timestamp === other.timestamp &&
    delivery.signature === other.signature &&
    delivery.body.equals(other.body)
  );
}

function drawCase(number) {
  const names = Object.keys(MUTATIONS);
  const name = names[number % names.length];
  const genuine = chance.pick(deliveries);
  const index = chance.below(genuine.keys.length);
  const delivery = MUTATIONS[name](genuine, index);
  assert.ok(!isSame(genuine, delivery), `${name} changed nothing`);
  return { name, delivery, key: genuine.keys[index] };
}

const cases = Array.from({ length: COUNT }, (_, number) => drawCase(number));

test("no verifier by others accepts a changed delivery", (context) => {
  const counts = {};
  for (const { name, delivery, key } of cases) {
    for (const [verifier, isAccepted] of Object.entries(verdicts(delivery, key))) {
      if (isAccepted) {
        assert.fail(`${verifier} accepts ${name}: ${JSON.stringify(delivery)}`);
      }
      counts[verifier] = (counts[verifier] ?? 0) + 1;
    }
  }
  assert.ok(counts.standardwebhooks > COUNT / 2 && counts.svix > COUNT / 2);
  assert.ok(counts.node_ed25519 > COUNT / 8);
  context.diagnostic(JSON.stringify(counts));
});

test("our own verifier accepts none either", () => {
  const judged = ownVerdicts(cases);
  assert.equal(judged.length, COUNT);
  const accepted = cases.filter((_, number) => judged[number]);
  assert.deepEqual(accepted.slice(0, 3), []);
});

test("the same deliveries unchanged are accepted", () => {
  for (const delivery of deliveries.slice(0, 200)) {
    for (const key of delivery.keys) {
      assert.ok(Object.values(verdicts(delivery, key)).every(Boolean));
    }
  }
});
