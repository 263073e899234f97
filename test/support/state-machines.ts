import { dialects, type TaskData } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

export const { stepFunctions } = dialects;
export const lambda = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;

/** What of each task a machine says. */
export function said(plan: TaskData) {
  return plan.planned_tasks.map(
    ({ task_id, tool_id, arguments: given, convertor_code, dependencies, for_each, retry, timeout_ms }) => {
      const all = { task_id, tool_id, arguments: given, convertor_code, dependencies, for_each, retry, timeout_ms };
      return Object.fromEntries(
        Object.entries(all).filter(
          ([, value]) => value !== undefined && value !== null && JSON.stringify(value) !== "[]",
        ),
      );
    },
  );
}

/** Runs a plan with tools that give back what they are called with, and their name. */
export async function outputsOf(plan: TaskData, input: Record<string, unknown> = {}) {
  const names = new Set(
    plan.planned_tasks.flatMap(({ tool_id, for_each }) => [
      tool_id,
      ...(for_each?.tasks ?? []).map((inner) => inner.tool_id),
    ]),
  );
  const tools = [...names].flatMap((id) =>
    id === null
      ? []
      : [
          defineTool({
            id,
            description: "",
            readOnly: true,
            execute: (given) => ({ ...given, tool: id.split(":").at(-1) }),
          }),
        ],
  );
  const { results } = await run(plan, { executors: [toolExecutor(tools)], input });
  return Object.fromEntries(results.map(({ task_id, output, error }) => [task_id, error?.message ?? output]));
}
