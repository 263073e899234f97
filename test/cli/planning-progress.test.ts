import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { styleFor } from "../../packages/cli/src/terminal/style.ts";
import { planningProgress } from "../../packages/cli/src/views/planning-progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function progressOn(isTTY: boolean) {
  const written: string[] = [];
  const sink = { isTTY, columns: 100, write: (text: string) => written.push(text) };
  return { written, progress: planningProgress(sink, styleFor(sink, { NO_COLOR: "1" }), "llm:m") };
}
const attempt = (issues: readonly object[]) =>
  ({ type: "plan-attempt", attempt: 1, maxAttempts: 3, issues }) as unknown as Parameters<
    NonNullable<ReturnType<typeof planningProgress>>["onAttempt"]
  >[0];

test("a terminal shows for how long a goal has been planned and why it is asked again; the line is gone in the end", () => {
  const { written, progress } = progressOn(true);
  vi.advanceTimersByTime(2_000);
  expect(written.at(-1)).toContain("Planning with llm:m · 2 s");
  progress!.onAttempt(attempt([{ severity: "error", message: "Tool not available: \u001B[31mfly" }]));
  vi.advanceTimersByTime(1_000);
  expect(written.at(-1)).toContain("3 s · attempt 2 of 3, since: Tool not available: fly");
  progress!.stop();
  const { length } = written;
  vi.advanceTimersByTime(5_000);
  expect([written.at(-1), written.length]).toEqual(["\r\u001B[2K", length]);
});

test("what is planned at once shows nothing, and neither does a pipe", () => {
  const { written, progress } = progressOn(true);
  vi.advanceTimersByTime(900);
  progress!.stop();
  expect(written).toEqual([]);
  expect(progressOn(false).progress).toBeUndefined();
});
