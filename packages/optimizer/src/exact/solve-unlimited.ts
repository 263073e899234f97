import { Contraction, type Decisions } from "./contraction.ts";
import type { PartLimits } from "./part-limits.ts";
import type { SmallGraph } from "./small-graph.ts";

export interface UnlimitedSolution {
  /** Makespan of `label`; `Infinity` when no valid grouping was found. */
  readonly value: number;
  /** No grouping ends earlier. Equal to `value` when the search was finished. */
  readonly bound: number;
  /** Part of each task: the lowest task in it. Absent when none was found better than `below`. */
  readonly label: Int8Array | undefined;
  readonly nodes: number;
}

export interface SearchLimits {
  /** Sets of decisions to look at before giving up on the proof. */
  readonly nodes: number;
  /** `Date.now()` or later on the same clock ends the search. */
  readonly until: number;
  /** Only groupings that end earlier than this are of interest. @default Infinity */
  readonly below?: number;
}

/** Sums of estimates are compared up to this relative error. */
export const TOLERANCE = 1e-12;

/**
 * The best grouping of a plan on unlimited executors under atomic dispatch, by depth-first branch and bound on edges:
 * either both ends share a part, with everything between them, or they do not. Parts whose tasks hang together suffice,
 * since splitting one that falls apart delays nothing (docs/optimizer/bounds.md), and such parts are what contracting edges
 * makes. Branches on the edge of a longest path whose two children are bounded best. Exponential in the worst case.
 */
export function solveUnlimited(
  graph: SmallGraph,
  overheadMs: number,
  limits: PartLimits,
  { nodes, until, below = Number.POSITIVE_INFINITY }: SearchLimits,
): UnlimitedSolution {
  const contraction = new Contraction(graph, overheadMs, limits);
  let visited = 0;
  let label: Int8Array | undefined;
  let value = Number.POSITIVE_INFINITY;
  let best = below;
  /** Least bound among what was left unexplored. */
  let open = Number.POSITIVE_INFINITY;
  const beaten = (bound: number) => bound >= best * (1 - TOLERANCE);
  const over = () => visited > nodes || ((visited & 63) === 0 && Date.now() >= until);

  const explore = (decisions: Decisions): void => {
    visited++;
    const verdict = contraction.judge(decisions);
    if (verdict.value < best) {
      best = verdict.value;
      value = verdict.value;
      label = decisions.label.slice();
    }
    if (beaten(verdict.bound)) return;
    if (over()) {
      open = Math.min(open, verdict.bound);
      return;
    }
    const known = verdict.bound;
    let choice: { together: Branch; apart: Branch } | undefined;
    for (const edge of verdict.critical) {
      const together = branch(decisions, edge, true, known);
      const apart = branch(decisions, edge, false, known);
      if (choice === undefined || worth(together, apart) > worth(choice.together, choice.apart))
        choice = { together, apart };
      // A branch that cannot win decides the edge, so nothing else needs to be looked at.
      if (beaten(together.bound) || beaten(apart.bound)) break;
    }
    if (choice === undefined) return;
    const { together, apart } = choice;
    for (const child of together.bound <= apart.bound ? [together, apart] : [apart, together]) {
      if (!beaten(child.bound)) explore(child.decisions);
    }
  };
  const branch = (decisions: Decisions, edge: number, together: boolean, known: number): Branch => {
    const next = { label: decisions.label.slice(), cut: decisions.cut.slice() };
    if (!together) next.cut[edge] = 1;
    else if (!contraction.contract(next, edge)) return { decisions: next, bound: Number.POSITIVE_INFINITY };
    const verdict = contraction.judge(next);
    if (verdict.value < best) {
      best = verdict.value;
      value = verdict.value;
      label = next.label.slice();
    }
    return { decisions: next, bound: Math.max(known, verdict.bound) };
  };
  const worth = (together: Branch, apart: Branch) =>
    Math.min(together.bound, apart.bound) + Math.min(1e-3 * Math.max(together.bound, apart.bound), best);

  explore({ label: Int8Array.from({ length: graph.n }, (_, v) => v), cut: new Uint8Array(graph.from.length) });
  return { value, bound: Math.min(open, best), label, nodes: visited };
}

interface Branch {
  readonly decisions: Decisions;
  readonly bound: number;
}
