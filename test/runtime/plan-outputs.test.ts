import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch, draftPatch, type TaskDataInput, validatePlan, verifyPatch } from "@planloom/plan";
import {
  defineTool,
  defineWorkflow,
  memoryJournal,
  replay,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { planOf, task } from "../support/plans.ts";
import { fails, tools, useInstead } from "../support/replans.ts";
import { group, planOf as namedPlan } from "../support/run-plans.ts";

const echo = defineTool({ id: "echo", description: "", readOnly: true, execute: (input) => input });
const executors = [toolExecutor([echo])];
const call = (task_id: string, value: unknown, more: object = {}) =>
  ({ task_id, execution_type: "tool", tool_id: "echo", arguments: { value }, ...more }) as const;
/** a -> b -> c; `whole` is the last and `first` a task that others depend on. */
const chain = {
  planned_tasks: [call("a", 1), call("b", "${a.value}", { result_variable: "middle" }), call("c", "${b.value}")],
  outputs: { whole: "c", first: "a", again: "c" },
} satisfies TaskDataInput;
const given = { first: { value: 1 }, whole: { value: 1 }, again: { value: 1 } };

test("a plan that names its outputs gives these alone, in the run, a resumption and a replay", async () => {
  const journal = memoryJournal();
  const result = await run(chain, { executors, journal, runId: "r" });
  expect(result.output_data).toEqual(given);
  expect(Object.keys(result.output_data)).toEqual(["whole", "first", "again"]);
  expect(result.plan.output_data).toEqual(given);
  expect((await resume("r", { executors, journal })).output_data).toEqual(given);
  const replayed = await replay("r", { journal });
  expect(replayed.divergence).toBeUndefined();
  expect(replayed.output_data).toEqual(given);
});

test("what did not complete is missing", async () => {
  const failing = toolExecutor([
    defineTool({
      id: "echo",
      description: "",
      execute: (input, { task }) => {
        if (task.task_id === "b") throw new Error("no");
        return input;
      },
    }),
  ]);
  const { end_reason, output_data } = await run(chain, { executors: [failing] });
  expect([end_reason, output_data]).toEqual(["failed", { first: { value: 1 } }]);
});

test("outputs that have left memory come back where the plan names them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "planloom-outputs-"));
  const journal = await SqliteJournal.open(join(folder, "j.sqlite"));
  const text = "x".repeat(50_000);
  const plan = { ...chain, planned_tasks: [call("a", text), call("b", "${a.value}"), call("c", "${b.value}")] };
  const { output_data, stored_outputs } = await run(plan, {
    executors,
    journal,
    outputMemoryBytes: 1,
    outputs: "sinks",
  });
  await journal.close();
  await rm(folder, { recursive: true });
  expect(output_data).toEqual({ first: { value: text }, whole: { value: text }, again: { value: text } });
  expect(stored_outputs).toEqual(["b"]);
});

test("a subgraph that goes whole has some of the tasks alone", async () => {
  const plan = { ...namedPlan({ a: [], b: ["a"], c: ["b"] }), outputs: { first: "a", last: "c" } };
  const tools = [toolExecutor([defineTool({ id: "t", description: "", execute: (_, { task }) => task.task_id })])];
  plan.planned_tasks = plan.planned_tasks.map((task) => ({ ...task, tool_id: "t" }));
  const subgraphs = group(plan, { one: ["a", "b"], two: ["c"] });
  const { end_reason, output_data } = await run(plan, { executors: tools, semantics: "atomic", subgraphs });
  expect([end_reason, output_data]).toEqual(["completed", { first: "a", last: "c" }]);
});

test.for<[string, TaskDataInput["outputs"], unknown]>([
  ["of one name the output itself", { first: "a" }, { value: 1 }],
  ["of several an object", { first: "a", whole: "c" }, { first: { value: 1 }, whole: { value: 1 } }],
  ["of a task that was skipped null", { none: "d" }, null],
])("a workflow gives what its plan names: %s", async ([, outputs, expected]) => {
  const skipped = call("d", 1, { when: { condition: "false" } });
  const plan = { planned_tasks: [...chain.planned_tasks, skipped], outputs: outputs! };
  const flow = workflowExecutor([defineWorkflow({ id: "flow", description: "", plan })]);
  const around = {
    planned_tasks: [
      { task_id: "w", execution_type: "dsl", parameters: { uid: "flow" } } as const,
      // Tasks of an element are a plan of their own, in which the names of the plan around it mean nothing.
      {
        task_id: "list",
        for_each: { items: [1], tasks: [call("inner", "${item}")] },
      },
    ],
    outputs: { flow: "w", list: "list" },
  };
  const { output_data } = await run(around, { executors: [...executors, flow] });
  expect(output_data).toEqual({ flow: expected, list: [{ value: 1 }] });
});

test("an output of an unknown task is found before the run, with the task that is meant", async () => {
  const wrong = { ...chain, outputs: { first: "middle", second: "aa", third: "zzz" } };
  expect(validatePlan(wrong, [echo.resource])).toMatchObject([
    { code: "unknown_reference", argument_path: "outputs.first", repair: { candidates: ["b"] } },
    { code: "unknown_reference", argument_path: "outputs.second", message: expect.stringContaining('got "aa"') },
    { code: "unknown_reference", argument_path: "outputs.third" },
  ]);
  await expect(run(wrong, { executors })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_PLAN",
    message: 'Expected `outputs.first` to be the id of a task of the plan, got "middle".',
  });
});

test("a replaced task hands its name among the outputs on", () => {
  const plan = {
    ...planOf([task(call("a", 1)), task(call("b", 2, { dependencies: ["a"] }))]),
    outputs: { first: "a", last: "b" },
  };
  const { patch } = draftPatch(plan, {
    tasks: [{ task_id: "other", execution_type: "tool", tool_id: "echo", replaces: ["b"] }],
  });
  expect(verifyPatch(plan, patch)).toEqual([]);
  expect(applyPatch(plan, patch!).outputs).toEqual({ first: "a", last: "other" });
  const replacements = patch!.replacements.map((each) => ({ ...each, output_from: null }));
  expect(verifyPatch(plan, { ...patch!, replacements })).toMatchObject([
    { code: "patch_boundary", task_id: "b", message: expect.stringContaining('is the plan\'s output "last"') },
  ]);
});

test("an output whose task fails in the run, and is replaced, keeps its name, also in what is resumed and replayed", async () => {
  const journal = memoryJournal();
  const work = tools({ work: () => 7, broken: fails });
  const plan = {
    planned_tasks: [
      { task_id: "a", tool_id: "broken", on_failure: "replan" as const },
      { task_id: "b", tool_id: "work", dependencies: ["a"] },
    ],
    outputs: { first: "a", last: "b" },
  };
  const options = { executors: work, journal, retry: { max_attempts: 1 } };
  const result = await run(plan, { ...options, runId: "r", replan: useInstead("work") });
  expect([result.end_reason, result.output_data]).toEqual(["completed", { first: 7, last: 7 }]);
  expect(result.plan.outputs).toEqual({ first: "a_2", last: "b" });
  expect((await resume("r", options)).output_data).toEqual({ first: 7, last: 7 });
  expect((await replay("r", { journal })).output_data).toEqual({ first: 7, last: 7 });
});
