import { draftPatch, type PlannerTaskInput, type PlanPatch } from "@planloom/plan";
import { defineTool, type Replan, type ReplanRegion, toolExecutor } from "@planloom/runtime";

export type Handler = (input: Record<string, unknown>, context: { signal: AbortSignal }) => unknown;

/** One executor with a tool of each name. */
export const tools = (handlers: Record<string, Handler>) => [
  toolExecutor(Object.entries(handlers).map(([id, execute]) => defineTool({ id, description: id, execute }))),
];

export const fails: Handler = () => {
  throw new Error("kaput");
};

export const echo: Handler = (input) => ({ got: input });

/** A patch that changes each marked task, or drops it where nothing is given. */
export const ask = (
  region: Pick<ReplanRegion, "plan" | "marked">,
  change: (id: string) => PlannerTaskInput | undefined,
): PlanPatch => {
  const drop: string[] = [];
  const tasks = region.marked.flatMap((id) => {
    const old = region.plan.planned_tasks.find(({ task_id }) => task_id === id)!;
    const next = change(id);
    if (next === undefined) drop.push(id);
    return next === undefined ? [] : [{ ...old, main_task_id: "", ...next, replaces: [id] }];
  });
  const { patch, issues } = draftPatch(region.plan, { tasks, drop });
  if (patch === undefined) throw new Error(issues[0]?.message);
  return patch;
};

/** Puts another tool in the place of whatever failed. */
export const useInstead =
  (tool_id: string): Replan =>
  async (region) =>
    ask(region, () => ({ tool_id }));
