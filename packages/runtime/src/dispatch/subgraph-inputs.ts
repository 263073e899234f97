import type { RunState } from "../core/run-state.ts";
import { isTerminal, TaskState } from "../core/task-state.ts";
import type { Quotient } from "./quotient.ts";

export interface SubgraphInputsParts {
  /** The core of the tasks. */
  readonly tasks: RunState;
  /** The core of the subgraphs. */
  readonly subgraphs: RunState;
  quotient(): Quotient;
  /** Called with a subgraph that waits and needs to wait no longer. */
  onThere(subgraph: number): void;
}

type Links = ReadonlyMap<number, readonly number[]>;

/**
 * Under pipelined dispatch: counts, for each subgraph, what its open tasks still wait for in other subgraphs. Once all of that has ended the subgraph may be dispatched, whatever else
 * these others have left to do. What it waits for by its own word (`Quotient.declared`) it waits for to the end. O(n + m) in all, and once more for each regrouping.
 */
export class SubgraphInputs {
  readonly #parts: SubgraphInputsParts;
  /** 1 for tasks whose end was counted. */
  readonly #isEnded: Uint8Array;
  /** How many dependencies a subgraph's open tasks have on open tasks of others, by subgraph. */
  #missing: Int32Array;
  /** The subgraphs whose end each waits for, and those that wait for its end, by subgraph. */
  #declared: { readonly before: Links; readonly after: Links };

  constructor(parts: SubgraphInputsParts) {
    this.#parts = parts;
    const { state } = parts.tasks;
    this.#isEnded = Uint8Array.from(state, (each) => (isTerminal(each) ? 1 : 0));
    this.#missing = this.#count();
    this.#declared = this.#links();
  }

  /** Lets all go that wait for nothing: at the start of a session, and after a regrouping. */
  lookAtAll(): void {
    for (let subgraph = 0; subgraph < this.#missing.length; subgraph++) this.#look(subgraph);
  }

  /** A task has ended, completed or not. One that is skipped waits for nothing any more. */
  taskEnded(task: number): void {
    if (this.#isEnded[task] === 1) return;
    this.#isEnded[task] = 1;
    const { outPtr, out, inPtr, in: sources } = this.#parts.tasks.view;
    const { part } = this.#parts.quotient();
    const own = part[task]!;
    const touched = new Set([own]);
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
      const other = part[out[edge]!]!;
      if (other === own || this.#isEnded[out[edge]!] === 1) continue;
      this.#missing[other]!--;
      touched.add(other);
    }
    for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
      if (part[sources[edge]!] !== own && this.#isEnded[sources[edge]!] === 0) this.#missing[own]!--;
    }
    // The subgraph that is let go may cause a regrouping, which counts everything again.
    for (const subgraph of touched) this.#look(subgraph);
  }

  subgraphEnded(subgraph: number): void {
    for (const other of this.#declared.after.get(subgraph) ?? []) this.#look(other);
  }

  regrouped(): void {
    this.#missing = this.#count();
    this.#declared = this.#links();
    this.lookAtAll();
  }

  #look(subgraph: number): void {
    const { subgraphs, onThere } = this.#parts;
    if (this.#missing[subgraph]! > 0 || subgraphs.state[subgraph] !== TaskState.WAITING) return;
    const before = this.#declared.before.get(subgraph) ?? [];
    if (before.every((other) => isTerminal(subgraphs.state[other]!))) onThere(subgraph);
  }

  #links(): { readonly before: Links; readonly after: Links } {
    const before = new Map<number, number[]>();
    const after = new Map<number, number[]>();
    const add = (links: Map<number, number[]>, key: number, other: number) => {
      const known = links.get(key);
      if (known === undefined) links.set(key, [other]);
      else known.push(other);
    };
    for (const [from, to] of this.#parts.quotient().declared) {
      add(before, to, from);
      add(after, from, to);
    }
    return { before, after };
  }

  #count(): Int32Array {
    const { tasks, quotient } = this.#parts;
    const { n, inPtr, in: sources } = tasks.view;
    const { part, members } = quotient();
    const missing = new Int32Array(members.length);
    for (let task = 0; task < n; task++) {
      if (this.#isEnded[task] === 1) continue;
      for (let edge = inPtr[task]!; edge < inPtr[task + 1]!; edge++) {
        const source = sources[edge]!;
        if (part[source] !== part[task] && this.#isEnded[source] === 0) missing[part[task]!]!++;
      }
    }
    return missing;
  }
}
