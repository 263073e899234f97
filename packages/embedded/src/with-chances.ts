import { nearestTo } from "./confidence/nearest.ts";
import { chancesOf } from "./confidence/plan-chances.ts";
import type { PlanReading } from "./confidence/plan-evidence.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";

/** A plan that is right with less likelihood than this is a proposal. */
export const proposalBelow = 0.8;
/** A goal that some tool serves with less likelihood than this is refused. */
export const refusedBelow = 0.05;

/** Tools that are named where nothing fits. */
const maxNearest = 5;

/**
 * How far the plan can be trusted once the arguments that it lacks are given; undefined where it lacks none. What the words that no argument of
 * such a call took meant is then said.
 */
function whenAnswered(unresolved: readonly Unresolved[], reading: PlanReading, readBy: readonly string[]) {
  const lacking = new Set(unresolved.flatMap((each) => (each.reason === "missing_argument" ? [each.task_id] : [])));
  if (lacking.size === 0) return undefined;
  const isAnswered = ({ reason, task_id }: Unresolved) =>
    reason === "missing_argument" || (reason === "no_parameter" && lacking.has(task_id));
  const left = unresolved.filter((each) => !isAnswered(each));
  const { right } = chancesOf({ ...reading, unresolved: left, answered: true }, readBy);
  return { confidence: right, ...(right < proposalBelow && { proposal: true }) };
}

/**
 * The plan with how far it can be trusted in its metadata: `confidence`, and `proposal: true` where that is little; `when_answered` has both as they will be when
 * what the plan lacks is given. A goal that no tool
 * seems to serve is refused: no tasks, `unresolved` says so, and `nearest` names the tools that come nearest.
 */
export function withChances(
  { plan, unresolved }: EmbeddedPlan,
  reading: PlanReading,
  readBy: readonly string[],
): EmbeddedPlan {
  const { right, served } = chancesOf(reading, readBy);
  const isRefused = plan.planned_tasks.length > 0 && served < refusedBelow;
  if (plan.planned_tasks.length > 0 && !isRefused) {
    const isProposal = right < proposalBelow;
    const later = whenAnswered(unresolved, reading, readBy);
    const metadata = {
      ...{ confidence: right, ...(isProposal && { proposal: true }) },
      ...(later !== undefined && { when_answered: later }),
      ...plan.metadata,
    };
    return { plan: { ...plan, metadata }, unresolved };
  }
  const { text, start, catalogue } = reading;
  const nearest = nearestTo(text.slice(start), catalogue, maxNearest).map(({ resource }) => ({ tool: resource.id }));
  const said = text.slice(start).trim().slice(0, 300);
  const refusal: Unresolved = { reason: "no_resource", text: said, message: `No resource fits "${said}".` };
  const near = nearest.length === 0 ? "" : ` Nearest: ${nearest.map(({ tool }) => `\`${tool}\``).join(", ")}.`;
  const open = (isRefused ? [refusal] : unresolved).map((each) =>
    each.reason === "no_resource" ? { ...each, message: each.message + near } : each,
  );
  const { planned_by } = plan.metadata ?? {};
  const metadata = {
    confidence: 0,
    planned_by,
    ...(nearest.length > 0 && { nearest }),
    ...(open.length > 0 && { unresolved: open }),
  };
  return { plan: { ...plan, planned_tasks: [], metadata }, unresolved: open };
}
