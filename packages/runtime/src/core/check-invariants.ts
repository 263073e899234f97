import { waitsForEnds } from "./joins.ts";
import { aheadOf, EVERY_TASK, NO_GROUP } from "./limits.ts";
import type { RunState } from "./run-state.ts";
import { groupsOf } from "./slots.ts";
import { isTerminal, TaskState } from "./task-state.ts";

/**
 * What must hold after every event, as a list of broken laws (empty: all hold). O(n + m), for tests.
 * @param shared other runs share the limits, so slots cannot be counted from one state. @default false
 */
export function checkInvariants(state: RunState, { shared = false }: { shared?: boolean } = {}): string[] {
  const broken: string[] = [];
  const { view, limits } = state;
  const name = (task: number) => `task ${view.ids[task]}`;
  let open = 0;
  let running = 0;
  let delayed = 0;
  let gated = 0;
  let asking = 0;
  let asleep = 0;
  let failed = 0;
  let held = 0;
  const used = new Int32Array(limits.used.length);
  const queued = new Int32Array(view.n);
  for (const task of state.ready.tasks()) queued[task]!++;
  for (const heap of state.parked.values()) for (const task of heap.tasks()) queued[task]!++;

  for (const [task, count] of state.abandoned) {
    for (const group of groupsOf(state, task)) used[group]! += count;
  }
  for (let task = 0; task < view.n; task++) {
    const now = state.state[task]!;
    let missing = 0;
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const dependency = view.in[edge]!;
      const done = state.state[dependency];
      if (done === TaskState.COMPLETED || done === TaskState.REPLACED) continue;
      const isLost = done === TaskState.SKIPPED || (done === TaskState.FAILED && state.lost?.[dependency] === 1);
      if (!(isLost && waitsForEnds(state, task))) missing++;
    }
    if (state.held[task] === 1) held++;
    if (state.held[task] === 1 && now === TaskState.RUNNING) broken.push(`${name(task)} is held and runs`);
    // After a halt nothing starts any more, so that ends are not counted.
    const isCounted = state.phase === "running" || !waitsForEnds(state, task);
    if (isCounted && missing !== state.missing[task])
      broken.push(`${name(task)} misses ${missing}, counted ${state.missing[task]}`);
    if (!isTerminal(now)) open++;
    if (now === TaskState.RUNNING) running++;
    if (now === TaskState.FAILED) failed++;
    if (now === TaskState.DELAYED) delayed++;
    if (now === TaskState.ASLEEP) asleep++;
    if (now === TaskState.GATED) {
      gated++;
      if (state.gates[task] === 1) asking++;
      if (state.gates[task] === 0) broken.push(`${name(task)} waits at no gate`);
    }
    if (now === TaskState.RUNNING && state.gates[task] !== 0) broken.push(`${name(task)} runs and is not approved`);
    const started = !isTerminal(now) && now !== TaskState.WAITING;
    if ((started || now === TaskState.FAILED) && missing > 0) broken.push(`${name(task)} is ahead of its dependencies`);
    if ((queued[task] === 1) !== (now === TaskState.READY) || queued[task]! > 1) {
      broken.push(`${name(task)} has state ${now} and is in ${queued[task]} queues`);
    }
    if (now === TaskState.SKIPPED && state.blame[task] === -1) broken.push(`${name(task)} was skipped without a cause`);
    if (state.holdsSlots[task] === 1) {
      if (now !== TaskState.RUNNING) broken.push(`${name(task)} holds slots in state ${now}`);
      for (const group of [EVERY_TASK, state.kindGroup[task]!, state.resourceGroup[task]!]) {
        if (group !== NO_GROUP) used[group]!++;
      }
    }
  }
  for (let group = 0; group < used.length; group++) {
    const counted = limits.used[group]!;
    if (!shared && used[group] !== counted)
      broken.push(`limit "${limits.names[group]}" counts ${counted}, ${used[group]} hold`);
    const most = limits.capacity[group]! + (limits.looksAhead ? aheadOf(limits.capacity[group]!) : 0);
    if (counted > most) broken.push(`limit "${limits.names[group]}" is exceeded: ${counted}`);
  }
  if (open !== state.open) broken.push(`${open} tasks are open, counted ${state.open}`);
  if (running !== state.running) broken.push(`${running} tasks run, counted ${state.running}`);
  if (delayed !== state.delayed) broken.push(`${delayed} tasks are delayed, counted ${state.delayed}`);
  if (gated !== state.gated) broken.push(`${gated} tasks are gated, counted ${state.gated}`);
  if (asleep !== state.asleep) broken.push(`${asleep} tasks sleep, counted ${state.asleep}`);
  if (asking !== state.asking) broken.push(`${asking} gates ask, counted ${state.asking}`);
  // A number of a list says nothing any more of the elements that it meant before.
  const failuresAgree = state.window === undefined ? failed === state.failed : failed <= state.failed;
  if (!failuresAgree) broken.push(`${failed} tasks failed, counted ${state.failed}`);
  if (state.phase === "running" && !shared && state.ready.size > 0 && !limits.isFull(EVERY_TASK)) {
    broken.push(`${state.ready.size} tasks are ready and nothing keeps them`);
  }
  for (const heap of state.parked.values()) {
    for (const task of heap.tasks()) {
      const groups = [EVERY_TASK, state.kindGroup[task]!, state.resourceGroup[task]!];
      if (!shared && groups.every((group) => !limits.isFull(group)))
        broken.push(`${name(task)} is parked and has room`);
    }
  }
  if (held !== state.holding) broken.push(`${held} tasks are held, counted ${state.holding}`);
  const behindGates =
    gated + asleep > 0 &&
    asking === 0 &&
    state.phase !== "draining" &&
    running + delayed === 0 &&
    queued.every((count) => count === 0);
  if ((state.phase === "ended") !== (held === 0 && (open === 0 || behindGates)) && state.phase !== "new")
    broken.push(`${state.phase} with ${open} open`);
  return broken;
}
