import {
  defineTool,
  defineWorkflow,
  memoryJournal,
  resume,
  run,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf, statuses } from "../support/run-plans.ts";

function gates() {
  const calls: string[] = [];
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      async execute(_: Record<string, unknown>, { signal }) {
        calls.push(id);
        started.resolve();
        if (id === "slow") await release.promise;
        expect(signal.aborted).toBe(false);
        return id;
      },
    });
  return { calls, started, release, tools: ["slow", "after", "other"].map(make) };
}

test.for([{ nested: false }, { nested: true }])(
  "a drained run lets what runs end, starts nothing more, and is resumed: nested $nested",
  async ({ nested }) => {
    const { calls, started, release, tools } = gates();
    const inner = planOf({ slow: [], after: ["slow"] });
    const flow = workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: inner })]);
    const plan = nested
      ? planOf({ w: [], other: ["w"] }, { w: { execution_type: "dsl", tool_id: null, parameters: { uid: "flow" } } })
      : planOf({ slow: [], after: ["slow"], other: ["after"] });
    const journal = memoryJournal();
    const executors = [toolExecutor(tools), flow];
    const drain = new AbortController();
    const running = run(plan, { executors, journal, runId: "r", drain: drain.signal });
    await started.promise;
    drain.abort();
    release.resolve();
    const first = await running;
    expect(first.end_reason).toBe("drained");
    expect(calls).toEqual(["slow"]);
    const expected = nested
      ? { w: "cancelled", other: "cancelled" }
      : { slow: "completed", after: "cancelled", other: "cancelled" };
    expect(statuses(first)).toEqual(expected);

    const second = await resume("r", { executors, journal });
    expect(second.end_reason).toBe("completed");
    expect(calls).toEqual(["slow", "after", "other"]);
  },
);

test("a signal after the drain stops what runs; a drain before the run starts nothing", async () => {
  const stopped: unknown[] = [];
  const started = Promise.withResolvers<void>();
  const wait = defineTool({
    id: "wait",
    description: "",
    execute: (_: Record<string, unknown>, { signal }) =>
      new Promise((_, reject) => {
        started.resolve();
        signal.addEventListener("abort", () => {
          stopped.push(signal.reason);
          reject(signal.reason as Error);
        });
      }),
  });
  const executors = [toolExecutor([wait])];
  const drain = new AbortController();
  const abort = new AbortController();
  const running = run(planOf({ wait: [] }), { executors, drain: drain.signal, signal: abort.signal });
  await started.promise;
  drain.abort();
  abort.abort(new Error("enough"));
  expect((await running).end_reason).toBe("cancelled");
  expect(stopped).toHaveLength(1);

  const late = await run(planOf({ wait: [] }), { executors, drain: AbortSignal.abort() });
  expect(late.end_reason).toBe("drained");
  expect(stopped).toHaveLength(1);
});
