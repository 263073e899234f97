import { expect, test, vi } from "vitest";
import { TimedWork } from "../../packages/runtime/src/task-execution/timed-work.ts";

test("work that was abandoned has settled when all that was begun in it has, so that its slots stay taken until then", async () => {
  const outcome = Promise.withResolvers<unknown>();
  const attempt = new TimedWork({ timeoutMs: 5, graceMs: 1 }, outcome.resolve);
  const work = Promise.withResolvers<void>();
  const inner = Promise.withResolvers<void>();
  const onSettled = vi.fn();
  attempt.onSettled = onSettled;
  attempt.follow(work.promise);
  attempt.hold(inner.promise);
  // Real time: a few milliseconds until the attempt is abandoned.
  expect(await outcome.promise).toMatchObject({ type: "timeout", abandoned: true });
  work.resolve();
  await new Promise(setImmediate);
  expect(onSettled).not.toHaveBeenCalled();
  inner.resolve();
  await new Promise(setImmediate);
  expect(onSettled).toHaveBeenCalledOnce();
});
