import { Undominated } from "./dominance.ts";
import { joinsLast } from "./joins-last.ts";
import type { PartLimits } from "./part-limits.ts";
import { RemainingBounds } from "./remaining-bounds.ts";
import { rootState, type State, Trial } from "./search-state.ts";
import { lowestTask, type SmallGraph } from "./small-graph.ts";
import { type SearchLimits, TOLERANCE } from "./solve-unlimited.ts";
import { StateQueue } from "./state-queue.ts";

export interface LimitedSolution {
  /** Makespan of `parts`; `Infinity` when nothing was found below `below`. */
  readonly value: number;
  /** No valid grouping, dispatched in any order, ends earlier. */
  readonly bound: number;
  /** The parts as sets of tasks, in the order in which they are dispatched. */
  readonly parts: readonly number[] | undefined;
  readonly nodes: number;
}

/**
 * The best grouping and the best order of dispatch on `executors` equal executors, by best-first search (A*) over what has
 * been dispatched. Parts are dispatched in the order of their starts, each on the executor that is free first, which
 * reaches every schedule. A state is left out when another with the same tasks dispatched is no later in any respect. Since
 * the least bound comes first, the search ends with a proof, and, out of budget, with the least bound still open.
 * Exponential: meant for plans of up to some 12 tasks, up to 20 with a gap.
 */
export function solveLimited(
  graph: SmallGraph,
  executors: number,
  overheadMs: number,
  limits: PartLimits,
  given: SearchLimits,
): LimitedSolution {
  return new LimitedSearch(graph, Math.min(executors, graph.n), overheadMs, limits, given).solve();
}

class LimitedSearch {
  readonly #graph: SmallGraph;
  readonly #overheadMs: number;
  readonly #limits: PartLimits;
  readonly #nodes: number;
  readonly #until: number;
  readonly #everything: number;
  readonly #bounds: RemainingBounds;
  readonly #trial: Trial;
  readonly #root: State;
  readonly #known = new Undominated<State>();
  readonly #queue = new StateQueue();
  /** Parts that start at once are dispatched in the order of their lowest tasks only where each takes time. */
  readonly #orderly: boolean;
  #best: number;
  #found: State | undefined;
  #generated = 0;
  /** Time is up. A state whose children are not all there stays open. */
  #late = false;

  constructor(
    graph: SmallGraph,
    count: number,
    overheadMs: number,
    limits: PartLimits,
    { nodes, until, below = Number.POSITIVE_INFINITY }: SearchLimits,
  ) {
    this.#graph = graph;
    this.#overheadMs = overheadMs;
    this.#limits = limits;
    this.#nodes = nodes;
    this.#until = until;
    this.#everything = 2 ** graph.n - 1;
    this.#bounds = new RemainingBounds(graph, overheadMs, until);
    this.#trial = new Trial(graph.n, count);
    this.#root = rootState(graph.n, count);
    this.#orderly = overheadMs > 0 || graph.work.every((each) => each > 0);
    this.#best = below;
  }

  solve(): LimitedSolution {
    const root = this.#root;
    const { fromStart } = this.#bounds;
    root.bound = Math.max(...fromStart, this.#bounds.load(0, root.free), this.#bounds.path(0, root.free, root.release));
    this.#queue.push(root);
    const bound = this.#search();
    const parts: number[] = [];
    for (let state = this.#found; state?.parent !== undefined; state = state.parent) parts.push(state.part);
    return this.#found === undefined
      ? { value: Number.POSITIVE_INFINITY, bound, parts: undefined, nodes: this.#generated }
      : { value: this.#best, bound, parts: parts.reverse(), nodes: this.#generated };
  }

  /** @returns the least bound that is left: that of the best schedule, or of what is still open when the budget is used up. */
  #search(): number {
    let bound = this.#root.bound;
    for (;;) {
      const state = this.#queue.pop();
      if (state === undefined || this.#isBeaten(state.bound)) return this.#best;
      if (state.dominated) continue;
      if (!state.tight) {
        const before = state.bound;
        state.tight = true;
        state.bound = Math.max(before, state.free[0]! + this.#bounds.alone(state.set));
        if (this.#isBeaten(state.bound)) continue;
        if (state.bound > before) {
          this.#queue.push(state);
          continue;
        }
      }
      bound = Math.max(bound, state.bound);
      if (this.#generated > this.#nodes || this.#late || Date.now() >= this.#until) return bound;
      this.#expand(state);
      if (this.#late) return bound;
    }
  }

  #isBeaten(bound: number): boolean {
    return bound >= this.#best * (1 - TOLERANCE);
  }

  #expand(state: State): void {
    const graph = this.#graph;
    const limits = this.#limits;
    const { afterEnd } = this.#bounds;
    const rest = this.#everything & ~state.set;
    // Parts that start at once, on executors not yet used, are dispatched in the order of their lowest tasks. Whether a
    // part can start at once does not depend on the others, so this leaves out nothing but permutations.
    const lowest = this.#orderly && state.part !== 0 && state.free[0] === 0 ? lowestTask(state.part) : -1;
    const grow = (part: number, first: number, start: number, load: number, after: number): void => {
      for (let v = first; v < graph.n && !this.#late; v++) {
        const bit = 1 << v;
        if (part === 0 && v < lowest && graph.before[v] === 0) continue;
        if ((rest & bit) === 0 || (graph.before[v]! & rest & ~part) !== 0) continue;
        const grown = part | bit;
        const begin = Math.max(state.release[v]!, start);
        const total = load + graph.work[v]!;
        const tail = Math.max(after, afterEnd[v]!);
        if (this.#isBeaten(begin + this.#overheadMs + total + tail) || !limits.mayGrow(grown)) continue;
        const joins = () => this.#overheadMs > 0 && joinsLast(graph, limits, state, grown, begin);
        if (limits.fits(grown) && !joins()) this.#offer(state, grown, begin, total);
        // Without overhead a part does nothing that its tasks one after another do not.
        if (this.#overheadMs !== 0) grow(grown, v + 1, begin, total, tail);
      }
    };
    grow(0, 0, state.free[0]!, 0, 0);
  }

  #offer(parent: State, part: number, start: number, load: number): void {
    this.#generated++;
    if ((this.#generated & 127) === 0 && Date.now() >= this.#until) this.#late = true;
    const set = parent.set | part;
    const ended = start + this.#overheadMs + load;
    const trial = this.#trial;
    trial.place(parent, part, start, ended);
    let bound = Math.max(parent.bound, this.#bounds.load(set, trial.free));
    if (this.#isBeaten(bound)) return;
    if (set === this.#everything) {
      this.#best = bound;
      this.#found = { ...parent, set, part, parent, bound };
      return;
    }
    trial.follow(parent, part, start, ended, this.#graph.after, this.#bounds.direct);
    const { free, release } = trial;
    if (this.#known.hasBetter(set, { count: parent.count + 1, part, free, release })) return;
    bound = Math.max(bound, this.#bounds.path(set, free, release));
    if (this.#isBeaten(bound)) return;
    const state = trial.kept(parent, part, bound);
    this.#known.add(state);
    this.#queue.push(state);
  }
}
