import type { Draft } from "../draft/draft.ts";
import { missingArguments } from "../draft/tasks.ts";
import type { Unresolved } from "../draft/unresolved.ts";
import { namesTool } from "./call-wording.ts";
import { rightWeights, servedWeights } from "./confidence-weights.ts";
import { evidenceOf, type PlanEvidence, type PlanReading } from "./plan-evidence.ts";

/** What each thing a plan leaves open costs, per task; a plan with one open thing a task keeps 1 / (1 + this). */
const openPenalty = 0.3;
/** No plan of records is surer than this: how often they are right was never measured, since no benchmark has such catalogues. */
const maxUnmeasured = 0.85;

/** Among fewer tools it was not measured whether one of them serves a goal. */
const minTools = 4;

/** How far a plan can be trusted, each 0 to 1. */
export interface PlanChances {
  /** That the whole plan is right: its calls, their arguments, their order, and what it asks for. Two decimals. */
  readonly right: number;
  /** That some tool does what the goal asks for. */
  readonly served: number;
}

/**
 * Plans of functions are judged by two logistic regressions over `evidenceOf`. Calls that are written out by exact names, and plans of
 * records, are judged by how complete they are: the share of required arguments that are filled, less for what stays open.
 * @param readBy which planners read the goal: `exact calls`, `functions`, `records`
 */
export function chancesOf(reading: PlanReading, readBy: readonly string[]): PlanChances {
  const { drafts, unresolved, answered = false, chance: known } = reading;
  if (drafts.length === 0) return { right: 0, served: 0 };
  if (known !== undefined) return { right: rounded(known * completeness(drafts, unresolved, answered)), served: 1 };
  if (!readBy.includes("functions")) {
    const maxChance = readBy.includes("records") ? maxUnmeasured : 1;
    return { right: rounded(maxChance * completeness(drafts, unresolved, answered)), served: 1 };
  }
  if (!reading.offered && !reading.byMeaning && reading.catalogue.profiles.length >= minTools)
    return { right: 0, served: 0 };
  const evidence = evidenceOf(reading);
  // What was learned judges tools by the goal's own words, among several: a tool that the goal names, or that fits by meaning, is not doubted.
  const isServed = reading.byMeaning || reading.catalogue.profiles.length < minTools || drafts.some(namesTool);
  return {
    right: rounded(chance(rightWeights, evidence)),
    served: isServed ? 1 : chance(servedWeights, evidence),
  };
}

type ChanceWeights = Readonly<Partial<Record<keyof PlanEvidence, number>>> & { readonly bias: number };

function chance({ bias, ...weights }: ChanceWeights, evidence: PlanEvidence): number {
  let odds = bias;
  for (const [name, weight] of Object.entries(weights)) odds += weight * evidence[name as keyof PlanEvidence];
  return 1 / (1 + Math.exp(-odds));
}

const rounded = (value: number) => Math.round(100 * value) / 100;

function completeness(drafts: readonly Draft[], unresolved: readonly Unresolved[], answered: boolean): number {
  const open = unresolved.filter((each) => each.reason !== "missing_argument").length;
  const required = drafts.reduce(
    (sum, { profile }) => sum + profile.parameters.filter((parameter) => parameter.required).length,
    0,
  );
  const filled = required - (answered ? [] : drafts).reduce((sum, draft) => sum + missingArguments(draft).length, 0);
  // A plan without any argument is judged by what it could not use: each is like an argument that was needed and not found.
  const unused = drafts.every((draft) => draft.filled.size === 0) ? open : 0;
  const share = (1 + filled) / (1 + required + unused);
  return share / (1 + (openPenalty * open) / drafts.length);
}
