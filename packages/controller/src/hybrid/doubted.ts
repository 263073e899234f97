import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";
import type { ControllerReply, Phase1Request } from "../behavior-controller.ts";
import { calleeOf, type Task, tasksOf } from "./drafted-plan.ts";
import { leavesOf } from "./given-values.ts";
import { madeUpIn, questionsFor, whatItSays, withoutMadeUp } from "./made-up.ts";
import { resourcesOf, saidIn } from "./of-request.ts";
import type { OpenArgument } from "./sides.ts";
import { isEnglish, wordsIn } from "./words.ts";

/**
 * A plan for what the draft's planner has no resource for: it is looked at before it changes anything. Where none of its resources shares a word with the request, there is no
 * plan: a small model that is asked for something nobody can do calls anything. Of a request in another language than English rules say nothing.
 */
export function doubted(reply: ControllerReply, refusal: string, request: Phase1Request): ControllerReply {
  const said = leavesOf([request.job, request.context]).join(" ");
  const goal = wordsIn(said);
  if (!reply.success || goal.size === 0 || !isEnglish(said)) return reply;
  const tasks = tasksOf(reply.data) ?? [];
  const called = [...new Set(tasks.map(calleeOf))];
  const byId = resourcesOf(request);
  const isRelated = (callee: string) => {
    const resource = byId.get(callee);
    return resource === undefined || [...wordsIn(whatItSays(resource))].some((word) => goal.has(word));
  };
  if (called.length > 0 && !called.some(isRelated)) {
    const message = `${refusal} A model would call ${called.join(", ")}, of which the goal says nothing.`;
    const issue: PlanIssue = { code: IssueCode.UNRESOLVED, severity: "error", message };
    return { ...reply, success: false, data: undefined, message, issues: [issue], final: true };
  }
  const message = `The plan is a proposal: a model made it, and without one there is none. ${refusal}`;
  const issue: PlanIssue = { code: IssueCode.PROPOSAL, severity: "warning", message };
  const open: OpenArgument[] = [];
  const isMadeUp = madeUpIn(saidIn(request), byId);
  const asked = tasks.map((task) => withoutMadeUp(task, calleeOf(task), isMadeUp, open));
  const issues = [...(reply.issues ?? []), issue, ...questionsFor(open)];
  return open.length === 0 ? { ...reply, issues } : { ...reply, data: withTasks(reply.data, asked), issues };
}

function withTasks(data: unknown, tasks: readonly Task[]): unknown {
  if (!isRecord(data)) return tasks;
  const { planned_tasks: _, ...rest } = data;
  return { ...rest, tasks };
}
