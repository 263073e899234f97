import { expect, test } from "vitest";
import { isStale, leaseTimeoutMs, processOwner } from "../../../packages/runtime/src/journal/lease.ts";

const now = 1_000_000_000;
const here = processOwner("t");
const elsewhere = { token: "t", host: "elsewhere", pid: 1 };

test.for([
  ["a live process here, seen just now", here, now, false],
  ["a live process here, silent for long", here, now - leaseTimeoutMs - 1, true],
  ["a process elsewhere, seen just now", elsewhere, now - leaseTimeoutMs + 1, false],
  ["a process elsewhere, silent for long", elsewhere, now - leaseTimeoutMs - 1, true],
  ["a sign of life far in the future: the clock was set back", elsewhere, now + leaseTimeoutMs + 1, true],
  ["a dead process here, seen just now", { ...here, pid: 2 ** 30 }, now, true],
] as const)("%s", ([, owner, seenAt, stale]) => {
  expect(isStale({ owner, seenAt }, now)).toBe(stale);
});
