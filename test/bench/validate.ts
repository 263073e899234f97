import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Resource, TaskData, validatePlan } from "@planloom/plan";
import { cpuTimer } from "../support/cpu-time.ts";

/**
 * How long `validatePlan` takes on plans with typed references: `pnpm bench:validate [--json]`.
 *
 * Each row is the median of several fresh processes, so that no row profits from another's compiled code. `cold` is the
 * first call of a process, in processor time, which other work on the machine hardly changes: validators are compiled in it. `warm` is the median of five later calls. Each task has three
 * references (a list, a number, one inside text) and two literals, one with a range and one that needs ajv, so that 50
 * validators are compiled; the 50 tools have nested output schemas.
 */
const sizes = [1_000, 10_000, 100_000];
const runsPerRow = 5;
const toolCount = 50;

interface Measured {
  readonly tasks: number;
  readonly references: number;
  readonly coldMs: number;
  readonly warmMs: number;
  readonly issues: number;
}

const [size] = process.argv.slice(2).map(Number).filter(Number.isInteger);
if (size !== undefined && size > 0) {
  process.stdout.write(JSON.stringify(measure(size)));
} else {
  const rows = sizes.map(medianRow);
  process.stdout.write(process.argv.includes("--json") ? `${JSON.stringify(rows)}\n` : table(rows));
}

function medianRow(tasks: number): Measured {
  const runs = Array.from({ length: runsPerRow }, () => {
    const text = execFileSync(process.execPath, [fileURLToPath(import.meta.url), String(tasks)], { encoding: "utf8" });
    return JSON.parse(text) as Measured;
  });
  return {
    ...runs[0]!,
    coldMs: median(runs.map((run) => run.coldMs)),
    warmMs: median(runs.map((run) => run.warmMs)),
  };
}

function measure(tasks: number): Measured {
  const tools = Array.from({ length: toolCount }, (_, number) => tool(number));
  const { plan, references } = planOf(tasks);
  const timed = () => {
    const cpuMs = cpuTimer();
    const issues = validatePlan(plan, tools);
    return { ms: cpuMs(), issues: issues.length };
  };
  const cold = timed();
  const warm = Array.from({ length: 5 }, timed);
  return { tasks, references, coldMs: cold.ms, warmMs: median(warm.map(({ ms }) => ms)), issues: cold.issues };
}

function tool(number: number): Resource {
  return {
    kind: "tool",
    id: `server/tool_${number}`,
    description: `Tool ${number}`,
    input_schema: {
      type: "object",
      properties: {
        ids: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        count: { type: "integer", minimum: 0 },
        note: { type: "string" },
        since: { type: "string", format: "date" },
        code: { type: "string", pattern: `^[A-Z]{2}-${number}$` },
        limit: { type: "integer", minimum: 1, maximum: 1000 },
        path: { type: "string", pattern: `^/some/[a-z]+/${number}$`, not: { const: "/" } },
      },
      required: ["limit"],
      additionalProperties: false,
    },
    output_schema: {
      type: "object",
      properties: {
        rows: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string" }, name: { type: ["string", "null"] }, weight: { type: "number" } },
          },
        },
        total: { type: "integer" },
      },
    },
  };
}

function planOf(tasks: number): { plan: unknown; references: number } {
  let references = 0;
  const refer = (task: number, path: string) => {
    references++;
    return `\${task-${task}.${path}}`;
  };
  const planned = Array.from({ length: tasks }, (_, task) => {
    const values: Record<string, unknown> = {
      limit: 1 + (task % 1000),
      path: `/some/where/${task % toolCount}`,
    };
    if (task > 0) {
      values.ids = refer(task - 1, "rows.*.id");
      values.count = refer(task >> 1, "total");
      values.note = `about ${refer(task >> 2, "rows[0].name")}`;
      if (task === 1) values.note = `about ${refer(0, "rows[0].name")}`;
    }
    return {
      task_id: `task-${task}`,
      description: `Task ${task}`,
      execution_type: "tool",
      tool_id: `server/tool_${task % toolCount}`,
      arguments: values,
    };
  });
  return { plan: TaskData.parse({ task_id: "bench", planned_tasks: planned }), references };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

function table(rows: readonly Measured[]): string {
  const lines = [["tasks", "references", "cold ms", "warm ms", "warm µs a task", "issues"]];
  for (const { tasks, references, coldMs, warmMs, issues } of rows) {
    const perTask = (warmMs * 1000) / tasks;
    lines.push([tasks, references, coldMs.toFixed(0), warmMs.toFixed(0), perTask.toFixed(1), issues].map(String));
  }
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) => line.map((cell, column) => cell.padStart(widths[column]!)).join("  ")).join("\n");
  return `validatePlan, ${toolCount} tools, median of ${runsPerRow} processes\n${text}\n`;
}
