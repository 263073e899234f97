import type { Goal, PlanIssue, PlanOptions, TaskData } from "planloom";
import type { StorePlanOptions } from "planloom/options";
import { diffPlans, notedIssues, planRevision, readPlan } from "planloom/plan";
import { answeredIssues } from "planloom/serving";
import type { Workspace } from "../workspace.ts";
import type { ReplyOf } from "./endpoints.ts";
import type { HandlersOf } from "./handler.ts";
import { pageOf, readTime } from "./pages.ts";
import type { planEndpoints } from "./plan-endpoints.ts";

export const planHandlers: HandlersOf<keyof typeof planEndpoints> = {
  async listResources({ workspace }) {
    return { resources: [...workspace.planloom.resources] };
  },

  async validatePlan({ workspace, body }) {
    const issues = workspace.planloom.validate(readPlan(body.plan));
    return { valid: issues.every(({ severity }) => severity !== "error"), ...answered(issues) };
  },

  async createPlan({ workspace, body, signal }) {
    const { goal, plan, instructions, context } = body;
    // A plan that is there is changed by PUT, so that an id used twice loses nothing.
    if (plan !== undefined) return saved(workspace, readPlan(plan), { isNew: true });
    const options = {
      ...(instructions !== undefined && { instructions }),
      ...(context !== undefined && { context: context as PlanOptions["context"] }),
      signal,
    };
    return saved(workspace, await workspace.planloom.draft(goal as Goal, options));
  },

  async listPlans({ workspace, query }) {
    const after = readTime("saved_after", query.saved_after);
    const before = readTime("saved_before", query.saved_before);
    const entries = await workspace.index.list(query);
    const fitting = entries.filter(({ savedAt }) => savedAt >= after && savedAt < before);
    const { page, next } = pageOf(fitting, query, ({ plan_id, savedAt }) => `${savedAt}~${plan_id}`);
    const plans = page.map(({ savedAt, ...entry }) => ({ ...entry, saved_at: new Date(savedAt).toISOString() }));
    return { plans, ...(next !== undefined && { next_cursor: next }) };
  },

  async getPlan({ workspace, params }) {
    return judged(workspace, await workspace.plans.load(params.plan_id));
  },

  async replacePlan({ workspace, params, body }) {
    const { plan_id } = params;
    // There must be one, so that a mistyped id does not make a second plan.
    const before = await workspace.plans.load(plan_id);
    const plan = { ...readPlan(body.plan), task_id: plan_id };
    return saved(workspace, plan, { base: body.base ?? planRevision(before) });
  },

  async deletePlan({ workspace, params }) {
    return { plan_id: await workspace.plans.delete(params.plan_id) };
  },

  async diffPlans({ workspace, query }) {
    const [from, to] = await Promise.all([planOf(query.from, workspace), planOf(query.to, workspace)]);
    return { diff: diffPlans(from, to) };
  },

  async answerPlan({ workspace, params, body }) {
    const before = await workspace.plans.load(params.plan_id);
    const chosen = body.tools === undefined ? before : workspace.planloom.choose(before, body.tools);
    const plan = body.answers === undefined ? chosen : workspace.planloom.answer(chosen, body.answers);
    return saved(workspace, plan, { base: planRevision(before) });
  },

  async replanPlan({ workspace, params, body, signal }) {
    const before = await workspace.plans.load(params.plan_id);
    const { mark, note } = body;
    const replanned = await workspace.planloom.replan(before, { mark, signal, ...(note !== undefined && { note }) });
    const { patch, diff } = replanned;
    return { ...(await saved(workspace, replanned.plan, { base: planRevision(before) })), patch, diff };
  },
};

async function saved(
  workspace: Workspace,
  plan: TaskData,
  options: StorePlanOptions = {},
): Promise<ReplyOf<"createPlan">> {
  await workspace.plans.save(plan, options);
  return judged(workspace, plan);
}

/** @param source `plans/ID` or `runs/ID` */
async function planOf(source: string, workspace: Workspace): Promise<TaskData> {
  const at = source.indexOf("/");
  const id = source.slice(at + 1);
  if (source.slice(0, at) === "plans") return workspace.plans.load(id);
  const journal = await workspace.journal();
  return (await journal.getRun(id)).plan;
}

function judged({ planloom }: Workspace, plan: TaskData): ReplyOf<"getPlan"> {
  const questions = planloom.questions(plan).map((question) => ({ ...question }));
  const found = planloom.validate(plan);
  const known = new Set(found.map(({ message }) => message));
  // What its planner left open is said beside what validation finds.
  const issues = [...found, ...notedIssues(plan).filter(({ message }) => !known.has(message))];
  return {
    plan_id: plan.task_id,
    plan,
    status: questions.length > 0 ? "draft" : "ready",
    questions,
    ...answered(issues),
  };
}

function answered(found: readonly PlanIssue[]) {
  const { issues, ...counted } = answeredIssues(found);
  return { ...counted, issues: [...issues] };
}
