import type { Context } from "@opentelemetry/api";
import { names } from "./names.ts";
import { type OpenSpan, startSpan } from "./tracing.ts";

interface OpenTask {
  readonly open: OpenSpan;
  readonly startedMs: number;
  /** What a person is asked, or the task waits for, now. */
  pause?: OpenSpan | undefined;
}

/** The spans of one session of a run that are open. */
export class OpenRun {
  readonly runId: string;
  readonly root: OpenSpan;
  /** Whether its root was started for it alone, and ends with it. */
  readonly ownsRoot: boolean;
  readonly startedMs = performance.now();
  /** By the task's path. */
  readonly tasks = new Map<string, OpenTask>();
  /** Attempts under way, by path. */
  readonly attempts = new Map<string, OpenSpan>();
  /** The subgraph that a task was dispatched with, by task id. */
  readonly subgraphs = new Map<string, OpenSpan>();
  /** When tasks ended, for how long those that depend on them waited. */
  readonly endedMs = new Map<string, number>();
  /** When a person answered about a task. */
  readonly releasedMs = new Map<string, number>();
  replan: OpenSpan | undefined;

  constructor(runId: string, root: OpenSpan, ownsRoot: boolean) {
    this.runId = runId;
    this.root = root;
    this.ownsRoot = ownsRoot;
  }

  /** The span of a task of the run's own plan; it is started where there is none yet. */
  task(taskId: string): OpenTask {
    const known = this.tasks.get(taskId);
    if (known !== undefined) return known;
    const outer = outerTaskOf(taskId);
    const around = outer === taskId ? undefined : this.task(outer).open;
    const parent = around ?? this.subgraphs.get(taskId) ?? this.root;
    const attributes = { [names.attribute.runId]: this.runId, [names.attribute.taskId]: taskId };
    const open = startSpan({ name: `${names.span.task} ${taskId}`, attributes }, parent.context);
    const task: OpenTask = { open, startedMs: performance.now() };
    this.tasks.set(taskId, task);
    return task;
  }

  /** In what something happens that is done for a task: an attempt of a task around it, its own span, or the run's. */
  contextOf(path: string): Context {
    if (path === "") return (this.replan ?? this.root).context;
    const isNested = path.includes("/");
    if (!isNested) return this.task(path).open.context;
    for (let around = parentOf(path); around !== ""; around = parentOf(around)) {
      const attempt = this.attempts.get(around);
      if (attempt !== undefined) return attempt.context;
    }
    return this.task(outerTaskOf(path)).open.context;
  }

  /** Ends what is still open, as when the run waits for a person. */
  endAll(): void {
    for (const { span } of this.attempts.values()) span.end();
    for (const { open, pause } of this.tasks.values()) {
      pause?.span.end();
      open.span.end();
    }
    for (const { span } of this.subgraphs.values()) span.end();
    this.replan?.span.end();
    if (this.ownsRoot) this.root.span.end();
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** `fetch` of `fetch[3]/inner`. */
function outerTaskOf(path: string): string {
  const [first = ""] = path.split("/", 1);
  const bracket = first.lastIndexOf("[");
  return bracket > 0 && first.endsWith("]") ? first.slice(0, bracket) : first;
}
