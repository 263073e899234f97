import { TaskData } from "@planloom/plan";
import {
  approve,
  type ChildProcessDispatcher,
  childProcessDispatcher,
  memoryJournal,
  type RunOptions,
  resume,
  run,
  waitingFor,
} from "@planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bind, executors } from "../../support/gate-worker.ts";
import { sleep } from "../../support/run-plans.ts";

const plan = TaskData.parse({
  planned_tasks: [{ task_id: "pay", execution_type: "tool", tool_id: "pay", approval: "required" }],
});
let dispatcher: ChildProcessDispatcher;
beforeAll(() => {
  dispatcher = childProcessDispatcher({ module: new URL("../../support/gate-worker.ts", import.meta.url) });
});
afterAll(() => dispatcher.close());

describe("what is approved is what a worker process executes", () => {
  const start = async (more: Pick<RunOptions, "approval"> = {}) => {
    const journal = memoryJournal();
    const given = { executors, bind, dispatcher, journal, ...more };
    const subgraphs = [{ subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] }];
    const first = await run(plan, { ...given, runId: "r", semantics: "atomic", subgraphs });
    expect(first.end_reason).toBe("waiting_approval");
    const [asked] = await waitingFor("r", { journal });
    return { journal, given, asked: asked! };
  };

  test("where Stage 2 would write another input the next time", async () => {
    const { journal, given, asked } = await start();
    await approve("r", "pay", { journal });
    const result = await resume("r", given);
    expect(result.results[0]).toMatchObject({ status: "completed", output: { paid: asked.input?.amount } });
  });

  test("where the input was edited", async () => {
    const { journal, given } = await start();
    await expect(approve("r", "pay", { journal, input: { amount: "much" } })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_ANSWER",
    });
    await approve("r", "pay", { journal, input: { amount: 500 } });
    const result = await resume("r", given);
    expect(result.results[0]).toMatchObject({ status: "completed", output: { paid: 500 }, input: { amount: 500 } });
  });

  test("where the yes has expired it is asked again, and a new yes holds", async () => {
    const { journal, given, asked } = await start({ approval: { expiresAfterMs: 400 } });
    await approve("r", "pay", { journal });
    // Real time: the worker, a process of its own, judges the age of the yes by its own clock.
    await sleep(450);
    expect((await resume("r", given)).end_reason).toBe("waiting_approval");
    const [again] = await waitingFor("r", { journal });
    expect(again?.input).toEqual(asked.input);
    const patient = { ...given, approval: { expiresAfterMs: 60_000 } };
    await approve("r", "pay", { journal });
    expect((await resume("r", patient)).results[0]).toMatchObject({ output: { paid: asked.input?.amount } });
  });
});
