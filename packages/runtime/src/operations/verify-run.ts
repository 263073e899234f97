import { effectiveDependencies, type PlannerTask, resourcePin } from "@planloom/plan";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type {
  ApprovalAnswer,
  Journal,
  NestedRecord,
  StoredCertificate,
  StoredRun,
  TaskRecord,
} from "../journal/journal.ts";
import { isCertificate, isTiming } from "../journal/legible.ts";
import { loadRun } from "../journal/load-run.ts";
import type { ChecksumReport } from "../journal/run-chain.ts";
import { planVersions } from "../ports/stored-revision.ts";
import { isStopped } from "../stop-reason.ts";
import { checkFlow } from "./verify/check-flow.ts";
import { checkOrder } from "./verify/check-order.ts";
import { checkOutcomes } from "./verify-outcomes.ts";
import type { VerifyProblem } from "./verify-problem.ts";

/** Whether a run is what its records claim. */
export interface VerifyReport {
  readonly run_id: string;
  readonly ok: boolean;
  readonly problems: readonly VerifyProblem[];
  /**
   * What checksums of the run's rows there are. `none`: the store or the version that began the run makes none, and only
   * what contradicts itself is found. `plain`: damage and edits are found, but anyone who knows the format can compute them again.
   * `keyed`: only who has the journal's key can.
   */
  readonly checksums: ChecksumReport["mode"];
  /** Checksum over all that was written; if you keep it elsewhere, you can show later that nothing was removed. Absent without checksums. */
  readonly head?: string;
  /** Tasks whose times were checked: those of the last session. */
  readonly checked: number;
  /** What the records give; absent for a run whose last session did not end properly. */
  readonly recomputed?: { readonly lowerBoundMs: number; readonly achievedMs: number; readonly ratio: number };
  /** What the run claimed. */
  readonly claimed?: StoredCertificate;
}

/**
 * Checks a run from its journal alone: where the store makes checksums, that every row is what was written; that no task ran before what it depends on had ended, no limit was exceeded, the
 * certificate follows from the times; that outputs of lists are those of their elements, that the branches were taken which the outputs choose, that waits lasted as asked, and that each signal was taken once. Reads the plan's edges from its records and shares no code with the scheduler.
 * Attempts that lent their slots to a nested plan count towards no limit. O(n log n + m).
 * @param runId the run's whole id.
 * @throws RuntimeError RUN_NOT_FOUND; JOURNAL_* where the store itself fails
 */
export async function verifyRun(given: Journal, runId: string): Promise<VerifyReport> {
  const journal = guardJournal(given);
  let run: StoredRun;
  let tasks: TaskRecord[];
  let answers: ApprovalAnswer[];
  let nested: readonly NestedRecord[] = [];
  try {
    run = await loadRun(journal, runId);
    tasks = await journal.getTasks(run.run_id, { outputs: "small" });
    answers = await journal.getAnswers(run.run_id);
    if (hasElements(run)) nested = await journal.getNestedTasks(run.run_id);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const checked = await journal.checkChecksums?.(runId);
    const problems = [...(checked?.problems ?? []), { code: "unreadable" as const, message: error.message }];
    return { run_id: runId, ok: false, problems, checked: 0, ...checksumsOf(checked) };
  }
  const checked = await journal.checkChecksums?.(run.run_id);
  const report = checkRecords(run, tasks, elementsOf(nested));
  const records = new Map(tasks.map((record) => [record.task_id, record]));
  const outcomes = checkOutcomes(run, records, answers);
  const flow = await checkFlow(journal, run, records, nested);
  const problems = [...(checked?.problems ?? []), ...report.problems, ...outcomes, ...flow];
  return { ...report, ok: problems.length === 0, problems, ...checksumsOf(checked) };
}

function checksumsOf(report: ChecksumReport | undefined): Pick<VerifyReport, "checksums" | "head"> {
  if (report === undefined || report.mode === "none") return { checksums: "none" };
  return { checksums: report.mode, head: report.head };
}

function isUnreadable(error: unknown): error is RuntimeError {
  return (
    error instanceof RuntimeError &&
    (error.code === RuntimeErrorCode.JOURNAL_CORRUPT || error.code === RuntimeErrorCode.JOURNAL_READ)
  );
}

function hasElements({ plan, first_plan }: StoredRun): boolean {
  return [plan, first_plan].some((each) => each?.planned_tasks.some(({ for_each }) => for_each !== undefined));
}

/** Records of elements, by the task that was executed for each of them. */
function elementsOf(nested: readonly NestedRecord[]): Map<string, TaskRecord[]> {
  const found = new Map<string, TaskRecord[]>();
  for (const { path, record } of nested) {
    const [task = ""] = path;
    if (path.length !== 1 || !record.task_id.startsWith(`${task}[`)) continue;
    const known = found.get(task);
    if (known === undefined) found.set(task, [record]);
    else known.push(record);
  }
  return found;
}

/** What the records say of each other. */
function checkRecords(
  run: StoredRun,
  recorded: readonly TaskRecord[],
  elements: ReadonlyMap<string, readonly TaskRecord[]>,
): Omit<VerifyReport, "checksums" | "head"> {
  const records = new Map<string, TaskRecord>();
  for (const record of recorded) records.set(record.task_id, record);
  const { tasks, dependencies } = executedPlan(run, records);
  const problems: VerifyProblem[] = [];
  const given = new Set(tasks.filter(({ status }) => status === "completed").map(({ task_id }) => task_id));
  const isDone = (id: string) => given.has(id) || records.get(id)?.status === "completed";
  const claimed = isCertificate(run.certificate) ? run.certificate : undefined;
  if (run.certificate !== undefined && claimed === undefined) {
    problems.push({
      code: "certificate_wrong",
      message: "The certificate cannot be read: its figures are not numbers.",
    });
  }
  for (const { task_id, timing } of records.values()) {
    if (timing === undefined || isTiming(timing)) continue;
    problems.push({ code: "certificate_wrong", task_id, message: `The times of "${task_id}" cannot be read.` });
  }
  if (problems.length > 0) return { run_id: run.run_id, ok: false, problems, checked: 0 };
  // Clocks may be set between sessions, so times are compared within the last one, if that ended properly.
  const began = claimed?.began_at ?? Number.NEGATIVE_INFINITY;
  const inSession = (record: TaskRecord | undefined) => record?.timing !== undefined && record.started_at >= began;

  const known = new Set(tasks.map(({ task_id }) => task_id));
  for (const id of records.keys()) {
    if (known.has(id)) continue;
    problems.push({
      code: "unknown_task",
      task_id: id,
      message: `The journal has "${id}", which is not a task of the plan.`,
    });
  }
  problems.push(...checkOrder(run, tasks, dependencies, records, isDone, inSession));

  const timed = tasks
    .map(({ task_id }) => records.get(task_id))
    .map((record) => (inSession(record) ? record : undefined));
  const checked = timed.filter((record) => record !== undefined).length;
  if (claimed === undefined) {
    if (run.status !== "running" && !isStopped(run.status)) {
      const message = `The run ended ("${run.status}"), and the journal has no certificate of it.`;
      problems.push({ code: "certificate_absent", message });
    }
    return { run_id: run.run_id, ok: problems.length === 0, problems, checked };
  }
  const parts = executedParts(tasks, timed, elements, inSession);
  const groups = limitGroups(claimed.limits, parts.tasks, parts.timed);
  for (const group of groups) problems.push(...crowding(group));
  const bounds = [
    longestPath(tasks, dependencies, parts.durations),
    ...groups.map(({ workMs, limit }) => workMs / limit),
  ];
  const lowerBoundMs = bounds.reduce((most, bound) => Math.max(most, bound), 0);
  let achievedMs = 0;
  for (const record of timed) {
    if (record?.timing !== undefined) achievedMs = Math.max(achievedMs, record.timing.ended_at - began);
  }
  const ratio = lowerBoundMs > 0 ? achievedMs / lowerBoundMs : 1;
  problems.push(...claimProblems(run, claimed, { lowerBoundMs, achievedMs }, timed));
  return {
    run_id: run.run_id,
    ok: problems.length === 0,
    problems,
    checked,
    recomputed: { lowerBoundMs, achievedMs, ratio },
    claimed,
  };
}

/** What the certificate claims otherwise than the records have it. */
function claimProblems(
  run: StoredRun,
  claimed: StoredCertificate,
  { lowerBoundMs, achievedMs }: { readonly lowerBoundMs: number; readonly achievedMs: number },
  timed: readonly (TaskRecord | undefined)[],
): VerifyProblem[] {
  const found: VerifyProblem[] = [];
  if (!near(claimed.lower_bound_ms, lowerBoundMs)) found.push(wrong("bound", claimed.lower_bound_ms, lowerBoundMs));
  // A dispatcher may report the end of its tasks late, but never early.
  if (claimed.achieved_ms < achievedMs && !near(claimed.achieved_ms, achievedMs))
    found.push(wrong("achieved time", claimed.achieved_ms, achievedMs));
  const claimedRatio = claimed.lower_bound_ms > 0 ? claimed.achieved_ms / claimed.lower_bound_ms : 1;
  if (Math.abs(claimed.ratio - claimedRatio) > 1e-6 * claimedRatio)
    found.push(wrong("ratio", claimed.ratio, claimedRatio));
  // An attempt that was waited for may never have been made: the run was cancelled, or nothing was left to pay for it.
  const between = betweenAttempts(timed);
  const waited = claimed.waits?.retry_ms ?? 0;
  if (!isStopped(run.status) && !timed.some(lacksAnAttempt) && waited > between && !near(waited, between))
    found.push(wrong("wait for retries", waited, between));
  return found;
}

/**
 * What held slots: tasks, and in the place of a task with `for_each` its elements, each of which has the task's resource. `durations` are by
 * task: of one with elements that of the longest, since how long all of them take is the schedule's doing.
 */
function executedParts(
  tasks: readonly PlannerTask[],
  timed: readonly (TaskRecord | undefined)[],
  elements: ReadonlyMap<string, readonly TaskRecord[]>,
  inSession: (record: TaskRecord | undefined) => boolean,
) {
  const parts = { tasks: [] as PlannerTask[], timed: [] as (TaskRecord | undefined)[], durations: [] as number[] };
  for (const [number, task] of tasks.entries()) {
    const record = timed[number];
    if (task.for_each === undefined || record === undefined) {
      parts.tasks.push(task);
      parts.timed.push(record);
      parts.durations.push(record?.duration_ms ?? 0);
      continue;
    }
    let longest = 0;
    for (const element of elements.get(task.task_id) ?? []) {
      if (!inSession(element)) continue;
      parts.tasks.push(task);
      parts.timed.push(element);
      longest = Math.max(longest, element.timing?.path_ms ?? element.duration_ms);
    }
    parts.durations.push(longest);
  }
  return parts;
}

/**
 * Every task there ever was in the run's plan, in the order in which it came, with what it waited for: by the plan as it was
 * when it started; of tasks that never did, by the last one that had it.
 */
function executedPlan(run: StoredRun, records: ReadonlyMap<string, TaskRecord>) {
  const { first_plan, revisions = [] } = run;
  if (first_plan === undefined) {
    return { tasks: run.plan.planned_tasks, dependencies: effectiveDependencies(run.plan) };
  }
  const seen = new Map<string, { task: PlannerTask; versions: { since: number; needs: readonly string[] }[] }>();
  for (const [version, plan] of planVersions(run.run_id, first_plan, revisions).entries()) {
    const since = version === 0 ? Number.NEGATIVE_INFINITY : revisions[version - 1]!.at;
    const needs = effectiveDependencies(plan);
    for (const [number, task] of plan.planned_tasks.entries()) {
      const known = seen.get(task.task_id);
      if (known === undefined) seen.set(task.task_id, { task, versions: [{ since, needs: needs[number]! }] });
      else known.versions.push({ since, needs: needs[number]! });
    }
  }
  const dependencies = [...seen].map(([id, { versions }]) => {
    const record = records.get(id);
    const at = record?.timing === undefined ? Number.POSITIVE_INFINITY : record.started_at;
    return (versions.findLast(({ since }) => since <= at) ?? versions[0]!).needs;
  });
  return { tasks: [...seen.values()].map(({ task }) => task), dependencies };
}

interface Group {
  readonly name: string;
  readonly limit: number;
  workMs: number;
  readonly spans: (readonly [number, number])[];
}

/** Every limit with the work it bound and when. */
function limitGroups(
  limits: StoredCertificate["limits"],
  tasks: readonly PlannerTask[],
  timed: readonly (TaskRecord | undefined)[],
): Group[] {
  const all: Group = { name: "tasks", limit: limits.concurrency ?? Number.POSITIVE_INFINITY, workMs: 0, spans: [] };
  const named = new Map<string, Group>();
  for (const [kind, limit] of Object.entries(limits.kinds)) {
    named.set(`kind ${kind}`, { name: `tasks of kind ${kind}`, limit, workMs: 0, spans: [] });
  }
  for (const [resource, limit] of Object.entries(limits.resources)) {
    named.set(`resource ${resource}`, { name: `uses of ${resource}`, limit, workMs: 0, spans: [] });
  }
  for (const [number, record] of timed.entries()) {
    const task = tasks[number];
    if (record?.timing === undefined || task === undefined) continue;
    const { kind, uid } = resourcePin(task);
    // Elements that were bound one by one may be of several resources: the certificate has their work by kind alone.
    const isOne = task.for_each === undefined || uid !== undefined;
    const { timing } = record;
    const spans = timing.spans ?? [[record.started_at, timing.ended_at] as const];
    const resource = named.get(`resource ${kind ?? ""}:${record.uid ?? ""}`);
    for (const group of [all, named.get(`kind ${kind ?? ""}`), resource]) {
      if (group === undefined) continue;
      if (group !== resource || isOne) group.workMs += timing.slot_ms ?? record.duration_ms;
      if (timing.slot_ms === undefined) group.spans.push(...spans);
    }
  }
  return [all, ...named.values()];
}

/** Sweeps over starts and ends; an end makes room for a start of the same moment. */
function crowding({ name, limit, spans }: Group): VerifyProblem[] {
  if (limit >= spans.length) return [];
  const starts = Float64Array.from(spans, ([start]) => start).sort();
  const ends = Float64Array.from(spans, ([, end]) => end).sort();
  let ended = 0;
  for (const [started, start] of starts.entries()) {
    while (ended < ends.length && (ends[ended] ?? 0) <= start) ended++;
    const running = started + 1 - ended;
    if (running > limit) {
      return [{ code: "limit_exceeded", message: `Expected at most ${limit} ${name} at once, got ${running}.` }];
    }
  }
  return [];
}

/** Longest chain of durations, by repeated relaxation in an order found here. */
function longestPath(
  tasks: readonly { readonly task_id: string }[],
  dependencies: readonly (readonly string[])[],
  durations: readonly number[],
): number {
  const numberOf = new Map(tasks.map(({ task_id }, number) => [task_id, number]));
  const waitsFor = dependencies.map((needed) => new Set(needed).size);
  const dependents: number[][] = tasks.map(() => []);
  for (const [number, needed] of dependencies.entries()) {
    for (const id of new Set(needed)) dependents[numberOf.get(id) ?? -1]?.push(number);
  }
  const endsAt = new Float64Array(tasks.length);
  const free = waitsFor.flatMap((count, number) => (count === 0 ? [number] : []));
  let longest = 0;
  for (const number of free) {
    const end = (endsAt[number] ?? 0) + (durations[number] ?? 0);
    longest = Math.max(longest, end);
    for (const next of dependents[number] ?? []) {
      endsAt[next] = Math.max(endsAt[next] ?? 0, end);
      waitsFor[next] = (waitsFor[next] ?? 0) - 1;
      if (waitsFor[next] === 0) free.push(next);
    }
  }
  return longest;
}

/** Time between attempts of one task, all tasks added up: no retry can have waited longer. */
function betweenAttempts(timed: readonly (TaskRecord | undefined)[]): number {
  let sum = 0;
  for (const record of timed) {
    const spans = record?.timing?.spans ?? [];
    for (const [at, [start]] of spans.entries()) {
      if (at > 0) sum += start - (spans[at - 1]?.[1] ?? start);
    }
  }
  return sum;
}

/** More attempts were begun than calls made: the last one was refused before its call. */
function lacksAnAttempt(record: TaskRecord | undefined): boolean {
  return record !== undefined && record.attempts > (record.timing?.spans?.length ?? 1);
}

function near(a: number, b: number): boolean {
  // Stored times are in microseconds.
  return Math.abs(a - b) <= 0.01 + 1e-6 * Math.abs(b);
}

function wrong(what: string, claimed: number, found: number): VerifyProblem {
  return { code: "certificate_wrong", message: `The certificate's ${what} is ${claimed}; the records give ${found}.` };
}
