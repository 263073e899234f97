import {
  applyPatch,
  definitionHashes,
  IssueCode,
  type PlanIssue,
  type PlanPatch,
  planHashes,
  type TaskData,
  verifyPatch,
} from "@planloom/plan";
import type { PlanApprovals } from "../approvals/plan-approvals.ts";
import type { Revision } from "../core/revision.ts";
import type { RunState } from "../core/run-state.ts";
import type { EventSink } from "../event-sink.ts";
import type { Registry } from "../executors/registry.ts";
import type { TaskGroups } from "../make-limits.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { TaskResult } from "../run-result.ts";
import { taskResult } from "../task-execution/build-result.ts";
import { joinRuleOf } from "../task-execution/join-rule.ts";
import { growTaskTable, type TaskTable } from "../task-execution/task-table.ts";
import type { RunningPlan } from "./running-plan.ts";
import { addMembers, type SubgraphMembers } from "./subgraph-members.ts";

export interface ChangerParts {
  readonly state: RunState;
  readonly table: TaskTable;
  readonly plan: RunningPlan;
  readonly registry: Registry;
  readonly approvals: PlanApprovals;
  readonly events: EventSink;
  readonly subgraphOf: SubgraphMembers;
  /** Limits by kind and resource, and whether a failure halts the run, of new tasks. */
  groups(tasks: TaskTable["tasks"]): TaskGroups;
  halts(task: TaskTable["tasks"][number]): boolean;
}

/** Verifies changes of a running plan and puts them in place: in the plan, the table, the gates; the core is the caller's. */
export class PlanChanger {
  readonly #parts: ChangerParts;
  /** Tasks that failed, by definition hash, with the plan as it was then: the same again is not a repair. */
  readonly #failed = new Map<string, { readonly id: string; readonly contents: () => PlanHashes }[]>();
  readonly #replaced: TaskResult[] = [];

  constructor(parts: ChangerParts) {
    this.#parts = parts;
  }

  /** What had become of tasks that were replaced. */
  get replaced(): readonly TaskResult[] {
    return this.#replaced;
  }

  noteFailures(plan: TaskData, failed: Iterable<string>): void {
    const ids = new Set(failed);
    if (ids.size === 0) return;
    const tasks = plan.planned_tasks.filter(({ task_id }) => ids.has(task_id));
    const contents = once(() => planHashes(plan));
    for (const [at, definition] of definitionHashes(tasks, plan).entries()) {
      const failure = { id: tasks[at]!.task_id, contents };
      const known = this.#failed.get(definition);
      if (known === undefined) this.#failed.set(definition, [failure]);
      else known.push(failure);
    }
  }

  /** @param region ids of the tasks that may be replaced */
  verify(plan: TaskData, patch: PlanPatch, region: readonly string[]): PlanIssue[] {
    const issues = verifyPatch(plan, patch, { region, inputs: "any" });
    if (this.#failed.size === 0 || issues.some(({ severity }) => severity === "error")) return issues;
    const gone = new Set(patch.replacements.map(({ task_id }) => task_id));
    const named = [...plan.planned_tasks.filter(({ task_id }) => !gone.has(task_id)), ...patch.tasks];
    // Few new tasks do what a failed one did; only for these it is asked whether they do it with the same.
    const after = once(() => planHashes(applyPatch(plan, patch, { region, inputs: "any" })));
    for (const [at, definition] of definitionHashes(patch.tasks, named).entries()) {
      const { task_id } = patch.tasks[at]!;
      const isSame = ({ id, contents }: { readonly id: string; readonly contents: () => PlanHashes }) =>
        contents().get(id)?.content_hash === after().get(task_id)?.content_hash;
      if (this.#failed.get(definition)?.some(isSame) !== true) continue;
      const message = `New task "${task_id}" repeats exactly what failed in this run. Change what caused the failure.`;
      issues.push({ code: IssueCode.TASK_REPEATED, severity: "error", message, task_id });
    }
    return issues;
  }

  /** Changes everything but the core; returns the events that the core has to get at once. */
  putInPlace({ patch }: StoredRevision, region: readonly string[]): Revision {
    const { plan, state, table, approvals, events, subgraphOf } = this.#parts;
    const before = plan.snapshot();
    const change = plan.revise(before, applyPatch(before, patch, { region, inputs: "any" }));
    for (const task of change.replaced) {
      this.#replaced.push(taskResult(task, state, table, subgraphOf.get(table.tasks[task]!.task_id)));
    }
    addMembers(subgraphOf, patch);
    growTaskTable(table, change.added, change.changed);
    for (const task of change.changed.keys()) table.prepared[task] = undefined;
    approvals.revise(plan.runnable.plan, table.tasks);
    const gone = new Set(change.replaced);
    const asksAgain = [...table.questions].flatMap(([task, { planned_hash }]) =>
      !gone.has(task) && approvals.contentHash(task) !== planned_hash ? [task] : [],
    );
    events.emit({
      type: "patch-apply",
      revision: patch.patch_id,
      base: patch.base,
      replaced: patch.replacements.map(({ task_id, replaced_by }) => ({ task_id, replaced_by })),
      renewed: patch.renewed,
      added: change.added,
      ...(patch.reason !== undefined && { reason: patch.reason }),
    });
    return {
      view: change.view,
      replaced: change.replaced,
      ...this.#parts.groups(change.added),
      halts: Uint8Array.from(change.added, (task) => (this.#parts.halts(task) ? 1 : 0)),
      joins: Uint8Array.from(change.added, joinRuleOf),
      asksAgain,
    };
  }
}

type PlanHashes = ReturnType<typeof planHashes>;

/** Worked out when it is first asked for. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
