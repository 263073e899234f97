// What a run on many workers takes, from what was measured on few: a closed network of queues (mean value analysis; Reiser and Lavenberg 1980). Each worker carries one dispatch at a time from station
// to station: its own time, which nobody else has a part in, and the stations that all share (the processors of the database, the process of the run).

/** A station that all workers share. */
export interface Station {
  readonly name: string;
  /** Processor time that one dispatch needs of it, in milliseconds. */
  readonly demandMs: number;
  /** Its processors. Of several, a dispatch is taken to wait for the c-th part and to be served the rest without waiting (Seidmann). */
  readonly servers: number;
}

/** Milliseconds of a dispatch from its start to its end with `workers` at work, by exact recursion in O(workers × stations). */
export function residenceMs(workers: number, ownMs: number, stations: readonly Station[]): number {
  const queues = stations.map(() => 0);
  let residence = ownMs;
  for (let at = 1; at <= workers; at++) {
    const each = stations.map(({ demandMs, servers }, index) => {
      const queued = (demandMs / servers) * (1 + queues[index]!);
      return queued + demandMs * (1 - 1 / servers);
    });
    residence = ownMs + each.reduce((sum, ms) => sum + ms, 0);
    for (const [index, { demandMs, servers }] of stations.entries()) {
      queues[index] = (at / residence) * (demandMs / servers) * (1 + queues[index]!);
    }
  }
  return residence;
}

/** Processor time of one party: of a dispatch, of each of its tasks. Milliseconds. */
export interface Demand {
  readonly dispatchMs: number;
  readonly taskMs: number;
}

/** One run of equal subgraphs, each a chain of `size` tasks of `taskMs`. */
export interface Measured {
  readonly workers: number;
  readonly size: number;
  readonly taskMs: number;
  readonly dispatches: number;
  readonly makespanMs: number;
  /** Processor time in all, in milliseconds, by party. */
  readonly processorMs: Readonly<Record<string, number>>;
}

export interface CostModel {
  /** By party: the database, the process of the run, the workers. */
  readonly demands: Readonly<Record<string, Demand>>;
  /** Time of a dispatch that no processor works: messages, commits, pauses between two looks at a queue. */
  readonly waitMs: number;
  /** The same of each task, beside its own duration. */
  readonly taskWaitMs: number;
}

export const demandOf = ({ dispatchMs, taskMs }: Demand, size: number): number => dispatchMs + size * taskMs;

/** Dispatches come in as many rounds as workers need. */
export function predictedMs(
  model: CostModel,
  { workers, size, taskMs, dispatches }: Shape,
  stations: readonly Station[],
) {
  const own = model.waitMs + size * (taskMs + model.taskWaitMs);
  return (dispatches / workers) * residenceMs(workers, own, stations);
}
export type Shape = Pick<Measured, "workers" | "size" | "taskMs" | "dispatches">;

/** One machine for all: every party's processor time is of the same processors. */
export function sharedMachine({ demands }: CostModel, size: number, processors: number): Station[] {
  const demandMs = Object.values(demands).reduce((sum, demand) => sum + demandOf(demand, size), 0);
  return [{ name: "machine", demandMs, servers: processors }];
}

/**
 * Processor times by least squares over the measurements, and then the waits for which the predicted makespans are nearest, by the squared logarithm of
 * their ratio. Both pairs are at least 0.
 */
export function fitCosts(measured: readonly Measured[], processors: number): CostModel {
  const parties = Object.keys(measured[0]?.processorMs ?? {});
  const demands = Object.fromEntries(parties.map((party) => [party, fitDemand(measured, party)]));
  const errorOf = (waitMs: number, taskWaitMs: number) => {
    const model = { demands, waitMs, taskWaitMs };
    return measured.reduce((sum, each) => {
      const predicted = predictedMs(model, each, sharedMachine(model, each.size, processors));
      return sum + Math.log(predicted / each.makespanMs) ** 2;
    }, 0);
  };
  // A search along both axes whose steps are halved until they are a hundredth of a millisecond.
  let [best, wait, taskWait] = [errorOf(10, 1), 10, 1];
  for (let step = 64; step > 0.01; ) {
    const around = [
      [wait + step, taskWait],
      [wait - step, taskWait],
      [wait, taskWait + step],
      [wait, taskWait - step],
    ].filter((pair): pair is [number, number] => pair.every((ms) => ms >= 0));
    const tried = around.map((pair) => ({ pair, error: errorOf(...pair) }));
    const better = tried.reduce((left, right) => (right.error < left.error ? right : left));
    if (better.error < best) {
      best = better.error;
      [wait, taskWait] = better.pair;
    } else step /= 2;
  }
  return { demands, waitMs: wait, taskWaitMs: taskWait };
}

/** Processor time = dispatches × a + tasks × b; each row counts alike, by its share of the time. */
function fitDemand(measured: readonly Measured[], party: string): Demand {
  let [xx, xy, yy, xz, yz] = [0, 0, 0, 0, 0];
  for (const { dispatches, size, processorMs } of measured) {
    const z = processorMs[party] ?? 0;
    const weight = 1 / Math.max(z, 1);
    const [x, y, one] = [dispatches * weight, dispatches * size * weight, z * weight];
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xz += x * one;
    yz += y * one;
  }
  const determinant = xx * yy - xy * xy;
  const dispatchMs = determinant === 0 ? 0 : (xz * yy - yz * xy) / determinant;
  const taskMs = determinant === 0 ? 0 : (yz * xx - xz * xy) / determinant;
  if (taskMs < 0) return { dispatchMs: xz / xx, taskMs: 0 };
  if (dispatchMs < 0) return { dispatchMs: 0, taskMs: yz / yy };
  return { dispatchMs, taskMs };
}
