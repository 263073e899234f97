import type { Edges } from "./edges.ts";
import { layerGraph } from "./layer-graph.ts";
import { orderLayers } from "./order-layers.ts";
import { placeNodes } from "./place-nodes.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Left upper corners of tasks, and the areas of groups. In pixels at full size; time goes from left to right. */
export interface PlanLayout {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly groups: readonly Box[];
  readonly width: number;
  readonly height: number;
}

export interface PlanShape extends Edges {
  readonly count: number;
  /** The group of each task; none: the plan has no groups. */
  readonly groupOf?: ArrayLike<number> | undefined;
  readonly groupCount?: number | undefined;
}

export const taskWidth = 184;
export const taskHeight = 44;
const layerGap = 72;
const taskGap = 16;
const bendExtent = 10;
/** Room around the tasks of a group; at its top there is its name. */
const groupPadding = 14;
const groupHead = 26;
const groupGap = 40;
/** A layer with more nodes than this, or than this many times the root of all nodes, is drawn in several columns. */
const maxRows = 40;
const rowsPerRoot = 1.5;

/** Lays out a plan: tasks in layers, and where there are groups each group as an area, the areas in layers. O((tasks + edges) log tasks). */
export function layoutPlan(shape: PlanShape): PlanLayout {
  const { count, groupOf, groupCount = 0 } = shape;
  if (groupOf === undefined || groupCount < 2) {
    return {
      ...layoutBoxes(
        count,
        shape,
        () => taskWidth,
        () => taskHeight,
        taskGap,
        layerGap,
      ),
      groups: [],
    };
  }
  const members = Array.from({ length: groupCount }, (): number[] => []);
  const local = new Int32Array(count);
  for (let task = 0; task < count; task += 1) local[task] = members[groupOf[task]!]!.push(task) - 1;
  const inner = members.map(() => ({ from: [] as number[], to: [] as number[] }));
  const outer = new Map<number, { from: number; to: number }>();
  for (let edge = 0; edge < shape.from.length; edge += 1) {
    const from = shape.from[edge]!;
    const to = shape.to[edge]!;
    const source = groupOf[from]!;
    const target = groupOf[to]!;
    if (source === target) {
      inner[source]!.from.push(local[from]!);
      inner[source]!.to.push(local[to]!);
    } else outer.set(source * groupCount + target, { from: source, to: target });
  }
  const parts = members.map((tasks, group) =>
    layoutBoxes(
      tasks.length,
      inner[group]!,
      () => taskWidth,
      () => taskHeight,
      taskGap,
      layerGap,
    ),
  );
  const quotient = { from: [...outer.values()].map(({ from }) => from), to: [...outer.values()].map(({ to }) => to) };
  const width = (group: number) => parts[group]!.width + 2 * groupPadding;
  const height = (group: number) => parts[group]!.height + 2 * groupPadding + groupHead;
  const areas = layoutBoxes(groupCount, quotient, width, height, groupGap, layerGap);
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (const [group, tasks] of members.entries()) {
    const part = parts[group]!;
    for (const [at, task] of tasks.entries()) {
      x[task] = areas.x[group]! + groupPadding + part.x[at]!;
      y[task] = areas.y[group]! + groupPadding + groupHead + part.y[at]!;
    }
  }
  const groups = parts.map((_, group) => ({
    x: areas.x[group]!,
    y: areas.y[group]!,
    width: width(group),
    height: height(group),
  }));
  return { x, y, groups, width: areas.width, height: areas.height };
}

function layoutBoxes(
  count: number,
  edges: Edges,
  width: (node: number) => number,
  height: (node: number) => number,
  gap: number,
  between: number,
): Omit<PlanLayout, "groups"> {
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  if (count === 0) return { x, y, width: 0, height: 0 };
  const ordered = orderLayers(count, edges, layerGraph(count, edges));
  const rows = Math.max(maxRows, Math.ceil(rowsPerRoot * Math.sqrt(count)));
  const middle = placeNodes(ordered, (node) => (node < count ? height(node) + gap : bendExtent));
  let left = 0;
  for (const nodes of ordered.layers) {
    const shown = nodes.filter((node) => node < count);
    let widest = 0;
    for (const node of shown) widest = Math.max(widest, width(node));
    const columns = Math.ceil(shown.length / rows);
    if (columns > 1) stackColumns(shown, Math.ceil(shown.length / columns), middle, (node) => height(node) + gap);
    const perColumn = Math.ceil(shown.length / columns);
    for (const [at, node] of shown.entries()) {
      const column = columns > 1 ? Math.floor(at / perColumn) : 0;
      x[node] = left + column * (widest + gap) + (widest - width(node)) / 2;
      y[node] = middle[node]! - height(node) / 2;
    }
    left += widest + between + Math.max(0, columns - 1) * (widest + gap);
  }
  const top = y.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  let bottom = 0;
  for (let node = 0; node < count; node += 1) {
    y[node]! -= top;
    bottom = Math.max(bottom, y[node]! + height(node));
  }
  return { x, y, width: Math.max(0, left - between), height: bottom };
}

/** Puts the nodes of a large layer into columns of a number of rows, around the middle of the layer. */
function stackColumns(nodes: Int32Array, rows: number, middle: Float64Array, extent: (node: number) => number): void {
  for (let first = 0; first < nodes.length; first += rows) {
    const column = nodes.subarray(first, first + rows);
    let at = column.reduce((sum, node) => sum + extent(node), 0) / -2;
    for (const node of column) {
      middle[node] = at + extent(node) / 2;
      at += extent(node);
    }
  }
}
