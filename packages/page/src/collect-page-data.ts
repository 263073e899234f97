import { type Journal, type Planloom, PlanloomError, PlanloomErrorCode, type TaskData } from "planloom";
import {
  diffPlans,
  IssueCode,
  isRecord,
  notedIssues,
  type OptionChecks,
  optionChecker,
  planRevision,
  planTitle,
  planView,
} from "planloom/plan";
import { type CallRecord, runStatus, type StoredRun, type TaskRecord } from "planloom/runtime";
import type { PageData, PagePlan, PageTask } from "./page-data.ts";

/** @throws PlanloomError OPTION */
const checkOptions = optionChecker(
  (message, details) => new PlanloomError(PlanloomErrorCode.OPTION, message, { details }),
);

const checks = {
  journal: { required: { method: "getRun", expected: "a journal" } },
  maxOutputBytes: "wholeNumber",
  maxCallBytes: "wholeNumber",
} as const satisfies OptionChecks<CollectOptions>;

export interface CollectOptions {
  readonly journal: Journal;
  /** Largest output of a task that is put into the data whole, as JSON in bytes; of larger ones there is the size. @default 65_536 */
  readonly maxOutputBytes?: number;
  /** Largest size of all model calls together, as JSON in bytes; the oldest are left out. @default 4_194_304 */
  readonly maxCallBytes?: number;
}

/**
 * All that the page shows of a run, read from its journal. Linear in what the journal has of it.
 * @param runId the run's whole id
 * @throws PlanloomError OPTION; RuntimeError RUN_NOT_FOUND, JOURNAL_*
 */
export async function collectPageData(runId: string, options: CollectOptions): Promise<PageData> {
  checkOptions("`collectPageData`", options, checks);
  const { journal, maxOutputBytes = 65_536, maxCallBytes = 4 * 1024 * 1024 } = options;
  const run = await journal.getRun(runId);
  const status = await runStatus(runId, { journal });
  const records = await journal.getTasks(runId, { outputs: "small" });
  const { calls, leftOut } = newestWithin(await journal.getCalls(runId), maxCallBytes);
  return {
    format: "planloom-page/1",
    made_at: new Date().toISOString(),
    plan: pagePlan(run.plan, subgraphsOf(run)),
    run: {
      run_id: runId,
      status: status.status,
      resumable: status.resumable,
      created_at: status.created_at,
      updated_at: status.updated_at,
      states: status.tasks,
      records: records.map((record) => withoutLargeOutput(record, maxOutputBytes)),
      events: (await journal.getEvents?.(runId)) ?? [],
      calls,
      calls_left_out: leftOut,
      waiting: status.waiting,
      answers: await journal.getAnswers(runId),
      revisions: run.revisions ?? [],
      ...(run.first_plan !== undefined && {
        first_tasks: run.first_plan.planned_tasks.map(asPageTask),
        diff: diffPlans(run.first_plan, run.plan),
      }),
      ...(run.certificate !== undefined && { certificate: run.certificate }),
      ...(run.options.dispatch?.predicted !== undefined && { predicted: run.options.dispatch.predicted }),
    },
  };
}

/**
 * What the page shows of a plan that is not executed. Linear in the plan.
 * @param planloom judges the plan: its issues, its questions, other tools for its tasks. Without it the plan is shown as it is
 */
export function planPageData(plan: TaskData, planloom?: Pick<Planloom, "validate" | "questions">): PageData {
  return {
    format: "planloom-page/1",
    made_at: new Date().toISOString(),
    plan: pagePlan(plan, []),
    ...(planloom !== undefined && { draft: draftOf(plan, planloom) }),
  };
}

function draftOf(plan: TaskData, planloom: Pick<Planloom, "validate" | "questions">): NonNullable<PageData["draft"]> {
  const { choices, confidence } = plan.metadata ?? {};
  const alternatives = Object.entries(isRecord(choices) ? choices : {}).map(([task, choice]) => {
    const listed = isRecord(choice) && Array.isArray(choice.alternatives) ? choice.alternatives : [];
    const tools = listed.flatMap((each) => (isRecord(each) && typeof each.tool === "string" ? [each.tool] : []));
    return [task, tools] as const;
  });
  return {
    revision: planRevision(plan),
    issues: planloom.validate(plan),
    questions: planloom.questions(plan),
    alternatives: Object.fromEntries(alternatives),
    ...(typeof confidence === "number" && { confidence }),
  };
}

function pagePlan(plan: TaskData, subgraphs: PagePlan["subgraphs"]): PagePlan {
  const view = planView(plan);
  const from: number[] = [];
  const to: number[] = [];
  for (let task = 0; task < view.n; task += 1) {
    for (let edge = view.inPtr[task]!; edge < view.inPtr[task + 1]!; edge += 1) {
      from.push(view.in[edge]!);
      to.push(task);
    }
  }
  const goal = plan.original_job_data?.job_goal ?? plan.original_job_data?.task_description;
  return {
    id: plan.task_id,
    title: planTitle(plan),
    ...(typeof goal === "string" && { goal }),
    notes: notedIssues(plan).filter(({ code }) => code !== IssueCode.PROPOSAL),
    tasks: plan.planned_tasks.map(asPageTask),
    edges: { from, to },
    subgraphs,
  };
}

/** Fields at their defaults are left out, and what belongs to the run. */
function asPageTask(task: TaskData["planned_tasks"][number]): PageTask {
  const { status: _status, output: _output, creation_time: _created, last_update_time: _updated, ...rest } = task;
  const said = Object.entries(rest).filter(
    ([, value]) => value !== null && value !== "" && value !== false && !isEmpty(value),
  );
  return { ...Object.fromEntries(said), task_id: task.task_id };
}

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

function subgraphsOf({ options }: StoredRun): PagePlan["subgraphs"] {
  const subgraphs = options.dispatch?.subgraphs ?? options.subgraphs ?? [];
  return subgraphs.map(({ subgraph_id, task_ids }) => ({ id: subgraph_id, task_ids }));
}

function withoutLargeOutput(record: TaskRecord, maxBytes: number): TaskRecord {
  if (record.output === undefined) return record;
  const bytes = Buffer.byteLength(JSON.stringify(record.output));
  if (bytes <= maxBytes) return record;
  const { output: _, ...rest } = record;
  return { ...rest, output_bytes: bytes };
}

function newestWithin(calls: readonly CallRecord[], maxBytes: number): { calls: CallRecord[]; leftOut: number } {
  let left = maxBytes;
  let first = calls.length;
  while (first > 0) {
    left -= JSON.stringify(calls[first - 1]).length;
    if (left < 0) break;
    first -= 1;
  }
  return { calls: calls.slice(first), leftOut: first };
}
