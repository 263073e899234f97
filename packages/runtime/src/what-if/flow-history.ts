import { definitionHashes, isRecord, type PlannerTask, type TaskData } from "@planloom/plan";
import type { TaskRecord } from "../journal/journal.ts";
import { TaskErrorCode } from "../task-error.ts";

/** What runs of a journal did at lists, conditions and decisions like those of a plan. */
export interface FlowBehaviour {
  readonly items?: readonly number[];
  readonly runProbability?: number;
  readonly branches?: Readonly<Record<string, number>>;
}

interface Seen {
  readonly items: number[];
  readonly branches: Map<string, number>;
  ran: number;
  skipped: number;
}

/** Collects it. Tasks are alike that do the same (`definitionHash`), whatever they are called. */
export class FlowHistory {
  /** By definition hash. */
  readonly #seen = new Map<string, Seen>();
  readonly #tasks: readonly (readonly [task: PlannerTask, hash: string])[];

  private constructor(tasks: readonly (readonly [PlannerTask, string])[]) {
    this.#tasks = tasks;
    for (const [, hash] of tasks) this.#seen.set(hash, { items: [], branches: new Map(), ran: 0, skipped: 0 });
  }

  /** Undefined for a plan in which every task is executed exactly once. */
  static of(plan: TaskData): FlowHistory | undefined {
    const tasks = hashesOfFlow(plan);
    return tasks.length === 0 ? undefined : new FlowHistory(tasks);
  }

  note(plan: TaskData, records: readonly TaskRecord[]): void {
    const flow = hashesOfFlow(plan);
    if (flow.length === 0) return;
    const byId = new Map(records.map((record) => [record.task_id, record]));
    for (const [task, hash] of flow) {
      const seen = this.#seen.get(hash);
      const record = byId.get(task.task_id);
      if (seen !== undefined && record !== undefined) noteRecord(seen, task, record);
    }
  }

  /** By id of the task in the plan. */
  behaviours(): Readonly<Record<string, FlowBehaviour>> {
    return Object.fromEntries(
      this.#tasks.flatMap(([{ task_id }, hash]) => {
        const { items, branches, ran, skipped } = this.#seen.get(hash)!;
        const behaviour: FlowBehaviour = {
          ...(items.length > 0 && { items }),
          ...(ran + skipped > 0 && { runProbability: ran / (ran + skipped) }),
          ...(branches.size > 0 && { branches: Object.fromEntries(branches) }),
        };
        return Object.keys(behaviour).length === 0 ? [] : [[task_id, behaviour] as const];
      }),
    );
  }
}

function hashesOfFlow(plan: TaskData): (readonly [PlannerTask, string])[] {
  const tasks = plan.planned_tasks.filter(
    ({ for_each, when, choose }) => for_each !== undefined || when !== undefined || choose !== undefined,
  );
  if (tasks.length === 0) return [];
  const hashes = definitionHashes(tasks, plan);
  return tasks.map((task, at) => [task, hashes[at]!]);
}

function noteRecord(seen: Seen, task: PlannerTask, { status, error, output }: TaskRecord): void {
  const isUnmet = error?.code === TaskErrorCode.NOT_MET;
  if (task.when !== undefined) {
    if (isUnmet) seen.skipped++;
    else if (status === "completed" || status === "failed") seen.ran++;
  }
  if (task.for_each !== undefined) {
    const total = error?.details?.total;
    if (Array.isArray(output)) seen.items.push(output.length);
    else if (typeof total === "number") seen.items.push(total);
  }
  const chosen = isRecord(output) ? output.chosen : undefined;
  if (task.choose !== undefined && typeof chosen === "string")
    seen.branches.set(chosen, (seen.branches.get(chosen) ?? 0) + 1);
}
