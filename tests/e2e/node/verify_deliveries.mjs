// Usage: node verify_deliveries.mjs < deliveries.jsonl
//
// Judges captured deliveries with every verifier by others. Each line is a delivery as in
// verifiers.mjs with the keys that its receiver knows, and received_at in milliseconds: it is
// judged as of then. Every signature in it must be by one of the keys, and whoever knows only that
// key must accept the delivery as a whole. Prints how many verdicts each verifier gave, and names
// every refusal on standard error.

import { createInterface } from "node:readline";

import { isSignedWith, parseDelivery, verdicts } from "./verifiers.mjs";

const VERSION_OF_KEYS = { whsec_: "v1", whpk_: "v1a" };
const counts = {};
let refusals = 0;

function versionOf(key) {
  return VERSION_OF_KEYS[key.slice(0, key.indexOf("_") + 1)];
}

function refuse(delivery, reason) {
  refusals += 1;
  console.error(`${reason}: ${delivery.id} ${JSON.stringify(delivery.signature)}`);
}

// The key that made this one of the signatures.
function signerOf(delivery, signature) {
  const alone = { ...delivery, signature };
  return delivery.keys
    .filter((key) => versionOf(key) === signature.split(",")[0])
    .find((key) => isSignedWith(alone, key));
}

function check(delivery) {
  for (const signature of delivery.signature.split(" ")) {
    const key = signerOf(delivery, signature);
    if (key === undefined) {
      refuse(delivery, `no known key made ${JSON.stringify(signature)}`);
      continue;
    }
    for (const [name, isAccepted] of Object.entries(verdicts(delivery, key))) {
      counts[name] = (counts[name] ?? 0) + 1;
      if (!isAccepted) {
        refuse(delivery, `${name} refuses`);
      }
    }
  }
}

const clock = Date.now;
for await (const line of createInterface({ input: process.stdin })) {
  const delivery = parseDelivery(line);
  Date.now = () => delivery.received_at;
  check(delivery);
  Date.now = clock;
}
console.log(JSON.stringify(counts));
process.exitCode = refusals === 0 ? 0 : 1;
