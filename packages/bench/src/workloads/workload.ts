import { PlanError, PlanErrorCode, type PlanView, planViewFromEdges } from "@planloom/plan";

/** What a generator was asked for. */
export interface GeneratedFrom {
  readonly family: string;
  readonly size: number;
  readonly seed: number;
}

/** A plan to measure optimizers on. */
export interface Workload {
  readonly name: string;
  /** Where it is from, for tables by family. */
  readonly family: string;
  readonly view: PlanView;
  /** Present where a generator made it, which makes it again. */
  readonly generated?: GeneratedFrom;
}

/** An invalid plan of a set: a cycle, an unknown dependency, two tasks of one id. */
export interface DefectiveWorkload {
  readonly name: string;
  readonly reason: string;
}

/** One task as the readers and generators hand it over. */
export interface WorkloadTask {
  readonly id: string;
  readonly workMs: number;
  /** True where the file does not say what it takes. */
  readonly isAssumed?: boolean;
  /** Numbers of the tasks it depends on. */
  readonly dependencies: readonly number[];
  /** Ids that it depends on and that no task has. */
  readonly unknown?: readonly string[];
  readonly outputBytes?: number;
  readonly promptTokens?: number;
  readonly type?: string;
  /** What it does, in words. @default its type */
  readonly description?: string;
}

/** The tasks of these ids by number, for a plan whose ids have the numbers of `index`. */
export function dependenciesOn(
  ids: readonly string[],
  index: ReadonlyMap<string, number>,
): Pick<WorkloadTask, "dependencies" | "unknown"> {
  const unknown = ids.filter((id) => !index.has(id));
  const dependencies = ids.flatMap((id) => index.get(id) ?? []);
  return unknown.length === 0 ? { dependencies } : { dependencies, unknown };
}

/** @throws PlanError for a cycle, an unknown dependency or a repeated id. O(n + m) */
export function workloadView(tasks: readonly WorkloadTask[]): PlanView {
  const from: number[] = [];
  const to: number[] = [];
  tasks.forEach(({ id, dependencies, unknown: [first] = [] }, v) => {
    if (first !== undefined) {
      throw new PlanError(
        PlanErrorCode.UNKNOWN_DEPENDENCY,
        `Task "${id}" depends on "${first}", which is not a task.`,
        {
          details: { task_id: id, dependency: first },
        },
      );
    }
    for (const u of dependencies) {
      from.push(u);
      to.push(v);
    }
  });
  const classes = new Map<string, number>();
  const affinity = tasks.map(({ type = "" }) => {
    if (!classes.has(type)) classes.set(type, classes.size);
    return classes.get(type)!;
  });
  return planViewFromEdges({
    n: tasks.length,
    from,
    to,
    work: tasks.map((task) => task.workMs),
    ids: tasks.map((task) => task.id),
    affinity,
    tokens: tasks.map((task) => task.promptTokens ?? 0),
    outBytes: tasks.map((task) => task.outputBytes ?? 0),
    outTokens: tasks.map((task) => Math.ceil((task.outputBytes ?? 0) / 4)),
  });
}

/** The same workloads, every name used once: the second `a` is `a (2)`. O(n) */
export function distinctNames(workloads: readonly Workload[]): Workload[] {
  const used = new Map<string, number>();
  const taken = new Set(workloads.map(({ name }) => name));
  return workloads.map((workload) => {
    const before = used.get(workload.name) ?? 0;
    let number = before + 1;
    let name = workload.name;
    while (before > 0 && taken.has(name)) name = `${workload.name} (${++number})`;
    taken.add(name);
    used.set(workload.name, Math.max(1, number));
    return name === workload.name ? workload : { ...workload, name };
  });
}

/** So many of the values, evenly spaced, in their order; all where there are no more. */
export function evenlySpaced<Value>(values: readonly Value[], count: number): Value[] {
  if (values.length <= count) return [...values];
  return Array.from({ length: count }, (_, at) => values[Math.floor((at * values.length) / count)]!);
}
