import { type JsonSchema, newId, type OptionChecks, validateValue } from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { issueText } from "../executors/read-schema.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { checkRunId } from "../journal/run-id.ts";
import { signalSchemasOf } from "../journal/signal-schemas.ts";
import { maxSignalBytes, type StoredSignal } from "../journal/stored-wait.ts";
import { JsonCopyError, jsonCopy } from "../json-copy.ts";
import { maxSignalName } from "../waiting/read-wait.ts";
import { signalledRuns } from "../waiting/signalled-runs.ts";
import { requireWaits } from "../waiting/wait-keeper.ts";

export interface SignalOptions {
  readonly journal: Journal;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
  /** Which of the waits for this event is meant: the one with this `key`. @default those without a key */
  readonly key?: string | undefined;
  /** The output of the task that waits: any JSON of at most 256 KiB. @default null */
  readonly data?: unknown;
  /** A second signal of this id in one run is none, so that a sender may repeat itself. @default a random id: every call is a signal */
  readonly id?: string | undefined;
  /** The name of the sender. It is kept with the signal. */
  readonly by?: string | undefined;
}

const checks = {
  ...ofJournal,
  key: "own",
  data: "own",
  id: "name",
  by: "name",
} as const satisfies OptionChecks<SignalOptions>;

/** What became of a signal. Plain JSON. */
export interface SentSignal {
  readonly run_id: string;
  readonly id: string;
  readonly event: string;
  readonly key?: string;
  /** A signal of this id was there before, and says the same. */
  readonly duplicate: boolean;
  /** Whether a task waits for it now. Otherwise it is kept for the first that will. */
  readonly awaited: boolean;
}

/**
 * Sends a signal to a run: the oldest task that waits for this event and key is completed with its data; where none does yet, the signal is kept
 * for the first that will. A run of this process continues at once, one of another process within five seconds, and one that no process
 * executes when it is resumed (`resumeDue`).
 * @param runId the run's whole id. @param event the name that the task waits for
 * @throws RuntimeError RUN_NOT_FOUND; RUN_ENDED; INVALID_SIGNAL for data that is too large or fits no task; SIGNAL_CONFLICT for the id of another
 *   signal; SIGNALS_FULL; NO_WAITS; INVALID_OPTION
 */
export async function signal(runId: string, event: string, options: SignalOptions): Promise<SentSignal> {
  checkOptions("`signal`", options, checks);
  const { key = "", id = newId(), by } = options;
  if (typeof event !== "string" || event === "" || event.length > maxSignalName)
    throw invalid("event", `a text of 1 to ${maxSignalName} characters`, event);
  if (typeof key !== "string" || key.length > maxSignalName)
    throw invalid("key", `a text of at most ${maxSignalName} characters`, key);
  if (id.length > maxSignalName) throw invalid("id", `a text of at most ${maxSignalName} characters`, id);
  const journal = requireWaits(guardJournal(options.journal, options.journalTimeoutMs));
  const data = readData(runId, options.data ?? null);
  refuseUnfit(runId, event, data, await schemasFor(journal, runId, event));
  const sent: StoredSignal = {
    id,
    event,
    key,
    data,
    ...(by !== undefined && { by }),
    sent_at: new Date().toISOString(),
  };
  const { added, signal: kept, awaited } = await journal.addSignal(runId, sent);
  if (!added && !isSame(kept, sent)) {
    const message = `Run ${runId} was sent a signal with the id "${id}" before, which says something else. Give this one an id of its own.`;
    throw new RuntimeError(RuntimeErrorCode.SIGNAL_CONFLICT, message, { details: { run_id: runId, id } });
  }
  if (added) signalledRuns.find(journal, runId)?.({ event, key });
  return { run_id: runId, id, event, ...(key !== "" && { key }), duplicate: !added, awaited };
}

function isSame(left: StoredSignal, right: StoredSignal): boolean {
  return (
    left.event === right.event && left.key === right.key && JSON.stringify(left.data) === JSON.stringify(right.data)
  );
}

/** @throws RuntimeError INVALID_SIGNAL */
function readData(runId: string, data: unknown): unknown {
  try {
    return jsonCopy(data, { maxBytes: maxSignalBytes, finite: true }).value;
  } catch (cause) {
    if (!(cause instanceof JsonCopyError)) throw cause;
    const message = `The data of the signal is not JSON of at most ${maxSignalBytes} bytes. ${cause.message}`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_SIGNAL, message, {
      details: { run_id: runId, max_bytes: maxSignalBytes },
      cause,
    });
  }
}

/** What the data of a signal of this event has to fit one of, as the plan is now; none where it need not fit any. */
async function schemasFor(journal: Journal, runId: string, event: string): Promise<readonly JsonSchema[]> {
  checkRunId(runId);
  if (journal.getSignalSchemas !== undefined) return journal.getSignalSchemas(runId, event);
  return signalSchemasOf((await loadRun(journal, runId)).plan).get(event) ?? [];
}

/** Tells the sender at once that no task can take it, as far as the plan says so. @throws RuntimeError INVALID_SIGNAL */
function refuseUnfit(runId: string, event: string, data: unknown, schemas: readonly JsonSchema[]): void {
  let first: ReturnType<typeof validateValue> | undefined;
  for (const schema of schemas) {
    const issues = validateValue(data, schema, { what: "the data" }).filter(({ severity }) => severity === "error");
    if (issues.length === 0) return;
    first ??= issues;
  }
  if (first === undefined) return;
  const message = `The data of the signal "${event}" does not fit what run ${runId} waits for: ${issueText(first)}`;
  throw new RuntimeError(RuntimeErrorCode.INVALID_SIGNAL, message, { details: { run_id: runId, issues: first } });
}
