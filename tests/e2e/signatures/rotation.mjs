// A secret is changed without one refused delivery, whenever in the overlap a receiver changes over.
//
// Usage: node rotation.mjs SIGN_DELIVERIES

import assert from "node:assert/strict";
import { test } from "node:test";

import { verdicts } from "../node/verifiers.mjs";
import { ownVerdicts, rotation } from "./signed.mjs";

const COUNT = 300;
const OVERLAP = { begin: COUNT / 3, end: (2 * COUNT) / 3 };
const CHANGES = [
  ["v1", "v1"],
  ["v1", "v1a"],
  ["v1a", "v1"],
  ["v1a", "v1a"],
];

function isAccepted(delivery, keys) {
  return keys.some((key) => Object.values(verdicts(delivery, key)).every(Boolean));
}

// Knows the old secret up to `last`, the new one from `first` on.
function refusals(deliveries, { first, last }) {
  const [after, before] = deliveries[OVERLAP.begin].keys;
  return deliveries.filter((delivery, number) => {
    const keys = [...(number <= last ? [before] : []), ...(number >= first ? [after] : [])];
    return !isAccepted(delivery, keys);
  });
}

for (const [index, [from, to]] of CHANGES.entries()) {
  const deliveries = rotation(COUNT, 3 + index, from, to);

  test(`${from} to ${to}: receivers that change over within the overlap miss nothing`, () => {
    for (let at = OVERLAP.begin; at <= OVERLAP.end; at += 20) {
      const inOneStep = { first: at, last: at - 1 };
      const withBothForAWhile = { first: OVERLAP.begin, last: at };
      assert.deepEqual(refusals(deliveries, inOneStep), []);
      assert.deepEqual(refusals(deliveries, withBothForAWhile), []);
    }
  });

  test(`${from} to ${to}: our own verifier agrees in the overlap`, () => {
    const overlap = deliveries.filter(({ phase }) => phase === "overlap");
    const cases = overlap.flatMap((delivery) => delivery.keys.map((key) => ({ delivery, key })));
    assert.equal(cases.length, (2 * COUNT) / 3);
    assert.ok(ownVerdicts(cases).every(Boolean));
  });

  test(`${from} to ${to}: receivers that change over too early or too late miss deliveries`, () => {
    const tooLate = { first: COUNT, last: COUNT };
    const tooEarly = { first: 0, last: -1 };
    assert.equal(refusals(deliveries, tooLate).length, COUNT / 3);
    assert.equal(refusals(deliveries, tooEarly).length, COUNT / 3);
  });
}
