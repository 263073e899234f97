import type { TextSink } from "../io.ts";
import { duration, plainLine, type Style } from "../terminal/style.ts";

/** How far something long has come. */
export interface Step {
  /** What it is that is counted: `rows`, `pairs`. */
  readonly unit: string;
  readonly done: number;
  /** Of these, what an earlier run had done. */
  readonly kept: number;
  readonly total: number;
  /** What is at work now. */
  readonly at?: string;
}

export interface StepProgress {
  show(step: Step): void;
  /** Clears what is live; nothing is shown afterwards. */
  stop(): void;
}

/** Between two drawings on a terminal, in milliseconds. */
const REDRAW_MS = 80;

/** A bar with the time that is left on a terminal; elsewhere a plain line at each tenth. */
export async function stepProgress(sink: TextSink, style: Style, quiet: boolean): Promise<StepProgress> {
  if (!style.live) return quiet ? { show: () => {}, stop: () => {} } : plainProgress(sink);
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(sink as unknown as NodeJS.WriteStream);
  let begun = performance.now();
  let unit = "";
  let drawn = 0;
  return {
    show(step) {
      const now = performance.now();
      if (step.unit !== unit) {
        begun = now;
        unit = step.unit;
      } else if (now - drawn < REDRAW_MS && step.done < step.total) return;
      drawn = now;
      update(liveLines(step, now - begun, style).join("\n"));
    },
    stop: () => update.clear(),
  };
}

function plainProgress(sink: TextSink): StepProgress {
  let tenth = -1;
  let unit = "";
  return {
    show(step) {
      const now = step.total === 0 ? 10 : Math.floor((10 * step.done) / step.total);
      if (step.unit === unit && now === tenth) return;
      tenth = now;
      unit = step.unit;
      sink.write(`${counts(step)}\n`);
    },
    stop: () => {},
  };
}

function counts({ unit, done, kept, total }: Step): string {
  const before = kept === 0 ? "" : `, ${kept.toLocaleString("en")} from an earlier run`;
  return `${done.toLocaleString("en")} of ${total.toLocaleString("en")} ${unit}${before}`;
}

/** Whole seconds: the figure changes with every row. */
function remaining(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}

function liveLines(step: Step, spentMs: number, style: Style): string[] {
  const { done, kept, total, at } = step;
  const width = Math.max(10, Math.min(40, style.width - 60));
  const filled = total === 0 ? width : Math.round((width * done) / total);
  const bar = style.glyph("━", "=").repeat(filled);
  const rest = style.glyph("─", "-").repeat(width - filled);
  const own = done - kept;
  // The first few say little about the others.
  const left = own < 5 || done >= total ? "" : `  ${remaining((spentMs / own) * (total - done))} left`;
  return [
    `  ${style.paint("cyan", bar)}${style.paint("dim", rest)}  ${counts(step)}${style.paint("dim", left)}`,
    style.paint("dim", `  ${plainLine(at ?? "").slice(0, style.width - 4)}`),
  ];
}
