import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { clock, duration } from "../format.ts";
import { type Palette, readPalette } from "../graph/palette.ts";
import type { Attempt, Pause } from "../model/history.ts";
import { taskTitle } from "../model/task-title.ts";
import type { PageState } from "../state.ts";
import { axisHeight, paintTimeline, rowHeight, type TimelineContent } from "./timeline-painter.ts";

/** When each task ran, as bars, with the critical path and the lower bound; below it a slider over the moments of the run. */
export function TimelineView({ state }: { readonly state: PageState }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const palette = useRef<Palette>(undefined);
  const rowCount = useSignal(0);
  const redraw = useRef(() => {});

  useEffect(() => {
    const element = canvas.current!;
    const box = scroller.current!;
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    let scheduled = 0;
    palette.current = readPalette();
    const paint = () => {
      scheduled = 0;
      const ratio = Math.min(2, devicePixelRatio || 1);
      const { clientWidth: width, clientHeight: height } = box;
      element.width = width * ratio;
      element.height = height * ratio;
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
      const context = element.getContext("2d", { alpha: false })!;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const content = timelineOf(state);
      rowCount.value = content.rows.length;
      paintTimeline(context, content, palette.current!, { width, height, scroll: box.scrollTop });
    };
    redraw.current = () => {
      scheduled ||= requestAnimationFrame(paint);
    };
    const repaint = () => {
      palette.current = readPalette();
      redraw.current();
    };
    const observer = new ResizeObserver(redraw.current);
    observer.observe(box);
    box.addEventListener("scroll", redraw.current, { passive: true });
    scheme.addEventListener("change", repaint);
    return () => {
      cancelAnimationFrame(scheduled);
      observer.disconnect();
      scheme.removeEventListener("change", repaint);
    };
  }, [state, rowCount]);
  useSignalEffect(() => {
    void state.version.value;
    void state.selected.value;
    void state.critical.value;
    redraw.current();
  });

  return (
    <section class="timeline" aria-label="Timeline">
      <Moment state={state} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section class="timeline-rows" ref={scroller} tabIndex={0} aria-label="Bars of the timeline">
        <canvas
          ref={canvas}
          onClick={(event) => {
            const y = event.offsetY - axisHeight + scroller.current!.scrollTop;
            const row = timelineOf(state).rows[Math.floor(y / rowHeight)];
            if (row !== undefined && event.offsetY > axisHeight) state.select(row.task);
          }}
        />
        <div style={{ height: `${axisHeight + rowCount.value * rowHeight}px` }} />
      </section>
    </section>
  );
}

function Moment({ state }: { readonly state: PageState }) {
  void state.version.value;
  const { from, to } = state.history;
  const { isLive, time } = state;
  if (!(to >= from)) return <p class="moment muted">Nothing has run yet.</p>;
  const shown = time.value ?? to;
  return (
    <div class="moment">
      <button
        type="button"
        class={time.value === undefined ? "chip on" : "chip"}
        aria-pressed={time.value === undefined}
        onClick={() => state.showTime(undefined)}
      >
        {isLive.value ? "● live" : "end"}
      </button>
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={`${duration(shown - from)} after the start`}
        min={0}
        max={Math.max(1, to - from)}
        step="any"
        value={shown - from}
        onInput={(event) => {
          const at = from + Number(event.currentTarget.value);
          state.showTime(at >= to ? undefined : at);
        }}
      />
      <output>
        {duration(shown - from)} <span class="muted">{clock(shown)}</span>
      </output>
      <label class="check">
        <input
          type="checkbox"
          checked={state.showsCritical.value}
          onChange={(event) => {
            state.showsCritical.value = event.currentTarget.checked;
          }}
        />
        critical path
      </label>
    </div>
  );
}

function timelineOf(state: PageState): TimelineContent {
  const data = state.data.peek();
  const { attempts, pauses, from, to } = state.history;
  const byTask = new Map<number, { task: number; label: string; attempts: Attempt[]; pauses: Pause[] }>();
  const rowOf = (task: number) => {
    const planned = data?.plan.tasks[task];
    const label = planned === undefined ? "" : taskTitle(planned, data?.run?.states[task]);
    const row = byTask.get(task) ?? { task, label, attempts: [], pauses: [] };
    byTask.set(task, row);
    return row;
  };
  for (const attempt of attempts) rowOf(attempt.task).attempts.push(attempt);
  for (const pause of pauses) rowOf(pause.task).pauses.push(pause);
  const begin = ({ attempts: [attempt], pauses: [pause] }: (typeof rows)[number]) =>
    Math.min(attempt?.from ?? Number.POSITIVE_INFINITY, pause?.from ?? Number.POSITIVE_INFINITY);
  const rows = [...byTask.values()];
  rows.sort((a, b) => begin(a) - begin(b));
  const certificate = state.isOver ? data?.run?.certificate : undefined;
  return {
    rows,
    from,
    to,
    bound: certificate === undefined ? undefined : certificate.began_at + certificate.lower_bound_ms,
    moment: state.time.peek(),
    critical: state.critical.peek(),
    selected: state.selected.peek(),
  };
}
