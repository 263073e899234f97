import { scriptedModel } from "@planloom/controller/testing";
import { TaskData } from "@planloom/plan";
import {
  approve,
  defineTool,
  ledByModel,
  memoryJournal,
  resume,
  run,
  toolExecutor,
  waitingFor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { callsOf } from "../../support/agents.ts";

const plan = TaskData.parse({
  planned_tasks: [
    { task_id: "a", execution_type: "tool", tool_id: "look", arguments: { amount: 1 }, approval: "required" },
  ],
});

test("a yes to a led step covers its planned call once; every other call is asked about", async () => {
  const calls: [string, unknown][] = [];
  const tool = (id: string) => {
    const execute = (input: unknown) => {
      calls.push([id, input]);
      return "ok";
    };
    return defineTool({ id, description: id, execute });
  };
  const model = scriptedModel([
    callsOf(["look", { amount: 1 }]),
    callsOf(["danger", { amount: 31_337 }]),
    callsOf(["look", { amount: 1 }]),
    "Done.",
  ]);
  const led = ledByModel(toolExecutor([tool("look"), tool("danger")]), { model, maxStepRetries: 5 });
  const journal = memoryJournal();
  const given = { executors: [led], journal };
  await run(plan, { ...given, runId: "r" });
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "a", uid: "look", input: { amount: 1 } }]);
  await approve("r", "a", { journal });
  expect((await resume("r", given)).end_reason).toBe("waiting_approval");
  expect(calls).toEqual([["look", { amount: 1 }]]);
  const [second] = await waitingFor("r", { journal });
  expect(second).toMatchObject({ uid: "danger", input: { amount: 31_337 } });
  await approve("r", second!.id, { journal });
  expect((await resume("r", given)).end_reason).toBe("waiting_approval");
  const [third] = await waitingFor("r", { journal });
  expect(third).toMatchObject({ uid: "look", input: { amount: 1 } });
  await approve("r", third!.id, { journal });
  expect((await resume("r", given)).end_reason).toBe("completed");
  expect(calls.map(([id]) => id)).toEqual(["look", "danger", "look"]);
});
