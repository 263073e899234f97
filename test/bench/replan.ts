import { parseArgs } from "node:util";
import { applyPatch, draftPatch, PlanPatch, type Resource, TaskData, verifyPatch } from "@planloom/plan";
import { corrupted, randomPatch, randomRunningPlan } from "../support/patch-attacks.ts";
import { brokenInvariants } from "../support/patch-checker.ts";
import { measureLocality } from "./replan-locality.ts";

/**
 * What replanning costs and whether its verifier holds: `pnpm bench:replan [attacks] [--workloads FOLDER]`.
 *
 * Locality: see `measureLocality`; over generated plans, and over those of the folder.
 *
 * Verification: patches of one, ten and a hundred tasks of a plan of 10,000 tasks with 30,000 references, 50 tools with
 * schemas; the first call of the process and the median of later ones, each with a plan that was never seen before. Attacks: random plans in the middle of a run, honest
 * patches with values exchanged at random; each accepted one is applied and checked by a slow checker of its own.
 */
const { values, positionals } = parseArgs({ options: { workloads: { type: "string" } }, allowPositionals: true });
const [attacks = 100_000] = positionals.map(Number).filter(Number.isInteger);
const tasks = 10_000;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
for (const row of await measureLocality(values.workloads, 20)) {
  const less = row.wholeP95 / row.localP95;
  print(
    `${row.set}: ${row.runs} runs. Planned anew, p95: ${percent(row.localP95)} of the work, ${percent(row.wholeP95)} when all that is left is (${less.toFixed(1)}x). ` +
      `Makespan ${percent(row.costP95)} above a run whose task took that long, at p95, ${percent(row.costMean)} on average; all anew takes ${row.wholeOverLocal.toFixed(2)}x. ` +
      `${row.changedOutside} of ${row.tasksOutside} definitions outside changed`,
  );
  if (row.changedOutside > 0) process.exitCode = 1;
}

const plan = largePlan();
const text = JSON.stringify(plan);
const tools = Array.from({ length: 50 }, (_, number) => tool(number));
for (const size of [1, 10, 100]) {
  const patch = patchOf(size);
  const times = Array.from({ length: 15 }, () => {
    const unseen: unknown = JSON.parse(text);
    const before = { wall: performance.now(), cpu: process.threadCpuUsage() };
    const issues = verifyPatch(unseen, patch, { resources: tools });
    const { user, system } = process.threadCpuUsage(before.cpu);
    if (issues.length > 0) throw new Error(JSON.stringify(issues[0]));
    return { wall: performance.now() - before.wall, cpu: (user + system) / 1000 };
  });
  const middle = (read: (time: { wall: number; cpu: number }) => number): string =>
    times
      .slice(1)
      .map(read)
      .sort((left, right) => left - right)[7]!
      .toFixed(1);
  print(
    `verify, ${size} of ${tasks} tasks: first ${times[0]!.wall.toFixed(1)} ms, then median ${middle((each) => each.wall)} ms (${middle((each) => each.cpu)} ms of this thread)`,
  );
}

let accepted = 0;
let broken = 0;
let thrown = 0;
const started = performance.now();
for (let seed = 0; seed < attacks; seed++) {
  try {
    const victim = randomRunningPlan(seed);
    const patch = corrupted(randomPatch(victim, seed + 7), victim, seed + 13);
    if (verifyPatch(victim, patch).some(({ severity }) => severity === "error")) continue;
    accepted++;
    const read = PlanPatch.parse(patch);
    const faults = brokenInvariants(victim, read, applyPatch(victim, read));
    if (faults.length === 0) continue;
    broken++;
    if (broken <= 5) print(`seed ${seed}: ${faults.join("; ")}`);
  } catch (error) {
    thrown++;
    if (thrown <= 5) print(`seed ${seed}: ${String(error)}`);
  }
}
const seconds = ((performance.now() - started) / 1000).toFixed(0);
print(`${attacks} attacks in ${seconds} s: ${accepted} accepted, ${broken} of them break something, ${thrown} throws`);
if (broken + thrown > 0) process.exitCode = 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function largePlan(): TaskData {
  const planned_tasks = Array.from({ length: tasks }, (_, task) => ({
    task_id: `task-${task}`,
    description: `Task ${task}`,
    execution_type: "tool",
    tool_id: `server/tool_${task % 50}`,
    arguments: {
      limit: 1 + (task % 1000),
      ...(task > 0 && {
        ids: `\${task-${task - 1}.rows.*.id}`,
        count: `\${task-${task >> 1}.total}`,
        note: `about \${task-${task >> 2}.rows[0].name}`,
      }),
    },
  }));
  return TaskData.parse({
    task_id: "bench",
    planned_tasks: planned_tasks.map((t, i) =>
      i === 1 ? { ...t, arguments: { limit: 2, ids: "${task-0.rows.*.id}" } } : t,
    ),
  });
}

function patchOf(size: number): PlanPatch {
  const proposed = Array.from({ length: size }, (_, i) => {
    const old = plan.planned_tasks[5_000 + i * 40]!;
    const { main_task_id: _lineage, ...rest } = old;
    return { ...rest, arguments: { ...old.arguments, limit: 7 }, replaces: [old.task_id] };
  });
  const { patch, issues } = draftPatch(plan, { tasks: proposed });
  if (patch === undefined) throw new Error(JSON.stringify(issues));
  return patch;
}

function tool(number: number): Resource {
  const row = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } } };
  return {
    kind: "tool",
    id: `server/tool_${number}`,
    description: `Tool ${number}`,
    input_schema: {
      type: "object",
      properties: {
        ids: { type: "array", items: { type: "string" } },
        count: { type: "integer" },
        note: { type: "string" },
        limit: { type: "integer", minimum: 1, maximum: 1000 },
      },
      required: ["limit"],
      additionalProperties: false,
    },
    output_schema: {
      type: "object",
      properties: { rows: { type: "array", items: row }, total: { type: "integer" } },
    },
  };
}
