import { describe, expect, test } from "vitest";
import {
  affords,
  inBoundedTime,
  requireWatchdog,
  sizeOfValue,
} from "../../packages/plan/src/validation/check-meter.ts";
import { cpuTimer } from "../support/cpu-time.ts";

const watched = () => ({ watchedFrom: 0, tooLong: Number.POSITIVE_INFINITY });
const compute = (ms: number) => {
  const cpuMs = cpuTimer();
  while (cpuMs() < ms);
};
/** Passes time without using the processor, as a process does on a machine that is busy with others. */
const starve = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe("a check under the watchdog", () => {
  test.for([
    { name: "a tenth of the processor's time", computesMs: 4, starvesMs: 36, turns: 7 },
    { name: "half of it", computesMs: 20, starvesMs: 20, turns: 5 },
  ])("has its time where the process gets $name", ({ computesMs, starvesMs, turns }) => {
    const history = watched();
    const done = inBoundedTime(history, 1, () => {
      for (let turn = 0; turn < turns; turn++) {
        compute(computesMs);
        starve(starvesMs);
      }
      return "done";
    });
    expect([done, history.tooLong]).toEqual(["done", Number.POSITIVE_INFINITY]);
  });

  test("that has not computed yet is begun again", () => {
    const history = watched();
    let begun = 0;
    const done = inBoundedTime(history, 1, () => {
      begun++;
      starve(begun < 3 ? 60_000 : 1);
      return "done";
    });
    expect([done, begun, history.tooLong]).toEqual(["done", 3, Number.POSITIVE_INFINITY]);
  });

  test("ends when it has computed for its time, is not begun again, and the next one as large is not begun", () => {
    const history = watched();
    const cpuMs = cpuTimer();
    expect(inBoundedTime(history, 10, () => compute(60_000))).toBeUndefined();
    const used = cpuMs();
    expect(used).toBeGreaterThan(100);
    // Seven attempts that had less than 120 ms and one of 150 at most; were it begun again after its time, eight of 150.
    expect(used).toBeLessThan(1_100);
    expect(history.tooLong).toBe(10);
    let begun = 0;
    const work = () => ++begun;
    expect(inBoundedTime(history, 5, work)).toBeUndefined();
    expect(begun).toBe(0);
    // On a busy machine even this may have to be begun again.
    expect(inBoundedTime(history, 4, work)).toBe(begun);
    expect(begun).toBeGreaterThan(0);
  });

  test("of a value four times as large has four times as long", () => {
    const work = () => {
      compute(300);
      return "done";
    };
    const isEnded = () => inBoundedTime(watched(), 40_000, work) === undefined;
    // After an attempt that a busy machine starved the next one may have twice as long, which can be enough; not each time.
    expect([1, 2, 3, 4, 5].some(isEnded)).toBe(true);
    expect(inBoundedTime(watched(), 160_000, work)).toBe("done");
  });

  test("throws what the work throws, and lets work of unknown length continue", () => {
    const work = () => {
      requireWatchdog();
      expect(affords(Number.POSITIVE_INFINITY)).toBe(true);
      return inBoundedTime(watched(), 1, () => "within");
    };
    expect(inBoundedTime(watched(), 1, work)).toBe("within");
    const broken = () => {
      throw new TypeError("broken");
    };
    expect(() => inBoundedTime(watched(), 1, broken)).toThrow(new TypeError("broken"));
    expect(() => requireWatchdog()).toThrow();
  });
});

describe("a check without a watchdog", () => {
  const unused = () => ({ watchedFrom: Number.POSITIVE_INFINITY, tooLong: Number.POSITIVE_INFINITY });

  test("is begun again with one where it needs it; so is every value as large from then on", () => {
    const history = unused();
    const watchedTimes: boolean[] = [];
    const work = () => {
      watchedTimes.push(affords(2_000_000));
      requireWatchdog();
      return "done";
    };
    expect(inBoundedTime(history, 7, work)).toBe("done");
    expect(watchedTimes).toEqual([false, true]);
    expect(history.watchedFrom).toBe(7);
    expect(inBoundedTime(history, 7, work)).toBe("done");
    expect(watchedTimes).toEqual([false, true, true]);
    expect(inBoundedTime(history, 6, () => affords(1))).toBe(true);
  });

  test("affords a million steps, each check of its own", () => {
    const history = unused();
    const work = () => [affords(600_000), affords(400_000), affords(1)];
    expect(inBoundedTime(history, 1, work)).toEqual([true, true, false]);
    expect(inBoundedTime(history, 1, work)).toEqual([true, true, false]);
  });

  test("throws what the work throws", () => {
    const broken = () => {
      throw new RangeError("broken");
    };
    const history = unused();
    expect(() => inBoundedTime(history, 1, broken)).toThrow(new RangeError("broken"));
    expect(history.watchedFrom).toBe(Number.POSITIVE_INFINITY);
  });
});

test("the size of a value is its parts and characters, up to a limit", () => {
  expect(sizeOfValue(1, 100)).toBe(1);
  expect(sizeOfValue("x".repeat(32), 100)).toBe(3);
  expect(sizeOfValue({ a: [1, null], b: "" }, 100)).toBe(5);
  expect(sizeOfValue(Array.from({ length: 50 }), 100)).toBe(51);
  expect(sizeOfValue(Array.from({ length: 200 }), 100)).toBe(100);
  expect(sizeOfValue("x".repeat(3_200), 100)).toBe(100);
  const itself: unknown[] = [];
  itself.push(itself);
  expect(sizeOfValue(itself, 1_000)).toBe(1_000);
});
