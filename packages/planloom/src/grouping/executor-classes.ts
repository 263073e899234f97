import type { ExecutorClass } from "@planloom/optimizer";
import { type PlannerTask, type PlanView, resourceCatalogue } from "@planloom/plan";
import { pinnedResources } from "@planloom/plan/internals";
import type { DispatchClass } from "@planloom/runtime";

/** What each class has in common with the whole environment. */
type ClassLimits = Omit<ExecutorClass, "name" | "count" | "overheadMs" | "serves" | "speed">;

/**
 * The dispatcher's classes of executors as the optimizer reads them: which tasks of the plan each can execute. A task that none of them can gets a class of its own, so that it
 * shares a subgraph with no other and keeps none waiting: its executor may yet come.
 * @param tasks in the order of the view
 * @param most subgraphs at once, which the classes share by their size, each at least one; all of theirs where it is left out
 * @returns `undefined` where each class can execute the whole plan
 */
export function executorClassesFor(
  given: readonly DispatchClass[],
  { view, tasks }: { readonly view: PlanView; readonly tasks: readonly PlannerTask[] },
  {
    overheadMs,
    most,
    limits,
  }: { readonly overheadMs: number; readonly most: number | undefined; readonly limits: ClassLimits },
): ExecutorClass[] | undefined {
  const needs = new Map<number, Map<string, ReturnType<typeof pinnedResources>[number]>>();
  for (const [at, task] of tasks.entries()) {
    const number = view.affinity[at]!;
    const known = needs.get(number) ?? new Map();
    for (const need of pinnedResources([task])) known.set(JSON.stringify(need), need);
    needs.set(number, known);
  }
  const classes = given.map(({ name, executors, resources }) => {
    const catalogue = resourceCatalogue(resources.map(({ kind, id }) => ({ kind, id, description: "" })));
    const hasAll = (own: ReturnType<typeof pinnedResources>) =>
      own.every(({ kind, id }) => catalogue.find(kind, id) !== undefined);
    const serves = [...needs].flatMap(([number, own]) => (hasAll([...own.values()]) ? [number] : []));
    return { name, count: executors, serves };
  });
  if (classes.every(({ serves }) => serves.length === needs.size)) return undefined;
  const useful = classes.filter(({ serves }) => serves.length > 0);
  const all = useful.reduce((sum, { count }) => sum + count, 0);
  const share = most === undefined || most >= all ? 1 : most / all;
  const served = new Set(useful.flatMap(({ serves }) => serves));
  const awaited = [...needs].flatMap(([number, own]) => {
    if (served.has(number)) return [];
    const names = [...own.values()].map(({ kind, id }) => `${kind} ${JSON.stringify(id)}`);
    return [{ name: `awaited for ${names.join(", ")} (class ${number})`, count: 1, serves: [number] }];
  });
  return [...useful, ...awaited].map(({ name, count, serves }) => ({
    ...limits,
    name,
    count: Math.max(1, Math.floor(count * share)),
    overheadMs,
    serves,
  }));
}
