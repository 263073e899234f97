import type { Repair } from "../issue.ts";
import { formatPath, formatReference } from "../references/format-reference.ts";
import type { PathSegment } from "../references/reference.ts";
import { compareNodes } from "./assignable.ts";
import { type NearestNames, nearestNames, similarity } from "./nearest-names.ts";
import { outputPaths } from "./output-paths.ts";
import { type PlanFacts, type PlanOrder, readOrder } from "./plan-facts.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Comparisons of all repairs of one call: suggestions stay helpful for the first issues and never cost quadratic time. */
const budget = 200_000;
/** Sources looked at for one issue, nearest tasks first. */
const maxSources = 30;
const maxCandidates = 10;
/** Ids compared with one unknown name. */
const maxNames = 1000;

/** What is wanted of a source. */
export interface Wanted {
  /** The task whose argument it is for. */
  readonly task: number;
  readonly target?: SchemaNode;
  /** The argument's name; a path that ends alike comes first. */
  readonly name?: string;
  /** The task that is referred to now; its outputs come first. */
  readonly from?: number;
  /** The path that is referred to now. */
  readonly path?: readonly PathSegment[];
}

/** Finds legal ways out, within one budget a call. */
export class Repairs {
  readonly #facts: PlanFacts;
  #left = budget;
  #order: PlanOrder | undefined;

  constructor(facts: PlanFacts) {
    this.#facts = facts;
  }

  /** Takes `cost` comparisons from the budget; false when it is used up. */
  spend(cost: number): boolean {
    this.#left -= cost;
    return this.#left >= 0;
  }

  /** Tasks whose id is like `name` and that `task` can wait for: neither it nor what waits for it. */
  nearestTask(name: string, task: number): NearestNames {
    const { tasks } = this.#facts;
    if (!this.spend(Math.min(tasks.length, maxNames))) return { names: [], score: 0 };
    const later = this.#waitingFor(task);
    const ids = tasks.slice(0, maxNames).flatMap(({ task_id }, each) => (later.has(each) ? [] : [task_id]));
    return nearestNames(name, new Set(ids));
  }

  /** A task and what waits for it, as far as the budget goes. */
  #waitingFor(task: number): ReadonlySet<number> {
    this.#order ??= readOrder(this.#facts);
    const { outPtr, out } = this.#order.graph;
    const reached = new Set([task]);
    for (const each of reached) {
      if (!this.spend(1 + outPtr[each + 1]! - outPtr[each]!)) break;
      for (let edge = outPtr[each]!; edge < outPtr[each + 1]!; edge += 1) reached.add(out[edge]!);
    }
    return reached;
  }

  /** References, as text, whose type fits and that make no cycle; best first. */
  sources(wanted: Wanted): string[] {
    if (!this.spend(1)) return [];
    const scored: { text: string; score: number }[] = [];
    for (const source of this.#sourcesFor(wanted)) {
      const output = this.#facts.outputs[source];
      if (!output) continue;
      const paths = outputPaths(output);
      if (!this.spend(paths.length)) break;
      for (const { path, node } of paths) {
        const score = scoreOf(path, node, wanted, source === wanted.from);
        if (score <= 0) continue;
        const text = formatReference({ name: this.#facts.tasks[source]!.task_id, path, optional: false });
        scored.push({ text, score });
      }
    }
    scored.sort((a, b) => b.score - a.score);
    return scored.slice(0, maxCandidates).map(({ text }) => text);
  }

  sourceRepair(operation: Repair["operation"], wanted: Wanted): Repair | undefined {
    const candidates = this.sources(wanted);
    return candidates.length > 0 ? { operation, candidates } : undefined;
  }

  /** Tasks before `task` in the order cannot depend on it. The nearest in the plan come first. */
  *#sourcesFor({ task, from }: Wanted): Generator<number> {
    const { tasks } = this.#facts;
    if (from !== undefined) yield from;
    // Only a plan with something to repair pays for this.
    this.#order ??= readOrder(this.#facts);
    const { position } = this.#order;
    if (position[task] === -1) return;
    let found = 0;
    for (let distance = 1; distance <= 200 && found < maxSources; distance++) {
      for (const source of [task - distance, task + distance]) {
        if (source < 0 || source >= tasks.length || source === from) continue;
        if (position[source] === -1 || position[source]! > position[task]!) continue;
        found++;
        yield source;
      }
    }
  }
}

function scoreOf(path: readonly PathSegment[], node: SchemaNode, wanted: Wanted, preferred: boolean): number {
  const { target, name } = wanted;
  const verdict = target ? compareNodes(node, target).verdict : "unknown";
  if (verdict === "incompatible" || (verdict === "unknown" && target !== undefined && path.length === 0)) return 0;
  const last = path.findLast((segment) => "key" in segment);
  const alike = name !== undefined && last && "key" in last ? similarity(name, last.key) : 0;
  const near = wanted.path ? similarity(formatPath(wanted.path), formatPath(path)) : 0;
  return (verdict === "compatible" ? 2 : 1) + (preferred ? 1 : 0) + alike * 2 + near * 2 - path.length * 0.05;
}
