import type { PlanView } from "@planloom/plan";
import type { CoreEvent } from "../core/core-event.ts";
import { NO_GROUP } from "../core/limits.ts";
import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import { AdaptiveDispatch, type WaitingSubgraphs } from "./adaptive-dispatch.ts";
import type { AtomicParts } from "./atomic-parts.ts";
import type { Quotient } from "./quotient.ts";
import type { AdaptivePlan } from "./read-adaptive.ts";
import { splitSubgraph } from "./split-subgraph.ts";
import type { TaskRecords } from "./task-records.ts";

/** The subgraphs of a run, as the shell that dispatches them keeps them. */
export interface RegroupedSubgraphs {
  readonly records: TaskRecords;
  /** The core of the subgraphs. */
  readonly state: RunState;
  quotient(): Quotient;
  /** Subgraphs for which there would be an executor, if one could start. */
  idle(): number;
  /** Whether the run continues and may dispatch further subgraphs. */
  mayStart(): boolean;
  /** Leaves the order that was given, and dispatches what may start without it. */
  loosenOrder(): void;
  /** Puts another grouping in place, which the core learns of by the event. */
  replace(quotient: Quotient, event: CoreEvent): void;
}

/** Splits subgraphs during a run, where it has departed from what was estimated and executors would be idle. */
export class Regrouping {
  readonly #parts: AtomicParts;
  readonly #plan: AdaptivePlan;
  readonly #subgraphs: RegroupedSubgraphs;
  readonly #adaptive: AdaptiveDispatch;
  #isAtWork = false;

  constructor(parts: AtomicParts, plan: AdaptivePlan, subgraphs: RegroupedSubgraphs) {
    this.#parts = parts;
    this.#plan = plan;
    this.#subgraphs = subgraphs;
    this.#adaptive = new AdaptiveDispatch({
      ...plan,
      isDone: (task) => parts.state.state[task] === TaskState.COMPLETED,
      now: () => performance.now() - parts.startedAt,
      onOverdue: () => this.regroup(),
    });
  }

  /** Gives idle executors tasks of waiting subgraphs that could start, where the run has departed from what was estimated. */
  regroup(): void {
    if (!this.#adaptive.departed || this.#isAtWork || !this.#subgraphs.mayStart()) return;
    this.#isAtWork = true;
    this.#subgraphs.loosenOrder();
    while (this.#subgraphs.idle() > 0) {
      const found = this.#adaptive.startable(this.#waiting());
      if (found === undefined) break;
      if (!this.#split(found.subgraph, found.tasks, "waiting")) break;
    }
    this.#isAtWork = false;
  }

  /**
   * Gives an idle executor half of the open tasks of a subgraph that is about to be dispatched, where that pays.
   * @returns whether it did
   */
  giveHalf(subgraph: number, open: readonly number[]): boolean {
    const half = this.#subgraphs.idle() > 0 ? this.#adaptive.half(subgraph, open) : [];
    return half.length > 0 && this.#split(subgraph, half, "idle");
  }

  started(subgraph: number, open: readonly number[]): void {
    this.#adaptive.started(subgraph, open);
  }

  ended(subgraph: number, isDone: boolean): void {
    this.#adaptive.ended(subgraph, isDone);
  }

  close(): void {
    this.#adaptive.close();
  }

  #waiting(): WaitingSubgraphs {
    const { records } = this.#subgraphs;
    const { state, order, view } = this.#subgraphs.state;
    const { part, members, declared } = this.#subgraphs.quotient();
    const bound = new Set(declared.map(([, to]) => to));
    const waiting: number[] = [];
    // What a subgraph waits for by its own word, no task of it may be without.
    for (let subgraph = 0; subgraph < view.n; subgraph++)
      if (state[subgraph] === TaskState.WAITING && !bound.has(subgraph)) waiting.push(subgraph);
    return {
      part,
      order,
      waiting,
      members: (subgraph) => records.open(members[subgraph]!),
      isEnded: (subgraph) => isTerminal(state[subgraph]!),
      aboutToStartMs: (subgraph) => (state[subgraph] === TaskState.RUNNING ? view.work[subgraph] : undefined),
    };
  }

  /**
   * Puts open tasks of a subgraph into one of their own, which the core gets as a new one, with what they need that has ended: so no task that stays is needed there, now or in a later session, which
   * executes what has failed again.
   * @returns false where they need others of the subgraph that are open
   */
  #split(subgraph: number, tasks: readonly number[], why: "waiting" | "idle"): boolean {
    const { table, events, state } = this.#parts;
    const before = this.#subgraphs.quotient();
    const asked = new Set(tasks);
    const moved = [...withNeeded(state.view, before.part, tasks)];
    if (moved.some((task) => !asked.has(task) && !isTerminal(state.state[task]!))) return false;
    const quotient = splitSubgraph(this.#plan.view, before, subgraph, moved, this.#plan.overheadMs);
    const { view } = quotient;
    table.regroupings++;
    events.emit({
      type: "subgraph-split",
      subgraphId: view.ids[subgraph]!,
      newSubgraphId: view.ids.at(-1)!,
      taskIds: moved.map((task) => table.tasks[task]!.task_id),
      why,
    });
    const none = Int32Array.of(NO_GROUP);
    const revision = {
      view,
      replaced: [],
      kindGroup: none,
      resourceGroup: none,
      halts: Uint8Array.of(0),
      asksAgain: [],
    };
    this.#subgraphs.replace(quotient, { type: "revise", revision });
    return true;
  }
}

/** Tasks of a subgraph with all of the same subgraph that they depend on, directly or not. O(tasks and their dependencies) */
function withNeeded(view: PlanView, part: Int32Array, tasks: readonly number[]): Set<number> {
  const found = new Set(tasks);
  for (const task of found) {
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++)
      if (part[view.in[edge]!] === part[task]) found.add(view.in[edge]!);
  }
  return found;
}
