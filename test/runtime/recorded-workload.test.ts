import { TaskData } from "@planloom/plan";
import {
  defineLlm,
  defineTool,
  llmExecutor,
  memoryJournal,
  recordedWorkload,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { beforeAll, expect, test } from "vitest";

const journal = memoryJournal();
const SECRET = "Erika Mustermann";
const model = {
  name: "m",
  generate: async () => ({
    text: SECRET,
    toolCalls: [],
    usage: { inputTokens: 100, outputTokens: 20, cost: 0 },
  }),
};
const executors = [
  toolExecutor([
    defineTool({
      id: "look-up",
      description: "",
      execute: ({ name }: { name: string }) => ({ of: name, rows: "x".repeat(100) }),
    }),
    defineTool({
      id: "fails",
      description: "",
      execute: () => {
        throw new Error(SECRET);
      },
    }),
  ]),
  llmExecutor([defineLlm({ id: "writer", description: "", model })]),
];
const plan = (title: string, second: object) =>
  TaskData.parse({
    title,
    planned_tasks: [
      { task_id: SECRET, tool_id: "look-up", arguments: { name: SECRET }, description: SECRET },
      { task_id: "after", dependencies: [SECRET], ...second },
    ],
  });

beforeAll(async () => {
  await run(plan(SECRET, { tool_id: "look-up", arguments: { name: "n" } }), { executors, journal, runId: "first" });
  await run(plan("b", { tool_id: "fails" }), { executors, journal, runId: "second" });
  await run(plan("c", { tool_id: "look-up", arguments: { name: "n" }, when: { condition: "1 > 2" } }), {
    executors,
    journal,
    runId: "third",
  });
});

test("completed runs become workloads without anything that they were about", async () => {
  const { workload, passedOver } = await recordedWorkload(journal);
  expect(passedOver).toBe(1);
  expect(workload).toMatchObject({ format: "plan-workload/1", family: "recorded" });
  expect(workload.instances.map(({ name }) => name)).toEqual(["run-1", "run-2"]);
  const [first, second] = workload.instances[0]!.tasks;
  expect(first).toMatchObject({ id: "t1", type: "c1", deps: [] });
  expect(first).toMatchObject({ outputBytes: JSON.stringify({ of: SECRET, rows: "x".repeat(100) }).length });
  expect(second).toMatchObject({ id: "t2", type: "c1", deps: ["t1"] });
  expect(second!.runtime).toBeGreaterThanOrEqual(0);
  expect(JSON.stringify(workload)).not.toMatch(/Erika|Mustermann|look-up|first|after|20\d\d-/);
});

test("tokens are those of all calls of the task", async () => {
  const asked = { execution_type: "llm", parameters: { uid: "writer" }, arguments: { prompt: "p" } };
  const own = memoryJournal();
  await run(plan("llm", asked), { executors, journal: own, runId: "llm" });
  const { workload } = await recordedWorkload(own);
  expect(workload.instances[0]!.tasks.map(({ promptTokens }) => promptTokens)).toEqual([undefined, 120]);
});

test("a task that its condition left out took no time", async () => {
  const { workload } = await recordedWorkload(journal, { runs: ["third"] });
  expect(workload.instances[0]!.tasks[1]).toMatchObject({ id: "t2", runtime: 0 });
});

test("with names the ids stay, and texts still do not", async () => {
  const { workload } = await recordedWorkload(journal, { runs: 1, names: true });
  expect(workload.instances).toMatchObject([{ name: "third", tasks: [{ id: SECRET, type: "look-up" }, {}] }]);
});

test.for([[0], [1.5], [["a", 3]], ["first"]])("runs: %j is refused", async ([runs]) => {
  await expect(recordedWorkload(journal, { runs: runs as never })).rejects.toMatchObject({
    code: "RUNTIME_INVALID_OPTION",
  });
});

test("a run that is not there is refused", async () => {
  await expect(recordedWorkload(journal, { runs: ["none"] })).rejects.toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
});
