import {
  cancelRun,
  defineTool,
  type EndReason,
  memoryJournal,
  type RunEvent,
  resumableStatuses,
  resume,
  run,
  ShutDown,
  toolExecutor,
  verifyRun,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { group, planOf, statuses } from "../support/run-plans.ts";

/** Tools a, b and c; `a` takes until `release`, and stops when it is asked to. */
function slowFirst() {
  const calls: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const tools = ["a", "b", "c"].map((id) =>
    defineTool({
      id,
      description: "",
      idempotent: true,
      async execute(_: Record<string, unknown>, { signal }) {
        calls.push(id);
        if (id !== "a" || calls.filter((call) => call === "a").length > 1) return id;
        begin();
        const { promise: aborted, reject } = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => reject(signal.reason));
        await Promise.race([released, aborted]);
        return id;
      },
    }),
  );
  return { calls, begun, release, executors: [toolExecutor(tools)] };
}

const plan = planOf({ a: [], b: ["a"], c: ["b"] });
const subgraphs = group(plan, { one: ["a", "b"], two: ["c"] }).map((subgraph, at) => ({
  ...subgraph,
  dependencies: at === 0 ? [] : ["one"],
}));

const ways = [
  { way: "an aborted signal", reason: "cancelled", done: [] },
  { way: "cancelRun", reason: "cancelled", done: [] },
  { way: "a signal aborted with ShutDown", reason: "shut_down", done: [] },
  { way: "an aborted drain", reason: "drained", done: ["a"] },
  { way: "cancelRun with drain", reason: "drained", done: ["a"] },
  { way: "a drain, then a signal", reason: "cancelled", done: [] },
  { way: "a drain, then ShutDown", reason: "shut_down", done: [] },
] as const satisfies readonly { way: string; reason: EndReason; done: readonly string[] }[];

test.for(ways.flatMap((each) => [true, false].map((atomic) => ({ ...each, atomic }))))(
  "$way ends a run as $reason (subgraphs whole: $atomic), and resume continues with it",
  async ({ way, reason, done, atomic }) => {
    const { calls, begun, release, executors } = slowFirst();
    const journal = memoryJournal({ events: true });
    const [abort, drain] = [new AbortController(), new AbortController()];
    const events: RunEvent[] = [];
    const running = run(plan, {
      executors,
      journal,
      runId: "r",
      signal: abort.signal,
      drain: drain.signal,
      onEvent: (event) => events.push(event),
      ...(atomic && { semantics: "atomic" as const, subgraphs }),
    });
    await begun;
    if (way === "an aborted drain" || way.startsWith("a drain")) drain.abort(new Error("a new release"));
    if (way === "cancelRun" || way === "cancelRun with drain")
      await cancelRun("r", { journal, mode: way === "cancelRun" ? "now" : "drain" });
    if (way.endsWith("ignal")) abort.abort();
    if (way.endsWith("ShutDown")) abort.abort(new ShutDown());
    if (reason === "drained") release();
    const first = await running;

    expect(first.end_reason).toBe(reason);
    expect(events.at(-1)).toMatchObject({ type: "run-end", endReason: reason });
    expect(await journal.listRuns({ status: reason })).toMatchObject([{ run_id: "r", status: reason }]);
    expect((await verifyRun(journal, "r")).problems).toEqual([]);
    // A subgraph that runs comes to its end as a whole.
    const completed = atomic && reason === "drained" ? ["a", "b"] : done;
    const ended = Object.entries(statuses(first)).filter(([, status]) => status === "completed");
    expect(ended.map(([id]) => id)).toEqual(completed);
    expect(first.results[2]).toMatchObject({ status: "cancelled", error: { code: "TASK_CANCELLED" } });
    const words = { cancelled: "was cancelled", drained: "was drained", shut_down: "was shut down" }[reason];
    // The first was at work when it was asked to stop; the last had not begun.
    expect(first.results[reason === "drained" ? 2 : 0]?.error?.message).toContain(words);

    const second = await resume("r", { executors, journal });
    expect(second.end_reason).toBe("completed");
    expect(calls.filter((call) => call === "a")).toHaveLength(reason === "drained" ? 1 : 2);
    expect(calls.filter((call) => call === "c")).toHaveLength(1);
  },
);

test("a run that was drained is cancelled for good: it is taken up by nobody any more", async () => {
  const { begun, release, executors } = slowFirst();
  const journal = memoryJournal();
  const drain = new AbortController();
  const running = run(plan, { executors, journal, runId: "r", drain: drain.signal });
  await begun;
  drain.abort();
  release();
  await running;
  expect(await journal.listRuns({ status: resumableStatuses })).toMatchObject([{ run_id: "r" }]);
  await expect(cancelRun("r", { journal, mode: "drain" })).rejects.toMatchObject({ code: "RUNTIME_NOT_RUNNING" });
  expect(await cancelRun("r", { journal })).toEqual({ run_id: "r", state: "cancelled" });
  expect(await journal.listRuns({ status: resumableStatuses })).toEqual([]);
});

test("a run that everything ended of before the drain is completed", async () => {
  const { begun, release, executors } = slowFirst();
  const drain = new AbortController();
  const running = run(planOf({ a: [] }), { executors, drain: drain.signal });
  await begun;
  drain.abort();
  release();
  expect((await running).end_reason).toBe("completed");
});
