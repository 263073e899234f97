import { type Bind, type Executor, withTraceHeaders } from "@planloom/plan";
import type { DispatchReply, DispatchRequest } from "../dispatch/port/dispatcher.ts";
import type { WorkerLink } from "../dispatch/worker-link.ts";
import type { RunEvent } from "../events.ts";
import { workerHost } from "../hosts/worker-host.ts";
import { byNestedKey } from "../nested-keeping.ts";
import { optionsOfWorker } from "../options/run/worker-fields.ts";
import { RunCache } from "../result-cache.ts";
import { type RunOptions, readSettings } from "../run-settings.ts";
import { BegunCalls } from "../task-execution/begun-calls.ts";
import { runnablePlan } from "../task-execution/runnable-plan.ts";
import { RunWaits } from "../waiting/run-waits.ts";
import type { WaitKeeper } from "../waiting/wait-keeper.ts";
import { waitingResults } from "../waiting/waiting-results.ts";
import { execute } from "./execute-session.ts";
import { makeState } from "./make-state.ts";
import { restore } from "./restore-recorded.ts";
import { makeSession, type Session } from "./session.ts";

export interface WorkerRunOptions {
  readonly executors: readonly Executor[];
  readonly bind: Bind | undefined;
  readonly link: WorkerLink;
  readonly signal: AbortSignal;
  /** Aborted when the worker has to end: running calls may end, and nothing more starts. */
  readonly drain?: AbortSignal | undefined;
  onEvent(event: RunEvent): void;
}

/** The process of the run keeps what the reply says, and has looked for signals before it sent the subgraph. */
const keptByTheRun: WaitKeeper = { keep: async () => {}, take: async () => [] };

/** Runs one subgraph in a worker process. It asks the process of the run before each call, and reports each task when it ends. */
export async function runInWorker(
  {
    run_id,
    plan,
    in_order: inOrder,
    input,
    settings,
    approval,
    nested,
    usage,
    asked = [],
    begun,
    lost_tasks = [],
    attempts = {},
    waits: known,
    trace = {},
  }: DispatchRequest,
  { executors, bind, link, signal, drain, onEvent }: WorkerRunOptions,
): Promise<DispatchReply> {
  const sent = optionsOfWorker(settings);
  const options: RunOptions = {
    executors,
    bind,
    concurrency: 1,
    ...sent,
    ...(settings.tells_errors === true && { onError: (thrown, about) => link.threw(thrown, about) }),
    // The process that waits for the worker has the rest.
    abortGraceMs: (sent.abortGraceMs ?? 0) / 4,
    approval: {
      resources: approval.resources,
      ...(approval.allow !== undefined && { allow: approval.allow }),
      expiresAfterMs: approval.expires_after_ms ?? Number.POSITIVE_INFINITY,
    },
    confirm: approval.confirm,
    // No limit: it makes what calls use be counted.
    ...(settings.counts_usage && { budgets: { run: {} } }),
  };
  const runnable = runnablePlan(plan, {}, { stored: true });
  const made = makeSession(run_id, runnable, options, readSettings(options), input, undefined);
  const { family, admission } = made.whole;
  const { registry, approvals } = made.plan;
  // Calls are made one after the other; elements that wait do not wait for one another.
  const { elements_at_once: atOnce = 1 } = settings;
  const planSettings = { ...made.plan.settings, concurrency: atOnce ?? Number.POSITIVE_INFINITY };
  const { answers } = approvals;
  const hashOf = (taskId: string) => approval.content_hashes[taskId] ?? "";
  const session: Session = {
    ...made,
    whole: {
      ...made.whole,
      nestedRecords: byNestedKey(nested),
      lostTasks: new Set(lost_tasks),
      triesAgain: false,
      begun: new BegunCalls(begun),
      cache:
        settings.cache === null
          ? undefined
          : new RunCache(
              new Set(settings.cache.resources),
              link.cache,
              settings.cache.max_age_ms ?? Number.POSITIVE_INFINITY,
              run_id,
              // The process that has the store watches over it.
              Number.POSITIVE_INFINITY,
            ),
    },
    plan: {
      ...made.plan,
      settings: planSettings,
      ...makeState(runnable, made.plan.settings, registry, family.limits, answers, { hashOf, inOrder }),
      earlier: new Map(asked.map((task) => [task.task_id, task])),
    },
  };
  for (const answer of approval.answers) answers.add(answer);
  link.onAnswer = (answer) => answers.add(answer);
  for (const [number, { task_id, status, output }] of runnable.plan.planned_tasks.entries()) {
    if (status === "completed") restore(session, number, output);
    const before = usage[task_id];
    if (before !== undefined) session.plan.table.usage.set(number, before);
    session.plan.state.attempts[number] = attempts[task_id] ?? 0;
  }
  const waits = new RunWaits(keptByTheRun, { takesSignals: settings.takes_signals === true });
  if (known !== undefined) waits.restore(known.begun, known.signals, known.over);
  const host = workerHost({ runId: run_id, link, admission, learns: settings.learns, waits, onEvent, drain });
  const { result } = await withTraceHeaders(trace, () => execute(session, host, signal));
  return {
    results: waitingResults(result),
    usage: result.usage,
    waits: waits.open(),
    task_usage: Object.fromEntries(
      waitingResults(result).flatMap(({ task_id }) => {
        const used = session.plan.table.usage.get(runnable.view.indexOf(task_id));
        return used === undefined ? [] : [[task_id, used] as const];
      }),
    ),
  };
}
