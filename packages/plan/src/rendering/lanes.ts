import type { PlanView } from "../graph/plan-view.ts";

/**
 * What a row draws at one lane. `pass`: a line straight through; `cross`: the same, under the row's own line. The
 * others connect: at the `left` end, in the `middle` or at the `right` end of the row's line; `…End` where the lane
 * ends here, because no later task needs it.
 */
export type Cell =
  | "empty"
  | "node"
  | "pass"
  | "cross"
  | "run"
  | "left"
  | "leftEnd"
  | "middle"
  | "middleEnd"
  | "right"
  | "rightEnd";

/** One row of the picture. */
export interface LaneRow {
  readonly task: number;
  readonly cells: readonly Cell[];
  /** Per lane: the row's line continues to the next lane. */
  readonly linked: readonly boolean[];
  /** Per lane: whether a line leaves downward. */
  readonly below: readonly boolean[];
}

/**
 * Places tasks in lanes. A lane carries a task's output downward from its row to the row of its last dependent; each
 * row's line connects the lanes of the task's dependencies with its node. A lane that ends is free for the next task.
 * @param order a topological order.
 * @returns rows in that order, or `undefined` when more than `maxLanes` would be needed. O(tasks × lanes + edges).
 */
export function layOutLanes(view: PlanView, order: readonly number[], maxLanes: number): LaneRow[] | undefined {
  const lanes: (number | undefined)[] = [];
  const laneOf = new Int32Array(view.n);
  const open = new Int32Array(view.n);
  for (let task = 0; task < view.n; task++) open[task] = view.outPtr[task + 1]! - view.outPtr[task]!;
  const rows: LaneRow[] = [];
  // A node right under another means that it needs it, so no new task may be put under a task that nothing needs.
  let taken = -1;
  for (const task of order) {
    const joined = new Set<number>();
    const ending = new Set<number>();
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge++) {
      const source = view.in[edge]!;
      open[source] = open[source]! - 1;
      joined.add(laneOf[source]!);
      if (open[source] === 0) ending.add(laneOf[source]!);
    }
    const node = ending.size > 0 ? Math.min(...ending) : firstFree(lanes, taken);
    if (node >= maxLanes) return undefined;
    const occupied = Array.from(lanes, (source) => source !== undefined);
    for (const lane of ending) lanes[lane] = undefined;
    lanes[node] = open[task]! > 0 ? task : undefined;
    laneOf[task] = node;
    taken = open[task]! > 0 ? -1 : node;
    rows.push(drawRow(task, node, joined, ending, occupied, lanes));
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
  }
  return rows;
}

function firstFree(lanes: readonly (number | undefined)[], taken: number): number {
  let lane = 0;
  while (lane === taken || lanes[lane] !== undefined) lane++;
  return lane;
}

function drawRow(
  task: number,
  node: number,
  joined: ReadonlySet<number>,
  ending: ReadonlySet<number>,
  occupied: readonly boolean[],
  after: readonly (number | undefined)[],
): LaneRow {
  const left = Math.min(node, ...joined);
  const right = Math.max(node, ...joined);
  const cells: Cell[] = [];
  for (let lane = 0; lane < Math.max(occupied.length, right + 1); lane++) {
    const between = lane > left && lane < right;
    if (lane === node) cells.push("node");
    else if (joined.has(lane)) {
      const side = between ? "middle" : lane === left ? "left" : "right";
      cells.push(ending.has(lane) ? `${side}End` : side);
    } else if (occupied[lane]) cells.push(between ? "cross" : "pass");
    else cells.push(between ? "run" : "empty");
  }
  return {
    task,
    cells,
    linked: cells.map((_, lane) => lane >= left && lane < right),
    below: cells.map((_, lane) => after[lane] !== undefined),
  };
}
