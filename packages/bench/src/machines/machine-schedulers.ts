import type { PlanView } from "@planloom/plan";
import { type MachineProblem, type Machines, machineProblem } from "./machine-problem.ts";
import { type MachineSchedule, Timetable } from "./timetable.ts";

/** A list scheduler for machines that differ. */
export type MachineScheduler = (problem: MachineProblem) => MachineSchedule;

/** Longest way from the start of each task to the end of the plan, in mean costs and mean transfers. O(n + m) */
function upwardRank({ view, meanCost, meanSend }: MachineProblem): Float64Array {
  const rank = new Float64Array(view.n);
  for (const v of view.topo.toReversed()) {
    let longest = 0;
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) {
      longest = Math.max(longest, meanSend[at]! + rank[view.out[at]!]!);
    }
    rank[v] = meanCost[v]! + longest;
  }
  return rank;
}

/** Longest way from the start of the plan to the start of each task, likewise; SAGA's has the task's own cost in it, and not that of the first. */
function downwardRank({ view, meanCost, meanSend, conventions, costAtMeanSpeed }: MachineProblem): Float64Array {
  const rank = new Float64Array(view.n);
  for (const u of view.topo) {
    for (let at = view.outPtr[u]!; at < view.outPtr[u + 1]!; at++) {
      const v = view.out[at]!;
      const cost = conventions === "saga" ? costAtMeanSpeed[v]! : meanCost[u]!;
      rank[v] = Math.max(rank[v]!, rank[u]! + cost + meanSend[at]!);
    }
  }
  return rank;
}

/** Hands out tasks whose inputs are all placed, the one of the highest priority first; ties by topological order. O(n^2) at worst in the ready tasks */
function inPriority({ view }: MachineProblem, priority: Float64Array, place: (v: number) => void): void {
  const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const position = new Int32Array(view.n);
  view.topo.forEach((v, at) => {
    position[v] = at;
  });
  const ready = Array.from(view.topo).filter((v) => waits[v] === 0);
  const before = (u: number, v: number) =>
    priority[u]! > priority[v]! || (priority[u] === priority[v] && position[u]! < position[v]!);
  while (ready.length > 0) {
    let first = 0;
    for (let at = 1; at < ready.length; at++) if (before(ready[at]!, ready[first]!)) first = at;
    const [v] = ready.splice(first, 1) as [number];
    place(v);
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++)
      if (--waits[view.out[at]!]! === 0) ready.push(view.out[at]!);
  }
}

/** Heterogeneous Earliest Finish Time (Topcuoglu, Hariri and Wu 2002): by upward rank, each where it ends first, with insertion. */
export const heft: MachineScheduler = (problem) => {
  const table = new Timetable(problem);
  inPriority(problem, upwardRank(problem), (v) => table.placeBest(v, (_, endMs) => endMs));
  return table.schedule();
};

/** Critical Path on a Processor (same paper): by the longest path through a task; those of one critical path share the machine on which they take least. */
export const cpop: MachineScheduler = (problem) => {
  const { view, count, costs } = problem;
  const down = downwardRank(problem);
  const priority = upwardRank(problem).map((up, v) => up + down[v]!);
  const pinned = criticalPath(problem, priority);
  let machine = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let p = 0; p < count; p++) {
    const sum = pinned.reduce((all, v) => all + costs[v * count + p]!, 0);
    if (sum < least) {
      least = sum;
      machine = p;
    }
  }
  const isPinned = new Uint8Array(view.n);
  // Where the path cannot run on any one machine, none of it is pinned.
  if (machine !== -1) for (const v of pinned) isPinned[v] = 1;
  const table = new Timetable(problem);
  inPriority(problem, priority, (v) => {
    if (isPinned[v] === 1) table.place(v, machine, table.insertionStart(v, machine));
    else table.placeBest(v, (_, endMs) => endMs);
  });
  return table.schedule();
};

/** From the entry of the highest priority on, each time a successor of the same priority, but for rounding; with SAGA every task of that priority. */
function criticalPath({ view, conventions }: MachineProblem, priority: Float64Array): number[] {
  const path: number[] = [];
  const best = (tasks: Iterable<number>) => {
    let first = -1;
    for (const v of tasks) if (first === -1 || priority[v]! > priority[first]!) first = v;
    return first;
  };
  let v = best(view.topo.filter((each) => view.inPtr[each] === view.inPtr[each + 1]));
  if (conventions === "saga") {
    const highest = priority[v] ?? 0;
    // As near as numpy's `isclose` asks.
    return Array.from(view.topo).filter((u) => Math.abs(priority[u]! - highest) <= 1e-8 + 1e-5 * Math.abs(highest));
  }
  while (v !== -1) {
    path.push(v);
    v = best(view.out.subarray(view.outPtr[v], view.outPtr[v + 1]));
  }
  return path;
}

/**
 * Predict Earliest Finish Time (Arabnejad and Barbosa 2014): the optimistic cost table says what is left after a task on each machine if all that
 * follows went where it is fastest; by its mean, each where end and table together are least, with insertion. O(machines^2 m)
 */
export const peft: MachineScheduler = (problem) => {
  const { view, count, costs, expectedSendMs } = problem;
  const left = new Float64Array(view.n * count);
  for (const v of view.topo.toReversed()) {
    for (let p = 0; p < count; p++) {
      let most = 0;
      for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) {
        const w = view.out[at]! * count;
        let least = Number.POSITIVE_INFINITY;
        for (let q = 0; q < count; q++) {
          least = Math.min(least, expectedSendMs(at, p, q) + costs[w + q]! + left[w + q]!);
        }
        most = Math.max(most, least);
      }
      left[v * count + p] = most;
    }
  }
  const rank = Float64Array.from({ length: view.n }, (_, v) => {
    let sum = 0;
    for (let p = 0; p < count; p++) sum += left[v * count + p]!;
    return sum / count;
  });
  const table = new Timetable(problem);
  inPriority(problem, rank, (v) => table.placeBest(v, (machine, endMs) => endMs + left[v * count + machine]!));
  return table.schedule();
};

/** The end of `v` on each machine after what is there, the least of them; without insertion. */
function earliestEnd(table: Timetable, v: number): { machine: number; startMs: number; endMs: number } {
  let best = { machine: -1, startMs: 0, endMs: Number.POSITIVE_INFINITY };
  for (let machine = 0; machine < table.problem.count; machine++) {
    const startMs = Math.max(table.freeMs(machine), table.readyMs(v, machine));
    const endMs = startMs + table.cost(v, machine);
    if (endMs < best.endMs) best = { machine, startMs, endMs };
  }
  return best;
}

/** Takes the tasks that are ready together as one batch, and of those left the one whose earliest end is least, or most. O(n * width * machines) */
function batches(problem: MachineProblem, isBefore: (own: number, other: number) => boolean): MachineSchedule {
  const { view } = problem;
  const table = new Timetable(problem);
  const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  let ready = Array.from(view.topo).filter((v) => waits[v] === 0);
  while (ready.length > 0) {
    const next: number[] = [];
    while (ready.length > 0) {
      let chosen = 0;
      let place = earliestEnd(table, ready[0]!);
      for (let at = 1; at < ready.length; at++) {
        const own = earliestEnd(table, ready[at]!);
        if (isBefore(own.endMs, place.endMs)) {
          chosen = at;
          place = own;
        }
      }
      const [v] = ready.splice(chosen, 1) as [number];
      table.place(v, place.machine, place.startMs);
      for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++)
        if (--waits[view.out[at]!]! === 0) next.push(view.out[at]!);
    }
    ready = next;
  }
  return table.schedule();
}

/** Min-Min (Ibarra and Kim 1977; Braun et al. 2001): of the tasks that are ready together, the one that can end first, where it ends first. */
export const minMin: MachineScheduler = (problem) => batches(problem, (own, other) => own < other);

/** Max-Min (same papers): of the tasks that are ready together, the one whose earliest end is latest, where it ends first. */
export const maxMin: MachineScheduler = (problem) => batches(problem, (own, other) => own > other);

/** Earliest Task First (Hwang, Chow, Anger and Lee 1989): of all ready tasks and machines the pair that can start first; ties by the longest way that is left. O(n * width * machines) */
export const etf: MachineScheduler = (problem) => {
  if (problem.conventions === "saga") return etfOfSaga(problem);
  const { view, count } = problem;
  const rank = upwardRank({ ...problem, meanSend: new Float64Array(view.out.length) });
  const table = new Timetable(problem);
  const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const ready = Array.from(view.topo).filter((v) => waits[v] === 0);
  while (ready.length > 0) {
    let chosen = -1;
    let machine = -1;
    let startMs = Number.POSITIVE_INFINITY;
    ready.forEach((v, at) => {
      for (let p = 0; p < count; p++) {
        if (table.cost(v, p) === Number.POSITIVE_INFINITY) continue;
        const start = Math.max(table.freeMs(p), table.readyMs(v, p));
        const isFirst = start < startMs || (start === startMs && rank[v]! > rank[ready[chosen]!]!);
        if (!isFirst) continue;
        chosen = at;
        machine = p;
        startMs = start;
      }
    });
    const [v] = ready.splice(chosen, 1) as [number];
    table.place(v, machine, startMs);
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++)
      if (--waits[view.out[at]!]! === 0) ready.push(view.out[at]!);
  }
  return table.schedule();
};

/**
 * ETF as SAGA has it: time goes from one end of a task to the next; at each moment those tasks whose inputs come from tasks already placed go, the one that can start first,
 * to machines that have run out of work by then, one each, as long as it starts no later than the next end.
 */
function etfOfSaga(problem: MachineProblem): MachineSchedule {
  const { view, count } = problem;
  const table = new Timetable(problem);
  const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const ready = new Set(Array.from(view.topo).filter((v) => waits[v] === 0));
  let next = Number.POSITIVE_INFINITY;
  for (let now = 0; ready.size > 0; ) {
    const open = new Set([...ready].sort((u, v) => u - v));
    const free = new Set(Array.from({ length: count }, (_, p) => p).filter((p) => table.freeMs(p) <= now));
    while (open.size > 0 && free.size > 0) {
      let best = { v: -1, machine: -1, startMs: Number.POSITIVE_INFINITY };
      for (const v of open) {
        for (const machine of free) {
          const startMs = Math.max(now, table.readyMs(v, machine));
          const cannot = table.cost(v, machine) === Number.POSITIVE_INFINITY;
          if (!cannot && startMs < best.startMs) best = { v, machine, startMs };
        }
      }
      if (best.v === -1 || best.startMs > next) break;
      const { v, machine, startMs } = best;
      table.place(v, machine, startMs);
      open.delete(v);
      ready.delete(v);
      free.delete(machine);
      next = Math.min(next, table.endMs[v]!);
      for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++)
        if (--waits[view.out[at]!]! === 0) ready.add(view.out[at]!);
    }
    now = next;
    next = table.nextEndMs(now);
  }
  return table.schedule();
}

/** The list schedulers of the field for machines that differ, by name. */
export const machineSchedulers = {
  heft,
  cpop,
  peft,
  "min-min": minMin,
  "max-min": maxMin,
  etf,
} as const satisfies Readonly<Record<string, MachineScheduler>>;

/** The schedule of single tasks on these machines. @throws OptimizerError `OPTIMIZER_ENVIRONMENT` as `machineProblem` */
export function machineSchedule(
  name: keyof typeof machineSchedulers,
  view: PlanView,
  machines: Machines,
): MachineSchedule {
  return machineSchedulers[name](machineProblem(view, machines));
}
