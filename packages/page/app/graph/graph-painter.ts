import { type Box, type PlanLayout, taskHeight, taskWidth } from "../layout/layout-plan.ts";
import { pending, statuses, statusSigns } from "../model/status.ts";
import { EdgeLayer, trace } from "./edge-layer.ts";
import { fitText } from "./fit-text.ts";
import type { Palette } from "./palette.ts";
import { beginning, fit, type Viewport } from "./viewport.ts";

export interface GraphContent {
  readonly layout: PlanLayout;
  readonly edges: { readonly from: ArrayLike<number>; readonly to: ArrayLike<number> };
  /** Two lines a task: its name, and what executes it. */
  readonly labels: readonly (readonly [string, string])[];
  readonly groupLabels: readonly string[];
  readonly groupOf?: ArrayLike<number> | undefined;
}

/** Below this scale a plan with groups shows groups alone; tasks are below `readableScale` rectangles without text. */
const groupScale = 0.2;
const readableScale = 0.42;
const edgeBudgetMs = 5;
const signWidth = 24;
const labelLeft = signWidth + 8;
const labelWidth = taskWidth - labelLeft - 8;

/** Draws a plan on a canvas, in time linear in what is seen of it. Draws at most once a frame, and only if something changed. */
export class GraphPainter {
  view: Viewport = { x: 0, y: 0, scale: 1 };
  /** Frames that were drawn, for measuring. */
  frames = 0;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #edges = new EdgeLayer();
  readonly #groupEdges = new EdgeLayer();
  #content: GraphContent | undefined;
  #palette: Palette;
  #statuses: Uint8Array = new Uint8Array();
  #groupCounts: Uint16Array = new Uint16Array();
  #selected = -1;
  #highlighted: ReadonlySet<number> = new Set();
  #scheduled = false;
  #width = 0;
  #height = 0;

  constructor(canvas: HTMLCanvasElement, palette: Palette) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false })!;
    this.#palette = palette;
  }

  setContent(content: GraphContent): void {
    this.#content = content;
    this.#traceEdges();
    this.#countGroups();
    this.redraw();
  }

  /** Other labels for the same tasks, in the same places. */
  setLabels(labels: GraphContent["labels"]): void {
    if (this.#content?.labels.length !== labels.length) return;
    this.#content = { ...this.#content, labels };
    this.redraw();
  }

  setPalette(palette: Palette): void {
    this.#palette = palette;
    this.#traceEdges();
    this.redraw();
  }

  setStatuses(statusNumbers: Uint8Array): void {
    this.#statuses = statusNumbers;
    this.#countGroups();
    this.redraw();
  }

  setSelection(selected: number, highlighted: ReadonlySet<number>): void {
    this.#selected = selected;
    this.#highlighted = highlighted;
    this.redraw();
  }

  setView(view: Viewport): void {
    this.view = view;
    this.redraw();
  }

  resize(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
    this.#canvas.width = Math.max(1, Math.round(width * this.#ratio));
    this.#canvas.height = Math.max(1, Math.round(height * this.#ratio));
    this.redraw();
  }

  get size() {
    return { width: this.#width, height: this.#height };
  }

  fitAll(): void {
    const { width = 1, height = 1 } = this.#content?.layout ?? {};
    this.setView(fit({ x: 0, y: 0, width, height }, this.size));
  }

  /** Shows all, or, of a plan that would be a line of dots then, its beginning. */
  start(): void {
    const { width = 1, height = 1 } = this.#content?.layout ?? {};
    this.setView(beginning({ x: 0, y: 0, width, height }, this.size));
  }

  /** Pans so that a task is seen whole, with its neighbourhood readable. */
  reveal(task: number): void {
    const box = this.#boxOf(task);
    if (box === undefined) return;
    const { x, y, scale } = this.view;
    const inside =
      scale >= readableScale &&
      box.x >= x &&
      box.y >= y &&
      box.x + box.width <= x + this.#width / scale &&
      box.y + box.height <= y + this.#height / scale;
    if (inside) return;
    const next = Math.max(scale, 0.8);
    this.setView({
      x: box.x + box.width / 2 - this.#width / 2 / next,
      y: box.y + box.height / 2 - this.#height / 2 / next,
      scale: next,
    });
  }

  /** The task, or else the group, at a point of the canvas. Linear in the tasks. */
  at(px: number, py: number): { readonly task?: number; readonly group?: number } {
    if (this.#content === undefined) return {};
    const { layout } = this.#content;
    const x = this.view.x + px / this.view.scale;
    const y = this.view.y + py / this.view.scale;
    if (!this.#showsGroupsOnly) {
      for (let task = 0; task < layout.x.length; task += 1) {
        const left = layout.x[task]!;
        const top = layout.y[task]!;
        if (x >= left && x <= left + taskWidth && y >= top && y <= top + taskHeight) return { task };
      }
    }
    const group = layout.groups.findIndex(
      (box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height,
    );
    return group === -1 ? {} : { group };
  }

  zoomToGroup(group: number): void {
    const box = this.#content?.layout.groups[group];
    if (box !== undefined) this.setView(fit(box, this.size));
  }

  redraw(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#draw();
    });
  }

  get #ratio(): number {
    return Math.min(2, globalThis.devicePixelRatio || 1);
  }

  get #showsGroupsOnly(): boolean {
    return this.#content !== undefined && this.#content.layout.groups.length > 1 && this.view.scale < groupScale;
  }

  #draw(): void {
    const context = this.#context;
    const content = this.#content;
    const ratio = this.#ratio;
    this.frames += 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.#palette.background;
    context.fillRect(0, 0, this.#width, this.#height);
    if (content === undefined || this.#width === 0 || this.#height === 0) return;
    const groupsOnly = this.#showsGroupsOnly;
    if (!groupsOnly) this.#drawGroups(context, content);
    const layer = groupsOnly ? this.#groupEdges : this.#edges;
    if (layer.draw(context, this.view, this.size, ratio, edgeBudgetMs)) this.redraw();
    const { x, y, scale } = this.view;
    if (groupsOnly) {
      this.#drawGroupCards(context, content);
      return;
    }
    context.setTransform(scale * ratio, 0, 0, scale * ratio, -x * scale * ratio, -y * scale * ratio);
    this.#drawHighlightedEdges(context, content);
    if (scale < readableScale) this.#drawRectangles(context, content);
    else this.#drawCards(context, content);
    this.#drawSelection(context);
  }

  #drawGroups(context: CanvasRenderingContext2D, { layout, groupLabels }: GraphContent): void {
    if (layout.groups.length < 2) return;
    const { x, y, scale } = this.view;
    const readable = scale >= readableScale;
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const [group, box] of layout.groups.entries()) {
      const left = (box.x - x) * scale;
      const top = (box.y - y) * scale;
      const width = box.width * scale;
      const height = box.height * scale;
      if (left > this.#width || top > this.#height || left + width < 0 || top + height < 0) continue;
      context.fillStyle = this.#palette.area;
      context.strokeStyle = this.#palette.line;
      context.lineWidth = 1;
      context.beginPath();
      context.roundRect(left, top, width, height, Math.min(10, width / 4));
      context.fill();
      context.stroke();
      if (!readable) continue;
      context.fillStyle = this.#palette.muted;
      context.fillText(fitText(context, groupLabels[group]!, width - 28 * scale), left + 14 * scale, top + 16 * scale);
    }
  }

  /** Groups from afar: name, and how many of their tasks are where, as a bar. */
  #drawGroupCards(context: CanvasRenderingContext2D, { layout, groupLabels }: GraphContent): void {
    const { x, y, scale } = this.view;
    context.textBaseline = "middle";
    context.font = "600 11px system-ui, sans-serif";
    for (const [group, box] of layout.groups.entries()) {
      const left = (box.x - x) * scale;
      const top = (box.y - y) * scale;
      const width = box.width * scale;
      const height = box.height * scale;
      if (left > this.#width || top > this.#height || left + width < 0 || top + height < 0) continue;
      const first = group * statuses.length;
      const counts = this.#groupCounts.subarray(first, first + statuses.length);
      const total = counts.reduce((sum, each) => sum + each, 0);
      let at = left;
      for (let status = statuses.length - 1; status >= 0; status -= 1) {
        const part = (width * counts[status]!) / Math.max(1, total);
        if (part === 0) continue;
        context.fillStyle = this.#palette.statuses[status]!;
        context.fillRect(at, top, part, height);
        at += part;
      }
      if (width > 60 && height > 16) {
        context.fillStyle = this.#palette.card;
        const label = fitText(context, `${groupLabels[group]} · ${total}`, width - 18);
        context.fillRect(left + 4, top + 4, context.measureText(label).width + 10, 16);
        context.fillStyle = this.#palette.text;
        context.fillText(label, left + 9, top + 12);
      }
    }
  }

  #drawHighlightedEdges(context: CanvasRenderingContext2D, { layout, edges }: GraphContent): void {
    if (this.#selected === -1 && this.#highlighted.size === 0) return;
    for (const [colour, isDrawn] of [
      [this.#palette.critical, (from: number, to: number) => this.#highlighted.has(from) && this.#highlighted.has(to)],
      [this.#palette.accent, (from: number, to: number) => from === this.#selected || to === this.#selected],
    ] as const) {
      context.beginPath();
      context.strokeStyle = colour;
      context.lineWidth = Math.max(2, 1.5 / this.view.scale);
      for (let edge = 0; edge < edges.from.length; edge += 1) {
        const from = edges.from[edge]!;
        const to = edges.to[edge]!;
        if (!isDrawn(from, to)) continue;
        trace(
          context,
          layout.x[from]! + taskWidth,
          layout.y[from]! + taskHeight / 2,
          layout.x[to]!,
          layout.y[to]! + taskHeight / 2,
        );
      }
      context.stroke();
    }
  }

  #drawRectangles(context: CanvasRenderingContext2D, content: GraphContent): void {
    // One colour at a time: changing it costs more than drawing a rectangle.
    const byStatus: number[][] = statuses.map(() => []);
    this.#eachVisible(content, (task) => byStatus[this.#statuses[task] ?? pending]!.push(task));
    const { layout } = content;
    for (const [status, tasks] of byStatus.entries()) {
      context.fillStyle = this.#palette.statuses[status]!;
      for (const task of tasks) context.fillRect(layout.x[task]!, layout.y[task]!, taskWidth, taskHeight);
    }
  }

  #drawCards(context: CanvasRenderingContext2D, content: GraphContent): void {
    const { layout, labels } = content;
    context.textBaseline = "middle";
    context.lineWidth = 1;
    this.#eachVisible(content, (task) => {
      const x = layout.x[task]!;
      const y = layout.y[task]!;
      const status = this.#statuses[task] ?? pending;
      const colour = this.#palette.statuses[status]!;
      const [name, by] = labels[task]!;
      context.fillStyle = this.#palette.card;
      context.strokeStyle = this.#highlighted.has(task) ? this.#palette.critical : colour;
      context.beginPath();
      context.roundRect(x, y, taskWidth, taskHeight, 7);
      context.fill();
      context.stroke();
      context.fillStyle = colour;
      context.beginPath();
      context.roundRect(x, y, signWidth, taskHeight, [7, 0, 0, 7]);
      context.fill();
      context.fillStyle = this.#palette.card;
      context.font = "700 13px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillText(statusSigns[statuses[status]!], x + signWidth / 2, y + taskHeight / 2);
      context.textAlign = "left";
      context.fillStyle = this.#palette.text;
      context.font = "600 12px system-ui, sans-serif";
      context.fillText(fitText(context, name, labelWidth), x + labelLeft, y + (by === "" ? taskHeight / 2 : 15));
      if (by === "") return;
      context.fillStyle = this.#palette.muted;
      context.font = "11px system-ui, sans-serif";
      context.fillText(fitText(context, by, labelWidth), x + labelLeft, y + 31);
    });
  }

  #drawSelection(context: CanvasRenderingContext2D): void {
    const box = this.#boxOf(this.#selected);
    if (box === undefined) return;
    const width = Math.max(2.5, 2 / this.view.scale);
    context.lineWidth = width;
    context.strokeStyle = this.#palette.accent;
    context.beginPath();
    context.roundRect(box.x - width, box.y - width, box.width + 2 * width, box.height + 2 * width, 9);
    context.stroke();
  }

  #boxOf(task: number): Box | undefined {
    const { layout } = this.#content ?? {};
    if (layout === undefined || task < 0 || task >= layout.x.length) return undefined;
    return { x: layout.x[task]!, y: layout.y[task]!, width: taskWidth, height: taskHeight };
  }

  #eachVisible({ layout }: GraphContent, visit: (task: number) => void): void {
    const { x, y, scale } = this.view;
    const right = x + this.#width / scale;
    const bottom = y + this.#height / scale;
    for (let task = 0; task < layout.x.length; task += 1) {
      const left = layout.x[task]!;
      const top = layout.y[task]!;
      if (left <= right && top <= bottom && left + taskWidth >= x && top + taskHeight >= y) visit(task);
    }
  }

  #traceEdges(): void {
    if (this.#content === undefined) return;
    const { layout, edges, groupOf } = this.#content;
    const curves = new Float32Array(4 * edges.from.length);
    for (let edge = 0; edge < edges.from.length; edge += 1) {
      const from = edges.from[edge]!;
      const to = edges.to[edge]!;
      curves.set(
        [layout.x[from]! + taskWidth, layout.y[from]! + taskHeight / 2, layout.x[to]!, layout.y[to]! + taskHeight / 2],
        4 * edge,
      );
    }
    this.#edges.set(curves, this.#palette.line);
    if (groupOf === undefined || layout.groups.length < 2) return;
    const pairs = new Map<number, number[]>();
    for (let edge = 0; edge < edges.from.length; edge += 1) {
      const from = groupOf[edges.from[edge]!]!;
      const to = groupOf[edges.to[edge]!]!;
      const source = layout.groups[from]!;
      const target = layout.groups[to]!;
      if (from === to) continue;
      pairs.set(from * layout.groups.length + to, [
        source.x + source.width,
        source.y + source.height / 2,
        target.x,
        target.y + target.height / 2,
      ]);
    }
    this.#groupEdges.set(Float32Array.from([...pairs.values()].flat()), this.#palette.line);
  }

  #countGroups(): void {
    const { groupOf, layout } = this.#content ?? {};
    if (groupOf === undefined || layout === undefined) return;
    this.#groupCounts = new Uint16Array(layout.groups.length * statuses.length);
    for (let task = 0; task < layout.x.length; task += 1) {
      this.#groupCounts[groupOf[task]! * statuses.length + (this.#statuses[task] ?? pending)]! += 1;
    }
  }
}
