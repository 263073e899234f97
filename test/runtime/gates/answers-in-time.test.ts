import { scriptedModel } from "@planloom/controller/testing";
import { TaskData } from "@planloom/plan";
import {
  agentExecutor,
  approve,
  defineAgent,
  defineTool,
  deny,
  fork,
  memoryJournal,
  resume,
  run,
  toolExecutor,
  waitingFor,
} from "@planloom/runtime";
import { expect, test } from "vitest";
import { callsOf } from "../../support/agents.ts";
import { journals, payment, paymentTools } from "../../support/payments.ts";

test("a no that comes while the approved call is made is refused, whoever says it", async () => {
  for (const { journal, close } of await journals()) {
    const paying = Promise.withResolvers<void>();
    const paid = Promise.withResolvers<string>();
    const executors = [
      toolExecutor([
        defineTool({ id: "quote", description: "", readOnly: true, execute: () => ({ amount: 7 }) }),
        defineTool({
          id: "pay",
          description: "",
          execute: () => {
            paying.resolve();
            return paid.promise;
          },
        }),
      ]),
    ];
    await run(payment(), { executors, journal, runId: "r" });
    await approve("r", "pay", { journal });
    const resumed = resume("r", { executors, journal });
    await paying.promise;
    const tooLate = { code: "RUNTIME_NOT_WAITING", details: { task_id: "pay", status: "running" } };
    await expect(deny("r", "pay", { journal })).rejects.toMatchObject(tooLate);
    // Another process has the journal alone.
    const elsewhere = new Proxy(journal, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await expect(deny("r", "pay", { journal: elsewhere })).rejects.toMatchObject(tooLate);
    paid.resolve("paid");
    expect((await resumed).end_reason).toBe("completed");
    expect((await journal.getAnswers("r")).map(({ answer }) => answer)).toEqual(["approve"]);
    await close();
  }
});

test("asked A, then B, then A again: each answer holds for the input that it was given for", async () => {
  const journal = memoryJournal();
  const { calls, executors } = paymentTools();
  let amount = 1;
  const bind = async ({ task, input }: { task: { tool_id: string | null }; input: Record<string, unknown> }) => ({
    uid: task.tool_id ?? "",
    input_data: task.tool_id === "pay" ? { ...input, amount } : input,
  });
  const hashes: string[] = [];
  const ask = async (next: number) => {
    amount = next;
    // A fork makes its step anew, by Stage 2 as it is now.
    const id = `r${hashes.length}`;
    if (hashes.length === 0) await run(payment(), { executors, bind, journal, runId: id });
    else await fork("r0", "pay", { executors, bind, journal, runId: id });
    const [asked] = await waitingFor(id, { journal });
    expect(asked).toMatchObject({ id: "pay", input: { amount: next } });
    hashes.push(asked!.content_hash);
    return { id, hash: asked!.content_hash };
  };
  const first = await ask(1);
  const second = await ask(2);
  const third = await ask(1);
  expect(second.hash).not.toBe(first.hash);
  expect(third.hash).toBe(first.hash);
  // A yes to A, stored for the run that asks about B, opens nothing.
  await approve(first.id, "pay", { journal });
  const [yes] = await journal.getAnswers(first.id);
  await journal.addAnswer(second.id, yes!);
  expect((await resume(second.id, { executors, bind, journal })).end_reason).toBe("waiting_approval");
  expect(calls.filter(({ tool }) => tool === "pay")).toEqual([]);
  await journal.addAnswer(third.id, yes!);
  expect((await resume(third.id, { executors, bind, journal })).end_reason).toBe("completed");
  expect(calls.filter(({ tool }) => tool === "pay")).toMatchObject([{ input: { amount: 1 } }]);
});

test("a gated agent: a yes is to its task; a tool of a resource that is gated is asked about by itself", async () => {
  const journal = memoryJournal();
  const calls: unknown[] = [];
  const pay = defineTool({ id: "pay", description: "pays", execute: (input) => calls.push(input) });
  const model = scriptedModel([callsOf(["pay", { amount: 5 }]), "Paid.", "Paid."]);
  const agent = agentExecutor([defineAgent({ id: "clerk", description: "", model })]);
  const plan = TaskData.parse({
    planned_tasks: [
      {
        task_id: "a",
        execution_type: "agent",
        agent_id: "clerk",
        arguments: { prompt: "Pay 5." },
        approval: "required",
      },
    ],
  });
  const given = { executors: [agent, toolExecutor([pay])], journal };
  await run(plan, { ...given, runId: "r" });
  expect(await waitingFor("r", { journal })).toMatchObject([{ id: "a", uid: "clerk", input: { prompt: "Pay 5." } }]);
  expect(model.requests).toEqual([]);
  await approve("r", "a", { journal });
  expect((await resume("r", given)).end_reason).toBe("waiting_approval");
  const [asked] = await waitingFor("r", { journal });
  expect(asked).toMatchObject({ uid: "pay", input: { amount: 5 } });
  expect(calls).toEqual([]);
  await deny("r", asked!.id, { journal });
  await resume("r", given);
  expect(calls).toEqual([]);
});
