import { parsePlanText, type TaskData, type TaskDataInput } from "@planloom/plan";
import {
  defineTool,
  defineWorkflow,
  dryRun,
  fork,
  memoryJournal,
  resume,
  run,
  toolExecutor,
  whatIf,
} from "@planloom/runtime";
import { Planloom } from "planloom";
import { describe, expect, test } from "vitest";
import { planOf } from "../support/run-plans.ts";

const calls: string[] = [];
const pay = defineTool({ id: "pay", description: "", execute: () => void calls.push("pay") });
const executors = [toolExecutor([pay])];
const task = { task_id: "a", execution_type: "tool", tool_id: "pay" };
const withField = (more: object) => ({ planned_tasks: [{ ...task, ...more }] }) as TaskDataInput;
/** Complete, as `TaskData.parse` gives it, and then changed by hand. */
const wholeWith = (more: object): TaskData => {
  const plan = planOf({ a: [] }, { a: { tool_id: "pay" } });
  return { ...plan, planned_tasks: plan.planned_tasks.map((each) => ({ ...each, ...more })) };
};
const refused = { code: "RUNTIME_INVALID_PLAN", message: expect.stringContaining("perhaps approval is meant") };
const gate = { aproval: "required" };

describe("a misspelt gate does not open", () => {
  test.for([
    { name: "written", plan: withField(gate) },
    { name: "complete", plan: wholeWith(gate) },
    { name: "of a file", plan: parsePlanText(JSON.stringify(withField(gate))) },
  ])("a plan that is $name", async ({ plan }) => {
    await expect(run(plan, { executors })).rejects.toMatchObject(refused);
    await expect((async () => dryRun(plan as TaskData, { executors }))()).rejects.toMatchObject(refused);
    await expect((async () => whatIf(plan as TaskData, { executors }))()).rejects.toMatchObject(refused);
    expect(calls).toEqual([]);
  });

  test("nor where its value is misspelt", async () => {
    await expect(run(wholeWith({ approval: "Required" }), { executors })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_PLAN",
    });
    expect(calls).toEqual([]);
  });

  test("a workflow is refused when it is defined, made in code or in a document", async () => {
    const made = () => defineWorkflow({ id: "w", description: "", plan: withField(gate) });
    expect(made).toThrowError(/perhaps approval is meant/);
    const document = defineDocument(JSON.stringify(withField(gate)));
    expect(document).toThrowError(/aproval/);
  });
});

const defineDocument = (plan: string) => () => defineWorkflow({ id: "w", description: "", plan });

describe("what a journal holds", () => {
  async function storedWith(more: object) {
    const journal = memoryJournal();
    await run(planOf({ a: [] }, { a: { tool_id: "pay", approval: "required" } }), { executors, journal, runId: "r" });
    const changed = async (id: string) => {
      const stored = (await journal.getRun(id))!;
      const planned_tasks = stored.plan.planned_tasks.map((each) => ({ ...each, ...more }));
      return { ...stored, plan: { ...stored.plan, planned_tasks } };
    };
    return { ...journal, getRun: changed };
  }

  test("by an earlier version, with a field that looks like a gate: refused", async () => {
    const journal = await storedWith(gate);
    await expect(resume("r", { executors, journal })).rejects.toMatchObject(refused);
    await expect(fork("r", "a", { executors, journal })).rejects.toMatchObject(refused);
  });

  test("with a field that protects nothing: goes on without it", async () => {
    const journal = await storedWith({ colour: "red" });
    expect((await resume("r", { executors, journal })).end_reason).toBe("waiting_approval");
  });
});

test("any other unknown field of a plan made in code is refused, too", async () => {
  for (const plan of [withField({ colour: 1 }), wholeWith({ colour: 1 }), { ...wholeWith({}), colour: 1 }]) {
    await expect(run(plan, { executors })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_PLAN",
      message: expect.stringContaining('"colour"'),
    });
  }
});

test("a task is not called input, and no argument __proto__", async () => {
  await expect(run(withField({ task_id: "input" }), { executors })).rejects.toMatchObject({
    message: expect.stringContaining("the input of the run"),
  });
  const args = JSON.parse('{"__proto__": {"x": 1}}');
  const outputs = JSON.parse('{"__proto__": "a"}');
  for (const plan of [withField({ arguments: args }), wholeWith({ arguments: args }), { ...withField({}), outputs }]) {
    await expect(run(plan, { executors })).rejects.toMatchObject({ message: expect.stringContaining("__proto__") });
    await using planloom = new Planloom({ executors });
    await expect(planloom.run(plan)).rejects.toMatchObject({ message: expect.stringContaining("__proto__") });
    await expect(planloom.run(withField({ task_id: "input" }))).rejects.toMatchObject({
      code: "PLANLOOM_INVALID_PLAN",
    });
  }
});
