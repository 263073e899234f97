import { duration } from "../format.ts";
import { fitText } from "../graph/fit-text.ts";
import type { Palette } from "../graph/palette.ts";
import type { Attempt, Pause } from "../model/history.ts";

export interface TimelineContent {
  /** Tasks that were attempted or waited, by when that began. */
  readonly rows: readonly {
    readonly task: number;
    readonly label: string;
    readonly attempts: readonly Attempt[];
    readonly pauses: readonly Pause[];
  }[];
  readonly from: number;
  readonly to: number;
  /** When the best possible run would have ended. */
  readonly bound: number | undefined;
  /** The moment that is shown. */
  readonly moment: number | undefined;
  readonly critical: ReadonlySet<number>;
  readonly selected: number;
}

export const rowHeight = 20;
export const axisHeight = 22;
const leastBar = 2;
/** The part of the width in which tasks that still wait are seen to do so, however short the run was until then. */
const openPauseShare = 0.12;

/** How wide the column of names is on a screen of this width. */
export const labelWidth = (width: number) => Math.min(190, Math.max(70, width * 0.22));

/** Draws the rows that are seen. Linear in those. */
export function paintTimeline(
  context: CanvasRenderingContext2D,
  { rows, from, to, bound, moment, critical, selected }: TimelineContent,
  palette: Palette,
  { width, height, scroll }: { readonly width: number; readonly height: number; readonly scroll: number },
): void {
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const left = labelWidth(width);
  const span = Math.max(1, to - from);
  const waits = rows.some(({ pauses }) => pauses.some((pause) => pause.to === undefined));
  const right = width - 12;
  const wide = (right - left) * (waits ? 1 - openPauseShare : 1);
  const place = (time: number) => left + ((time - from) / span) * wide;
  paintAxis(context, palette, { left, width, height, span, place, from });
  context.textBaseline = "middle";
  context.textAlign = "left";
  const first = Math.max(0, Math.floor(scroll / rowHeight));
  const last = Math.min(rows.length, Math.ceil((scroll + height - axisHeight) / rowHeight));
  context.save();
  context.beginPath();
  context.rect(0, axisHeight, width, height - axisHeight);
  context.clip();
  for (let at = first; at < last; at += 1) {
    const { task, label, attempts, pauses } = rows[at]!;
    const y = axisHeight + at * rowHeight - scroll;
    if (task === selected) {
      context.fillStyle = palette.area;
      context.fillRect(0, y, width, rowHeight);
    }
    context.font = critical.has(task) ? "600 12px system-ui, sans-serif" : "12px system-ui, sans-serif";
    context.fillStyle = palette.text;
    context.fillText(fitText(context, label, left - 26), 18, y + rowHeight / 2);
    if (critical.has(task)) {
      context.fillStyle = palette.critical;
      context.fillText("◆", 4, y + rowHeight / 2);
    }
    for (const pause of pauses) {
      const x = place(pause.from);
      const end = pause.to === undefined ? right : Math.max(x + leastBar, place(pause.to));
      paintPause(context, palette.statuses[pause.status]!, { x, y: y + 4, width: end - x, height: rowHeight - 8 });
    }
    for (const attempt of attempts) {
      const x = place(attempt.from);
      const long = Math.max(leastBar, place(attempt.to ?? to) - x);
      context.fillStyle = palette.statuses[attempt.status]!;
      context.beginPath();
      context.roundRect(x, y + 4, long, rowHeight - 8, Math.min(3, long / 2));
      context.fill();
      if (critical.has(task)) {
        context.strokeStyle = palette.critical;
        context.lineWidth = 1.5;
        context.stroke();
      }
    }
  }
  context.restore();
  for (const [time, colour, dash] of [
    [bound, palette.critical, [5, 4]],
    [moment, palette.accent, []],
  ] as const) {
    if (time === undefined) continue;
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash([...dash]);
    context.beginPath();
    context.moveTo(place(time), axisHeight - 6);
    context.lineTo(place(time), height);
    context.stroke();
    context.setLineDash([]);
  }
}

/** Hatched and pale: nothing ran. */
function paintPause(
  context: CanvasRenderingContext2D,
  colour: string,
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): void {
  context.save();
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(3, width / 2));
  context.globalAlpha = 0.25;
  context.fillStyle = colour;
  context.fill();
  context.clip();
  context.globalAlpha = 0.8;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 7) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

function paintAxis(
  context: CanvasRenderingContext2D,
  palette: Palette,
  axis: { left: number; width: number; height: number; span: number; from: number; place: (time: number) => number },
): void {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.strokeStyle = palette.area;
  context.lineWidth = 1;
  let last = "";
  const step = niceStep(axis.span / Math.max(2, (axis.width - axis.left) / 110));
  for (let at = 0; at <= axis.span; at += step) {
    const x = axis.place(axis.from + at);
    context.beginPath();
    context.moveTo(x, axisHeight - 4);
    context.lineTo(x, axis.height);
    context.stroke();
    context.fillStyle = palette.muted;
    context.textAlign = x > axis.width - 40 ? "right" : "left";
    const label = at === 0 ? "0" : duration(at);
    // Of steps below a millisecond the words would be the same again and again.
    if (label !== last) context.fillText(label, x + 2, axisHeight / 2);
    last = label;
  }
  context.textAlign = "left";
}

/** 1, 2 or 5 times a power of ten, and at least as much. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3)));
  return power * ([1, 2, 5].find((each) => each * power >= least) ?? 10);
}
