// Deliveries signed by our code, and what our own verifier says to others.

import { spawnSync } from "node:child_process";

import { parseDelivery } from "../node/verifiers.mjs";

const PROGRAM = process.argv[2];

function run(words, input = "") {
  const done = spawnSync(PROGRAM, words, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (done.status !== 0) {
    throw new Error(`${PROGRAM} ${words.join(" ")} failed: ${done.stderr}`);
  }
  return done.stdout.split("\n").slice(0, -1);
}

function now() {
  return Math.floor(Date.now() / 1000).toString();
}

export function signedDeliveries(count, seed) {
  return run(["sign", count, now(), seed].map(String)).map(parseDelivery);
}

export function rotation(count, seed, from, to) {
  return run(["rotate", count, now(), seed, from, to].map(String)).map(parseDelivery);
}

// Our own verdict on each {delivery, key}: true if it is taken for genuine.
export function ownVerdicts(cases) {
  const lines = cases.map(({ delivery, key }) =>
    [key, delivery.id, delivery.timestamp, delivery.signature, delivery.body]
      .map((field) => Buffer.from(field).toString("base64"))
      .join(" "),
  );
  return run(["verify", now()], lines.join("\n") + "\n").map((words) => words === "genuine");
}

// A seeded generator (mulberry32): a failing run can be repeated.
export function seeded(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (bound) => next() % bound;
  return { below, pick: (list) => list[below(list.length)] };
}
