import { approve, defineTool, memoryJournal, Planloom } from "planloom";
import { scriptedModel } from "planloom/testing";
import { expect, test } from "vitest";

const call = (name: string, args: unknown) => ({ toolCalls: [{ id: "1", name, arguments: JSON.stringify(args) }] });
const price = defineTool({ id: "price", description: "Price of a thing.", readOnly: true, execute: () => 4 });

test("a Planloom with a model plans, executes and answers; its listeners hear it", async () => {
  const model = scriptedModel([
    call("plan", { steps: ["Find the price of tea"] }),
    call("price", {}),
    "It is 4.",
    call("respond", { response: "Tea is 4." }),
  ]);
  await using planloom = new Planloom({ model, tools: [price] });
  const heard: string[] = [];
  planloom.on("loop-step", ({ executed }) => heard.push(executed.result));
  planloom.on("run-end", ({ endReason }) => heard.push(endReason));
  const result = await planloom.planExecute("What is tea?");
  expect(result).toMatchObject({ end_reason: "responded", response: "Tea is 4." });
  expect(heard).toEqual(["It is 4.", "completed"]);
  model.assertDone();
});

test("a loop as a stream, ended by closing, resumed by another Planloom", async () => {
  const journal = memoryJournal();
  const roles = {
    planner: () => ["Look", "Book"],
    replanner: ({ ExecutedSteps }: { ExecutedSteps: readonly unknown[] }) =>
      ExecutedSteps.length === 2 ? { respond: "Booked." } : { plan: ["Book"] },
  };
  const first = new Planloom({ tools: [price], journal });
  const stream = first.planExecuteStream("Go", {
    ...roles,
    runId: "r",
    executor: ({ step }, { signal }) =>
      step === "Look"
        ? "seen"
        : new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
  });
  for await (const event of stream) {
    if (event.type === "loop-round" && event.round === 1) break;
  }
  await first.close();
  expect((await stream.result).end_reason).toBe("shut_down");

  await using second = new Planloom({ journal });
  const result = await second.resumePlanExecute("r", { ...roles, executor: () => "booked" });
  expect(result).toMatchObject({ end_reason: "responded", response: "Booked." });
  expect(result.session.ExecutedSteps.map(({ result }) => result)).toEqual(["seen", "booked"]);
});

test("what a Planloom is set to holds for its loops", async () => {
  const model = scriptedModel([call("price", {}), "done"]);
  const journal = memoryJournal();
  await using planloom = new Planloom({ model, tools: [price], journal, approval: { resources: ["price"] } });
  const roles = { planner: () => ["Look"], replanner: () => ({ respond: "ok" }) };
  const first = await planloom.planExecute("Go", roles);
  expect(first.waiting).toMatchObject([{ uid: "price" }]);
  await approve(first.run_id, first.waiting[0]!.id, { journal });
  expect((await planloom.resumePlanExecute(first.run_id, roles)).end_reason).toBe("responded");
});

test("without a model and without functions nothing starts", async () => {
  await using planloom = new Planloom({ tools: [price] });
  await expect(planloom.planExecute("Go")).rejects.toMatchObject({ code: "RUNTIME_INVALID_OPTION" });
});
