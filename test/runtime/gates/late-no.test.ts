import { type PlannerTaskInput, TaskData } from "@planloom/plan";
import {
  approve,
  childProcessDispatcher,
  defineTool,
  deny,
  type Journal,
  memoryJournal,
  resume,
  run,
  toolExecutor,
} from "@planloom/runtime";
import { expect, test } from "vitest";

const pay = { task_id: "p", tool_id: "pay", approval: "required" as const, arguments: { amount: 1 } };
const inList = { task_id: "list", for_each: { items: [1], tasks: [pay] } };

/** A run that a person has approved and nobody has resumed. */
async function approved(
  edit: { readonly input?: { readonly amount: number } },
  task: PlannerTaskInput = pay,
  id = "p",
) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const paid: unknown[] = [];
  const tool = defineTool({
    id: "pay",
    description: "",
    async execute(input) {
      paid.push(input);
      begin();
      await released;
    },
  });
  const executors = [toolExecutor([tool])];
  const journal = memoryJournal();
  await run({ planned_tasks: [task] }, { executors, journal, runId: "r" });
  await approve("r", id, { journal, ...edit });
  return { journal, executors, paid, begun, release };
}

/** Does something else once, after a call of a method or before it. */
function around<Name extends "getAnswers" | "addAnswers">(
  journal: Journal,
  name: Name,
  when: "before" | "after",
  act: () => Promise<unknown>,
) {
  const method = (journal[name] as (...given: unknown[]) => Promise<unknown>).bind(journal);
  let isDone = false;
  const once = async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
  const changed = async (...given: unknown[]) => {
    if (when === "before") await once();
    const result = await method(...given);
    if (when === "after") await once();
    return result;
  };
  Object.assign(journal, { [name]: changed });
}

test.for([
  { name: "a yes", edit: {}, task: pay, id: "p" },
  { name: "a yes to an edited input", edit: { input: { amount: 2 } }, task: pay, id: "p" },
  { name: "a yes to a call within a list", edit: {}, task: inList, id: "list[0]/p" },
])("a no that is kept while a run begins counts, though the run has read $name", async ({ edit, task, id }) => {
  const { journal, executors, paid } = await approved(edit, task, id);
  around(journal, "getAnswers", "after", () => deny("r", id, { journal }));
  const { end_reason } = await resume("r", { executors, journal });
  expect([end_reason, paid]).toEqual(["denied", []]);
});

test("a no that is kept while a run begins counts in worker processes, within a list too", async () => {
  await using dispatcher = childProcessDispatcher({ module: new URL("../../support/gate-worker.ts", import.meta.url) });
  const { executors } = await import("../../support/gate-worker.ts");
  for (const [task, id] of [
    [pay, "p"],
    [inList, "list[0]/p"],
  ] as const) {
    const journal = memoryJournal();
    const { planned_tasks } = TaskData.parse({ planned_tasks: [task] });
    const subgraphs = [{ subgraph_id: "s", tasks: planned_tasks, dependencies: [] }];
    const given = { executors, dispatcher, journal };
    await run({ planned_tasks }, { ...given, runId: "r", semantics: "atomic", subgraphs });
    await approve("r", id, { journal });
    around(journal, "getAnswers", "after", () => deny("r", id, { journal }));
    expect((await resume("r", given)).end_reason).toBe("denied");
    expect((await journal.getTasks("r"))[0]).not.toMatchObject({ status: "completed" });
  }
});

test("a no that is kept after the call has begun is refused as too late", async () => {
  const { journal, executors, begun, release } = await approved({});
  let running: Promise<unknown> | undefined;
  around(journal, "addAnswers", "before", async () => {
    running = resume("r", { executors, journal });
    await begun;
  });
  await expect(deny("r", "p", { journal })).rejects.toMatchObject({
    code: "RUNTIME_NOT_WAITING",
    details: { status: "running" },
  });
  release();
  expect(await running).toMatchObject({ end_reason: "completed" });
});
