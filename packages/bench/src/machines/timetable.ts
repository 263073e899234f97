import type { MachineProblem } from "./machine-problem.ts";

/** Which task runs where and when. */
export interface MachineSchedule {
  readonly machine: Int32Array;
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  readonly makespanMs: number;
  /** Busy time of each machine at its price. */
  readonly price: number;
}

/** A schedule while it is made: tasks of a machine in order of their starts. */
export class Timetable {
  readonly problem: MachineProblem;
  readonly machine: Int32Array;
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  readonly #rows: { start: number; end: number }[][];

  constructor(problem: MachineProblem) {
    const { n } = problem.view;
    this.problem = problem;
    this.machine = new Int32Array(n).fill(-1);
    this.startMs = new Float64Array(n);
    this.endMs = new Float64Array(n);
    this.#rows = Array.from({ length: problem.count }, () => []);
  }

  cost(v: number, machine: number): number {
    return this.problem.costs[v * this.problem.count + machine]!;
  }

  /** When all inputs of `v` are at the machine; the tasks that make them are in the timetable. */
  readyMs(v: number, machine: number): number {
    const { view, outOfIn } = this.problem;
    let ready = 0;
    for (let at = view.inPtr[v]!; at < view.inPtr[v + 1]!; at++) {
      const u = view.in[at]!;
      ready = Math.max(ready, this.endMs[u]! + this.problem.sendMs(outOfIn[at]!, this.machine[u]!, machine));
    }
    return ready;
  }

  /** When the last task of a machine ends. */
  freeMs(machine: number): number {
    return this.#rows[machine]!.at(-1)?.end ?? 0;
  }

  /** When the first task ends after that time; `Infinity` where none does. */
  nextEndMs(afterMs: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [v, end] of this.endMs.entries())
      if (this.machine[v] !== -1 && end > afterMs) next = Math.min(next, end);
    return next;
  }

  /** The earliest start of `v` on the machine, in a gap between others where it fits. */
  insertionStart(v: number, machine: number): number {
    const cost = this.cost(v, machine);
    let start = this.readyMs(v, machine);
    for (const each of this.#rows[machine]!) {
      if (start + cost <= each.start) return start;
      start = Math.max(start, each.end);
    }
    return start;
  }

  place(v: number, machine: number, startMs: number): void {
    const endMs = startMs + this.cost(v, machine);
    this.machine[v] = machine;
    this.startMs[v] = startMs;
    this.endMs[v] = endMs;
    const row = this.#rows[machine]!;
    const at = row.findIndex((each) => each.start > startMs || (each.start === startMs && each.end > endMs));
    row.splice(at === -1 ? row.length : at, 0, { start: startMs, end: endMs });
  }

  /** Puts `v` where `value` of the machine and the end there is least; the first of equals. Of a task that can run nowhere else, where it can. */
  placeBest(v: number, value: (machine: number, endMs: number) => number): void {
    let best = -1;
    let bestStart = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let machine = 0; machine < this.problem.count; machine++) {
      if (this.cost(v, machine) === Number.POSITIVE_INFINITY) continue;
      const start = this.insertionStart(v, machine);
      const own = value(machine, start + this.cost(v, machine));
      if (best === -1 || own < least) {
        best = machine;
        bestStart = start;
        least = own;
      }
    }
    this.place(v, best, bestStart);
  }

  schedule(): MachineSchedule {
    const { machine, startMs, endMs } = this;
    const price = endMs.reduce((sum, end, v) => sum + (end - startMs[v]!) * this.problem.pricePerMs[machine[v]!]!, 0);
    return { machine, startMs, endMs, makespanMs: endMs.reduce((most, end) => Math.max(most, end), 0), price };
  }
}

/** What is wrong with a schedule: a task on a machine that cannot run it, before an input is there, or beside another. O(n log n + m) */
export function machineScheduleFaults(problem: MachineProblem, schedule: MachineSchedule): string[] {
  const { view, count, outOfIn } = problem;
  const { machine, startMs, endMs } = schedule;
  const faults: string[] = [];
  const slack = 1e-9 * Math.max(1, schedule.makespanMs);
  for (let v = 0; v < view.n; v++) {
    const id = view.ids[v];
    const cost = problem.costs[v * count + machine[v]!];
    if (cost === undefined || cost === Number.POSITIVE_INFINITY)
      faults.push(`${id} cannot run on machine ${machine[v]}`);
    else if (Math.abs(endMs[v]! - startMs[v]! - cost) > slack) faults.push(`${id} does not take its ${cost} ms`);
    for (let at = view.inPtr[v]!; at < view.inPtr[v + 1]!; at++) {
      const u = view.in[at]!;
      const arrival = endMs[u]! + problem.sendMs(outOfIn[at]!, machine[u]!, machine[v]!);
      if (startMs[v]! < arrival - slack) faults.push(`${id} starts before the output of ${view.ids[u]} is there`);
    }
  }
  const order = Array.from(machine.keys()).sort((a, b) => startMs[a]! - startMs[b]! || endMs[a]! - endMs[b]!);
  const last = new Float64Array(count);
  for (const v of order) {
    if (startMs[v]! < last[machine[v]!]! - slack) faults.push(`${view.ids[v]} runs beside another task of its machine`);
    last[machine[v]!] = Math.max(last[machine[v]!]!, endMs[v]!);
  }
  return faults;
}
