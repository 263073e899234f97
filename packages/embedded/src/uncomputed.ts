import type { PlanReading } from "./confidence/plan-evidence.ts";
import type { Draft } from "./draft/draft.ts";
import { computationPoint } from "./draft/unresolved.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import { openingOf } from "./functions/segmenting/opening.ts";
import { goalKinds } from "./language/goal-kinds.ts";
import { computingVerbs } from "./language/text/lexicon.ts";
import { stem } from "./language/text/stem.ts";

/**
 * A plan of calls that only read, for a goal that asks to compare, rank or sum up what they give. The calls are right, so the plan stays as likely right as it
 * was; that nothing computes is said. The planner of records says it of its own plans.
 */
export function withUncomputed(plan: EmbeddedPlan, { drafts }: PlanReading): EmbeddedPlan {
  const asked = drafts.find(({ support }) => !support);
  const isSaid = plan.unresolved.some(({ reason }) => reason === "computation");
  if (asked === undefined || isSaid || drafts.some(({ profile }) => profile.effect !== "reads")) return plan;
  const { tokens } = asked.clause;
  const { at, imperative } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const verb = tokens[at];
  if (verb === undefined || !imperative || !computingVerbs.has(verb.lower)) return plan;
  if (drafts.some((draft) => computes(draft, verb.stem))) return plan;
  const unresolved = [...plan.unresolved, computationPoint(verb.text)];
  return { plan: { ...plan.plan, metadata: { ...plan.plan.metadata, unresolved } }, unresolved };
}

function computes({ profile, filled }: Draft, verb: string): boolean {
  if (goalKinds[profile.resource.kind].computes !== "nothing" || profile.about.has(verb)) return true;
  if (profile.verbs.some((each) => stem(each) === verb)) return true;
  return [...filled.values()].some(({ parameter }) => parameter.stems.includes(verb));
}
