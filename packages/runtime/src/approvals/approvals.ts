import {
  collectSecrets,
  isRecord,
  nearestNames,
  type OptionChecks,
  planView,
  type TaskData,
  validateStep,
} from "@planloom/plan";
import { shownName } from "@planloom/plan/internals";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import type { ApprovalAnswer, Journal, StoredRun, TaskRecord } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { checkTaskIds } from "../journal/run-id.ts";
import { isAsleep, type StoredWait, storedWaitSentence } from "../journal/stored-wait.ts";
import { askedCalls, type WaitingCall } from "../journal/waiting-call.ts";
import { LiveRuns } from "../live-runs.ts";
import { addressOf } from "../nested-keeping.ts";
import { TaskErrorCode } from "../task-error.ts";
import { refuseBegun } from "./begun-answer.ts";
import { answersById, answerTo } from "./given-answer.ts";
import { alreadyDenied, refuseDenied, refuseOtherQuestion, refuseUndoing } from "./given-answers.ts";
import { inElementOrder } from "./in-element-order.ts";
import { keepAnswers } from "./keep-answers.ts";
import { plainInput } from "./plain-input.ts";
import { questionHash, secretsOutOfPlace } from "./question.ts";

export interface AnswerOptions {
  readonly journal: Journal;
  /** The name or the account of the person who answers. It is kept with the answer. */
  readonly by?: string;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
  /** The reason. It is kept with the answer. */
  readonly note?: string;
  /**
   * `content_hash` of the question as it was shown to the person. If the task asks about another call by now, the answer is refused.
   * @default the question that is asked now
   */
  readonly contentHash?: string | undefined;
}

export interface ApproveOptions extends AnswerOptions {
  /**
   * The input to use instead of the one that was asked about; checked against the schema of the resource. This input is approved,
   * and the task is executed with it. @default the input that was asked about
   */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Whether this approval may replace an earlier one with another input, or with the output of the call. @default false */
  readonly replace?: boolean;
}

const denyChecks = {
  ...ofJournal,
  by: "name",
  note: "text",
  contentHash: "text",
} as const satisfies OptionChecks<AnswerOptions>;
const approveChecks = {
  ...denyChecks,
  input: "own",
  replace: "boolean",
} as const satisfies OptionChecks<ApproveOptions>;

/**
 * Approves a task that waits for approval: exactly the call that was asked about (`waitingFor`), which is then made as it
 * was shown. What waits inside a task (a tool that an agent calls) is answered by its own id, or by the task's for all that waits
 * in it. A run that is running hears it (at once in this process, else with the next renewal of its lease, and before it ends
 * waiting); any other run continues with `resume`.
 * @param runId the run's whole id.
 * @param taskId one id, or a list of them, which are all approved or none is: the run is read once for all.
 * @returns the answer that is kept; for a list the answer to each call
 * @throws RuntimeError RUN_NOT_FOUND, TASK_NOT_FOUND; NOT_YET_ASKED for a task whose input does not exist yet;
 *   NOT_WAITING for one that has ended, or a run that was cancelled; ALREADY_DENIED where a person said no; ALREADY_ANSWERED where a person edited the input, or
 *   supplied the output, and this yes says otherwise (`replace`); QUESTION_CHANGED (`contentHash`); INVALID_ANSWER for an input that does not fit; INVALID_OPTION
 */
export async function approve(runId: string, taskId: string, options: ApproveOptions): Promise<ApprovalAnswer>;
export async function approve(
  runId: string,
  taskIds: readonly string[],
  options: ApproveOptions,
): Promise<readonly ApprovalAnswer[]>;
export async function approve(
  runId: string,
  taskId: string | readonly string[],
  options: ApproveOptions,
): Promise<ApprovalAnswer | readonly ApprovalAnswer[]> {
  checkOptions("`approve`", options, approveChecks);
  if (options.replace !== undefined && typeof options.replace !== "boolean")
    throw invalid("replace", "true or false", options.replace);
  checkTaskIds(taskId);
  return answer(runId, taskId, "approve", options);
}

/**
 * Denies a task, which is final: the task and all that depends on it are skipped. A task that was approved and is being executed cannot be denied
 * any more: that is NOT_WAITING with "running" as `details.status`. Otherwise as `approve`.
 */
export async function deny(runId: string, taskId: string, options: AnswerOptions): Promise<ApprovalAnswer>;
export async function deny(
  runId: string,
  taskIds: readonly string[],
  options: AnswerOptions,
): Promise<readonly ApprovalAnswer[]>;
export async function deny(
  runId: string,
  taskId: string | readonly string[],
  options: AnswerOptions,
): Promise<ApprovalAnswer | readonly ApprovalAnswer[]> {
  checkOptions("`deny`", options, denyChecks);
  checkTaskIds(taskId);
  return answer(runId, taskId, "deny", options);
}

/**
 * What people are asked: tasks that wait, and what waits inside of tasks, each with exactly what will be executed, and with the answer where one
 * was given that the run has not gone on with. A call that was
 * begun by a process that ended is asked about by the run itself, once it was resumed; until then it is not in the list. Elements of a list come in their order.
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND
 */
export async function waitingFor(
  runId: string,
  options: Pick<AnswerOptions, "journal" | "journalTimeoutMs">,
): Promise<readonly WaitingCall[]> {
  checkOptions("`waitingFor`", options, ofJournal);
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const run = await loadRun(journal, runId);
  const { run_id, options: of } = run;
  const records = await journal.getTasks(run_id, { outputs: "small" });
  const waiting = await waitingNow(run, records, journal);
  if (waiting.length === 0) return waiting;
  const answers = answersById(await journal.getAnswers(run_id));
  return waiting.map((call) => {
    const answer = answerTo(call, answers, of.approval_expires_after_ms);
    return answer === undefined ? call : { ...call, answer };
  });
}

async function waitingNow(
  { run_id, plan, options }: Pick<StoredRun, "run_id" | "plan" | "options">,
  records: readonly TaskRecord[],
  journal: Journal,
): Promise<WaitingCall[]> {
  const inner = await innerCalls(run_id, records, journal);
  // Replaced tasks do not ask any more.
  const planned = new Set(plan.planned_tasks.map(({ task_id }) => task_id));
  const own = records.flatMap((record) => (planned.has(record.task_id) ? callOf(record.task_id, record) : []));
  const asked = inElementOrder([...own, ...inner]);
  const waits = new Map((await journal.getWaits?.(run_id))?.map((wait) => [wait.id, wait]));
  if (asked.length === 0 || waits.size === 0) return asked;
  const answers = answersById(await journal.getAnswers(run_id));
  // A task that was approved and waits for a time or a signal since keeps the record of its question. It may be asked again, before the next call.
  return asked.filter((call) => {
    const wait = waits.get(call.id.replace(/#begun$/, ""));
    if (wait === undefined || answerTo(call, answers) === undefined) return true;
    const isDue = (wait.due_at ?? Number.POSITIVE_INFINITY) <= Date.now() || !isAsleep(wait);
    return isDue && answerTo(call, answers, options.approval_expires_after_ms) === undefined;
  });
}

/** What is asked about a task by its record; nothing where it does not wait, or something in it does. */
function callOf(id: string, { status, question, uid, input, error }: TaskRecord): WaitingCall[] {
  if (status !== "waiting_approval" || question === undefined || askedCalls(error).length > 0) return [];
  return [{ ...question, id, ...(uid !== undefined && { uid }), ...(isRecord(input) && { input }) }];
}

async function answer(
  runId: string,
  ids: string | readonly string[],
  said: ApprovalAnswer["answer"],
  { note, by, input, contentHash, replace = false, ...options }: ApproveOptions,
): Promise<ApprovalAnswer | readonly ApprovalAnswer[]> {
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  const run = await loadRun(journal, runId);
  const { run_id } = run;
  const taskIds = typeof ids === "string" ? [ids] : ids;
  const asked = await askedBy(run, taskIds, said, journal, contentHash);
  refuseOtherQuestion(run_id, asked, contentHash);
  if (said === "deny") await refuseTooLate(run_id, asked, journal);
  if (said === "approve") refuseDenied(run_id, asked, answersById(await journal.getAnswers(run_id)));
  if (input !== undefined && asked.length > 1) {
    const where = taskIds.length === 1 ? ` in task "${taskIds[0]}"` : "";
    const message = `Expected an edited input for one question, but ${asked.length} calls wait${where}. Answer each by its own id.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_ANSWER, message, {
      details: { run_id, task_id: taskIds[0], issues: [] },
    });
  }
  const about = {
    ...(by !== undefined && { by }),
    ...(note !== undefined && { note }),
    answered_at: new Date().toISOString(),
  };
  const answers = asked.map((call): ApprovalAnswer => {
    const { id: task_id, content_hash, uid } = call;
    const question = { task_id, content_hash, ...(uid !== undefined && { uid }), ...editOf(call, input) };
    return { ...question, answer: said, ...about };
  });
  await keepAnswers(run_id, journal, (given) => {
    if (said === "approve") refuseDenied(run_id, asked, given);
    if (said === "approve" && !replace) refuseUndoing(run_id, asked, answers, given);
    return answers;
  });
  const hear = answeredRuns.find(journal, run_id);
  for (const each of answers) hear?.(each);
  // The call may have begun since: the run reads the answers once more after it has noted that, and this looks for the note after the answer is kept.
  if (said === "deny") await refuseTooLate(run_id, asked, journal);
  return typeof ids === "string" ? answers[0]! : answers;
}

/** The calls that an answer to these ids is about, each once. @throws RuntimeError as `approve` */
async function askedBy(
  run: StoredRun,
  taskIds: readonly string[],
  said: ApprovalAnswer["answer"],
  journal: Journal,
  contentHash: string | undefined,
): Promise<readonly WaitingCall[]> {
  const { run_id, plan, status } = run;
  if (said === "approve" && status === "cancelled") throw cancelledRun(run_id, taskIds[0] ?? "");
  const records = await journal.getTasks(run_id, { outputs: "small" });
  const waiting = await waitingNow(run, records, journal);
  const byId = Map.groupBy(waiting, ({ id }) => id);
  const asked = new Set<WaitingCall>();
  for (const id of new Set(taskIds)) {
    const meant = oneOf(id, meantBy(id, byId, records), contentHash);
    for (const call of meant) asked.add(call);
    if (meant.length > 0) continue;
    await refuseBegun(run_id, id, records, journal);
    const waits = ((await journal.getWaits?.(run_id)) ?? []).filter(isAsleep);
    throw notWaiting(run_id, plan, records, id, said, waits);
  }
  return [...asked];
}

/** Nothing more is wanted of a cancelled run: a yes is not kept until somebody resumes it. */
function cancelledRun(run_id: string, task_id: string): RuntimeError {
  const message = `Run ${run_id} was cancelled, so nothing in it can be approved. Resume it first, if it is to go on: it asks about "${task_id}" again.`;
  return new RuntimeError(RuntimeErrorCode.NOT_WAITING, message, { details: { run_id, task_id, status: "cancelled" } });
}

/**
 * Refuses to deny a call that was approved and is being executed: the answer would change nothing, and the person must know that it is too late.
 * @throws RuntimeError NOT_WAITING
 */
async function refuseTooLate(run_id: string, asked: readonly WaitingCall[], journal: Journal): Promise<void> {
  const isExecuting = executingTasks.find(journal, run_id) ?? (() => false);
  // What may have an effect is noted before it is called, so that other processes know it, too.
  const pending = await journal.getPendingUsage(run_id);
  const begun = new Set(pending.flatMap(({ path, task_id, begun }) => (begun ? [addressOf(path, task_id)] : [])));
  const late = asked.find(({ id }) => isExecuting(id) || begun.has(id));
  if (late === undefined) return;
  const message = `Task "${late.id}" of run ${run_id} was approved and is being executed; a no comes too late. Cancel the run (\`cancelRun\`) to stop it.`;
  throw new RuntimeError(RuntimeErrorCode.NOT_WAITING, message, {
    details: { run_id, task_id: late.id, status: "running" },
  });
}

/** What an answer with another input is bound to. @throws RuntimeError INVALID_ANSWER */
function editOf(call: WaitingCall, given: ApproveOptions["input"]): Partial<ApprovalAnswer> {
  if (given === undefined) return {};
  const { id, kind, uid, planned_hash, parameters, output_module, retry_until, input_schema, content_hash } = call;
  const refuse = (message: string, issues: readonly unknown[] = []): RuntimeError =>
    new RuntimeError(RuntimeErrorCode.INVALID_ANSWER, message, { details: { task_id: id, issues } });
  if (call.begun_at !== undefined)
    throw refuse(
      "A call of unknown outcome can be repeated (`approve`), skipped (`deny`) or given its result (`supplyOutput`); its input cannot be edited.",
    );
  if (kind === undefined || uid === undefined || planned_hash === undefined || call.input === undefined)
    throw refuse(`The input of "${id}" cannot be edited: the journal does not have the whole input that was shown.`);
  const input = plainInput(given, id, refuse);
  const [strange] = secretsOutOfPlace(call.input, input);
  if (strange !== undefined)
    throw refuse(
      `Expected the edited input of "${id}" to name secrets only where the task does, got "${strange.name}".`,
    );
  const resource = { kind, id: uid, description: "", ...(input_schema !== undefined && { input_schema }) };
  const issues = validateStep({ uid, input_data: { ...input } }, resource, { secrets: collectSecrets(input) });
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const why = errors.slice(0, 3).map(({ message }) => message);
    throw refuse(`The edited input of "${id}" does not fit what ${kind} "${uid}" takes: ${why.join(" ")}`, errors);
  }
  const edited = questionHash(planned_hash, {
    kind,
    uid,
    input,
    ...(parameters !== undefined && { parameters }),
    ...(output_module !== undefined && { output_module }),
    ...(retry_until !== undefined && { retry_until }),
  });
  return edited === content_hash ? {} : { content_hash: edited, edited_from: content_hash, input };
}

/**
 * Of several calls of one id (a plan that was begun before such ids were refused) the one that was shown. A yes is never one to another question.
 * @throws RuntimeError INVALID_ANSWER where it is not said which was shown
 */
function oneOf(id: string, asked: readonly WaitingCall[], contentHash: string | undefined): readonly WaitingCall[] {
  if (asked.length < 2 || asked.some((call) => call.id !== id)) return asked;
  const shown = asked.filter((call) => call.content_hash === contentHash);
  if (shown.length > 0 || contentHash !== undefined) return shown.length > 0 ? shown : asked;
  const message = `${asked.length} calls of the id "${id}" wait. Say by \`contentHash\` which of them is answered.`;
  throw new RuntimeError(RuntimeErrorCode.INVALID_ANSWER, message, { details: { task_id: id, issues: [] } });
}

/** The call of this id, or all that wait inside the task of this id. */
function meantBy(
  id: string,
  waiting: ReadonlyMap<string, readonly WaitingCall[]>,
  records: readonly TaskRecord[],
): readonly WaitingCall[] {
  // The id alone means the call that was begun, within a task, too.
  const own = waiting.get(id) ?? waiting.get(`${id}#begun`);
  if (own !== undefined) return own;
  const suspended = records.find(({ task_id, status }) => task_id === id && status === "waiting_approval");
  const inIt = new Set(askedCalls(suspended?.error).map((call) => call.id));
  return [...inIt].flatMap((each) => waiting.get(each) ?? []);
}

/** Why nothing can be answered about the task. */
function notWaiting(
  run_id: string,
  plan: TaskData,
  records: readonly TaskRecord[],
  task_id: string,
  said: ApprovalAnswer["answer"],
  waits: readonly StoredWait[],
): RuntimeError {
  const wait = waits.find(({ id }) => id === task_id || id.startsWith(`${task_id}/`));
  if (wait !== undefined) {
    const message = `Task "${task_id}" of run ${run_id} asks nothing: ${wait.id} ${storedWaitSentence(wait)}.`;
    return new RuntimeError(RuntimeErrorCode.NOT_WAITING, message, { details: { run_id, task_id, status: "waiting" } });
  }
  const view = planView(plan);
  const number = view.indexOf(task_id);
  if (number === -1) {
    const { likely } = nearestNames(task_id, view.ids);
    const guess = likely === undefined ? "" : ` Did you mean "${likely}"?`;
    const message = `Run ${run_id} has no task "${shownName(task_id)}", and no call of that id waits in it.${guess}`;
    return new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, message, { details: { run_id, task_id } });
  }
  const statuses = new Map(records.map((record) => [record.task_id, record]));
  const record = statuses.get(task_id);
  if (record?.error?.code === TaskErrorCode.DENIED) {
    const { by } = record.error.details ?? {};
    return alreadyDenied(run_id, task_id, typeof by === "string" ? { by } : {});
  }
  if (record !== undefined && record.status !== "waiting_approval") {
    const message = `Task "${task_id}" of run ${run_id} has ended already (${record.status}); there is nothing to ${said}.`;
    const details = { run_id, task_id, status: record.status };
    return new RuntimeError(RuntimeErrorCode.NOT_WAITING, message, { details });
  }
  const before: string[] = [];
  for (let edge = view.inPtr[number]!; edge < view.inPtr[number + 1]!; edge++) {
    const id = view.ids[view.in[edge]!]!;
    if (statuses.get(id)?.status !== "completed") before.push(id);
  }
  const cause =
    record === undefined ? "its input does not exist yet" : "it was asked about by an earlier version; resume the run";
  const until = before.length === 0 ? "once it waits" : `once ${before.slice(0, 5).join(", ")} completed and it waits`;
  const message = `Task "${task_id}" of run ${run_id} cannot be answered yet: ${cause}. It can be answered ${until} (\`waitingFor\`, or the event \`task-waiting\`), if it needs approval at all.`;
  return new RuntimeError(RuntimeErrorCode.NOT_YET_ASKED, message, { details: { run_id, task_id, waits_for: before } });
}

/**
 * What waits inside tasks, by the journal's word. The record of a task in which something waits is of the time when it began to: where that
 * call was answered and made since, and the task waits for something else, the call's own record says so.
 */
async function innerCalls(runId: string, records: readonly TaskRecord[], journal: Journal): Promise<WaitingCall[]> {
  const calls = new Map<string, WaitingCall>();
  const ended = new Set<string>();
  for (const { task_id, status, error } of records) {
    if (status === "completed" || status === "skipped") ended.add(task_id);
    for (const call of status === "waiting_approval" ? askedCalls(error) : []) calls.set(call.id, call);
  }
  const made = new Set<string>();
  const open = new Set<string>();
  // A plan that runs on beside its gate has not suspended its task yet.
  for (const { path, record } of await journal.getNestedTasks(runId)) {
    const id = addressOf(path, record.task_id);
    (record.status === "waiting_approval" ? open : made).add(id);
    if (ended.has(path[0] ?? "") || calls.has(id)) continue;
    for (const call of callOf(id, record)) calls.set(id, call);
  }
  return [...calls.values()].filter(({ id }) => {
    const address = id.replace(/#begun$/, "");
    return open.has(address) || !made.has(address);
  });
}

/** Runs of this process, which get answers at once. */
export const answeredRuns = new LiveRuns<(answer: ApprovalAnswer) => void>();

/** For the runs of this process, a function that says whether a task is being executed. */
export const executingTasks = new LiveRuns<(id: string) => boolean>();
