import { type PlanView, planViewFromEdges, viewWithCosts } from "@planloom/plan";

export interface Estimates {
  /** The plan with the model's figures in place of its own, and the dependencies that it found. */
  readonly view: PlanView;
  /** Tasks with at least one figure that was used. */
  readonly estimated: number;
  /** Dependencies that the plan did not have. */
  readonly added: readonly { readonly from: string; readonly to: string }[];
  /** What was not used, and why. */
  readonly rejected: readonly string[];
}

/** Figures above this are taken for a slip of units: ten days in milliseconds, or as many tokens. */
const LARGEST = 864_000_000;
/** Dependencies taken from a model, per task of the plan. */
const ADDED_PER_TASK = 4;

/**
 * Reads a model's estimates of tasks. Figures that are not amounts, and dependencies that name no task or close a cycle are
 * left out. Total. O(n + m) for every added dependency.
 * @param renames whether the model's names of agents and tools replace the classes of the plan's tasks
 */
export function readEstimates(view: PlanView, value: unknown, { renames = true } = {}): Estimates {
  const work = view.work.slice();
  const tokens = view.tokens.slice();
  const outTokens = view.outTokens.slice();
  const names: (string | undefined)[] = new Array(view.n);
  const rejected: string[] = [];
  const used = new Set<number>();
  const dependents: number[][] = Array.from({ length: view.n }, (_, v) =>
    Array.from(view.out.subarray(view.outPtr[v]!, view.outPtr[v + 1]!)),
  );
  const added: { from: number; to: number }[] = [];
  const reject = (message: string) => {
    if (rejected.length < 20) rejected.push(message);
  };
  const list = Array.isArray(value) ? value : (Object(value) as { tasks?: unknown }).tasks;
  for (const row of Array.isArray(list) ? list : []) {
    const {
      id,
      durationMs,
      tokens: prompt,
      outputTokens,
      affinity,
      dependsOn,
    } = Object(row) as Record<string, unknown>;
    const v = typeof id === "string" ? view.indexOf(id) : -1;
    if (v === -1) {
      reject(`No task is called ${typeof id === "string" ? id.slice(0, 80) : typeof id}.`);
      continue;
    }
    for (const [target, figure, name] of [
      [work, durationMs, "durationMs"],
      [tokens, prompt, "tokens"],
      [outTokens, outputTokens, "outputTokens"],
    ] as const) {
      if (figure === undefined || figure === null) continue;
      if (typeof figure === "number" && figure >= 0 && figure <= LARGEST) {
        target[v] = figure;
        used.add(v);
      } else reject(`${name} of ${view.ids[v]} is not an amount.`);
    }
    if (typeof affinity === "string" && affinity !== "") {
      names[v] = affinity.slice(0, 80).toLowerCase();
      used.add(v);
    }
    for (const other of Array.isArray(dependsOn) ? dependsOn : []) {
      const u = typeof other === "string" ? view.indexOf(other) : -1;
      if (u === -1) reject(`${view.ids[v]} cannot depend on an unknown task.`);
      else if (dependents[u]!.includes(v)) continue;
      else if (added.length >= ADDED_PER_TASK * view.n) reject("More dependencies than are taken from a model.");
      else if (reaches(dependents, v, u)) reject(`${view.ids[v]} cannot depend on ${view.ids[u]}, which needs it.`);
      else {
        dependents[u]!.push(v);
        added.push({ from: u, to: v });
      }
    }
  }
  const from = dependents.flatMap((each, u) => each.map(() => u));
  const wider =
    added.length === 0 ? view : planViewFromEdges({ n: view.n, from, to: dependents.flat(), ids: view.ids });
  const affinity =
    renames && names.some((name) => name !== undefined) ? classesOf(names, view.affinity) : view.affinity;
  const { outBytes, failProb } = view;
  return {
    view: viewWithCosts(wider, { work, tokens, outTokens, affinity, outBytes, failProb }),
    estimated: used.size,
    added: added.map((edge) => ({ from: view.ids[edge.from]!, to: view.ids[edge.to]! })),
    rejected,
  };
}

function classesOf(names: readonly (string | undefined)[], own: Int32Array): Int32Array {
  const numbers = new Map<string, number>();
  return own.map((kind, v) => {
    const name = `${names[v] === undefined ? "own" : "named"} ${names[v] ?? kind}`;
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
}

function reaches(dependents: readonly (readonly number[])[], from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const v of seen) {
    if (v === to) return true;
    for (const next of dependents[v]!) seen.add(next);
  }
  return false;
}
