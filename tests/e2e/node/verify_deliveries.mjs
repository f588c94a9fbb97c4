// Usage: node verify_deliveries.mjs < deliveries.jsonl
//
// Verifies captured deliveries with every verifier by others. Each line is a delivery as in
// verifiers.mjs; every key in it must accept it. They must be younger than five minutes. Prints how
// many verdicts each verifier gave, and fails on the first refusal.

import { createInterface } from "node:readline";

import { parseDelivery, verdicts } from "./verifiers.mjs";

const counts = {};

function check(delivery) {
  for (const key of delivery.keys) {
    for (const [name, isAccepted] of Object.entries(verdicts(delivery, key))) {
      if (!isAccepted) {
        console.error(`${name} refuses ${delivery.id}: ${JSON.stringify(delivery.signature)}`);
        process.exit(1);
      }
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  check(parseDelivery(line));
}
console.log(JSON.stringify(counts));
