import { type Bind, type Executor, newId } from "@planloom/plan";
import type { DispatchReply, DispatchRequest } from "../dispatch/dispatcher.ts";
import type { WorkerLink } from "../dispatch/worker-link.ts";
import type { RunEvent } from "../events.ts";
import { byNestedKey, type NestedKeeping } from "../nested-keeping.ts";
import { RunCache } from "../result-cache.ts";
import { type RunOptions, readSettings } from "../run-options.ts";
import { preparePlan } from "../shell/prepare-plan.ts";
import { BegunCalls } from "./begun-calls.ts";
import { CallLedger } from "./call-ledger.ts";
import { execute } from "./execute-session.ts";
import { makeSession, makeState, restore, type Session } from "./session.ts";

export interface WorkerRunOptions {
  readonly executors: readonly Executor[];
  readonly bind: Bind | undefined;
  readonly link: WorkerLink;
  readonly signal: AbortSignal;
  onEvent(event: RunEvent): void;
}

/** Runs one subgraph in a worker process: it asks before each call, and tells of each task when it ends. */
export async function runInWorker(
  { run_id, plan, input, settings, approval, nested, usage, asked = [], begun, attempts = {} }: DispatchRequest,
  { executors, bind, link, signal, onEvent }: WorkerRunOptions,
): Promise<DispatchReply> {
  const options: RunOptions = {
    executors,
    bind,
    onEvent,
    concurrency: 1,
    taskTimeoutMs: settings.task_timeout_ms ?? Number.POSITIVE_INFINITY,
    maxTaskTimeoutMs: settings.max_task_timeout_ms ?? Number.POSITIVE_INFINITY,
    maxAttempts: settings.max_attempts ?? Number.POSITIVE_INFINITY,
    totalTimeoutMs: settings.total_timeout_ms ?? Number.POSITIVE_INFINITY,
    idleTimeoutMs: settings.idle_timeout_ms ?? Number.POSITIVE_INFINITY,
    bindEstimate: settings.bind_estimate ?? undefined,
    bindTimeoutMs: settings.bind_timeout_ms ?? Number.POSITIVE_INFINITY,
    retry: settings.retry ?? undefined,
    retryOn: settings.retry_on ?? undefined,
    onFailure: settings.on_failure,
    onUnknown: settings.on_unknown,
    maxOutputBytes: settings.max_output_bytes,
    errorStacks: settings.error_stacks,
    ...(settings.tells_errors === true && { onError: (thrown, about) => link.threw(thrown, about) }),
    // Whoever waits for the worker has the rest.
    abortGraceMs: settings.abort_grace_ms / 4,
    approval: {
      resources: approval.resources,
      ...(approval.allow !== undefined && { allow: approval.allow }),
      expiresAfterMs: approval.expires_after_ms ?? Number.POSITIVE_INFINITY,
    },
    confirm: approval.confirm,
    // No limit: it makes what calls use be counted.
    ...(settings.counts_usage && { budgets: { run: {} } }),
  };
  const prepared = preparePlan(plan, {}, { stored: true });
  const made = makeSession(run_id, prepared, options, readSettings(options), input, undefined);
  const { book } = made.desk;
  const hashOf = (taskId: string) => approval.content_hashes[taskId] ?? "";
  const store: NestedKeeping = {
    journal: {
      recordNested: (_, __, records) => link.reportNested(records),
      recordCalls: (_, __, calls) => link.reportCalls(calls),
      // Whoever gives the right to a call writes what it may use.
      beginCalls: async () => {},
    },
    // Nothing here asks for a lease: the run's process holds it.
    owner: { token: newId(), host: "", pid: process.pid },
  };
  const session: Session = {
    ...made,
    ...makeState(prepared, made.settings, made.registry, made.pool.limits, book, { hashOf }),
    earlier: new Map(asked.map((task) => [task.task_id, task])),
    nestedRecords: byNestedKey(nested),
    begun: new BegunCalls(begun),
    ledger: new CallLedger(store, run_id),
    secrets: link.secrets,
    cache:
      settings.cache === null
        ? undefined
        : new RunCache(
            new Set(settings.cache.resources),
            link.cache,
            settings.cache.max_age_ms ?? Number.POSITIVE_INFINITY,
            run_id,
            // Whoever has the store watches over it.
            Number.POSITIVE_INFINITY,
          ),
    keeping: store,
    abandoned: (call) => link.abandoned(call),
    callDesk: settings.learns ? link.calls : { ...link.calls, learn: () => {} },
    reports: { since: performance.now(), send: (report) => link.report(report) },
  };
  for (const answer of approval.answers) book.add(answer);
  link.onAnswer = (answer) => book.add(answer);
  for (const [number, { task_id, status, output }] of prepared.plan.planned_tasks.entries()) {
    if (status === "completed") restore(session, number, output);
    const before = usage[task_id];
    if (before !== undefined) session.table.usage.set(number, before);
    session.state.attempts[number] = attempts[task_id] ?? 0;
  }
  const ended = await execute(session, signal, undefined);
  await session.ledger?.flush();
  return { results: [], usage: ended.result.usage };
}
