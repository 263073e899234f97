import type { Profile } from "../catalogue/profile.ts";
import { sourcesOf } from "../draft/draft.ts";
import { isContent } from "../language/text/content-words.ts";
import { possessives } from "../language/text/lexicon.ts";
import type { Token } from "../language/text/token.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { finds, takesIdOfFound } from "./chains/link-earlier.ts";
import { lacking, type PlannedCall, type ReadCall, readCall } from "./read-call.ts";
import type { Segment } from "./segmenting/segment.ts";

/** A tool that takes what was found is preferred if its score is behind by no more than this. */
const maxScoreBehind = 2;

/**
 * "Find the keeper Ann and show her boats": a tool that takes no keeper lists all boats; the one for the same things that takes the id of what
 * was just found is meant. Undefined where nothing is pointed back at, or no such tool is near.
 */
export function takerOfFound(
  { tokens, profile, draft }: ReadCall,
  { rivals, score }: Segment,
  calls: readonly PlannedCall[],
  planned: ReadonlySet<Profile>,
  planning: FunctionPlanning,
): ReadCall | undefined {
  const source = calls.at(-1)?.drafts.findLast((each) => finds(each.profile))?.profile;
  if (source === undefined || sourcesOf(draft).length > 0 || takesIdOfFound(source, profile)) return undefined;
  const thing = thingOfPossessor(tokens);
  if (thing === undefined || profile.effect !== "reads") return undefined;
  for (const rival of rivals) {
    if (score - rival.score > maxScoreBehind || rival.contrary || planned.has(rival.profile)) continue;
    if (rival.profile.effect !== "reads" || !rival.profile.about.has(thing)) continue;
    if (!takesIdOfFound(source, rival.profile)) continue;
    const other = readCall(rival.profile, tokens, calls, planning);
    // The id is all that is open: it comes from what was found.
    if (lacking(other) <= 1) return other;
  }
  return undefined;
}

/** Stem of "orders" in "her orders", "their last 3 orders". */
function thingOfPossessor(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex(({ lower }) => possessives.has(lower));
  return at < 0
    ? undefined
    : tokens
        .slice(at + 1, at + 4)
        .find(({ kind, lower, noun }) => kind === "word" && isContent(lower) && noun !== lower)?.stem;
}
