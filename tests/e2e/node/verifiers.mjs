// Verifiers of signatures that are not ours: two npm packages and Node's own crypto.
//
// A verifier takes a delivery {id, timestamp, signature, body: Buffer} and one key that a receiver
// would know, and answers whether it accepts. The packages know v1 only. svix wraps a release of
// standardwebhooks of its own, and both share one SHA-256 in JavaScript; Node's crypto shares
// nothing with them.

import { createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";

import * as standardwebhooks from "standardwebhooks";
import * as svix from "svix";

const TOLERANCE_SECONDS = 300;
// What stands before the 32 bytes of an Ed25519 public key in DER (RFC 8410).
const ED25519_HEAD = Buffer.from("302a300506032b6570032100", "hex");

function acceptedByPackage({ Webhook, WebhookVerificationError }, delivery, key) {
  const headers = {
    "webhook-id": delivery.id,
    "webhook-timestamp": delivery.timestamp,
    "webhook-signature": delivery.signature,
  };
  try {
    new Webhook(key).verify(delivery.body, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      return false;
    }
    throw error;
  }
}

function isTimely(timestamp) {
  const age = Math.floor(Date.now() / 1000) - Number(timestamp);
  return /^[0-9]+$/.test(timestamp) && Math.abs(age) <= TOLERANCE_SECONDS;
}

// The signatures of one version. Node decodes base64 generously; only the one right spelling counts.
function signaturesOf(delivery, version) {
  return delivery.signature
    .split(" ")
    .map((entry) => entry.split(","))
    .filter((parts) => parts.length === 2 && parts[0] === version)
    .map((parts) => ({ text: parts[1], bytes: Buffer.from(parts[1], "base64") }))
    .filter(({ text, bytes }) => bytes.toString("base64") === text)
    .map(({ bytes }) => bytes);
}

function signedContent(delivery) {
  return Buffer.concat([Buffer.from(`${delivery.id}.${delivery.timestamp}.`), delivery.body]);
}

function secretOf(key, prefix) {
  return Buffer.from(key.slice(prefix.length), "base64");
}

function acceptedByNodeHmac(delivery, key) {
  const expected = createHmac("sha256", secretOf(key, "whsec_"))
    .update(signedContent(delivery))
    .digest();
  return (
    isTimely(delivery.timestamp) &&
    signaturesOf(delivery, "v1").some(
      (bytes) => bytes.length === expected.length && timingSafeEqual(bytes, expected),
    )
  );
}

const publicKeys = new Map();

function publicKeyOf(key) {
  if (!publicKeys.has(key)) {
    const der = Buffer.concat([ED25519_HEAD, secretOf(key, "whpk_")]);
    publicKeys.set(key, createPublicKey({ key: der, format: "der", type: "spki" }));
  }
  return publicKeys.get(key);
}

function acceptedByNodeEd25519(delivery, key) {
  return (
    isTimely(delivery.timestamp) &&
    signaturesOf(delivery, "v1a").some((bytes) =>
      verify(null, signedContent(delivery), publicKeyOf(key), bytes),
    )
  );
}

const VERIFIERS = {
  whsec_: {
    standardwebhooks: (delivery, key) => acceptedByPackage(standardwebhooks, delivery, key),
    svix: (delivery, key) => acceptedByPackage(svix, delivery, key),
    node_hmac: acceptedByNodeHmac,
  },
  whpk_: { node_ed25519: acceptedByNodeEd25519 },
};

// What each verifier that knows this kind of key says: {name: accepted}.
export function verdicts(delivery, key) {
  const prefix = key.slice(0, key.indexOf("_") + 1);
  return Object.fromEntries(
    Object.entries(VERIFIERS[prefix]).map(([name, accepts]) => [name, accepts(delivery, key)]),
  );
}

// Whether one of its signatures is by this key, by Node's own crypto alone: the quickest verifier.
export function isSignedWith(delivery, key) {
  return key.startsWith("whpk_")
    ? acceptedByNodeEd25519(delivery, key)
    : acceptedByNodeHmac(delivery, key);
}

// A delivery out of a line of JSON: id, timestamp, signature, body (base64), keys.
export function parseDelivery(line) {
  const delivery = JSON.parse(line);
  return { ...delivery, body: Buffer.from(delivery.body, "base64") };
}
