import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  approve,
  cancelRun,
  defineTool,
  defineWorkflow,
  deny,
  type Journal,
  memoryJournal,
  type RunEvent,
  type RunOptions,
  replay,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  waitingFor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { notingTools, planOf, recorder, sleep, statuses } from "../support/run-plans.ts";

const gated = planOf(
  { a: [], send: ["a"], after: ["send"], free: ["a"], end: ["free"] },
  { send: { approval: "required", arguments: { to: "${a.id}" } } },
);

test("a gate suspends its branch, not the run, and shows what is about to happen", async () => {
  const { calls, executors } = notingTools(["a", "send", "after", "free", "end"]);
  const { onEvent, events } = recorder();
  const result = await run(gated, { executors, onEvent });
  expect(result.end_reason).toBe("waiting_approval");
  expect(result.plan.status).toBe("in_progress");
  expect(calls).toEqual(["a", "free", "end"]);
  expect(statuses(result)).toEqual({
    a: "completed",
    send: "waiting_approval",
    after: "pending",
    free: "completed",
    end: "completed",
  });
  const waiting = events.find(({ type }) => type === "task-waiting");
  expect(waiting).toMatchObject({ taskId: "send", uid: "send", input: { to: "a" } });
  expect(result.results[1]?.content_hash).toBe(waiting?.type === "task-waiting" && waiting.contentHash);
});

test.for([
  { name: "memory", open: async () => memoryJournal() },
  { name: "SQLite, opened anew", open: undefined },
])("an approval is kept and lets a resumed run go on: $name", async ({ open }) => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-"));
  const memory = await open?.();
  const journal = async (): Promise<Journal> => memory ?? (await SqliteJournal.open(join(folder, "j.sqlite")));
  const close = async (given: Journal) => void (memory ?? (await given.close()));
  const { calls, executors } = notingTools(["a", "send", "after", "free", "end"]);

  const first = await journal();
  expect((await run(gated, { executors, journal: first, runId: "r1" })).end_reason).toBe("waiting_approval");
  expect((await first.getRun("r1")).status).toBe("waiting_approval");
  expect((await first.getTasks("r1")).find(({ task_id }) => task_id === "send")?.status).toBe("waiting_approval");
  expect((await resume("r1", { journal: first, executors })).end_reason).toBe("waiting_approval");
  await close(first);

  const second = await journal();
  await approve("r1", "send", { journal: second, note: "fine" });
  const result = await resume("r1", { journal: second, executors });
  expect(result.end_reason).toBe("completed");
  expect(calls).toEqual(["a", "free", "end", "send", "after"]);
  await expect(approve("r1", "send", { journal: second })).rejects.toMatchObject({ code: "RUNTIME_NOT_WAITING" });
  await expect(approve("r1", "nobody", { journal: second })).rejects.toMatchObject({ code: "RUNTIME_TASK_NOT_FOUND" });
  await close(second);
  rmSync(folder, { recursive: true });
});

test("whoever is asked sees what about, also when the run has ended waiting", async () => {
  const journal = memoryJournal();
  const { executors } = notingTools(["a", "send", "after", "free", "end"]);
  await run(gated, { executors, journal, runId: "r" });
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "send", uid: "send", input: { to: "a" } }]);
  expect((await replay("r", { journal })).divergence).toBeUndefined();
  await approve("r", "send", { journal });
  expect((await resume("r", { journal, executors })).end_reason).toBe("completed");
});

test("a run that was cancelled takes no yes until it is resumed", async () => {
  const { calls, executors } = notingTools(["a", "send", "after", "free", "end"]);
  const journal = memoryJournal();
  await run(gated, { executors, journal, runId: "r" });
  await cancelRun("r", { journal });
  await expect(approve("r", "send", { journal })).rejects.toMatchObject({
    code: "RUNTIME_NOT_WAITING",
    details: { status: "cancelled" },
  });
  expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
  expect(calls).not.toContain("send");
  await approve("r", "send", { journal });
  expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
});

test("a no skips what depends on the task, and says so", async () => {
  const journal = memoryJournal();
  const { calls, executors } = notingTools(["a", "send", "after", "free", "end"]);
  await run(gated, { executors, journal, runId: "r" });
  await deny("r", "send", { journal });
  const result = await resume("r", { journal, executors });
  expect(result.end_reason).toBe("denied");
  expect(calls).toEqual(["a", "free", "end"]);
  expect(result.results[1]).toMatchObject({ status: "skipped", error: { code: "TASK_DENIED" } });
  expect(result.results[2]).toMatchObject({ status: "skipped", skipped_because: "send" });
});

test("an answer holds for the content it was given for", async () => {
  const { calls, executors } = notingTools(["a", "send", "after", "free", "end"]);
  const { results } = await run(gated, { executors });
  const content_hash = results[1]?.content_hash ?? "";
  const answers = [{ task_id: "send", content_hash, answer: "approve" as const }];
  const changed = structuredClone(gated);
  changed.planned_tasks[1]!.arguments = { to: "everybody" };
  expect((await run(changed, { executors, approval: { answers } })).end_reason).toBe("waiting_approval");
  const ancestor = structuredClone(gated);
  ancestor.planned_tasks[0]!.arguments = { other: 1 };
  expect((await run(ancestor, { executors, approval: { answers } })).end_reason).toBe("waiting_approval");
  expect(calls).not.toContain("send");
  expect((await run(gated, { executors, approval: { answers } })).end_reason).toBe("completed");
});

test("a running run hears the answer", async () => {
  const journal = memoryJournal();
  const { calls, executors } = notingTools(["a", "send", "after", "free", "end"], 40);
  const options: RunOptions = { executors, journal, runId: "r" };
  const { events, onEvent } = recorder();
  const running = run(gated, {
    ...options,
    onEvent(event) {
      onEvent(event);
      if (event.type === "task-waiting") void approve("r", event.taskId, { journal });
    },
  });
  expect((await running).end_reason).toBe("completed");
  expect(calls).toContain("after");
  expect(events.map(({ type }) => type)).toContain("task-approve");
});

test("resources can require approval, also when Stage 2 chooses them", async () => {
  const { calls, executors } = notingTools(["read", "delete", "purge"]);
  const plan = planOf({ a: [], b: ["a"] }, { a: { tool_id: "read" }, b: { tool_id: null } });
  const journal = memoryJournal();
  let chosen = "delete";
  const bind: RunOptions["bind"] = async ({ task, input }) => ({ uid: task.tool_id ?? chosen, input_data: input });
  const options = { executors, bind, journal };
  const first = await run(plan, { ...options, runId: "r", approval: { resources: ["delete", "purge"] } });
  expect(first.end_reason).toBe("waiting_approval");
  expect(first.results[1]).toMatchObject({ status: "waiting_approval", uid: "delete", attempts: 0 });
  await approve("r", "b", { journal });
  // Stage 2 is not asked again: what was approved is what runs.
  chosen = "purge";
  expect((await resume("r", options)).end_reason).toBe("completed");
  expect(calls).toEqual(["read", "delete"]);
  const pinned = await run(planOf({ delete: [] }), { executors, approval: { resources: ["delete"] } });
  expect(pinned.end_reason).toBe("waiting_approval");
});

const flowTask = (uid: string) => ({ execution_type: "dsl" as const, tool_id: null, parameters: { uid } });
const flows = () => {
  const inner = planOf(
    { first: [], send: ["first"], last: ["send"] },
    { send: { approval: "required", arguments: { to: "${first.id}" } } },
  );
  const outer = planOf({ deep: [] }, { deep: flowTask("flow") });
  return workflowExecutor([
    defineWorkflow({ id: "flow", description: "", plan: inner }),
    defineWorkflow({ id: "outer", description: "", plan: outer }),
  ]);
};

test.for([
  { name: "by its own id", ids: ["w/deep/send", "v/send"] },
  { name: "by the id of the task it is in", ids: ["w", "v"] },
])("a gate within a workflow suspends it where it is; answered $name", async ({ ids }) => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-"));
  const open = () => SqliteJournal.open(join(folder, "j.sqlite"));
  const { calls, executors } = notingTools(["first", "send", "last", "free", "end"]);
  const plan = planOf(
    { w: [], v: [], free: [], end: ["w", "v"] },
    { w: flowTask("outer"), v: flowTask("flow"), end: { arguments: { seen: "${w.id}" } } },
  );
  const given = { executors: [...executors, flows()] };
  let journal = await open();
  const first = await run(plan, { ...given, journal, runId: "r" });
  expect(first.end_reason).toBe("waiting_approval");
  expect(statuses(first)).toEqual({ w: "waiting_approval", v: "waiting_approval", free: "completed", end: "pending" });
  expect(first.results[0]?.error).toMatchObject({
    code: "TASK_WAITING",
    details: { waiting: [{ id: "w/deep/send", uid: "send", input: { to: "first" } }] },
  });
  expect(calls.sort()).toEqual(["first", "first", "free"]);
  expect((await resume("r", { ...given, journal })).end_reason).toBe("waiting_approval");
  await journal.close();

  journal = await open();
  for (const id of ids) await approve("r", id, { journal });
  calls.length = 0;
  const second = await resume("r", { ...given, journal });
  expect(second.end_reason).toBe("completed");
  expect(calls.sort()).toEqual(["end", "last", "last", "send", "send"]);
  expect(second.output_data).toMatchObject({ end: { input: { seen: "last" } } });
  await journal.close();
  rmSync(folder, { recursive: true });
});

test("an answer to what waits in one task says nothing of the same call in another; no skips the task", async () => {
  const { calls, executors } = notingTools(["first", "send", "last"]);
  const plan = planOf({ w: [], v: [] }, { w: flowTask("flow"), v: flowTask("flow") });
  const journal = memoryJournal();
  const given = { executors: [...executors, flows()], journal };
  await run(plan, { ...given, runId: "r" });
  await deny("r", "w/send", { journal });
  const second = await resume("r", given);
  expect(second.end_reason).toBe("waiting_approval");
  expect(statuses(second)).toEqual({ w: "skipped", v: "waiting_approval" });
  expect(calls).not.toContain("send");
  await expect(approve("r", "w/last", { journal })).rejects.toMatchObject({ code: "RUNTIME_TASK_NOT_FOUND" });
});

test("a failure elsewhere does not hide that a gate waits; halt does", async () => {
  const plan = planOf({ bad: [], send: [] }, { send: { approval: "required" } });
  const bad = defineTool({
    id: "bad",
    description: "",
    async execute() {
      await sleep(5);
      throw new Error("no");
    },
  });
  const send = defineTool({ id: "send", description: "", execute: () => 1 });
  const executors = [toolExecutor([bad, send])];
  const result = await run(plan, { executors });
  expect(result.end_reason).toBe("waiting_approval");
  expect(statuses(result)).toEqual({ bad: "failed", send: "waiting_approval" });
  const halted = await run(plan, { executors, onFailure: "halt" });
  expect(halted.end_reason).toBe("failed");
  expect(statuses(halted)).toEqual({ bad: "failed", send: "skipped" });
  const signal = AbortSignal.timeout(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await run(plan, { executors, signal })).end_reason).toBe("cancelled");
});

test.for([
  { answer: "approve" as const, end_reason: "completed", send: "completed", after: "completed" },
  { answer: "deny" as const, end_reason: "denied", send: "skipped", after: "skipped" },
])("an answer that another process stores is heard before the run ends waiting: $answer", async (expected) => {
  const journal = memoryJournal();
  const { executors } = notingTools(["a", "send", "after", "free", "end"], 5);
  const onEvent = (event: RunEvent) => {
    // As another process writes it: no listener in this one is notified.
    if (event.type === "task-waiting") void journal.addAnswer("r", answerTo(event, expected.answer));
  };
  const result = await run(gated, { executors, journal, runId: "r", onEvent });
  expect(result.end_reason).toBe(expected.end_reason);
  expect(statuses(result)).toMatchObject({ send: expected.send, after: expected.after, end: "completed" });
  expect((await journal.getRun("r")).status).toBe(expected.end_reason);
});

const answerTo = (event: Extract<RunEvent, { type: "task-waiting" }>, answer: "approve" | "deny") => ({
  task_id: event.taskId,
  content_hash: event.contentHash,
  answer,
  answered_at: new Date().toISOString(),
});

test("a journal whose answers cannot be read lets the run end waiting", async () => {
  const journal = memoryJournal();
  const broken: Journal = { ...journal, getAnswers: () => Promise.reject(new Error("locked")) };
  const { executors } = notingTools(["a", "send", "after", "free", "end"]);
  expect((await run(gated, { executors, journal: broken })).end_reason).toBe("waiting_approval");
});
