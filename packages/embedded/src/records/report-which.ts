import type { Draft } from "../draft/draft.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { singular } from "../language/text/singular.ts";
import type { RecordPlanning } from "./record-planning.ts";

/** "Show order 5 and the customer it belongs to" where customers are only listed: a list of all that nothing narrows down does not tell which one is meant. */
export function reportWhich(asked: readonly Draft[], { phrases }: Clause, planning: RecordPlanning): void {
  for (const draft of asked) {
    const { profile, filled } = draft;
    const { determiner, words = [] } = phrases[draft.phrase] ?? {};
    const [noun, more] = words;
    if (
      more !== undefined ||
      filled.size > 0 ||
      determiner !== "the" ||
      noun?.kind !== "word" ||
      noun.noun !== noun.lower
    )
      continue;
    const isOfMany = profile.nameWords.some((word) => word !== noun.noun && singular(word) === noun.noun);
    if (profile.effect !== "reads" || !profile.output.many || !isOfMany) continue;
    const text = `the ${noun.text}`;
    const message = `\`${profile.label}\` lists all, and nothing of the goal says which one "${text}" is.`;
    planning.unresolved.push({ reason: "no_parameter", text, message, draft });
  }
}
