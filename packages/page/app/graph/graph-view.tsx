import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PageData, PageRun, PageTask } from "../../src/page-data.ts";
import { waitWords } from "../format.ts";
import { neighbours } from "../layout/edges.ts";
import { statuses, statusWords } from "../model/status.ts";
import { taskTitle } from "../model/task-title.ts";
import { groupsOf, type PageState } from "../state.ts";
import { GraphPainter } from "./graph-painter.ts";
import { readPalette } from "./palette.ts";
import { zoomAt } from "./viewport.ts";

declare global {
  interface Window {
    /** For measuring frames from outside. */
    planloomGraph?: GraphPainter;
  }
}

const zoomStep = 1.3;

/** The plan as a graph: drag to pan, wheel or pinch to zoom, arrow keys to go along dependencies. */
export function GraphView({ state }: { readonly state: PageState }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<GraphPainter>(undefined);

  useEffect(() => {
    const element = canvas.current!;
    const graph = new GraphPainter(element, readPalette());
    painter.current = graph;
    window.planloomGraph = graph;
    let isFitted = false;
    const observer = new ResizeObserver(() => {
      // While another tab is shown the graph has no size; it stays as it was.
      if (element.clientWidth === 0) return;
      graph.resize(element.clientWidth, element.clientHeight);
      // The details of a task take a part of the width, and may be opened while the graph is not shown.
      if (isFitted) graph.reveal(state.selected.peek());
      if (isFitted || state.layout.peek() === undefined) return;
      graph.start();
      isFitted = true;
    });
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => graph.setPalette(readPalette());
    scheme.addEventListener("change", repaint);
    const stop = listenToPointer(element, graph, state);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", repaint);
      stop();
    };
  }, [state]);

  useSignalEffect(() => {
    const layout = state.layout.value;
    const { plan } = state.data.peek() ?? {};
    const graph = painter.current;
    if (layout === undefined || plan === undefined || graph === undefined) return;
    graph.setContent({
      layout,
      edges: plan.edges,
      labels: labelsOf(state.data.peek()),
      groupLabels: plan.subgraphs.map(({ id }) => id),
      groupOf: groupsOf(plan),
    });
    graph.start();
  });
  useSignalEffect(() => {
    // An approval with another input changes what a task is called, and a list has its number of elements once it is known.
    painter.current?.setLabels(labelsOf(state.data.value));
  });
  useSignalEffect(() => {
    void state.version.value;
    painter.current?.setStatuses(state.statusNumbers);
  });
  useSignalEffect(() => {
    painter.current?.setSelection(state.selected.value, state.critical.value);
    painter.current?.reveal(state.selected.value);
  });

  const zoom = (factor: number) => {
    const graph = painter.current!;
    graph.setView(zoomAt(graph.view, factor, graph.size.width / 2, graph.size.height / 2));
  };
  return (
    <div class="graph">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the graph is operated by keys; the tab Tasks says the same in words */}
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="The plan as a graph. Arrow keys go along dependencies, plus and minus zoom, 0 shows all. The tab Tasks lists the same as a table."
        onKeyDown={(event) => {
          const graph = painter.current!;
          if (event.key === "+" || event.key === "=") zoom(zoomStep);
          else if (event.key === "-") zoom(1 / zoomStep);
          else if (event.key === "0") graph.fitAll();
          else if (event.key === "Escape") state.select(-1);
          else if (event.key.startsWith("Arrow")) goTo(event.key, state);
          else return;
          event.preventDefault();
        }}
      />
      <div class="graph-buttons">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(zoomStep)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / zoomStep)}>
          −
        </button>
        <button type="button" aria-label="Show the whole plan" onClick={() => painter.current!.fitAll()}>
          ⤢
        </button>
      </div>
      <SelectionInWords state={state} />
    </div>
  );
}

/** For screen readers: where the selection is. */
function SelectionInWords({ state }: { readonly state: PageState }) {
  void state.version.value;
  const { plan, run } = state.data.value ?? {};
  const at = state.selected.value;
  const task = plan?.tasks[at];
  const status = statuses[state.statusNumbers[at] ?? 0]!;
  return (
    <p class="only-read" aria-live="polite">
      {task === undefined ? "" : `${taskTitle(task, run?.states[at])}: ${statusWords[status]}`}
    </p>
  );
}

const labelsOf = ({ plan, run }: Partial<PageData> = {}) =>
  (plan?.tasks ?? []).map((task, at) => [taskTitle(task, run?.states[at]), secondLine(task, run?.states[at])] as const);

/** What executes a task, and how often; of one that waits, what for. */
function secondLine(task: PageTask, now: PageRun["states"][number] | undefined): string {
  if (task.wait !== undefined) return waitWords(task.wait);
  const named = task.tool_id ?? task.function_id ?? task.agent_id ?? task.parameters?.uid;
  const by = typeof named === "string" ? named : (task.execution_type ?? "");
  if (task.for_each === undefined) return by;
  const { total, completed = 0, failed = 0, skipped = 0 } = now?.elements ?? {};
  const elements = total ?? completed + failed + skipped;
  const lost = failed === 0 ? "" : `, ${failed.toLocaleString("en")} failed`;
  return elements === 0 ? `${by} × each` : `${by} × ${elements.toLocaleString("en")}${lost}`;
}

/** Left and right: to a dependency or a dependent; up and down: to the next task of the layer. */
function goTo(key: string, state: PageState): void {
  const plan = state.data.value?.plan;
  const layout = state.layout.value;
  if (plan === undefined || layout === undefined || plan.tasks.length === 0) return;
  const at = state.selected.value;
  if (at === -1) {
    state.select(0);
    return;
  }
  const count = plan.tasks.length;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const { from, to } = plan.edges;
    const { ptr, items } = key === "ArrowLeft" ? neighbours(count, to, from) : neighbours(count, from, to);
    if (ptr[at]! < ptr[at + 1]!) state.select(items[ptr[at]!]!);
    return;
  }
  const down = key === "ArrowDown";
  let next = -1;
  for (let task = 0; task < count; task += 1) {
    if (Math.abs(layout.x[task]! - layout.x[at]!) > 1) continue;
    const distance = down ? layout.y[task]! - layout.y[at]! : layout.y[at]! - layout.y[task]!;
    if (distance > 0 && (next === -1 || distance < Math.abs(layout.y[next]! - layout.y[at]!))) next = task;
  }
  if (next !== -1) state.select(next);
}

function listenToPointer(element: HTMLCanvasElement, graph: GraphPainter, state: PageState): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = false;
  const distance = () => {
    const [a, b] = [...pointers.values()];
    return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
  };
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const step = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
      graph.setView(zoomAt(graph.view, Math.exp(-step / 400), event.offsetX, event.offsetY));
    },
    { passive: false, signal },
  );
  element.addEventListener(
    "pointerdown",
    (event) => {
      element.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      moved = false;
    },
    { signal },
  );
  element.addEventListener(
    "pointermove",
    (event) => {
      const last = pointers.get(event.pointerId);
      if (last === undefined) return;
      const before = distance();
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      const dx = event.offsetX - last.x;
      const dy = event.offsetY - last.y;
      if (Math.abs(dx) + Math.abs(dy) > 2) moved = true;
      if (pointers.size === 2 && before > 0) {
        graph.setView(zoomAt(graph.view, distance() / before, event.offsetX, event.offsetY));
        return;
      }
      const { x, y, scale } = graph.view;
      graph.setView({ x: x - dx / scale, y: y - dy / scale, scale });
    },
    { signal },
  );
  element.addEventListener(
    "pointerup",
    (event) => {
      pointers.delete(event.pointerId);
      if (moved) return;
      const { task, group } = graph.at(event.offsetX, event.offsetY);
      if (task === undefined && group !== undefined && graph.view.scale < 0.2) graph.zoomToGroup(group);
      else state.select(task ?? -1);
    },
    { signal },
  );
  element.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId), { signal });
  return () => stop.abort();
}
