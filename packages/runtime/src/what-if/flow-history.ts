import { definitionHashes, effectiveDependencies, isRecord, type PlannerTask, type TaskData } from "@planloom/plan";
import type { TaskRecord } from "../journal/journal.ts";
import { TaskErrorCode } from "../task-error.ts";

/** What runs of a journal did at lists, conditions and decisions like those of a plan. */
export interface FlowBehaviour {
  readonly items?: readonly number[];
  readonly waitMs?: readonly number[];
  readonly runProbability?: number;
  readonly branches?: Readonly<Record<string, number>>;
}

interface Seen {
  readonly items: number[];
  readonly waitMs: number[];
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
    for (const [, hash] of tasks)
      this.#seen.set(hash, { items: [], waitMs: [], branches: new Map(), ran: 0, skipped: 0 });
  }

  /** Undefined for a plan in which every task is executed exactly once, as soon as it can. */
  static of(plan: TaskData): FlowHistory | undefined {
    const tasks = hashesOfFlow(plan);
    return tasks.length === 0 ? undefined : new FlowHistory(tasks);
  }

  /** @param beganAt when the run was created, milliseconds since the epoch */
  note(plan: TaskData, records: readonly TaskRecord[], beganAt: number): void {
    const flow = hashesOfFlow(plan);
    if (flow.length === 0) return;
    const byId = new Map(records.map((record) => [record.task_id, record]));
    const waits = flow.some(([{ wait, retry_until }]) => wait ?? retry_until);
    const before = waits ? dependenciesById(plan.planned_tasks) : undefined;
    for (const [task, hash] of flow) {
      const seen = this.#seen.get(hash);
      const record = byId.get(task.task_id);
      if (seen === undefined || record === undefined) continue;
      noteRecord(seen, task, record);
      const ended = record.status === "completed" && (task.wait ?? task.retry_until) ? endOf(record) : undefined;
      // What it came after had ended when it began to wait; one that came after nothing began with the run.
      const since = (before?.get(task.task_id) ?? []).flatMap((id) => {
        const each = byId.get(id);
        return each === undefined ? [] : [endOf(each)];
      });
      if (ended !== undefined) seen.waitMs.push(Math.max(0, ended - Math.max(beganAt, ...since)));
    }
  }

  /** By id of the task in the plan. */
  behaviours(): Readonly<Record<string, FlowBehaviour>> {
    return Object.fromEntries(
      this.#tasks.flatMap(([{ task_id }, hash]) => {
        const { items, waitMs, branches, ran, skipped } = this.#seen.get(hash)!;
        const behaviour: FlowBehaviour = {
          ...(items.length > 0 && { items }),
          ...(waitMs.length > 0 && { waitMs }),
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
    ({ for_each, when, choose, wait, retry_until }) => for_each ?? when ?? choose ?? wait ?? retry_until,
  );
  if (tasks.length === 0) return [];
  const hashes = definitionHashes(tasks, plan);
  return tasks.map((task, at) => [task, hashes[at]!]);
}

function dependenciesById(tasks: readonly PlannerTask[]): ReadonlyMap<string, readonly string[]> {
  return new Map(effectiveDependencies(tasks).map((ids, at) => [tasks[at]!.task_id, ids]));
}

function endOf({ started_at, duration_ms, timing }: TaskRecord): number {
  return timing?.ended_at ?? started_at + duration_ms;
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
