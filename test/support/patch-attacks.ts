import { draftPatch, PlannerTask, type PlanPatch, TaskData } from "@planloom/plan";
import { mulberry32 } from "./layered-dag.ts";

const statuses = ["pending", "pending", "completed", "completed", "failed", "skipped", "running"] as const;

/** A random plan of tool tasks in some stage of a run; seeded. */
export function randomRunningPlan(seed: number, maxTasks = 10): TaskData {
  const random = mulberry32(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const n = 1 + pick(maxTasks);
  const planned_tasks = Array.from({ length: n }, (_, task) => {
    const values: Record<string, unknown> = { limit: pick(3) };
    const dependencies: string[] = [];
    for (let i = pick(4); i > 0 && task > 0; i--) {
      const source = pick(task);
      const form = pick(5);
      if (form === 0) dependencies.push(`t${source}`);
      else if (form === 1) values[`a${i}`] = `\${t${source}.rows[0].id}`;
      else if (form === 2) values[`a${i}`] = { list: [`about \${t${source}.title?} now`] };
      else if (form === 3) values[`a${i}`] = { $ref: `t${source}.*.id` };
      else values[`a${i}`] = source % 3 === 0 ? `\${v${source}}` : "${where}";
    }
    return {
      task_id: `t${task}`,
      description: `Step ${task}`,
      execution_type: "tool",
      tool_id: `tool${pick(3)}`,
      dependencies: [...new Set(dependencies)],
      arguments: values,
      status: statuses[pick(statuses.length)],
      output: {},
      ...(task % 3 === 0 && { result_variable: `v${task}` }),
    };
  });
  const plan = TaskData.parse({ task_id: "plan", planned_tasks, variables: { where: "Lyon" } });
  return { ...plan, completed_tasks: plan.planned_tasks.filter((t) => t.status === "completed").map((t) => t.task_id) };
}

/** The plan with gates, halts and bounds on some of its tasks, and a tool that is called behind gates alone. */
export function withProtections(plan: TaskData, seed: number): TaskData {
  const random = mulberry32(seed);
  const some = <Fields extends object>(fields: Fields) => (random() < 0.3 ? fields : {});
  const planned_tasks = plan.planned_tasks.map((task) => ({
    ...task,
    ...some({ approval: "required" as const, tool_id: "gated" }),
    ...some({ on_failure: "halt" as const }),
    ...some({ timeout_ms: 1_000 }),
    ...some({ retry: { max_attempts: 2 } }),
  }));
  return { ...plan, planned_tasks };
}

/** The patch with protections of its tasks taken away or loosened, and calls moved. */
export function loosened(patch: PlanPatch, seed: number): PlanPatch {
  const random = mulberry32(seed);
  const loose = { on_failure: "continue" as const, timeout_ms: 1e9, retry: { max_attempts: 99 }, tool_id: "gated" };
  const tasks = patch.tasks.map((task): PlannerTask => {
    const copy: PlannerTask = { ...task };
    if (random() < 0.3) delete copy.approval;
    for (const [field, value] of Object.entries(loose)) if (random() < 0.15) Object.assign(copy, { [field]: value });
    return copy;
  });
  return { ...patch, tasks };
}

/** An honest patch of a random region. */
export function randomPatch(plan: TaskData, seed: number): PlanPatch | undefined {
  const random = mulberry32(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const ids = plan.planned_tasks.map(({ task_id }) => task_id);
  const region = [...new Set(Array.from({ length: 1 + pick(3) }, () => ids[pick(ids.length)]!))];
  const drop: string[] = [];
  const tasks = region.flatMap((id, index) => {
    const old = plan.planned_tasks.find(({ task_id }) => task_id === id)!;
    const form = pick(4);
    if (form === 0) {
      drop.push(id);
      return [];
    }
    const { result_variable: _, main_task_id: __, ...rest } = old;
    const last = { ...rest, arguments: { ...old.arguments, retry: seed % 97 }, replaces: [id] };
    if (form < 3) return [last];
    const first = {
      task_id: `prepare_${index}`,
      description: "Prepare",
      tool_id: "tool9",
      arguments: { n: seed % 89 },
    };
    return [
      { ...first, replaces: [id] },
      { ...last, dependencies: [...old.dependencies, `prepare_${index}`] },
    ];
  });
  return draftPatch(plan, { tasks, drop }, { newId: () => `n${seed}_${pick(1e9)}` }).patch;
}

/** Fields with few legal values, or of no interest. */
const fixed: ReadonlySet<string> = new Set(["execution_type", "status", "creation_time", "last_update_time"]);

/** The patch with some of its values exchanged for others, likely and unlikely ones. */
export function corrupted(patch: unknown, plan: TaskData, seed: number): unknown {
  const random = mulberry32(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const ids = plan.planned_tasks.map(({ task_id }) => task_id);
  const likely: readonly (() => unknown)[] = [
    () => ids[pick(ids.length)],
    () => [ids[pick(ids.length)]],
    () => `\${${ids[pick(ids.length)]}.x}`,
    () => ({ $ref: ids[pick(ids.length)] }),
    () => [],
    () => null,
    () => "fresh",
    () => "where",
    () => "completed",
    () => ({ ...plan.planned_tasks[pick(ids.length)] }),
    () => PlannerTask.parse({ task_id: "smuggled", tool_id: "tool0", description: "x" }),
    () => "__proto__",
    () => "constructor",
    () => pick(1e6),
    () => ({ rows: [1] }),
    () => true,
    () => undefined,
  ];
  // Half of the attacks keep to the schema, so that they get past the first look.
  const plausible = seed % 2 === 0;
  const names = [...ids, ...JSON.stringify(patch ?? "").matchAll(/"(?:new_)?task_id":"([^"]+)"/g)].map((match) =>
    typeof match === "string" ? match : match[1]!,
  );
  const exchanged = (value: unknown): unknown => {
    if (value === null) return names[pick(names.length)];
    if (typeof value !== "string") return value;
    const form = pick(4);
    const name = names[pick(names.length)]!;
    return form === 0 ? `\${${name}.rows[0].id}` : form === 1 && value.startsWith("tool") ? `tool${pick(3)}` : name;
  };
  const change = (value: unknown, rate: number): unknown => {
    if (plausible && (value === null || typeof value !== "object")) return random() < rate ? exchanged(value) : value;
    if (!plausible && random() < rate) return likely[pick(likely.length)]!();
    if (Array.isArray(value)) {
      const copy = value.map((each: unknown) => change(each, rate));
      if (random() < rate && copy.length > 0) copy.push(copy[pick(copy.length)]);
      if (random() < rate) copy.splice(pick(copy.length), 1);
      return copy;
    }
    if (typeof value !== "object" || value === null) return value;
    const kept = (key: string) => plausible && fixed.has(key);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, kept(key) ? each : change(each, rate)]));
  };
  return change(patch, [0.01, 0.03, 0.1, 0.3][pick(4)]!);
}
