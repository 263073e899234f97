import { createServer } from "@planloom/server";
import { defineTool, memoryJournal, Planloom } from "planloom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { measuredDispatcher } from "../../packages/planloom/src/grouping/achieved-grouping.ts";

// A timer of Node.js that is longer than 24 days is over at once, with a warning alone: a pause becomes a loop, and a limit fails everything.
let warned: unknown[];
beforeEach(() => {
  warned = [];
  vi.spyOn(process, "emitWarning").mockImplementation((_, type) => void warned.push(type));
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(warned).not.toContain("TimeoutOverflowWarning");
});

const plan = { planned_tasks: [{ task_id: "a", tool_id: "t" }] };
const tool = defineTool({ id: "t", description: "", readOnly: true, execute: () => 1 });

test.for([1e12, Number.POSITIVE_INFINITY])(
  "an error that asks to wait for %d ms is not tried again at once",
  async (retryAfterMs) => {
    let calls = 0;
    const busy = defineTool({
      id: "t",
      description: "",
      readOnly: true,
      execute: () => {
        calls++;
        throw Object.assign(new Error("busy"), { retryAfterMs });
      },
    });
    await using planloom = new Planloom({ tools: [busy] });
    // Real time: attempts that are made at once come within a few milliseconds.
    const { end_reason } = await planloom.run(plan, { signal: AbortSignal.timeout(100) });
    expect([end_reason, calls]).toEqual(["cancelled", 1]);
  },
);

test.for(["run", "instance", "journal"] as const)(
  "a rate of one call a month, of a %s, waits without a timer that is over at once",
  async (scope) => {
    const limits = { rates: { t: { limit: 1, intervalMs: 30 * 86_400_000 } } };
    const planned_tasks = ["a", "b"].map((task_id) => ({ task_id, tool_id: "t" }));
    const ofAll = scope === "run" ? {} : { limits, limitScope: scope };
    await using planloom = new Planloom({ tools: [tool], journal: memoryJournal(), ...ofAll });
    const ofRun = scope === "run" ? { limits } : {};
    const { results } = await planloom.run({ planned_tasks }, { ...ofRun, signal: AbortSignal.timeout(100) });
    expect(results.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  },
);

test("the second dispatch of a month waits without a timer that is over at once", async () => {
  const to = { name: "here", dispatch: async () => ({ results: [] }) };
  const { dispatcher } = measuredDispatcher(to as never, { limit: 1, intervalMs: 30 * 86_400_000 });
  const dispatch = () =>
    dispatcher.dispatch({ plan: { planned_tasks: [] } } as never, { signal: AbortSignal.timeout(50) } as never);
  await dispatch();
  await expect(dispatch()).rejects.toMatchObject({ name: "TimeoutError" });
});

describe.each([1e12, Number.POSITIVE_INFINITY])("%d milliseconds are long", (long) => {
  test("between two looks of a scheduler, and of a subscription", async () => {
    const journal = memoryJournal({ events: true });
    const claims = vi.fn(journal.claimDueRuns!);
    const planloom = new Planloom({ tools: [tool], journal: { ...journal, claimDueRuns: claims } });
    await planloom.scheduler({ everyMs: long, signal: AbortSignal.timeout(50) });
    expect(claims).toHaveBeenCalledTimes(1);
    const { run_id } = await planloom.run({ planned_tasks: [{ task_id: "w", wait: { event: "e" } }] });
    const looks = vi.spyOn(journal, "getEvents");
    const signal = AbortSignal.timeout(50);
    for await (const _ of planloom.subscribe(run_id, { follow: true, pollMs: long, signal }));
    expect(looks.mock.calls.length).toBeLessThan(5);
    await planloom.close({ drainMs: long });
  });

  test("for the body of a request, the answer of a controller and between two comments of a stream", async () => {
    const planloom = new Planloom({ tools: [tool], journal: memoryJournal({ events: true }) });
    const server = createServer(planloom, { bodyTimeoutMs: long, heartBeatMs: long, controllerTimeoutMs: long });
    const post = (path: string, body: object) =>
      server.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    expect((await post("/runs", { plan, run_id: "r" })).status).toBe(202);
    const phase1 = await post("/process-phase-1-task", { task: "Do it", messages: [] });
    expect(await phase1.text()).not.toContain("out of range");
    await post("/runs", { plan: { planned_tasks: [{ task_id: "w", wait: { event: "e" } }] }, run_id: "w" });
    const stop = new AbortController();
    const { body } = await server.fetch(new Request("http://127.0.0.1/runs/w/events", { signal: stop.signal }));
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const ended = AbortSignal.timeout(100);
    while (!ended.aborted) {
      const next = await Promise.race([
        reader.read(),
        new Promise<undefined>((end) => ended.addEventListener("abort", () => end(undefined))),
      ]);
      if (next === undefined || next.done) break;
      text += next.value;
    }
    expect(text.split("\n").filter((line) => line.startsWith(":")).length).toBeLessThan(3);
    stop.abort();
    await server.close();
  });
});
