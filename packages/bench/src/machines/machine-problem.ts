import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import type { OptionChecks, PlanView } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";

/** One machine, for plans whose tasks take as long on it as their work divided by its speed. */
export interface Machine {
  readonly name?: string;
  /** Work a millisecond; a task of a second takes half of one at 2. @default 1 */
  readonly speed?: number;
  /** Of one hour in which it is busy, in any one currency. @default 0 */
  readonly pricePerHour?: number;
  /** Bytes a task may need; one that needs more cannot run here. @default Infinity */
  readonly memoryBytes?: number;
}

/** Where single tasks are scheduled: machines of different speeds, and what lies between each two of them. */
export interface Machines {
  readonly machines: readonly Machine[];
  /** Bytes a millisecond from one machine to another: one number for all, or `rates[from][to]`. @default Infinity */
  readonly rates?: number | readonly (readonly number[])[];
  /** Milliseconds before the first byte is at another machine. @default 0 */
  readonly latencyMs?: number;
  /** What each task takes on each machine, in milliseconds, in place of speeds: `costs[task][machine]`; `Infinity` where it cannot run. */
  readonly costs?: readonly (readonly number[])[];
  /** Bytes of each edge in the order of `view.out`. @default the output of the task that it comes from */
  readonly edgeBytes?: ArrayLike<number>;
  /** Bytes each task needs while it runs. @default 0 */
  readonly memoryOf?: ArrayLike<number>;
  /**
   * Whose algorithms: `paper` those that the papers describe, which divide by the mean rate between different machines; `saga` what SAGA 2.0 makes of them, so that its
   * figures can be reproduced. Its ranks have the mean of the times over all pairs, a machine's way to itself among them, and PEFT's table the time of each link; CPOP's downward rank counts a
   * task's own cost, at the mean speed, in place of its predecessor's, and all tasks of the highest rank are critical; a machine has a rate to itself (`rates[m][m]`); ETF starts tasks only on machines that are free by then. @default "paper"
   */
  readonly conventions?: "paper" | "saga";
}

const checks = {
  machines: { required: "list" },
  rates: "own",
  latencyMs: "own",
  costs: "list",
  edgeBytes: "own",
  memoryOf: "own",
  conventions: ["paper", "saga"],
} as const satisfies OptionChecks<Machines>;

/** The same in columns, checked. */
export interface MachineProblem {
  readonly view: PlanView;
  readonly count: number;
  /** `costs[task * count + machine]`, in milliseconds; `Infinity` where a task cannot run. */
  readonly costs: Float64Array;
  /** Mean over the machines on which the task can run. */
  readonly meanCost: Float64Array;
  /** Milliseconds that the data of the edge at `at` in `view.out` take from one machine to another; 0 on the same. */
  sendMs(at: number, from: number, to: number): number;
  /** The same between two machines in the mean over all pairs of different ones: latency and bytes over the mean rate. */
  readonly meanSend: Float64Array;
  /** The same from one machine to another as an optimistic cost table counts it: the mean, or with `saga` that of the link itself. */
  expectedSendMs(at: number, from: number, to: number): number;
  /** For each place in `view.in` the place of the same edge in `view.out`. */
  readonly outOfIn: Int32Array;
  readonly pricePerMs: Float64Array;
  readonly conventions: NonNullable<Machines["conventions"]>;
  /** What each task takes at the mean of the speeds, which is not the mean of what it takes; where costs are given, the latter. */
  readonly costAtMeanSpeed: Float64Array;
}

/** @throws OptimizerError `OPTIMIZER_OPTION` for a field that is not known; `OPTIMIZER_ENVIRONMENT` for values out of range, tables of another shape, and a task that can run nowhere. */
export function machineProblem(view: PlanView, input: Machines): MachineProblem {
  checkOptions("`machineProblem`", input, checks);
  const {
    machines,
    rates = Number.POSITIVE_INFINITY,
    latencyMs = 0,
    edgeBytes,
    memoryOf,
    conventions = "paper",
  } = input;
  const count = machines.length;
  if (count === 0) throw wrong("machines", "a list of at least one machine", machines);
  if (!(latencyMs >= 0 && latencyMs < Number.POSITIVE_INFINITY))
    throw wrong("latencyMs", "a time of at least 0", latencyMs);
  machines.forEach(({ speed = 1, pricePerHour = 0, memoryBytes = Number.POSITIVE_INFINITY }, at) => {
    if (!(speed > 0 && speed < Number.POSITIVE_INFINITY))
      throw wrong(`machines[${at}].speed`, "a number above 0", speed);
    if (!(pricePerHour >= 0)) throw wrong(`machines[${at}].pricePerHour`, "a number of at least 0", pricePerHour);
    if (!(memoryBytes >= 0)) throw wrong(`machines[${at}].memoryBytes`, "a number of at least 0", memoryBytes);
  });
  const rate = rateTable(rates, count, conventions === "saga");
  const costs = costTable(view, input);
  const outOfIn = transposed(view);
  const bytes = Float64Array.from({ length: view.out.length }, (_, at) => edgeBytes?.[at] ?? 0);
  if (edgeBytes === undefined) {
    for (let u = 0; u < view.n; u++) bytes.fill(view.outBytes[u]!, view.outPtr[u], view.outPtr[u + 1]);
  } else if (edgeBytes.length !== view.out.length || bytes.some((each) => !(each >= 0))) {
    throw wrong("edgeBytes", `${view.out.length} sizes of at least 0`, `${edgeBytes.length} values`);
  }
  if (memoryOf !== undefined && memoryOf.length !== view.n)
    throw wrong("memoryOf", `${view.n} sizes`, `${memoryOf.length} values`);
  const perByte = conventions === "saga" ? meanTimeOfAll(rate, count) : 1 / meanOfPairs(rate, count);
  const meanLatency = conventions === "saga" ? (latencyMs * (count - 1)) / (count + 1) : latencyMs;
  const meanCost = new Float64Array(view.n);
  for (let v = 0; v < view.n; v++) {
    const possible = Array.from(costs.subarray(v * count, (v + 1) * count)).filter(Number.isFinite);
    if (possible.length === 0) throw wrong(`machines`, `one on which task "${view.ids[v]}" can run`, "none");
    meanCost[v] = possible.reduce((sum, each) => sum + each, 0) / possible.length;
  }
  const sendMs = (at: number, from: number, to: number) =>
    (from === to ? 0 : latencyMs) + bytes[at]! / rate[from * count + to]!;
  const meanSend = bytes.map((size) => (count === 1 ? 0 : meanLatency + size * perByte));
  return {
    view,
    count,
    costs,
    meanCost,
    outOfIn,
    pricePerMs: Float64Array.from(machines, ({ pricePerHour = 0 }) => pricePerHour / 3_600_000),
    meanSend,
    sendMs,
    conventions,
    costAtMeanSpeed: costsAtMeanSpeed(view, input),
    expectedSendMs: (at, from, to) => (from === to ? 0 : conventions === "saga" ? sendMs(at, from, to) : meanSend[at]!),
  };
}

function costsAtMeanSpeed(view: PlanView, { machines, costs }: Machines): Float64Array {
  const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const speed = meanOf(machines.map((machine) => machine.speed ?? 1));
  return view.work.map((work, v) => (costs === undefined ? work / speed : meanOf(costs[v]!.filter(Number.isFinite))));
}

function costTable(view: PlanView, { machines, costs, memoryOf }: Machines): Float64Array {
  const count = machines.length;
  const isWhole = costs === undefined || (costs.length === view.n && costs.every((row) => row.length === count));
  if (!isWhole)
    throw wrong(
      "costs",
      `a row for each of ${view.n} tasks with a cost for each of ${count} machines`,
      "another shape",
    );
  const table = new Float64Array(view.n * count);
  for (let v = 0; v < view.n; v++) {
    for (let p = 0; p < count; p++) {
      const { speed = 1, memoryBytes = Number.POSITIVE_INFINITY } = machines[p]!;
      const cost = costs === undefined ? view.work[v]! / speed : costs[v]![p]!;
      if (!(cost >= 0)) throw wrong(`costs[${v}][${p}]`, "a time of at least 0", cost);
      table[v * count + p] = (memoryOf?.[v] ?? 0) > memoryBytes ? Number.POSITIVE_INFINITY : cost;
    }
  }
  return table;
}

/** @param keepsOwn whether a machine has a rate to itself, as far as the table has one */
function rateTable(rates: NonNullable<Machines["rates"]>, count: number, keepsOwn: boolean): Float64Array {
  const table = new Float64Array(count * count);
  for (let from = 0; from < count; from++) {
    for (let to = 0; to < count; to++) {
      const rate = typeof rates === "number" ? rates : rates[from]?.[to];
      if (from !== to && !(rate !== undefined && rate > 0))
        throw wrong(`rates[${from}][${to}]`, "a number above 0", rate);
      const ofOther = from !== to || (keepsOwn && typeof rates !== "number");
      table[from * count + to] = ofOther ? (rate ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    }
  }
  return table;
}

function meanOfPairs(table: Float64Array, count: number): number {
  let sum = 0;
  for (let from = 0; from < count; from++) {
    for (let to = 0; to < count; to++) if (from !== to) sum += table[from * count + to]!;
  }
  return sum / Math.max(1, count * (count - 1));
}

/** Of a byte over the unordered pairs of machines, a machine with itself among them. */
function meanTimeOfAll(table: Float64Array, count: number): number {
  let sum = 0;
  for (let from = 0; from < count; from++) {
    for (let to = from + 1; to < count; to++)
      sum += (1 / table[from * count + to]! + 1 / table[to * count + from]!) / 2;
  }
  return sum / ((count * (count + 1)) / 2);
}

/** O(n + m) */
function transposed({ n, out, outPtr, in: from, inPtr }: PlanView): Int32Array {
  const found = new Int32Array(from.length);
  const next = Int32Array.from(inPtr.subarray(0, n));
  const place = new Map<number, number>();
  for (let u = 0; u < n; u++) for (let at = outPtr[u]!; at < outPtr[u + 1]!; at++) place.set(u * n + out[at]!, at);
  for (let v = 0; v < n; v++) {
    for (let at = next[v]!; at < inPtr[v + 1]!; at++) found[at] = place.get(from[at]! * n + v)!;
  }
  return found;
}

function wrong(field: string, expected: string, got: unknown): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.ENVIRONMENT,
    `Expected \`${field}\` to be ${expected}, got ${typeof got === "string" ? got : JSON.stringify(got)}.`,
    { details: { field } },
  );
}
