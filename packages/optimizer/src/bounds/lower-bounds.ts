import { type PlanView, upwardRanks, viewWithCosts } from "@planloom/plan";
import { type ExecutionEnvironment, greatestSpeed } from "../environment.ts";
import { type WaitTimes, waitsBound } from "../timed-waits.ts";
import { leastParts } from "./least-parts.ts";
import { affinityPathBound, twoRoundsBound } from "./overhead-bounds.ts";
import { overheadWindow } from "./overhead-window.ts";
import { backward, forward, partEnds } from "./part-ends.ts";
import { windowBound } from "./window-bound.ts";

export type BoundName = "LB1" | "LB2" | "LB3" | "LB5" | "LB6" | "LB7" | "LB8" | "LB10" | "LB11";

export interface LowerBound {
  readonly name: BoundName;
  /** Milliseconds that no valid grouping beats, dispatched in any order. */
  readonly ms: number;
  /** What makes it so, for a person. */
  readonly witness: string;
}

export interface LowerBounds {
  /** All that hold in this environment, in the order of their names. */
  readonly all: readonly LowerBound[];
  /** The largest; of equal ones the first. */
  readonly best: LowerBound;
}

/** Larger plans get LB1 to LB3 only: there grouping itself takes less time than the others would. */
const DETAILED_TASKS = 20_000;

/**
 * Every proved lower bound on the makespan in this environment; the proofs are in docs/optimizer/bounds.md. LB1 (path), LB2
 * (work) and LB3 (window) hold for all semantics. LB5 (two rounds) and LB6 (affinity path) need a dispatch that waits for all inputs of a subgraph, atomic or pipelined, and one slot; LB7 and LB8 (what a task's part
 * has to wait for or to hold) and LB11 (a window with its overheads) need atomic dispatch with one slot. Transfer times, differing executors and affinity penalties
 * only make real schedules longer, and with speeds all work counts as done by the
 * fastest class. Plans of more than 20,000 tasks get LB1 to LB3 only, in O(n + m); else see LB3 and LB8.
 */
export function lowerBounds(view: PlanView, environment: ExecutionEnvironment): LowerBounds {
  const speed = greatestSpeed(environment);
  return boundsOf(speed === 1 ? view : viewWithCosts(view, { work: view.work.map((ms) => ms / speed) }), environment);
}

/** `lowerBounds`, and LB10 for a plan with waits. @param waits how long they are, which the view does not know; undefined for a plan without waits */
export function lowerBoundsWaiting(
  view: PlanView,
  environment: ExecutionEnvironment,
  waits: WaitTimes | undefined,
): LowerBounds {
  const bounds = lowerBounds(view, environment);
  if (waits === undefined || environment.semantics === "streaming") return bounds;
  const ms = waitsBound(view, environment, waits, greatestSpeed(environment));
  const own: LowerBound = { name: "LB10", ms, witness: "a path on which tasks wait for a time or a signal" };
  return { all: [...bounds.all, own], best: ms > bounds.best.ms ? own : bounds.best };
}

function boundsOf(view: PlanView, environment: ExecutionEnvironment): LowerBounds {
  const { overheadMs: o, executors, slots = 1, semantics } = environment;
  const lanes = executors * slots;
  const ranks = upwardRanks(view);
  let criticalPath = 0;
  let total = 0;
  for (let v = 0; v < view.n; v++) {
    if (ranks[v]! > criticalPath) criticalPath = ranks[v]!;
    total += view.work[v]!;
  }
  const work = total / lanes;
  const all: LowerBound[] = [];
  const add = (name: BoundName, ms: number, witness: string) => all.push({ name, ms, witness });
  if (view.n === 0) {
    const nothing = { name: "LB1", ms: 0, witness: "there are no tasks" } as const;
    return { all: [nothing], best: nothing };
  }
  add("LB1", o + criticalPath, `one overhead and a path of ${shown(criticalPath)}`);
  const parts = leastParts(view, environment);
  const spread = (total + parts.count * o) / lanes;
  if (slots === 1 && spread > o + work)
    add("LB2", spread, `all work and ${parts.count} dispatches (${parts.why}), shared by ${executors}`);
  else add("LB2", o + work, `one overhead and all work, shared by ${lanes}`);
  const window = windowBound(view, lanes, o, ranks);
  add(
    "LB3",
    window.ms,
    `work between ${shown(window.headMs)} after the start and ${shown(window.tailMs)} before the end`,
  );
  if (semantics !== "streaming" && slots === 1 && view.n <= DETAILED_TASKS) {
    const rounds = twoRoundsBound(view, o);
    if (rounds !== undefined) add("LB5", rounds.ms, rounds.witness);
    if (environment.affinity === "hard") {
      const path = affinityPathBound(view, o);
      add("LB6", path.ms, path.witness);
    }
    if (semantics === "atomic") addPartBounds(view, executors, o, add);
  }
  return { all, best: all.reduce((most, each) => (each.ms > most.ms ? each : most)) };
}

function addPartBounds(
  view: PlanView,
  executors: number,
  o: number,
  add: (name: BoundName, ms: number, witness: string) => void,
): void {
  const front = partEnds(view, executors, o, forward(view));
  const back = partEnds(view, executors, o, backward(view));
  const waits = { ms: 0, task: 0 };
  const around = { ms: 0, task: 0 };
  for (let v = 0; v < view.n; v++) {
    const through = Math.max(front.ready[v]! + back.end[v]!, front.end[v]! + back.ready[v]!) - o;
    if (through > waits.ms) {
      waits.ms = through;
      waits.task = v;
    }
    const both = o + front.before[v]! + view.work[v]! + back.before[v]!;
    if (both > around.ms) {
      around.ms = both;
      around.task = v;
    }
  }
  add("LB7", waits.ms, `what the part of ${view.ids[waits.task]} waits for, or what waits for it`);
  add("LB8", around.ms, `what comes before and after ${view.ids[around.task]}, in its part or outside`);
  const window = overheadWindow(view, executors, o, front, back);
  if (window === undefined) return;
  add(
    "LB11",
    window.ms,
    `work between ${shown(window.headMs)} after the start and ${shown(window.tailMs)} before the end, with the overheads around it`,
  );
}

/** To the microsecond, for people. */
function shown(ms: number): string {
  return `${Number(ms.toFixed(3))} ms`;
}
