import type { TaskData } from "planloom";
import { plainLine, type Style } from "../terminal/style.ts";
import { isRecord } from "../terminal/table.ts";

/** Whether the plan is that of an earlier run. */
export function isReused({ metadata }: Pick<TaskData, "metadata">): boolean {
  return isRecord(metadata?.memory);
}

/** From which run and goal the plan was taken, and what is different. A plan file says what it likes there. */
export function reusedView({ metadata }: Pick<TaskData, "metadata">, style: Style): string {
  const memory = metadata?.memory;
  if (!isRecord(memory)) return "";
  const differences = Array.isArray(memory.differences) ? memory.differences.filter(isRecord) : [];
  const lines = [
    `The plan of run ${String(memory.run_id)}, "${String(memory.goal)}", ${differences.length === 0 ? "as it was" : "with other values"}:`,
    ...differences.map(
      ({ task_id, argument, before, now }) =>
        `  ${String(task_id)}.${String(argument)}: ${JSON.stringify(before)} -> ${JSON.stringify(now)}`,
    ),
  ];
  if (differences.length === 0) lines[0] = lines[0]!.slice(0, -1);
  return lines.map((line) => `  ${style.paint("dim", plainLine(line))}\n`).join("");
}
