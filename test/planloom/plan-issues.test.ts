import { defineTool, memoryJournal, Planloom, type RunEvent } from "planloom";
import { expect, test } from "vitest";
import { z } from "zod";

const mail = defineTool({
  id: "send_mail",
  description: "Send a mail to a person",
  input: z.object({ to: z.string() }),
  execute: ({ to }) => ({ sent: to }),
});
const note = { code: "unresolved", severity: "warning", message: 'Nothing was planned for "call Ben".' } as const;
const plan = {
  task_id: "half",
  planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "send_mail", arguments: { to: "ann" } }],
  // Such as a file may have: what is not an issue is left out.
  metadata: { issues: [note, "words", { code: 7 }] },
} as const;

test("what a planner left open is said by the run, its first event, its status and its resumption", async () => {
  await using planloom = new Planloom({ tools: [mail], journal: memoryJournal() });
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => void events.push(event);
  const { task_id, planned_tasks, metadata } = structuredClone(plan) as never as Record<string, never>;
  const result = await planloom.run({ task_id, planned_tasks, metadata }, { confirm: "writes", onEvent });
  expect(result).toMatchObject({ end_reason: "waiting_approval", plan_issues: [note] });
  expect((await planloom.runStatus(result.run_id)).plan_issues).toEqual([note]);
  const resumed = await planloom.resume(result.run_id, { onEvent });
  expect(resumed.plan_issues).toEqual([note]);
  const starts = events.flatMap((event) => (event.type === "run-start" ? [event.planIssues] : []));
  expect(starts).toEqual([[note], [note]]);
});

test("a plan without notes has none", async () => {
  await using planloom = new Planloom({ tools: [mail], journal: memoryJournal() });
  const { task_id, planned_tasks } = structuredClone(plan) as never as Record<string, never>;
  const result = await planloom.run({ task_id, planned_tasks });
  expect("plan_issues" in result).toBe(false);
  expect("plan_issues" in (await planloom.runStatus(result.run_id))).toBe(false);
});
