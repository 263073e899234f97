import type { PlanView } from "@planloom/plan";
import type { Partition } from "../partition.ts";

/** The places of the parts in the order in which they started; of parts that start together those depended on first. */
export function slotsOf(view: PlanView, { part, count }: Partition, startMs: Float64Array): Int32Array {
  const waits = new Int32Array(count);
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target !== part[v]) waits[target]!++;
    }
  }
  const tasks: number[][] = Array.from({ length: count }, () => []);
  for (let v = 0; v < view.n; v++) tasks[part[v]!]!.push(v);
  // Kahn by rounds keeps dependencies first; a stable sort by start then only moves parts that start later.
  const order: number[] = [];
  for (let p = 0; p < count; p++) if (waits[p] === 0) order.push(p);
  for (let at = 0; at < order.length; at++) {
    for (const v of tasks[order[at]!]!) {
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const target = part[view.out[edge]!]!;
        if (target !== part[v] && --waits[target]! === 0) order.push(target);
      }
    }
  }
  order.sort((left, right) => startMs[left]! - startMs[right]!);
  const place = new Int32Array(count);
  order.forEach((p, at) => {
    place[p] = at;
  });
  return part.map((p) => place[p]!);
}
