import { hashValue, type PlanView } from "@planloom/plan";
import type { TaskRecord } from "../journal/journal.ts";
import type { TaskResult } from "../run-result.ts";
import type { RecordWriter } from "../task-execution/journal-writer.ts";
import type { TaskTable } from "../task-execution/task-table.ts";
import type { TaskReport } from "./port/dispatcher.ts";

/** Takes the reports of a subgraph's run. */
export interface ReportSink {
  /** `performance.now()` of the moment that reported times are counted from. */
  readonly since: number;
  send(report: TaskReport): Promise<void>;
}

export interface ReportedRun {
  readonly view: PlanView;
  readonly table: TaskTable;
  /** `performance.now()` at its start. */
  readonly startedAt: number;
}

/** Reports what became of the tasks of a subgraph to the run it is part of, instead of writing it to a journal. */
export class ReportWriter implements RecordWriter {
  readonly #run: ReportedRun;
  readonly #sink: ReportSink;
  readonly #onError: (error: unknown) => void;
  readonly #sending = new Set<Promise<void>>();

  constructor(run: ReportedRun, sink: ReportSink, onError: (error: unknown) => void) {
    this.#run = run;
    this.#sink = sink;
    this.#onError = onError;
  }

  add(record: TaskRecord, committed: () => void, refused: () => void): void {
    const failed = (error: unknown) => {
      this.#onError(error);
      refused();
    };
    const sending: Promise<void> = this.#sink
      .send(reportOf(record, this.#run, this.#run.startedAt - this.#sink.since))
      .then(committed, failed)
      .finally(() => void this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async flush(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }
}

function reportOf(record: TaskRecord, { view, table }: ReportedRun, offsetMs: number): TaskReport {
  const task = view.indexOf(record.task_id);
  const prepared = table.prepared[task];
  const started = table.startedMs[task]!;
  const { question } = record;
  const input = prepared?.step.input_data ?? table.questions.get(task)?.input;
  const spans = table.timing.spans.get(task);
  const slotMs = table.slotMs[task]!;
  const longestMs = table.longestMs.get(task);
  const elements = table.elements.get(task);
  const { status, attempts, duration_ms, uid, error, skipped_because, usage } = record;
  const result: TaskResult = {
    task_id: record.task_id,
    status,
    attempts,
    started_ms: Number.isNaN(started) ? 0 : offsetMs + started,
    duration_ms,
    ...(uid !== undefined && { uid }),
    ...(input !== undefined && { input }),
    ...(prepared?.step.plan !== undefined && { plan: prepared.step.plan }),
    ...(status === "completed" && { output: table.outputs.get(task) }),
    ...(error !== undefined && { error }),
    ...(skipped_because !== undefined && { skipped_because }),
    ...(elements !== undefined && { elements: elements.counts }),
    ...(table.cached.has(task) && { cached: true as const }),
    ...(status === "waiting_approval" && question !== undefined && { content_hash: question.content_hash }),
  };
  return {
    result,
    ...(usage !== undefined && { usage }),
    ...(question !== undefined && { question }),
    ...(prepared?.bindInput !== undefined && { asked_hash: hashValue(prepared.bindInput) }),
    ...(spans !== undefined && { spans: spans.map(([start, end]) => [offsetMs + start, offsetMs + end] as const) }),
    ...(slotMs !== table.durationMs[task] && { slot_ms: slotMs }),
    ...(longestMs !== undefined && { path_ms: longestMs }),
  };
}
