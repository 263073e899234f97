import { cancelRun, type Goal, RuntimeError, RuntimeErrorCode } from "planloom";
import { elementId, findPlace, readPlan } from "planloom/plan";
import { absentElement } from "planloom/runtime";
import { checkConfirm, checkKeptConfirm, checkUnknown } from "../access/check-confirm.ts";
import { defined } from "../defined.ts";
import { ownRuns } from "../own-runs.ts";
import { type HandlersOf, startedId } from "./handler.ts";
import { nameRequestFields } from "./name-request-fields.ts";
import type { runEndpoints } from "./run-endpoints.ts";
import { runEvents } from "./run-events.ts";
import { summaryOf } from "./summary-of.ts";

export const runHandlers: HandlersOf<keyof typeof runEndpoints> = {
  async createRun({ workspace, caller, body, keyDigest, signal }) {
    const { goal, plan, plan_id, run_id, on_failure, on_unknown, ...settings } = body;
    const metadata = { ...body.metadata, ...ownRuns };
    const confirm = checkConfirm(
      body.confirm,
      goal === undefined ? "plan" : "goal",
      workspace.planloom.confirm,
      caller,
    );
    const onUnknown = checkUnknown(on_unknown, workspace.planloom.describe().on_unknown, caller);
    const runId = startedId(run_id, keyDigest);
    const what =
      plan_id !== undefined ? await workspace.plans.load(plan_id) : plan === undefined ? goal : readPlan(plan);
    const started = workspace.begin(
      (begun) =>
        workspace.planloom.run(what as Goal, {
          ...defined({ ...settings, confirm, runId, metadata, onFailure: on_failure, onUnknown }),
          ...begun,
        }),
      signal,
    );
    const id = await foundAgain(started, run_id === undefined ? runId : undefined);
    return { run_id: id, status: "running" };
  },

  async listRuns({ workspace, query }) {
    const journal = await workspace.journal();
    const {
      status,
      q,
      plan_id,
      tenant,
      schedule,
      limit,
      cursor,
      created_after,
      created_before,
      updated_after,
      updated_before,
    } = query;
    const runs = await journal.listRuns(
      defined({
        status,
        title: q,
        planId: plan_id,
        tenant,
        metadata: schedule === undefined ? query.metadata : { ...query.metadata, schedule },
        createdAfter: created_after,
        createdBefore: created_before,
        updatedAfter: updated_after,
        updatedBefore: updated_before,
        cursor,
        // One more, which says whether there is another page.
        limit: limit + 1,
      }),
    );
    const page = runs.slice(0, limit);
    const next = runs.length > limit ? page.at(-1)?.cursor : undefined;
    return { runs: page.map(summaryOf), ...(next !== undefined && { next_cursor: next }) };
  },

  async getRun({ workspace, params }) {
    const { tasks, waiting, plan_issues, answers, ...run } = await workspace.planloom.runStatus(params.run_id);
    return {
      ...run,
      ...(plan_issues !== undefined && { plan_issues: [...plan_issues] }),
      tasks: tasks.map(({ error, depends_on, elements, waits, waiting_calls, ...task }) => ({
        ...task,
        depends_on: [...depends_on],
        ...(error !== undefined && { error: { ...error, message: nameRequestFields(error.message) } }),
        ...(elements !== undefined && { elements: { ...elements } }),
        ...(waits !== undefined && { waits: waits.map((wait) => ({ ...wait })) }),
        ...(waiting_calls !== undefined && { waiting_calls: [...waiting_calls] }),
      })),
      waiting: waiting.map((call) => ({ ...call })),
      answers: answers.map((answer) => ({ ...answer })),
    };
  },

  async deleteRun({ workspace, params }) {
    const journal = await workspace.journal();
    return { run_id: await journal.deleteRun(params.run_id) };
  },

  async getRunPlan({ workspace, params }) {
    const journal = await workspace.journal();
    const { plan, first_plan, revisions = [] } = await journal.getRun(params.run_id);
    return { plan, ...(first_plan !== undefined && { first_plan }), revisions: revisions.map((each) => ({ ...each })) };
  },

  async getRunTask({ workspace, params }) {
    const { run_id, task_id } = params;
    const journal = await workspace.journal();
    const { plan } = await journal.getRun(run_id);
    const { steps, rest } = findPlace(plan.planned_tasks, task_id);
    const found = steps.at(-1);
    if (found === undefined || rest !== "") throw taskNotFound(run_id, task_id);
    const ids = steps.flatMap(({ task, index }) =>
      index === undefined ? [task.task_id] : [task.task_id, elementId(task.task_id, index)],
    );
    const within = ids.slice(0, -1);
    const records = await journal.getTasks(run_id);
    const nested = within.length === 0 ? [] : await journal.getNestedTasks(run_id);
    if (absentElement(steps, records, nested) !== undefined) throw taskNotFound(run_id, task_id);
    const record =
      within.length === 0
        ? records.find((each) => each.task_id === task_id)
        : nested.findLast((each) => each.record.task_id === ids.at(-1) && startsWith(each.path, within, within.length))
            ?.record;
    const calls = (await journal.getCalls(run_id)).filter(({ path }) => startsWith(path, ids));
    const { task } = found;
    return {
      task: { ...task },
      ...(record !== undefined && { record: { input: undefined, output: undefined, ...record } }),
      calls: calls.map((each) => ({ ...each })),
    };
  },

  runEvents,

  async cancelRun({ workspace, params, body }) {
    return cancelRun(params.run_id, { journal: await workspace.journal(), mode: body.mode });
  },

  async resumeRun({ workspace, caller, params, body, signal }) {
    const { on_unknown, retry_failed: retryFailed, ...settings } = body;
    const onUnknown = checkUnknown(on_unknown, workspace.planloom.describe().on_unknown, caller);
    const resume = (begun: object) =>
      workspace.planloom.resume(params.run_id, { ...defined({ ...settings, onUnknown, retryFailed }), ...begun });
    return { run_id: await workspace.begin(resume, signal), status: "running" };
  },

  async forkRun({ workspace, caller, params, body, keyDigest, signal }) {
    const { from_task, arguments: changed, run_id, ...turn } = body;
    const runId = startedId(run_id, keyDigest);
    checkKeptConfirm(await (await workspace.journal()).getRun(params.run_id), workspace.planloom.confirm, caller);
    const fork = (begun: object) =>
      workspace.planloom.fork(params.run_id, from_task, {
        ...defined({ ...turn, arguments: changed, runId }),
        // Also of a run that the command line began: this one is the server's, to be continued by it.
        metadata: ownRuns,
        ...begun,
      });
    const started = workspace.begin(fork, signal);
    return { run_id: await foundAgain(started, run_id === undefined ? runId : undefined), status: "running" };
  },

  async replanRun({ workspace, caller, params, body, signal }) {
    const { mark, note } = body;
    checkKeptConfirm(await (await workspace.journal()).getRun(params.run_id), workspace.planloom.confirm, caller);
    const { plan, patch, diff } = await workspace.planloom.replan(params.run_id, {
      ...defined({ mark, note }),
      signal,
    });
    return { run_id: params.run_id, plan, patch, diff };
  },

  async signalRun({ workspace, caller, params, body, keyDigest }) {
    const { event, key, data, id } = body;
    const signalId = startedId(id, keyDigest);
    const by = caller.name ?? body.by ?? workspace.anonymousName;
    return workspace.planloom.signal(params.run_id, event, defined({ key, data, id: signalId, by }));
  },
};

/**
 * The id of a run that was started. An id that was made of the request's key is this request's own: where the run is there already, the process that
 * took the request died before it answered.
 */
async function foundAgain(started: Promise<string>, ofKey: string | undefined): Promise<string> {
  try {
    return await started;
  } catch (error) {
    if (ofKey === undefined || (error as { code?: unknown }).code !== RuntimeErrorCode.RUN_EXISTS) throw error;
    return ofKey;
  }
}

/** @param length that `ids` must have, where it may not be longer */
function startsWith(ids: readonly string[], first: readonly string[], length = ids.length): boolean {
  return ids.length === length && first.every((id, place) => ids[place] === id);
}

function taskNotFound(run_id: string, task_id: string): RuntimeError {
  const message = `Run ${run_id} has no task ${JSON.stringify(task_id)}.`;
  return new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, message, { details: { run_id, task_id } });
}
