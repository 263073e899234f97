import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectMcpServers } from "@planloom/mcp";
import { Planloom } from "planloom";
import { diffPlans, planHashes, renderDiff } from "planloom/plan";

/**
 * The first job of the freight demo, on three servers: `harbour` is upgraded while the plan runs, `laboratory` dies at its first
 * call, `archive` has what it had. The run repairs itself; the embedded controller proposes, so there is no key.
 */
const goal = "Get facilities in Berlin, then their shipments, then check for contaminants";
const folder = await mkdtemp(join(tmpdir(), "planloom-replan-"));
const env = { ...(process.env as Record<string, string>), FREIGHT_DB: join(folder, "freight.sqlite") };
const server = (...args: string[]) => ({
  command: process.execPath,
  args: ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "server.ts"), ...args],
  env,
});
const harbour = server("upgrade", "facilities_list", "shipments_list");
const laboratory = server("dies", "contaminants_list");
const archive = server("none", "contaminants_list");
const print = (text: string) => process.stdout.write(`${text}\n`);

try {
  await using servers = await connectMcpServers({ mcpServers: { harbour, laboratory, archive } });
  await using planloom = new Planloom({ executors: [servers.executor] });
  const drafted = await planloom.plan(goal);
  // Both have the tool; the plan is made for the one that will die.
  const plan = {
    ...drafted,
    planned_tasks: drafted.planned_tasks.map((task) =>
      task.tool_id === "archive/contaminants_list" ? { ...task, tool_id: "laboratory/contaminants_list" } : task,
    ),
  };
  print(`Goal   ${goal}`);
  print(`Plan   ${plan.planned_tasks.map(({ task_id, tool_id }) => `${task_id} (${tool_id})`).join(" → ")}\n`);

  const result = await planloom.run(plan, {
    replanPolicy: { on: ["failure", "resource"] },
    retry: { max_attempts: 2, initial_delay_ms: 50 },
    onEvent: (event) => {
      if (event.type === "task-end") print(`  done       ${event.taskId}`);
      if (event.type === "patch-apply") print(`  replanned  ${event.reason}`);
    },
  });
  print(`\n${renderDiff(diffPlans(plan, result.plan), { unicode: true })}`);
  const rows = result.results.at(-1)?.output as readonly unknown[];
  print(`${result.end_reason}: ${rows.length} contaminants, after ${result.revisions?.length} changes of the plan`);

  assert.equal(result.end_reason, "completed");
  assert.equal(result.revisions?.length, 2);
  assert.ok(rows.length > 0);
  const [facilities, shipments, contaminants] = result.plan.planned_tasks;
  assert.equal(facilities?.task_id, plan.planned_tasks[0]?.task_id);
  assert.ok("facility_ids" in (shipments?.arguments ?? {}));
  assert.equal(contaminants?.tool_id, "archive/contaminants_list");
  // What was not concerned is what it was.
  const [before, after] = [planHashes(plan), planHashes(result.plan)];
  assert.deepEqual(after.get(facilities!.task_id), before.get(facilities!.task_id));
} finally {
  await rm(folder, { recursive: true, force: true });
}
