import { approve, defineAgent, defineTool, memoryPlans, Planloom, type PlanloomOptions, TaskData } from "planloom";
import { handlePlanCommand, handlePlanTool } from "planloom/plan-tools";
import { scriptedModel } from "planloom/testing";
import { expect, test } from "vitest";
import { z } from "zod";

let calls: unknown[] = [];
const note = defineTool({
  id: "note",
  description: "Notes",
  readOnly: true,
  input: z.object({ text: z.string() }),
  execute: (input) => {
    calls.push(input.text);
    return { noted: input.text };
  },
});
const wired = (options: PlanloomOptions) => {
  calls = [];
  return new Planloom({ tools: [note], ...options });
};
const step = { task_id: "a", execution_type: "tool" as const, tool_id: "note", arguments: { text: "plan" } };
const plan = TaskData.parse({ task_id: "p", planned_tasks: [step] });
const oneCall = { budgets: { total: { calls: 1 } } };

test("two runs draw on one budget", async () => {
  await using planloom = wired(oneCall);
  expect((await planloom.run(plan)).end_reason).toBe("completed");
  expect((await planloom.run(plan)).end_reason).toBe("budget");
  expect(calls).toEqual(["plan"]);
});

test("a conversation's own calls, its plan tools, /plan, its loops and its agents draw on the budget of its key", async () => {
  const ask = () => ({ text: "", toolCalls: [{ id: "c", name: "note", arguments: '{"text":"agent"}' }] });
  const model = scriptedModel([ask(), "Done."]);
  await using planloom = wired({
    eachTenant: { budgets: { resources: { note: { calls: 5 } } } },
    agents: [defineAgent({ id: "clerk", description: "Notes", readOnly: true, model, tools: ["note"] })],
  });
  const tenant = "conversation-7";
  const plans = memoryPlans();
  await plans.save(plan);
  expect(await planloom.callTool("note", { text: "chat" }, { tenant })).toMatchObject({
    status: "completed",
    output: { noted: "chat" },
    run_id: expect.any(String),
  });
  const executed = await handlePlanTool("plan_execute", { plan_id: "p" }, { planloom, plans, tenant });
  expect(JSON.parse(executed)).toMatchObject({ success: true });
  expect((await handlePlanCommand("run p", { planloom, plans, tenant })).run?.end_reason).toBe("completed");
  const loop = await planloom.planExecute("Note it", {
    tenant,
    planner: () => ["Note"],
    executor: (_, { callTool }) => callTool("note", { text: "loop" }),
    replanner: () => ({ respond: "ok" }),
  });
  expect(loop.end_reason).toBe("responded");
  const clerk = { planned_tasks: [{ task_id: "c", execution_type: "agent" as const, agent_id: "clerk" }] };
  await planloom.run(clerk, { tenant });
  expect(calls).toEqual(["chat", "plan", "plan", "loop", "agent"]);

  const [chat, tool, command] = [
    await planloom.callTool("note", { text: "more" }, { tenant }),
    await handlePlanTool("plan_execute", { plan_id: "p" }, { planloom, plans, tenant }),
    await handlePlanCommand("run p", { planloom, plans, tenant }),
  ];
  expect(chat).toMatchObject({ status: "skipped", error: { code: "TASK_BUDGET" } });
  expect(JSON.parse(tool)).toMatchObject({ success: false, end_reason: "budget" });
  expect(command.run?.end_reason).toBe("budget");
  const other = await planloom.callTool("note", { text: "other" }, { tenant: "conversation-8" });
  expect(other.status).toBe("completed");
});

test("a call's input is data: no reference, no secret, nothing filled in", async () => {
  await using planloom = wired({ secrets: { KEY: "hush-hush" } });
  await planloom.callTool("note", { text: "${input.text} $${x}" });
  expect(calls).toEqual(["${input.text} $${x}"]);
  const secret = await planloom.callTool("note", { text: { $secret: "KEY" } });
  expect(secret).toMatchObject({ status: "failed", error: { code: "TASK_INVALID_INPUT" } });
  await expect(planloom.callTool("note", {})).resolves.toMatchObject({ status: "failed" });
  await expect(planloom.callTool("notes", { text: "x" })).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
});

test("a call that changes something waits for a person, and goes on by its run", async () => {
  const write = defineTool({ id: "write", description: "Writes", execute: (input) => input });
  await using planloom = wired({ tools: [write] });
  const waiting = await planloom.callTool("write", { to: "Ann" });
  expect(waiting).toMatchObject({ status: "waiting_approval", input: { to: "Ann" } });
  await approve(waiting.run_id, "call", { journal: await planloom.journal() });
  expect((await planloom.resume(waiting.run_id)).results[0]?.output).toEqual({ to: "Ann" });
});
