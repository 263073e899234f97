import { IssueCode, type PlanIssue } from "@planloom/plan";
import { isEnglish } from "@planloom/plan/internals";
import type { ControllerReply, Phase1Request } from "../behavior-controller.ts";
import { calleeOf, tasksOf } from "./drafted-plan.ts";
import { leavesOf } from "./given-values.ts";
import { madeUpIn, questionsFor, whatItSays, withoutMadeUp } from "./made-up.ts";
import { resourcesOf, saidIn } from "./of-request.ts";
import type { OpenArgument } from "./sides.ts";
import { withTasks } from "./with-tasks.ts";
import { wordsIn } from "./words.ts";

/** What speaks against a plan of a model. */
export interface Doubts {
  /** Why a planner without a model has no plan for the request. It counts for requests in English, with words. */
  readonly refusal?: string | undefined;
  /** How likely the model itself finds it that its calls do what was asked, 0 to 1. */
  readonly likelihood?: number | undefined;
}

/** A plan of which the model finds it less likely that it is right is a proposal, where nothing else speaks against it. */
const unlikely = 0.3;
/** Where rules have no plan either, one that is less likely than this is refused. */
const refusedBelow = 0.45;
/** One that is at least so likely is a proposal though no word of the goal speaks of it. */
const likelyAlone = 0.8;

/**
 * A plan for what the draft's planner has no resource for: it is looked at before it changes anything. Where none of its resources shares a word with the request, there is no
 * plan: a small model that is asked for something nobody can do calls anything. Nor is there one where the model itself, asked whether
 * its calls do it, rather says no; where it surely says yes, words do not count.
 */
export function doubted(
  reply: ControllerReply,
  { refusal, likelihood }: Doubts,
  request: Phase1Request,
): ControllerReply {
  if (!reply.success) return reply;
  if (refusal === undefined || !mayRefuse(request)) {
    return likelihood === undefined || likelihood >= unlikely ? reply : unlikelyPlan(reply, likelihood);
  }
  const goal = wordsIn(saidOf(request));
  const tasks = tasksOf(reply.data) ?? [];
  const called = [...new Set(tasks.map(calleeOf))];
  const byId = resourcesOf(request);
  const isRelated = (callee: string) => {
    const resource = byId.get(callee);
    return resource === undefined || [...wordsIn(whatItSays(resource))].some((word) => goal.has(word));
  };
  const isDenied = likelihood !== undefined && likelihood < refusedBelow;
  const isStrange = !called.some(isRelated) && (likelihood ?? 0) < likelyAlone;
  if (called.length > 0 && (isDenied || isStrange)) {
    const why = isDenied ? "and says itself that this does not do it" : "of which the goal says nothing";
    const message = `${refusal} A model would call ${called.join(", ")}, ${why}.`;
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

/** Whether a refusal of rules says anything of a request: it has words, and they are English. */
export function mayRefuse(request: Phase1Request): boolean {
  const said = saidOf(request);
  return wordsIn(said).size > 0 && isEnglish(said);
}

const saidOf = ({ job, context }: Phase1Request) => leavesOf([job, context]).join(" ");

function unlikelyPlan(reply: ControllerReply, likelihood: number): ControllerReply {
  const chance = likelihood.toFixed(2);
  const message = `The plan is a proposal: asked whether its calls do what the goal asks for, the model that made it rather says no (likelihood ${chance}).`;
  const issue: PlanIssue = { code: IssueCode.PROPOSAL, severity: "warning", message, actual: chance };
  return { ...reply, issues: [...(reply.issues ?? []), issue] };
}
