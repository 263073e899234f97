import { IssueCode, type PlanIssue, type Resource } from "@planloom/plan";
import type { ControllerReply, Phase1Request } from "../behavior-controller.ts";
import { mayRefuse } from "./doubted.ts";
import { calleeOf, type DraftedPlan, tasksOf } from "./drafted-plan.ts";
import { whatItSays } from "./made-up.ts";
import { resourcesOf } from "./of-request.ts";
import { wordsIn } from "./words.ts";

/**
 * A plan for a request of which the draft's planner has nothing for a part ("… and order a pizza"): it is a proposal that says so, unless a resource that it calls shares a word with that part.
 * As it is, small models plan such a part with anything, or leave it out without a word.
 */
export function withUnserved(draft: DraftedPlan, reply: ControllerReply, request: Phase1Request): ControllerReply {
  if (!reply.success || draft.unserved.length === 0 || !mayRefuse(request)) return reply;
  const called = new Set((tasksOf(reply.data) ?? []).map(calleeOf));
  const spoken = wordsOf([...called].flatMap((id) => resourcesOf(request).get(id) ?? []));
  const left = draft.unserved.filter((text) => {
    const words = wordsIn(text);
    return words.size > 0 && ![...words].some((word) => spoken.has(word));
  });
  const issues = left.map((text): PlanIssue => {
    const message = `The plan is a proposal: rules have nothing for ${JSON.stringify(text)}, and nothing that the plan calls speaks of it.`;
    return { code: IssueCode.PROPOSAL, severity: "warning", message, actual: text };
  });
  return issues.length === 0 ? reply : { ...reply, issues: [...(reply.issues ?? []), ...issues] };
}

const wordsOf = (resources: readonly Resource[]) => wordsIn(resources.map(whatItSays).join(" "));
