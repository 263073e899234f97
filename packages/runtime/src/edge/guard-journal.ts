import { callNow, callWithin, FaultLog, isCallbackError, isRecord, isThenable, thrownText } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal, TakenOver } from "../journal/journal.ts";
import { keepsRecordsNow, recordNowOf } from "../journal/record-now.ts";
import { runOptionTable } from "../options/run-option-table.ts";
import { describe } from "../task-error.ts";

/** How long one call of a journal or a cache may take: as long as it takes until a lease may be taken over. */
export const defaultJournalTimeoutMs = runOptionTable.journalTimeoutMs.default;

/** What a method has to resolve with. */
interface Answer {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const nothing: Answer = { expected: "nothing", accepts: () => true };
const list: Answer = {
  expected: "a list of objects",
  accepts: (value) => Array.isArray(value) && value.every(isRecord),
};
const run: Answer = {
  expected: "a run ({ run_id, plan, options, … })",
  accepts: (value) =>
    isRecord(value) && typeof value.run_id === "string" && isRecord(value.plan) && isRecord(value.options),
};

function isTakenOver(value: unknown): boolean {
  return isRecord(value) && takenOver.every((name) => list.accepts(value[name]));
}

const takenOver = ["nested", "pending", "answers", "waits", "signals"] as const satisfies (keyof TakenOver)[];

/** Methods that a journal has, and what each resolves with. Those that are not named here are called as they are. */
const answers: Readonly<Partial<Record<keyof Journal, Answer>>> = {
  createRun: nothing,
  openRun: {
    expected: "{ run, tasks }, with lists of objects in takenOver where it is given",
    accepts: (value) =>
      isRecord(value) &&
      run.accepts(value.run) &&
      list.accepts(value.tasks) &&
      (value.takenOver === undefined || isTakenOver(value.takenOver)),
  },
  record: nothing,
  renewLease: { expected: "{ cancel }", accepts: isRecord },
  requestCancel: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  endRun: nothing,
  addRevision: nothing,
  addRevisions: nothing,
  addEvents: nothing,
  getEvents: list,
  recordNested: nothing,
  getNestedTasks: list,
  beginCalls: nothing,
  getPendingUsage: list,
  recordCalls: nothing,
  getCalls: list,
  addAnswer: nothing,
  addAnswers: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  getAnswers: list,
  keepWaits: nothing,
  getWaits: list,
  addSignal: { expected: "{ added, signal, awaited }", accepts: (value) => isRecord(value) && isRecord(value.signal) },
  getSignals: list,
  getSignalSchemas: { expected: "a list of schemas", accepts: Array.isArray },
  getPendingSignals: list,
  takeSignals: list,
  claimDueRuns: list,
  nextDue: { expected: "a time or nothing", accepts: (value) => value === undefined || typeof value === "number" },
  getRun: run,
  getTasks: list,
  getOutput: { expected: "an output", accepts: () => true },
  listRuns: list,
  checkChecksums: { expected: "a report of checksums", accepts: isRecord },
  findRuns: {
    expected: "a list of ids",
    accepts: (value) => Array.isArray(value) && value.every((id) => typeof id === "string"),
  },
  compact: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  deleteRun: { expected: "the run's id", accepts: (value) => typeof value === "string" },
  readCache: { expected: "an output that was kept, or nothing", accepts: () => true },
  writeCache: nothing,
  openLimits: {
    expected: "{ change, read, notify, watch, close }",
    accepts: (value) => isRecord(value) && typeof value.change === "function",
  },
  close: nothing,
};

const originals = new WeakMap<object, object>();

/** The journal within a guarded one, or the given one. Listeners of journals are kept by it. */
export function unguarded<Store extends object>(journal: Store): Store {
  return (originals.get(journal) as Store | undefined) ?? journal;
}

/**
 * A journal each of whose calls settles within `limitMs` milliseconds, and rejects with a `RuntimeError` alone: a synchronous throw, an
 * error of the database's own, or an invalid answer becomes one that names the journal and the method.
 * @param limitMs `journalTimeoutMs` of the run. @default 30_000
 * @throws RuntimeError INVALID_OPTION for what is not a journal or not a limit
 */
export function guardJournal(journal: Journal, limitMs: number = defaultJournalTimeoutMs): Journal {
  if (typeof (journal as Partial<Journal> | null | undefined)?.createRun !== "function")
    throw invalid("journal", "a journal (SqliteJournal.open(file), memoryJournal())", journal);
  if (!(typeof limitMs === "number" && limitMs > 0)) throw invalid("journalTimeoutMs", "a number above 0", limitMs);
  const original = unguarded(journal);
  const made = new Map<PropertyKey, unknown>();
  const guarded = new Proxy(original, {
    get(target, key) {
      const known = made.get(key);
      if (known !== undefined) return known;
      // Private fields of a class are the original's.
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method = guardMethod(target, key as keyof Journal, value as Method, limitMs);
      made.set(key, method);
      return method;
    },
  });
  originals.set(guarded, original);
  const recordNow = recordNowOf(original);
  if (recordNow !== undefined) keepsRecordsNow(guarded, recordNow);
  return guarded;
}

type Method = (...given: unknown[]) => unknown;

function guardMethod(journal: Journal, key: keyof Journal, method: Method, limitMs: number): Method {
  const call = (given: unknown[]) => Reflect.apply(method, journal, given);
  if (key === "watchWrites" || key === "watchChanges") return (...given) => watch(key, () => call(given));
  const answer = answers[key];
  if (answer !== undefined) return (...given) => ask(journal, key, answer, limitMs, () => call(given));
  return (...given) => {
    const value = call(given);
    return isThenable(value) ? ask(journal, key, nothing, limitMs, () => value) : value;
  };
}

async function ask(journal: Journal, key: keyof Journal, answer: Answer, limitMs: number, call: () => unknown) {
  let value: unknown;
  try {
    value = await callWithin(`journal.${key}`, limitMs, call);
  } catch (error) {
    throw journalError(journal, key, error, limitMs);
  }
  if (answer.accepts(value)) return value;
  throw new RuntimeError(
    RuntimeErrorCode.JOURNAL_READ,
    `Expected \`${key}\` of the journal ${nameOf(journal)} to resolve with ${answer.expected}, got ${describe(value)}.`,
    { details: { method: key } },
  );
}

const reading = /^(get|list|read|open|renew|next)/;

function journalError(journal: Journal, method: keyof Journal, error: unknown, limitMs: number): unknown {
  if (error instanceof RuntimeError) return error;
  const about = `\`${method}\` of the journal ${nameOf(journal)}`;
  if (isCallbackError(error)) {
    const message = `${about} has not settled within ${limitMs} ms (journalTimeoutMs). Check what the journal is kept in.`;
    return new RuntimeError(RuntimeErrorCode.JOURNAL_TIMEOUT, message, { details: { method, timeout_ms: limitMs } });
  }
  const code = reading.test(method) ? RuntimeErrorCode.JOURNAL_READ : RuntimeErrorCode.JOURNAL_WRITE;
  return new RuntimeError(code, `${about} failed: ${thrownText(error)}`, { details: { method }, cause: error });
}

/** Where watching a journal fails it is not watched: its calls still report what fails. */
function watch(key: keyof Journal, call: () => unknown): () => void {
  const faults = new FaultLog();
  try {
    return callNow(`journal.${key}`, call, "a function that stops it", isStop);
  } catch (error) {
    faults.report(`journal.${key}`, error);
    return () => {};
  }
}

function isStop(value: unknown): value is () => void {
  return typeof value === "function";
}

function nameOf({ name }: Journal): string {
  return typeof name === "string" ? `"${name}"` : "of the run";
}
