import { defineTool, memoryJournal, Planloom } from "planloom";
import type { OnUnknown } from "planloom/runtime";
import { scriptedModel } from "planloom/testing";
import { expect, test } from "vitest";

/** A payment whose first call is stopped by its time limit, so that it is unknown whether it was carried out. */
function world() {
  const made = { calls: 0 };
  const pay = defineTool({
    id: "pay",
    description: "Pays.",
    execute: (_, { signal }) =>
      ++made.calls > 1
        ? "paid"
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  });
  return { made, tools: [pay], journal: memoryJournal() };
}

const plan = { planned_tasks: [{ task_id: "pay", execution_type: "tool" as const, tool_id: "pay" }] };

test.for<{ begun?: OnUnknown; instance?: OnUnknown; given?: OnUnknown; end: string; calls: number }>([
  { end: "waiting_approval", calls: 1 },
  { instance: "retry", end: "completed", calls: 2 },
  { instance: "fail", end: "failed", calls: 1 },
  // Of what both say the stricter holds; whoever resumes may say otherwise.
  { begun: "ask", instance: "retry", end: "waiting_approval", calls: 1 },
  { begun: "fail", instance: "ask", end: "failed", calls: 1 },
  { begun: "ask", instance: "fail", given: "retry", end: "completed", calls: 2 },
])("run $begun, instance $instance, resume $given: $end", async ({ begun, instance, given, end, calls }) => {
  const { made, tools, journal } = world();
  const first = new Planloom({ tools, journal, taskTimeoutMs: 10 });
  await first.run(plan, { runId: "r", ...(begun && { onUnknown: begun }) });
  const second = new Planloom({ tools, journal, ...(instance && { onUnknown: instance }) });
  const result = await second.resume("r", given && { onUnknown: given });
  expect([result.end_reason, made.calls]).toEqual([end, calls]);
});

test("what resume is given holds for that session alone", async () => {
  const { made, tools, journal } = world();
  await using planloom = new Planloom({ tools, journal });
  await planloom.run(plan, { runId: "r", taskTimeoutMs: 10 });
  const { end_reason: given } = await planloom.resume("r", { onUnknown: "fail" });
  const { end_reason: next } = await planloom.resume("r");
  expect([given, next, made.calls]).toEqual(["failed", "waiting_approval", 1]);
});

test.for<{ instance?: OnUnknown; end: string; calls: number }>([
  { end: "waiting_approval", calls: 1 },
  { instance: "retry", end: "responded", calls: 2 },
])("a plan-execute loop that an instance with $instance resumes: $end", async ({ instance, end, calls }) => {
  const { made, tools, journal } = world();
  const call = (name: string, args: unknown) => ({ toolCalls: [{ id: "1", name, arguments: JSON.stringify(args) }] });
  const model = () => scriptedModel([call("pay", {}), "Paid.", call("respond", { response: "Paid." })]);
  const roles = {
    planner: () => ["Pay"],
    replanner: ({ ExecutedSteps }: { ExecutedSteps: readonly unknown[] }) =>
      ExecutedSteps.length === 1 ? { respond: "Paid." } : { plan: ["Pay"] },
  };
  const stop = new AbortController();
  const onEvent = () => setImmediate(() => made.calls === 1 && stop.abort());
  const first = new Planloom({ model: model(), tools, journal, confirm: "never" });
  const begun = await first.planExecute("Pay", { ...roles, runId: "r", signal: stop.signal, onRunEvent: onEvent });
  expect([begun.end_reason, made.calls]).toEqual(["cancelled", 1]);
  const second = new Planloom({
    model: scriptedModel(["Paid."]),
    tools,
    journal,
    ...(instance && { onUnknown: instance }),
  });
  const result = await second.resumePlanExecute("r", roles);
  expect([result.end_reason, made.calls]).toEqual([end, calls]);
});
