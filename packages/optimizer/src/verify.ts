import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { checkParts, type PartViolation } from "./verify-parts.ts";

/** What is wrong with a partition. Lists of tasks are cut after `EXAMPLES`; `total` counts all. */
export type Violation =
  /** Not `{part, count}` with one entry a task and an integer count. */
  | { readonly code: "shape"; readonly message: string }
  /** Tasks in no part, or in one that is not in `[0, count)`. */
  | {
      readonly code: "part-out-of-range";
      readonly message: string;
      readonly tasks: readonly string[];
      readonly total: number;
    }
  /** Parts that hold no task. */
  | { readonly code: "part-empty"; readonly message: string; readonly parts: readonly number[]; readonly total: number }
  /** Parts that wait for one another: `parts` lists them in order, the first repeated at the end. */
  | {
      readonly code: "cycle";
      readonly message: string;
      readonly parts: readonly number[];
      /** For each step of the cycle a dependency that makes it: `from` in the one part, `to` in the next. */
      readonly witness: readonly { readonly from: string; readonly to: string }[];
    }
  /** `order` is not every part once, each after those it depends on. */
  | { readonly code: "order"; readonly message: string }
  /** `placement` is not the number of an executor for every part, or comes without `order`. */
  | { readonly code: "placement"; readonly message: string }
  | PartViolation;

const EXAMPLES = 5;

/**
 * Checks that a partition covers every task exactly once, has no empty part, an acyclic quotient, and no part beyond the
 * limits of the environment: prompt tokens, hard affinity, tasks a part, an executor class that may run it. Total: any value is
 * accepted as `partition`, nothing is thrown, nothing is changed. Convexity of every part would not be enough (two convex
 * parts can wait for each other), so the quotient itself is searched. O(n + m); shares no code with the strategies,
 * the simulator or the quotient they use.
 * @returns the violations, coverage first, then cycles or a wrong order, then limits; empty means valid.
 */
export function verify(view: PlanView, environment: ExecutionEnvironment, partition: unknown): Violation[] {
  const { part, count, order, placement } = read(partition, view.n);
  if (part === undefined) {
    return [{ code: "shape", message: `Expected part to be a list of ${view.n} integers, one for each task.` }];
  }
  if (count === undefined) return [{ code: "shape", message: "Expected count to be an integer of at least 0." }];
  // Without parts that hold every task there is no quotient to search.
  if (!coversAll(part, count)) return [...coverage(view, part, count), ...emptiness(part, count)];
  const acyclic = numberedInOrder(view, part) || inOrderOfFirstTasks(view, part, count);
  const cycle = acyclic ? undefined : quotientCycle(view, part, count);
  const wrongOrder = cycle === undefined && order !== undefined ? misordered(view, part, count, order) : undefined;
  const wrongPlacement = placement === undefined ? undefined : misplaced(environment, count, order, placement);
  const placed = wrongPlacement === undefined ? (placement as readonly number[] | undefined) : undefined;
  const shape = cycle ?? wrongOrder ?? wrongPlacement ?? [];
  return [shape, checkParts(view, environment, part, count, placed)].flat();
}

/** Copies what is there once, so that getters and proxies cannot answer differently, or throw, later on. */
function read(
  value: unknown,
  n: number,
): {
  part: Int32Array | undefined;
  count: number | undefined;
  order?: readonly unknown[] | undefined;
  placement?: readonly unknown[] | undefined;
} {
  try {
    const { part: list, count, order, placement } = Object(value) as Record<string, unknown>;
    const countOk = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
    const listed = (given: unknown) => {
      if (given === undefined) return undefined;
      return (Array.isArray(given) || given instanceof Int32Array) && given.length <= n ? Array.from(given) : [];
    };
    const copies = { order: listed(order), placement: listed(placement) };
    return { part: copied(list, n), count: countOk ? count : undefined, ...copies };
  } catch {
    return { part: undefined, count: undefined };
  }
}

/** What is not the number of a part becomes -1. */
function copied(list: unknown, n: number): Int32Array | undefined {
  if (list instanceof Int32Array) {
    const part = new Int32Array(list);
    return part.length === n ? part : undefined;
  }
  const listed = Array.isArray(list) && list.length === n && list.every((item) => typeof item === "number");
  return listed ? Int32Array.from(list as number[], (p) => (p === (p | 0) ? p : -1)) : undefined;
}

/** Every task in a part from 0 to `count` - 1, and a task in every part. */
function coversAll(part: Int32Array, count: number): boolean {
  if (count > part.length) return false;
  const used = new Uint8Array(count);
  for (let v = 0; v < part.length; v++) {
    const p = part[v]!;
    if (p < 0 || p >= count) return false;
    used[p] = 1;
  }
  for (let p = 0; p < count; p++) if (used[p] === 0) return false;
  return true;
}

function coverage(view: PlanView, part: Int32Array, count: number): Violation[] {
  const tasks: string[] = [];
  let total = 0;
  for (let v = 0; v < part.length; v++) {
    const p = part[v]!;
    if (p >= 0 && p < count) continue;
    if (total++ < EXAMPLES) tasks.push(view.ids[v]!);
  }
  if (total === 0) return [];
  const message = `${total} task(s) are in no part from 0 to ${count - 1}: ${tasks.join(", ")}${total > EXAMPLES ? ", …" : ""}.`;
  return [{ code: "part-out-of-range", message, tasks, total }];
}

function emptiness(part: Int32Array, count: number): Violation[] {
  // Parts beyond the number of tasks count as well, but one list entry a task is enough to find the first empty ones.
  const used = new Uint8Array(Math.min(count, part.length + EXAMPLES));
  const beyond = new Set<number>();
  let distinct = 0;
  for (let v = 0; v < part.length; v++) {
    const p = part[v]!;
    if (p < used.length && used[p] === 0) {
      used[p] = 1;
      distinct++;
    } else if (p >= used.length && p < count) beyond.add(p);
  }
  const total = count - distinct - beyond.size;
  if (total === 0) return [];
  const parts: number[] = [];
  for (let p = 0; p < used.length && parts.length < EXAMPLES; p++) if (used[p] === 0) parts.push(p);
  const message = `${total} part(s) hold no task: ${parts.join(", ")}${total > EXAMPLES ? ", …" : ""}.`;
  return [{ code: "part-empty", message, parts, total }];
}

function misplaced(
  environment: ExecutionEnvironment,
  count: number,
  order: readonly unknown[] | undefined,
  placement: readonly unknown[],
): Violation | undefined {
  const wrong = (message: string): Violation => ({ code: "placement", message });
  if (order === undefined) return wrong("placement comes without order, the sequence of the parts on each executor.");
  if (placement.length !== count) return wrong(`placement holds ${placement.length} executors for ${count} parts.`);
  const { executors } = environment;
  for (const [p, executor] of placement.entries()) {
    if (Number.isInteger(executor) && Number(executor) >= 0 && Number(executor) < executors) continue;
    return wrong(`placement puts part ${p} on executor ${String(executor)}, and there are ${executors}, from 0.`);
  }
  return undefined;
}

function misordered(view: PlanView, part: Int32Array, count: number, order: readonly unknown[]): Violation | undefined {
  const place = new Int32Array(count).fill(-1);
  let placed = 0;
  for (const p of order) {
    if (typeof p !== "number" || place[p] !== -1)
      return {
        code: "order",
        message: `order holds ${typeof p === "number" ? p : typeof p}, which is not a part, or is listed twice.`,
      };
    place[p] = placed++;
  }
  if (placed < count) return { code: "order", message: `order holds ${placed} of ${count} parts.` };
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const w = view.out[edge]!;
      if (place[part[v]!]! <= place[part[w]!]!) continue;
      const message = `order has part ${part[w]} before part ${part[v]}, but ${view.ids[w]} depends on ${view.ids[v]}.`;
      return { code: "order", message };
    }
  }
  return undefined;
}

/** Whether no dependency goes from a part to one of a lower number, which proves the quotient acyclic in a sweep over the edges. */
function numberedInOrder({ n, inPtr, in: neighbours }: PlanView, part: Int32Array): boolean {
  for (let v = 0, edge = 0; v < n; v++) {
    const own = part[v]!;
    for (const end = inPtr[v + 1]!; edge < end; edge++) if (part[neighbours[edge]!]! > own) return false;
  }
  return true;
}

/**
 * Whether no dependency goes back when parts are in the order of their first tasks in `view.topo`. That is a topological
 * order of the quotient as well; most groupings have it, and it costs two sweeps over the tasks more.
 */
function inOrderOfFirstTasks(view: PlanView, part: Int32Array, count: number): boolean {
  const { n, topo, outPtr, out } = view;
  const place = new Int32Array(count).fill(-1);
  const label = new Int32Array(n);
  let seen = 0;
  for (let at = 0; at < n; at++) {
    const v = topo[at]!;
    const p = part[v]!;
    if (place[p] === -1) place[p] = seen++;
    label[v] = place[p]!;
  }
  for (let v = 0; v < n; v++) {
    const own = label[v]!;
    for (let edge = outPtr[v]!, end = outPtr[v + 1]!; edge < end; edge++) if (label[out[edge]!]! < own) return false;
  }
  return true;
}

/** Removes parts that wait for nothing (Kahn); from what is left walks backwards until a part repeats. */
function quotientCycle(view: PlanView, part: Int32Array, count: number): Violation | undefined {
  const waits = new Int32Array(count);
  const tasksPtr = new Int32Array(count + 1);
  for (let v = 0; v < view.n; v++) {
    tasksPtr[part[v]! + 1]!++;
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      if (part[view.in[edge]!] !== part[v]) waits[part[v]!]!++;
    }
  }
  for (let p = 0; p < count; p++) tasksPtr[p + 1]! += tasksPtr[p]!;
  const cursor = tasksPtr.slice(0, count);
  const tasks = new Int32Array(view.n);
  for (let v = 0; v < view.n; v++) tasks[cursor[part[v]!]!++] = v;

  const stack: number[] = [];
  for (let p = 0; p < count; p++) if (waits[p] === 0) stack.push(p);
  let removed = 0;
  for (let p = stack.pop(); p !== undefined; p = stack.pop()) {
    removed++;
    for (let at = tasksPtr[p]!; at < tasksPtr[p + 1]!; at++) {
      const v = tasks[at]!;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = part[view.out[edge]!]!;
        if (target !== p && --waits[target]! === 0) stack.push(target);
      }
    }
  }
  if (removed === count) return undefined;

  const predecessor = (p: number): { from: number; to: number } | undefined => {
    for (let at = tasksPtr[p]!; at < tasksPtr[p + 1]!; at++) {
      const v = tasks[at]!;
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
        const u = view.in[edge]!;
        if (part[u] !== p && waits[part[u]!]! > 0) return { from: u, to: v };
      }
    }
    return undefined;
  };
  const seenAt = new Int32Array(count).fill(-1);
  const path: { from: number; to: number }[] = [];
  let current = waits.findIndex((waiting) => waiting > 0);
  // Every part still waiting waits for another such part, so this walk closes.
  for (let step = predecessor(current); step !== undefined && seenAt[current] === -1; step = predecessor(current)) {
    seenAt[current] = path.length;
    path.push(step);
    current = part[step.from]!;
  }
  const edges = path.slice(seenAt[current]!).reverse();
  const parts = [...edges.map((edge) => part[edge.from]!), part[edges[0]!.from]!];
  const witness = edges.map((edge) => ({ from: view.ids[edge.from]!, to: view.ids[edge.to]! }));
  const message = `Parts wait for one another: ${parts.join(" → ")} (${witness.map((edge) => `${edge.from} → ${edge.to}`).join(", ")}).`;
  return { code: "cycle", message, parts, witness };
}
