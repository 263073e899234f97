import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineTool,
  defineWorkflow,
  fork,
  type Journal,
  memoryJournal,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { dsl, planOf } from "../support/run-plans.ts";

function world(breaks: { now: boolean }) {
  const calls: string[] = [];
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      execute(input: Record<string, unknown>) {
        calls.push(`${id}(${Object.values(input).join()})`);
        if (id === "second" && breaks.now) throw new Error("power cut");
        return `${id} of ${Object.values(input).join()}`;
      },
    });
  const inner = planOf(
    { x: [], y: ["x"] },
    {
      x: { tool_id: "first", arguments: { name: "${input.name}" } },
      y: { tool_id: "second", arguments: { of: "${x}" } },
    },
  );
  const deep = planOf({ w: [] }, { w: dsl("flow", { name: "${input.name}" }) });
  const executors = [
    toolExecutor([make("first"), make("second")]),
    workflowExecutor([
      defineWorkflow({ id: "flow", description: "", plan: inner }),
      defineWorkflow({ id: "deep", description: "", plan: deep }),
    ]),
  ];
  return { calls, executors };
}

test.for(["memory", "sqlite"])("a resumed run repeats no completed task of a nested plan: %s", async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "planloom-"));
  const journal: Journal = kind === "memory" ? memoryJournal() : await SqliteJournal.open(join(folder, "j.sqlite"));
  const breaks = { now: true };
  const { calls, executors } = world(breaks);
  // Two of one workflow and one nested deeper: records are distinguished by where they are.
  const plan = planOf(
    { a: [], b: [], c: [] },
    { a: dsl("flow", { name: "ada" }), b: dsl("flow", { name: "bob" }), c: dsl("deep", { name: "ada" }) },
  );
  const first = await run(plan, { executors, journal, runId: "r" });
  expect(first.end_reason).toBe("failed");
  expect(calls).toHaveLength(6);
  const nested = await journal.getNestedTasks("r");
  expect(nested.map(({ path, record }) => [...path, record.task_id, record.status].join("/")).sort()).toEqual([
    "a/x/completed",
    "a/y/failed",
    "b/x/completed",
    "b/y/failed",
    "c/w/failed",
    "c/w/x/completed",
    "c/w/y/failed",
  ]);
  expect((await journal.getTasks("r")).map(({ task_id }) => task_id).sort()).toEqual(["a", "b", "c"]);

  breaks.now = false;
  calls.length = 0;
  const second = await resume("r", { executors, journal });
  expect(second.end_reason).toBe("completed");
  expect(calls.sort()).toEqual(["second(first of ada)", "second(first of ada)", "second(first of bob)"]);
  expect(second.results.map(({ output }) => output)).toEqual([
    "second of first of ada",
    "second of first of bob",
    "second of first of ada",
  ]);
  await journal.deleteRun("r");
  await journal.close();
  rmSync(folder, { recursive: true });
});

test("records hold for one plan and input only", async () => {
  const journal = memoryJournal();
  const breaks = { now: true };
  const { calls, executors } = world(breaks);
  const plan = planOf({ a: [] }, { a: dsl("flow", { name: "ada" }) });
  await run(plan, { executors, journal, runId: "r" });
  // Another version of the workflow: what was recorded of the old one does not hold.
  breaks.now = false;
  calls.length = 0;
  const changed = planOf(
    { x: [], y: ["x"] },
    {
      x: { tool_id: "first", arguments: { name: "${input.name}", again: true } },
      y: { tool_id: "second", arguments: { of: "${x}" } },
    },
  );
  const flow = workflowExecutor([defineWorkflow({ id: "flow", description: "", plan: changed })]);
  await resume("r", { executors: [executors[0]!, flow], journal });
  expect(calls).toEqual(["first(ada,true)", "second(first of ada,true)"]);
});

test("what nested tasks spent counts after a resumption", async () => {
  const journal = memoryJournal();
  const breaks = { now: true };
  const { calls, executors } = world(breaks);
  const plan = planOf({ a: [] }, { a: dsl("flow", { name: "ada" }) });
  const budgets = { run: { calls: 4 }, resources: { second: { calls: 1 } } };
  await run(plan, { executors, journal, runId: "r", budgets });
  expect(calls).toHaveLength(2);
  const again = await resume("r", { executors, journal });
  expect(again.end_reason).toBe("budget");
  expect(calls).toHaveLength(2);
  breaks.now = false;
  // The workflow was called three times by then, its tasks twice: five, and two more are to come.
  const result = await resume("r", { executors, journal, budgets: { run: { calls: 7 } } });
  expect(result.end_reason).toBe("completed");
  expect(calls).toHaveLength(3);
});

test("a fork keeps what nested plans completed, except in its task and what depends on it", async () => {
  const journal = memoryJournal();
  const breaks = { now: true };
  const { calls, executors } = world(breaks);
  const plan = planOf(
    { a: [], b: [], c: ["b"] },
    { a: dsl("flow", { name: "ada" }), b: { tool_id: "first", arguments: { n: 1 } }, c: dsl("flow", { name: "eve" }) },
  );
  await run(plan, { executors, journal, runId: "r" });
  breaks.now = false;
  calls.length = 0;
  const forked = await fork("r", "b", { executors, journal, runId: "f" });
  expect(forked.end_reason).toBe("completed");
  // Of a only what was missing, of c all.
  expect(calls.sort()).toEqual(["first(1)", "first(eve)", "second(first of ada)", "second(first of eve)"]);
  const nested = await journal.getNestedTasks("f");
  expect(nested.map(({ path, record }) => [...path, record.task_id, record.status].join("/")).sort()).toEqual([
    "a/x/completed",
    "a/y/completed",
    "c/x/completed",
    "c/y/completed",
  ]);
});
