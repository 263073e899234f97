import { readElementId } from "@planloom/plan";
import type { WaitingCall } from "../journal/waiting-call.ts";

interface IdSegment {
  /** The position of this name among its siblings, by its first occurrence. */
  readonly rank: number;
  readonly element: number;
}

/**
 * The calls in the order in which they came, but those within lists by their elements: `fetch[2]` before `fetch[10]`, however the elements were begun.
 */
export function inElementOrder(calls: readonly WaitingCall[]): WaitingCall[] {
  const ranks = new Map<string, number>();
  const placed = calls.map((call) => ({ call, segments: segmentsOf(call.id, ranks) }));
  return placed.sort((left, right) => compare(left.segments, right.segments)).map(({ call }) => call);
}

function segmentsOf(id: string, ranks: Map<string, number>): IdSegment[] {
  let before = "";
  return id.split("/").map((segment) => {
    const { taskId, index } = readElementId(segment.replace(/#begun$/, "")) ?? { taskId: segment, index: -1 };
    const name = `${before}/${taskId}`;
    const rank = ranks.get(name) ?? ranks.size;
    ranks.set(name, rank);
    before = `${before}/${segment}`;
    return { rank, element: index };
  });
}

function compare(left: readonly IdSegment[], right: readonly IdSegment[]): number {
  for (const [depth, own] of left.entries()) {
    const other = right[depth];
    if (other === undefined) return 1;
    const difference = own.rank - other.rank || own.element - other.element;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
