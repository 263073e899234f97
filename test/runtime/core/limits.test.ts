import { expect, test } from "vitest";
import { Limits, NO_GROUP } from "../../../packages/runtime/src/core/limits.ts";

const make = () => new Limits({ concurrency: 2, kinds: new Map([["tool", 1]]), resources: new Map([["tool:a", 1]]) });

test("groups are found by kind and resource; all others are in none", () => {
  const limits = make();
  expect(limits.names).toEqual(["", "kind tool", "resource tool:a"]);
  expect([...limits.capacity]).toEqual([2, 1, 1]);
  expect([limits.kindGroup("tool"), limits.kindGroup("llm")]).toEqual([1, NO_GROUP]);
  expect([limits.resourceGroup("tool", "a"), limits.resourceGroup("tool", "b")]).toEqual([2, NO_GROUP]);
});

test("a group is full when all of its slots are taken, and counts what was given back", () => {
  const limits = make();
  limits.take(0);
  expect([limits.isFull(0), limits.isFull(1)]).toEqual([false, false]);
  limits.take(0);
  limits.take(1);
  expect([limits.isFull(0), limits.isFull(1)]).toEqual([true, true]);
  limits.release(0);
  expect([limits.isFull(0), limits.releases]).toEqual([false, 1]);
});

test("no group is never full, and nothing is counted of it", () => {
  const limits = make();
  for (const what of ["take", "release", "abandon", "settle"] as const) limits[what](NO_GROUP);
  expect([limits.isFull(NO_GROUP), limits.isFullyAbandoned(NO_GROUP)]).toEqual([false, false]);
  expect([limits.releases, limits.abandonedChanges]).toEqual([0, 0]);
  expect(Object.keys(limits.used)).not.toContain(String(NO_GROUP));
});

test("slots of abandoned attempts stay taken until they settle, which takes back that a group was given up", () => {
  const limits = make();
  limits.take(0);
  limits.take(0);
  limits.abandon(0);
  expect([limits.isFullyAbandoned(0), limits.abandoned[0], limits.abandonedChanges]).toEqual([false, 1, 1]);
  limits.abandon(0);
  expect([limits.isFullyAbandoned(0), limits.used[0], limits.hasGivenUp]).toEqual([true, 2, false]);
  limits.giveUp(0);
  expect([limits.hasGivenUp, limits.isGivenUp(0), limits.isGivenUp(1)]).toEqual([true, true, false]);
  limits.settle(0);
  expect([limits.isFullyAbandoned(0), limits.abandoned[0], limits.used[0]]).toEqual([false, 1, 1]);
  expect([limits.hasGivenUp, limits.abandonedChanges, limits.releases]).toEqual([false, 3, 1]);
});
