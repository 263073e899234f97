import { defineTool, memoryJournal, Planloom } from "planloom";
import { afterEach, expect, test, vi } from "vitest";
import { planOf } from "../support/run-plans.ts";

const plan = planOf({ a: [], b: ["a"] });

/** A tool that takes until `release`, or until it is asked to stop, and one that takes no time. */
function wired() {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const a = defineTool({
    id: "a",
    description: "Takes long",
    readOnly: true,
    async execute(_: Record<string, unknown>, { signal }) {
      begin();
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason));
      await Promise.race([released, aborted]);
      return "a";
    },
  });
  const b = defineTool({ id: "b", description: "Takes no time", readOnly: true, execute: () => "b" });
  const journal = memoryJournal();
  return { begun, release, journal, planloom: new Planloom({ tools: [a, b], journal }), tools: [a, b] };
}

afterEach(() => {
  vi.useRealTimers();
});

test("closing with time to drain lets what runs end, refuses new calls, and leaves a run to be resumed", async () => {
  const { begun, release, journal, planloom, tools } = wired();
  const running = planloom.run(plan, { runId: "r" });
  await begun;
  const closing = planloom.close({ drainMs: 60_000 });
  await expect(planloom.run(plan)).rejects.toMatchObject({ code: "PLANLOOM_CLOSED" });
  release();
  await closing;
  const first = await running;
  expect(first.end_reason).toBe("drained");
  expect(first.results.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  await using next = new Planloom({ tools, journal });
  expect((await next.resume("r")).end_reason).toBe("completed");
});

test.for([{ drainMs: 0 }, { drainMs: 5_000 }])(
  "what is at work after $drainMs ms is asked to stop, and its run is shut down, not cancelled",
  async ({ drainMs }) => {
    const { begun, planloom, journal } = wired();
    const running = planloom.run(plan, { runId: "r" });
    await begun;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const closing = planloom.close({ drainMs });
    await vi.advanceTimersByTimeAsync(drainMs);
    vi.useRealTimers();
    await closing;
    expect((await running).end_reason).toBe("shut_down");
    expect((await journal.getRun("r")).status).toBe("shut_down");
  },
);

test("a caller's own drain and signal are heard as before, and end as what they say", async () => {
  const { begun, release, planloom } = wired();
  const drain = new AbortController();
  const running = planloom.run(plan, { drain: drain.signal });
  await begun;
  drain.abort();
  release();
  expect((await running).end_reason).toBe("drained");
  const signal = AbortSignal.abort();
  expect((await planloom.run(plan, { signal })).end_reason).toBe("cancelled");
  await planloom.close();
});

test.for([
  [{ drainMs: -1 }, "Expected `drainMs` to be a number of milliseconds of at least 0"],
  [{ drainMs: "5s" }, "Expected `drainMs`"],
  [{ drain: 5_000 }, "Unknown option `drain` of `close`: did you mean `drainMs`?"],
] as const)("close refuses %j", async ([options, message]) => {
  const planloom = new Planloom();
  await expect(planloom.close(options as object)).rejects.toThrow(message);
  await planloom.close();
});
