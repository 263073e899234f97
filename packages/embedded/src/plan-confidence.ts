import type { Draft } from "./draft/draft.ts";
import { missingArguments } from "./draft/tasks.ts";
import type { Unresolved } from "./draft/unresolved.ts";
import { likelihoodOf } from "./functions/confidence.ts";
import type { CallChoice } from "./functions/segmenting/call-choice.ts";

/** What each thing a plan leaves open costs, per task; a plan with one open thing a task keeps 1 / (1 + this). */
const openPenalty = 0.3;

/**
 * How far a plan is to be trusted, 0 to 1 with two decimals; 0 for a plan without tasks. Of functions: how likely the plan
 * calls the right ones, no more and no fewer. Of records: the share of required arguments that are filled, less for each
 * thing that the goal says and the plan does not do; a ranking, no probability.
 * @param choice how functions were chosen; none for records
 */
export function confidenceOf(
  drafts: readonly Draft[],
  unresolved: readonly Unresolved[],
  choice: CallChoice | undefined,
): number {
  if (drafts.length === 0) return 0;
  const open = unresolved.filter((each) => each.reason !== "missing_argument").length;
  if (choice !== undefined) return likelihoodOf(drafts, open, choice);
  let required = 0;
  let filled = 0;
  for (const draft of drafts) {
    const needed = draft.profile.parameters.filter((parameter) => parameter.required).length;
    required += needed;
    filled += needed - missingArguments(draft).length;
  }
  // A plan without any argument is judged by what it could not use: each is like an argument that was needed and not found.
  const unused = drafts.every((draft) => draft.filled.size === 0) ? open : 0;
  const share = (1 + filled) / (1 + required + unused);
  return Math.round((100 * share) / (1 + (openPenalty * open) / drafts.length)) / 100;
}
