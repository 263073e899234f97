import { SpanStatusCode } from "@opentelemetry/api";
import type { PlanloomEvent, RunEvent } from "planloom";
import { failSpan } from "./failure.ts";
import { instruments } from "./instruments.ts";
import { names } from "./names.ts";
import { OpenRun } from "./open-runs.ts";
import type { Settings } from "./options.ts";
import { currentContext, isTraced, linkTo, type OpenSpan, startSpan } from "./tracing.ts";

const { attribute } = names;

/** What a call of the instance is in, while its work is done. */
export interface OpenCall {
  readonly open: OpenSpan;
  /** The run that its work began. */
  runId?: string;
}

/**
 * Makes spans and figures of the events of runs: each task, what it waits for, replans, and how the run ended. Where neither spans nor figures go
 * anywhere it keeps nothing of a run.
 */
export class RunSpans {
  readonly #settings: Settings;
  readonly #runs = new Map<string, OpenRun>();
  readonly #currentCall: () => OpenCall | undefined;

  constructor(settings: Settings, currentCall: () => OpenCall | undefined) {
    this.#settings = settings;
    this.#currentCall = currentCall;
  }

  /** Undefined for runs of which nothing is recorded. */
  get(runId: string): OpenRun | undefined {
    return this.#runs.get(runId);
  }

  hear(event: PlanloomEvent): void {
    if (event.type === "run-start") {
      this.#begin(event);
      return;
    }
    if (this.#runs.size === 0 || !("runId" in event)) return;
    const run = this.#runs.get(event.runId);
    if (run !== undefined) this.#note(run, event as RunEvent);
  }

  #begin(event: Extract<RunEvent, { type: "run-start" }>): void {
    const { runId, planId, tasks, recorded, begunIn } = event;
    const attributes = {
      [attribute.operation]: names.operation.workflow,
      [attribute.runId]: runId,
      [attribute.planId]: planId,
      [attribute.planTasks]: tasks,
      [attribute.recordedTasks]: recorded,
    };
    const call = this.#currentCall();
    const links = linkTo(begunIn);
    if (call !== undefined && call.runId === undefined) {
      call.runId = runId;
      call.open.span.setAttributes(attributes);
      for (const link of links) call.open.span.addLink(link);
      this.#keep(new OpenRun(runId, call.open, false));
      return;
    }
    const parent = call === undefined ? currentContext() : call.open.context;
    this.#keep(
      new OpenRun(runId, startSpan({ name: `${names.operation.workflow} run`, attributes, links }, parent), true),
    );
  }

  #keep(run: OpenRun): void {
    const measured = instruments();
    if (!isTraced(run.root) && measured === undefined) return;
    this.#runs.set(run.runId, run);
    measured?.activeRuns.add(1);
  }

  #note(run: OpenRun, event: RunEvent): void {
    switch (event.type) {
      case "task-start": {
        const { span } = run.task(event.taskId).open;
        if (event.uid !== undefined) span.setAttribute(attribute.resource, event.uid);
        return;
      }
      case "task-retry":
        run.tasks.get(event.taskId)?.open.span.addEvent(names.event.retry, {
          [attribute.attempt]: event.attempt,
          [attribute.errorType]: event.error.code,
        });
        return;
      case "task-end":
        this.#endTask(run, event.taskId, "completed", event.attempts);
        return;
      case "task-error":
        this.#endTask(run, event.taskId, "failed", event.attempts, event.error);
        return;
      case "task-skip":
        if (run.tasks.has(event.taskId)) this.#endTask(run, event.taskId, "skipped", 0, event.error);
        else this.#skip(run, event.taskId, event.error.code);
        return;
      case "task-waiting":
        this.#pause(run, event.taskId, names.span.approval);
        return;
      case "task-wait":
        this.#pause(run, event.taskId, names.span.wait);
        return;
      case "task-approve":
        this.#resume(run, event.taskId, event.answer);
        return;
      case "patch-request":
        run.replan = startSpan(
          {
            name: names.span.replan,
            attributes: {
              [attribute.operation]: names.operation.plan,
              [attribute.runId]: run.runId,
              [attribute.replan]: event.replan,
              [attribute.markedTasks]: [...event.taskIds],
            },
          },
          run.root.context,
        );
        return;
      case "patch-apply":
        this.#endReplan(run, "applied");
        for (const { task_id } of event.replaced)
          run.tasks.get(task_id)?.open.span.setAttribute(attribute.taskStatus, "replaced");
        return;
      case "patch-refuse":
        this.#endReplan(run, event.code);
        return;
      case "run-end":
        this.#end(run, event.endReason);
        return;
      case "subgraph-split":
        run.root.span.addEvent(names.event.split, {
          [attribute.subgraphId]: event.subgraphId,
          [attribute.newSubgraphId]: event.newSubgraphId,
        });
        return;
      case "run-start":
      case "task-progress":
        return;
      default:
        event satisfies never;
    }
  }

  #endTask(run: OpenRun, taskId: string, status: string, attempts: number, error?: { readonly code: string }): void {
    run.endedMs.set(taskId, performance.now());
    const { open, startedMs, pause } = run.task(taskId);
    run.tasks.delete(taskId);
    pause?.span.end();
    const { span } = open;
    span.setAttributes({ [attribute.taskStatus]: status, [attribute.attempts]: attempts });
    if (status === "failed") failSpan(span, error, this.#settings);
    else if (error !== undefined) span.setAttribute(attribute.errorType, error.code);
    span.end();
    const measured = instruments();
    if (measured === undefined) return;
    const labels = {
      [attribute.taskStatus]: status,
      ...(error !== undefined && { [attribute.errorType]: error.code }),
    };
    measured.tasks.add(1, labels);
    measured.taskDuration.record((performance.now() - startedMs) / 1_000, labels);
  }

  #skip(run: OpenRun, taskId: string, code: string): void {
    run.endedMs.set(taskId, performance.now());
    run.root.span.addEvent(names.event.skip, { [attribute.taskId]: taskId, [attribute.errorType]: code });
    instruments()?.tasks.add(1, { [attribute.taskStatus]: "skipped", [attribute.errorType]: code });
  }

  #pause(run: OpenRun, taskId: string, name: string): void {
    const task = run.task(taskId);
    task.pause?.span.end();
    const attributes = { [attribute.runId]: run.runId, [attribute.taskId]: taskId };
    task.pause = startSpan({ name: `${name} ${taskId}`, attributes }, task.open.context);
  }

  #resume(run: OpenRun, taskId: string, answer: string): void {
    run.releasedMs.set(taskId, performance.now());
    const task = run.tasks.get(taskId);
    task?.pause?.span.setAttribute(attribute.answer, answer);
    task?.pause?.span.end();
    if (task !== undefined) task.pause = undefined;
  }

  #endReplan(run: OpenRun, outcome: string): void {
    const { replan } = run;
    run.replan = undefined;
    replan?.span.setAttribute(attribute.replanOutcome, outcome);
    if (outcome !== "applied" && outcome !== "unchanged") replan?.span.setAttribute(attribute.errorType, outcome);
    replan?.span.end();
  }

  #end(run: OpenRun, endReason: string): void {
    this.#runs.delete(run.runId);
    const { span } = run.root;
    span.setAttribute(attribute.endReason, endReason);
    if (endReason === "failed" || endReason === "budget" || endReason === "stalled" || endReason === "round_limit") {
      span.setAttribute(attribute.errorType, endReason);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    run.endAll();
    const measured = instruments();
    measured?.activeRuns.add(-1);
    measured?.runs.add(1, { [attribute.endReason]: endReason });
    measured?.runDuration.record((performance.now() - run.startedMs) / 1_000, { [attribute.endReason]: endReason });
  }

  /** Ends the spans of a run whose work ended without an event of its end, as where its journal failed. */
  forget(runId: string): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    this.#runs.delete(runId);
    run.endAll();
    instruments()?.activeRuns.add(-1);
  }
}
