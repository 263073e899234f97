import { describe, expect, test } from "vitest";
import { type Reached, Undominated } from "../../../packages/optimizer/src/exact/dominance.ts";

interface State extends Reached {
  readonly set: number;
  dominated: boolean;
}

const usual = { set: 0b0111, count: 3, part: 0b0100, free: [4, 6], release: [0, 0, 0, 5] };
const state = (change: Partial<typeof usual> = {}): State => {
  const { free, release, ...rest } = { ...usual, ...change };
  return { ...rest, free: Float64Array.from(free), release: Float64Array.from(release), dominated: false };
};

/** What a second state of the same tasks does to the first, or the first to it. */
function compare(first: State, second: State): "second is left out" | "first is dominated" | "both stay" {
  const known = new Undominated<State>();
  expect(known.hasBetter(first.set, first)).toBe(false);
  known.add(first);
  if (known.hasBetter(second.set, second)) return "second is left out";
  known.add(second);
  return first.dominated ? "first is dominated" : "both stay";
}

describe("of two states with the same tasks dispatched", () => {
  test.for<[string, Partial<typeof usual>, ReturnType<typeof compare>]>([
    ["alike", {}, "second is left out"],
    ["later on one executor", { free: [4, 7] }, "second is left out"],
    ["sooner on one executor", { free: [3, 6] }, "first is dominated"],
    ["sooner on one, later on another", { free: [3, 7] }, "both stay"],
    ["later for a task that waits", { release: [0, 0, 0, 6] }, "second is left out"],
    ["sooner for a task that waits", { release: [0, 0, 0, 4] }, "first is dominated"],
    ["sooner for a task, later on an executor", { release: [0, 0, 0, 4], free: [5, 6] }, "both stay"],
    ["of fewer parts", { count: 2 }, "first is dominated"],
    ["of more parts", { count: 4 }, "second is left out"],
    ["of fewer parts, later", { count: 2, free: [4, 7] }, "both stay"],
    // The order of parts matters only while an executor is unused.
    ["with another part last", { part: 0b0001 }, "second is left out"],
    ["of other tasks", { set: 0b1011 }, "both stay"],
  ])("one %s", ([, change, expected]) => {
    expect(compare(state(), state(change))).toBe(expected);
  });

  test.for<[string, Partial<typeof usual>, Partial<typeof usual>, ReturnType<typeof compare>]>([
    [
      "the lower last part leaves more to begin",
      { free: [0, 6], part: 0b0010 },
      { free: [0, 6], part: 0b0100 },
      "second is left out",
    ],
    [
      "and the higher one does not",
      { free: [0, 6], part: 0b0100 },
      { free: [0, 6], part: 0b0010 },
      "first is dominated",
    ],
    [
      "one more unused executor leaves more, whatever the part",
      { free: [0, 0], part: 0b0100 },
      { free: [0, 6], part: 0b0010 },
      "second is left out",
    ],
    [
      "nothing dispatched leaves everything",
      { free: [0, 0], part: 0 },
      { free: [0, 0], part: 0b0010 },
      "second is left out",
    ],
    [
      "parts with the same lowest task leave as much",
      { free: [0, 6], part: 0b0110 },
      { free: [0, 6], part: 0b0010 },
      "second is left out",
    ],
  ])("while executors are unused: %s", ([, first, second, expected]) => {
    expect(compare(state(first), state(second))).toBe(expected);
  });
});

test("all rivals that a state beats are dominated, and the others are still compared with", () => {
  const known = new Undominated<State>();
  const apart = [state({ free: [1, 9] }), state({ free: [2, 8] }), state({ free: [3, 7] })];
  for (const each of apart) {
    expect(known.hasBetter(each.set, each)).toBe(false);
    known.add(each);
  }
  known.add(state({ free: [2, 7] }));
  expect(apart.map(({ dominated }) => dominated)).toEqual([false, true, true]);
  expect(known.hasBetter(usual.set, state({ free: [1, 9] }))).toBe(true);
  expect(known.hasBetter(usual.set, state({ free: [3, 7] }))).toBe(true);
  expect(known.hasBetter(usual.set, state({ free: [1, 8] }))).toBe(false);
});

test("the last 24 are compared with, and one that beats another is among them from then on", () => {
  const rival = (at: number) => state({ free: [at, 100 - at] });
  const known = new Undominated<State>();
  for (let at = 0; at < 25; at++) known.add(rival(at));
  expect(known.hasBetter(usual.set, rival(0))).toBe(false);
  expect(known.hasBetter(usual.set, rival(1))).toBe(true);
  // Rival 1 is the last now, and rival 24 where it was.
  known.add(rival(25));
  expect(known.hasBetter(usual.set, rival(1))).toBe(true);
  expect(known.hasBetter(usual.set, rival(24))).toBe(false);
  const better = state({ free: [0, 0] });
  known.add(better);
  for (const at of [0, 24]) expect(known.hasBetter(usual.set, rival(at))).toBe(true);
});
