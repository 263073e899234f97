import type { PlanView } from "@planloom/plan";
import type { Partition } from "./partition.ts";

/** The subgraphs as a graph of their own, in CSR form. Parallel edges are merged. */
export interface Quotient {
  readonly count: number;
  readonly outPtr: Int32Array;
  readonly out: Int32Array;
  /** Distinct parts that each part depends on. */
  readonly inDegree: Int32Array;
  /** Sum of the members' work, in milliseconds. */
  readonly work: Float64Array;
  readonly size: Int32Array;
  /**
   * `members[memberPtr[p] .. memberPtr[p + 1])` are the tasks of part `p`, in plan order where every task comes after its dependencies there, else in the order
   * of `view.topo`. Sums go in this order here and in `PartGraph`, so that equal sums are equal numbers.
   */
  readonly memberPtr: Int32Array;
  readonly members: Int32Array;
}

/**
 * Builds the quotient of a verified partition. O(n + m).
 * @param taskWork what every task takes. @default the estimates
 */
export function quotient(view: PlanView, { part, count }: Partition, taskWork: Float64Array = view.work): Quotient {
  const work = new Float64Array(count);
  const size = new Int32Array(count);
  for (let v = 0; v < view.n; v++) size[part[v]!]!++;
  const memberPtr = new Int32Array(count + 1);
  for (let p = 0; p < count; p++) memberPtr[p + 1] = memberPtr[p]! + size[p]!;
  const members = new Int32Array(view.n);
  const fill = memberPtr.slice(0, count);
  for (let at = 0; at < view.n; at++) {
    const v = view.inOrder ? at : view.topo[at]!;
    members[fill[part[v]!]!++] = v;
    work[part[v]!]! += taskWork[v]!;
  }

  const seenFor = new Int32Array(count).fill(-1);
  const outPtr = new Int32Array(count + 1);
  const out = new Int32Array(view.out.length);
  const inDegree = new Int32Array(count);
  let written = 0;
  for (let p = 0; p < count; p++) {
    for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) {
      const v = members[at]!;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = part[view.out[edge]!]!;
        if (target === p || seenFor[target] === p) continue;
        seenFor[target] = p;
        inDegree[target]!++;
        out[written++] = target;
      }
    }
    outPtr[p + 1] = written;
  }
  return { count, outPtr, out: out.subarray(0, written), inDegree, work, size, memberPtr, members };
}

/** A topological order of the parts, lowest number first wherever several are free in one round. O(parts + edges). */
export function quotientOrder(graph: Quotient): Int32Array {
  const remaining = graph.inDegree.slice();
  const order = new Int32Array(graph.count);
  let written = 0;
  for (let p = 0; p < graph.count; p++) if (remaining[p] === 0) order[written++] = p;
  for (let read = 0; read < written; read++) {
    const p = order[read]!;
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      if (--remaining[graph.out[edge]!]! === 0) order[written++] = graph.out[edge]!;
    }
  }
  return order;
}
