import { waitsForEnds } from "./joins.ts";
import { aheadOf, EVERY_TASK } from "./limits.ts";
import type { RunState } from "./run-state.ts";
import { groupsOf } from "./slots.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/**
 * What must hold after every event, as a list of broken laws (empty: all hold). O(n + m), for tests.
 * @param shared other runs share the limits, so slots cannot be counted from one state. @default false
 */
export function checkInvariants(state: RunState, { shared = false }: { shared?: boolean } = {}): string[] {
  const queues = queuesOf(state);
  const counts = countTasks(state);
  const broken: string[] = [];
  for (let task = 0; task < state.view.n; task++) {
    for (const law of brokenByTask(state, task, queues[task]!)) broken.push(`task ${state.view.ids[task]} ${law}`);
  }
  broken.push(...brokenLimits(state, shared), ...brokenCounts(state, counts));
  if (!shared) broken.push(...idleSlots(state));
  const isQueued = queues.some((count) => count > 0);
  if (state.phase !== "new" && (state.phase === "ended") !== mayEnd(state, counts, isQueued)) {
    broken.push(`${state.phase} with ${counts.open} open`);
  }
  return broken;
}

/** In how many queues each task is. */
function queuesOf(state: RunState): Int32Array {
  const queues = new Int32Array(state.view.n);
  for (const heap of [state.ready, ...state.parked.values()]) {
    for (const task of heap.tasks()) queues[task]!++;
  }
  return queues;
}

/** The laws about one task that are broken, as what is wrong with it. */
function brokenByTask(state: RunState, task: number, queues: number): string[] {
  const broken: string[] = [];
  const now = state.state[task]!;
  const missing = missingOf(state, task);
  // After a halt nothing starts any more, so that ends are not counted.
  const isCounted = state.phase === "running" || !waitsForEnds(state, task);
  if (isCounted && missing !== state.missing[task]) broken.push(`misses ${missing}, counted ${state.missing[task]}`);
  const hasStarted = !isTerminal(now) && now !== TaskState.WAITING;
  if ((hasStarted || now === TaskState.FAILED) && missing > 0) broken.push("is ahead of its dependencies");
  if ((queues === 1) !== (now === TaskState.READY) || queues > 1) {
    broken.push(`has state ${now} and is in ${queues} queues`);
  }
  if (now === TaskState.RUNNING) {
    if (state.held[task] === 1) broken.push("is held and runs");
    if (state.gates[task] !== 0) broken.push("runs and is not approved");
  } else if (state.holdsSlots[task] === 1) broken.push(`holds slots in state ${now}`);
  if (now === TaskState.GATED && state.gates[task] === 0) broken.push("waits at no gate");
  if (now === TaskState.SKIPPED && state.blame[task] === -1) broken.push("was skipped without a cause");
  return broken;
}

/** How many of its dependencies the task still waits for. */
function missingOf(state: RunState, task: number): number {
  const { view } = state;
  let missing = 0;
  for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
    const dependency = view.in[edge]!;
    const done = state.state[dependency];
    if (done === TaskState.COMPLETED || done === TaskState.REPLACED) continue;
    const isLost = done === TaskState.SKIPPED || (done === TaskState.FAILED && state.lost?.[dependency] === 1);
    if (!(isLost && waitsForEnds(state, task))) missing++;
  }
  return missing;
}

/** The counters that a state keeps, as what each of them counts. */
const counters = {
  open: "tasks are open",
  running: "tasks run",
  delayed: "tasks are delayed",
  gated: "tasks are gated",
  asleep: "tasks sleep",
  asking: "gates ask",
  holding: "tasks are held",
} as const;

type Counts = Record<keyof typeof counters | "failed", number>;

function countTasks(state: RunState): Counts {
  const counts: Counts = { open: 0, running: 0, delayed: 0, gated: 0, asleep: 0, asking: 0, holding: 0, failed: 0 };
  for (const [task, now] of state.state.entries()) {
    if (!isTerminal(now)) counts.open++;
    const counter = counterOfState[now];
    if (counter !== undefined) counts[counter]++;
    if (now === TaskState.GATED && state.gates[task] === 1) counts.asking++;
    if (state.held[task] === 1) counts.holding++;
  }
  return counts;
}

/** The counter of the tasks in a state, where it has one. */
const counterOfState: Readonly<Partial<Record<number, keyof Counts>>> = {
  [TaskState.RUNNING]: "running",
  [TaskState.DELAYED]: "delayed",
  [TaskState.GATED]: "gated",
  [TaskState.ASLEEP]: "asleep",
  [TaskState.FAILED]: "failed",
};

function brokenCounts(state: RunState, counts: Counts): string[] {
  const broken: string[] = [];
  for (const [counter, words] of Object.entries(counters) as [keyof typeof counters, string][]) {
    if (counts[counter] !== state[counter]) broken.push(`${counts[counter]} ${words}, counted ${state[counter]}`);
  }
  // A number of a list says nothing any more of the elements that it meant before.
  const failuresAgree = state.window === undefined ? counts.failed === state.failed : counts.failed <= state.failed;
  if (!failuresAgree) broken.push(`${counts.failed} tasks failed, counted ${state.failed}`);
  return broken;
}

/** No limit is exceeded, and each counts what holds its slots. */
function brokenLimits(state: RunState, shared: boolean): string[] {
  const { limits } = state;
  const broken: string[] = [];
  for (const [group, held] of slotsHeld(state).entries()) {
    const counted = limits.used[group]!;
    const capacity = limits.capacity[group]!;
    if (!shared && held !== counted) broken.push(`limit "${limits.names[group]}" counts ${counted}, ${held} hold`);
    const maxUsed = capacity + (limits.looksAhead ? aheadOf(capacity) : 0);
    if (counted > maxUsed) broken.push(`limit "${limits.names[group]}" is exceeded: ${counted}`);
  }
  return broken;
}

/** The slots of each group that tasks hold, or that calls hold which were abandoned. */
function slotsHeld(state: RunState): Int32Array {
  const held = new Int32Array(state.limits.used.length);
  for (const [task, calls] of state.abandoned) {
    for (const group of groupsOf(state, task)) held[group]! += calls;
  }
  for (let task = 0; task < state.view.n; task++) {
    if (state.holdsSlots[task] !== 1) continue;
    for (const group of groupsOf(state, task)) held[group]!++;
  }
  return held;
}

/** No task waits that could start. */
function idleSlots(state: RunState): string[] {
  const { limits, ready } = state;
  const broken: string[] = [];
  if (state.phase === "running" && ready.size > 0 && !limits.isFull(EVERY_TASK)) {
    broken.push(`${ready.size} tasks are ready and nothing keeps them`);
  }
  for (const heap of state.parked.values()) {
    for (const task of heap.tasks()) {
      if (groupsOf(state, task).some((group) => limits.isFull(group))) continue;
      broken.push(`task ${state.view.ids[task]} is parked and has room`);
    }
  }
  return broken;
}

/** Whether the run may end: no task is open, or each that is waits for an answer or a time, and nobody is being asked. */
function mayEnd(
  { phase }: RunState,
  { holding, open, gated, asleep, asking, running, delayed }: Counts,
  isQueued: boolean,
) {
  if (holding > 0) return false;
  if (open === 0) return true;
  return phase !== "draining" && gated + asleep > 0 && asking === 0 && running + delayed === 0 && !isQueued;
}
