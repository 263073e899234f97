import {
  type Dispatcher,
  defineTool,
  inProcessDispatcher,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

const tool = (id: string, effects: object = {}) => defineTool({ id, description: "", ...effects, execute: () => 1 });
const tools = [tool("look", { readOnly: true }), tool("step")];

/** Whether a worker would have to ask before each call. */
async function asks(
  more: Partial<RunOptions>,
  tool_id = "step",
  known = tools,
  executors = [toolExecutor(known)],
): Promise<boolean | undefined> {
  let asked: boolean | undefined;
  const dispatcher: Dispatcher = {
    ...inProcessDispatcher(),
    dispatch(request, context) {
      asked = request.settings.asks;
      return context.runHere();
    },
  };
  const tasks = [{ task_id: "a", execution_type: "tool" as const, tool_id }];
  await run(
    { planned_tasks: tasks },
    {
      executors,
      semantics: "atomic",
      subgraphs: [{ subgraph_id: "A", tasks, dependencies: [] }] as never,
      dispatcher,
      ...more,
    },
  );
  return asked;
}

test("a worker asks before each call where the run limits calls or a person may be asked about one", async () => {
  expect(await asks({})).toBe(false);
  expect(await asks({ confirm: "destructive" })).toBe(false);
  expect(await asks({ confirm: "destructive" }, "step", [...tools, tool("drop", { destructive: true })])).toBe(true);
  // What the run does not know may be destructive where the worker knows it.
  expect(await asks({ confirm: "destructive" }, "elsewhere")).toBe(true);
  // What a tool calls itself is not known here.
  const leading = { ...toolExecutor(tools), delegates: () => true };
  expect(await asks({ confirm: "destructive" }, "step", tools, [leading])).toBe(true);
  expect(await asks({ confirm: "writes" })).toBe(true);
  expect(await asks({ approval: { resources: ["step"] } })).toBe(true);
  expect(await asks({ limits: { resources: { step: 1 } } })).toBe(true);
  expect(await asks({ budgets: { run: { calls: 3 } } })).toBe(true);
  expect(await asks({ cache: { resources: ["look"] } })).toBe(true);
});

test("a dispatcher is told whether somebody asks for another try of what failed: with the first dispatch of a subgraph in that session", async () => {
  const told: (boolean | undefined)[] = [];
  const dispatcher: Dispatcher = {
    name: "elsewhere",
    dispatch({ retry_failed }) {
      told.push(retry_failed);
      return Promise.reject(new Error("no worker"));
    },
  };
  const tasks = [{ task_id: "a", execution_type: "tool" as const, tool_id: "step" }];
  const subgraphs = [{ subgraph_id: "A", tasks, dependencies: [] }] as never;
  const options = { executors: [toolExecutor(tools)], dispatcher, journal: memoryJournal() };
  await run({ planned_tasks: tasks }, { ...options, runId: "r", semantics: "atomic", subgraphs });
  expect(told).toEqual([undefined]);
  await resume("r", { ...options, retryFailed: false });
  expect(told).toEqual([undefined]);
  await resume("r", options);
  expect(told).toEqual([undefined, true]);
});
