import { approve, defineTool, deny, type Journal, memoryJournal, resume, run, toolExecutor } from "@planloom/runtime";
import { describe, expect, test, vi } from "vitest";
import { sharedReads } from "../../../packages/runtime/src/hosts/shared-reads.ts";

const count = 60;
const gated = { execution_type: "tool" as const, tool_id: "pay", approval: "required" as const };
const ids = Array.from({ length: count }, (_, index) => `t${index}`);
const tasks = { planned_tasks: ids.map((task_id) => ({ ...gated, task_id })) };
const list = {
  variables: { bills: ids },
  planned_tasks: [
    { ...gated, task_id: "t", arguments: { bill: "${item}" }, for_each: { items: "${bills}", concurrency: count } },
  ],
};
const elements = ids.map((_, index) => `t[${index}]`);

function counted() {
  let paid = 0;
  const pay = defineTool({ id: "pay", description: "", execute: () => ++paid });
  return { executors: [toolExecutor([pay])], paid: () => paid };
}

/** How many answers the journal gave, in all its calls. */
function answersRead(journal: Journal): () => number {
  const original = journal.getAnswers.bind(journal);
  let read = 0;
  vi.spyOn(journal, "getAnswers").mockImplementation(async (...given) => {
    const answers = await original(...given);
    read += answers.length;
    return answers;
  });
  return () => read;
}

describe.for([
  ["tasks", tasks, ids],
  ["elements of a list", list, elements],
] as const)("the answers to %s that are given together", ([, plan, asked]) => {
  test("need one reading of the run, and the run that goes on reads each a few times", async () => {
    const journal = memoryJournal();
    const { executors, paid } = counted();
    await run(plan, { executors, journal, runId: "r", concurrency: count });
    const getTasks = vi.spyOn(journal, "getTasks");
    const answers = await approve("r", asked, { journal, by: "Ann" });
    expect(getTasks).toHaveBeenCalledTimes(1);
    expect(answers.map(({ task_id, answer, by }) => [task_id, answer, by])).toEqual(
      asked.map((id) => [id, "approve", "Ann"]),
    );
    const read = answersRead(journal);
    expect((await resume("r", { executors, journal })).end_reason).toBe("completed");
    expect(paid()).toBe(count);
    expect(read()).toBeLessThanOrEqual(4 * count);
  });

  test("are all kept or none is", async () => {
    const journal = memoryJournal();
    await run(plan, { executors: counted().executors, journal, runId: "r", concurrency: count });
    const [first = "", second = ""] = asked;
    await expect(approve("r", [first, "nobody"], { journal })).rejects.toMatchObject({
      code: "RUNTIME_TASK_NOT_FOUND",
      details: { task_id: "nobody" },
    });
    await deny("r", [second], { journal });
    await expect(approve("r", [first, second], { journal })).rejects.toMatchObject({ code: "RUNTIME_ALREADY_DENIED" });
    await expect(approve("r", [first, asked[2] ?? ""], { journal, input: { bill: "x" } })).rejects.toMatchObject({
      code: "RUNTIME_INVALID_ANSWER",
    });
    expect((await journal.getAnswers("r")).map(({ task_id }) => task_id)).toEqual([second]);
  });
});

test("an id that is given twice is answered once, and no ids have no answers", async () => {
  const journal = memoryJournal();
  await run(tasks, { executors: counted().executors, journal, runId: "r", concurrency: count });
  expect(await approve("r", ["t1", "t1"], { journal })).toHaveLength(1);
  expect(await deny("r", [], { journal })).toEqual([]);
});

test("reads are shared by those who ask before they begin, and by nobody whose question is later", async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const read = sharedReads(() => {
    const reading = Promise.withResolvers<void>();
    begun.push(reading);
    return reading.promise;
  });
  const [first, second, third] = [read(), read(), read()];
  expect(begun).toHaveLength(1);
  begun[0]!.resolve();
  await first;
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  const fourth = read();
  begun[1]!.reject(new Error("unreadable"));
  await expect(second).rejects.toThrow("unreadable");
  await expect(third).rejects.toThrow("unreadable");
  await vi.waitFor(() => expect(begun).toHaveLength(3));
  begun[2]!.resolve();
  await fourth;
  const fifth = read();
  expect(begun).toHaveLength(4);
  begun[3]!.resolve();
  await fifth;
});
