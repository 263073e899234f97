import { expect, test } from "vitest";
import { isOutOfTime, underWatchdog } from "../../packages/plan/src/validation/watchdog.ts";

const forever = () => {
  for (;;);
};
const errorOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
};

test("work under a watchdog gives what it gives, and throws what it throws", () => {
  expect(underWatchdog(() => 5, 1_000)).toBe(5);
  const error = new TypeError("broken");
  expect(
    errorOf(() =>
      underWatchdog(() => {
        throw error;
      }, 1_000),
    ),
  ).toBe(error);
  expect(isOutOfTime(error)).toBe(false);
});

test("work that takes too long is ended", () => {
  expect(isOutOfTime(errorOf(() => underWatchdog(forever, 20)))).toBe(true);
  expect(underWatchdog(() => "after it", 1_000)).toBe("after it");
});

test("work may be watched within other work, which then goes on", () => {
  const inner = () => underWatchdog(() => "inner", 1_000);
  expect(underWatchdog(() => [inner(), inner(), "outer"], 1_000)).toEqual(["inner", "inner", "outer"]);
  const ended = underWatchdog(() => isOutOfTime(errorOf(() => underWatchdog(forever, 20))), 1_000);
  expect(ended).toBe(true);
});

test("what is no error of the watchdog is not taken for one", () => {
  for (const error of [undefined, null, "ERR_SCRIPT_EXECUTION_TIMEOUT", {}, new Error("x"), { code: "ENOENT" }])
    expect(isOutOfTime(error)).toBe(false);
});
